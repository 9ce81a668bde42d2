"""Attacks that no single round shows: decks chosen, rounds and tables thrown away, seats favoured.

Each attacker makes rounds in which everything else holds, seeds and all, by trying seeds until the cards suit it.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from operator import eq

import msgspec

from referee.audit import Code
from referee.dealing.deal import Deal
from referee.games.mau_binh.game import QUESTIONS
from tests.audit import audit_attack
from tests.audit.audit_attack import Attacked, adopt, ended, redealt
from tests.audit.audit_builder import LogBuilder, Parts, Table, abort, dealt_from, digest, settle

mutation = partial(audit_attack.mutation, file="chance.jsonl")
DUEL = Table(name="felt", ruleset_id="mau_binh.classic", seats=2, received=False)
FOUR = replace(DUEL, seats=4)

Wanted = Callable[[Deal], bool]


def numbers(deal: Deal) -> list[int]:
    """Return the deck as the numbers of its cards."""
    return [card.number for section in deal.sections for card in section]


def ground(log: LogBuilder, table: Table, wanted: Wanted) -> Parts:
    """Make the table's next round with the first server seed that gives a deal as wanted."""
    parts, tries = log.lay_out(table), 0
    while not wanted(parts.deal):
        tries += 1
        seed = digest("ground", table.name, parts.header.round_number, tries)
        parts.deal = Deal.derive(parts.header, server_seed=seed, client_seeds=parts.client_seeds)
        parts.server_seed = seed
    return dealt_from(table, parts.header, server_seed=parts.server_seed, client_seeds=parts.client_seeds)


def points(deal: Deal, seat: int) -> int:
    """Return the points of a seat's hand."""
    return QUESTIONS.points(bytes([card.number for card in deal.sections[seat]]))


def is_best(deal: Deal, seat: int) -> bool:
    """Return whether this seat, of four, has more points than each other."""
    every = [points(deal, one) for one in range(4)]
    return every.count(max(every)) == 1 and every[seat] == max(every)


def is_worst(deal: Deal, seat: int) -> bool:
    """Return whether this seat, of four, has by far the fewest points."""
    every = [points(deal, one) for one in range(4)]
    return every[seat] <= min(every[:seat] + every[seat + 1 :]) - 20


@mutation(Code.ABORTED_BY_QUALITY, "rounds in which the operator's accomplice holds the worst cards are aborted")
def aborted_where_a_seat_has_the_worst_cards() -> Attacked:
    log = LogBuilder.founded()
    for _ in range(24):
        parts = ground(log, FOUR, lambda deal: is_worst(deal, 0))
        abort(parts, stage="DEALT", reason="DEADLINE")
        log.append(parts)
    return ended(log)


@mutation(Code.ABORTED_FOR_KEY, "one key changes tables and seats, and rounds in which its cards are worst abort")
def aborted_where_a_key_has_the_worst_cards() -> Attacked:
    log = LogBuilder.founded()
    for number in range(30):
        others = [f"player {number}/{seat}" for seat in range(3)]
        seat = number % 4
        table = replace(
            FOUR, name=f"felt-{number % 6}", keyed=True, players=(*others[:seat], "accomplice", *others[seat:])
        )
        parts = ground(log, table, partial(is_worst, seat=seat))
        abort(parts, stage="DEALT", reason="DEADLINE")
        log.append(parts)
    return ended(log)


@mutation(Code.WITHHELD_BY_SEAT, "one seat withholds its seed whenever it likes, and every such round is aborted")
def withheld_by_one_seat() -> Attacked:
    return withheld(20)


@mutation(
    Code.UNLIKELY_BY_CHANCE,
    "one seat is to blame more often than chance alone would have it, and not yet surely",
    number=40,
)
def withheld_by_one_seat_a_few_times() -> Attacked:
    return withheld(9)


def withheld(times: int) -> Attacked:
    """Make a log of rounds that were aborted for a seed that seat 2 withheld."""
    log = LogBuilder.founded()
    for _ in range(times):
        parts = log.lay_out(FOUR)
        abort(parts, stage="OPENED", reason="SEED_MISSING", missing=(2,))
        log.append(parts, steps="OER")
    return ended(log)


@mutation(Code.TABLES_THROWN_AWAY, "a table is opened for each deck, and given up where the deck does not please")
def tables_thrown_away() -> Attacked:
    log = LogBuilder.founded()
    for number in range(12):
        parts = log.lay_out(replace(DUEL, name=f"felt-{number}"))
        abort(parts, stage="DEALT", reason="DEADLINE")
        log.append(parts)
    return ended(log)


@mutation(Code.TABLES_UNSEEDED, "a frontend opens table after table and gives each up before a seat sends a seed")
def tables_given_up_without_a_seed() -> Attacked:
    log = LogBuilder.founded()
    for number in range(12):
        parts = log.lay_out(replace(DUEL, name=f"felt-{number}"))
        abort(parts, stage="OPENED", reason="OPERATOR", time=parts.opened.opened_time + 1)
        log.append(parts, steps="OER")
    return ended(log)


@mutation(Code.CARDS_BY_PLACE_UNEVEN, "the server's seed is tried until seat 0 is dealt the ace of spades first")
def ace_of_spades_always_first() -> Attacked:
    log = LogBuilder.founded()
    for _ in range(10):
        parts = ground(log, DUEL, lambda deal: deal.sections[0][0].text == "AS")
        settle(parts)
        log.append(parts)
    return ended(log)


def keeps_places(before: list[int], deal: Deal) -> bool:
    """Return whether at least four cards are at the same places as before."""
    return sum(map(eq, before, numbers(deal))) >= 4


@mutation(Code.DECKS_CORRELATED, "each deck keeps cards at the places they had in the one before")
def decks_that_remember() -> Attacked:
    log = LogBuilder.founded()
    before = list(range(1, 53))
    for _ in range(14):
        parts = ground(log, DUEL, partial(keeps_places, before))
        settle(parts)
        log.append(parts)
        before = numbers(parts.deal)
    return ended(log)


@mutation(
    Code.DECK_REPEATED,
    "a deck that was played is dealt again at another table, and its seed not shown yet",
)
def deck_dealt_twice() -> Attacked:
    log = LogBuilder.founded()
    first = log.play(DUEL)
    again = log.lay_out(replace(DUEL, name="other"))
    adopt(again, redealt(again, first.deal.sections))
    log.append(again, steps="ODE")
    return ended(log)


@mutation(Code.WINS_BEYOND_CHANCE, "the server's seed is tried until seat 0 is dealt the best hand")
def best_hand_always_at_one_seat() -> Attacked:
    log = LogBuilder.founded()
    for _ in range(22):
        parts = ground(log, FOUR, lambda deal: is_best(deal, 0))
        settle(parts)
        log.append(parts)
    return ended(log)


def winner(parts: Parts) -> int | None:
    """Return the seat that won more than every other by the settlement; None if there is none."""
    nets = [seat["net"] for seat in msgspec.json.decode(parts.transcript)["results"]["seats"]]
    return nets.index(max(nets)) if nets.count(max(nets)) == 1 else None


@mutation(Code.WIN_RATE_UNUSUAL, "a seat wins round after round, even when another seat has the best hand")
def one_seat_wins_always() -> Attacked:
    log = LogBuilder.founded()
    tried = 0
    for number in range(20):
        parts = log.prepare(FOUR)
        while not (is_best(parts.deal, number % 4) and winner(parts) == 0):
            tried += 1
            seed = digest("won", tried)
            parts = dealt_from(FOUR, parts.header, server_seed=seed, client_seeds=parts.client_seeds)
            settle(parts)
        log.append(parts)
    return ended(log)
