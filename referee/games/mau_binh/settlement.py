"""Settlement: who pays whom when a round is over.

Money moves between pairs of seats, always a whole number of stakes, each amount with its reason; last the house takes
its commission, where the ruleset has one. So it sums to zero. An instant win is paid by every seat that has none or a
lower one, and then no chi are compared.

>>> from referee.cards import DECK
>>> from referee.games.deal import DealtRound
>>> from referee.games.mau_binh.state import begin
>>> from referee.rulesets import get
>>> deal = DealtRound(seat_count=2, stake=100, sections=(DECK[0:26:2], DECK[1:52:4]), dealt_time=0)
>>> outcome = settle(begin(get("mau_binh.classic").rules, deal))
>>> outcome.net, outcome.transfers[0].reason, outcome.transfers[0].subject
((-2600, 2600), 'INSTANT_WIN', 'SUITED_DRAGON')
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from referee.cards import Seat
from referee.games.commission import commission_transfers, house_result
from referee.games.deal import open_cards
from referee.games.game import ResultValue
from referee.games.mau_binh.code import CHI_REASONS, Reason
from referee.games.mau_binh.duel import FIRST, SECOND, Duel, Showing, duel, showing_of
from referee.games.mau_binh.instant_win import InstantWin
from referee.games.mau_binh.price import Sweeps, chi_owed, compensations, owed_when_swept, sweeps_of
from referee.games.mau_binh.rules import MauBinhRules
from referee.games.mau_binh.state import State
from referee.money import Amount, Transfer, net_amounts
from referee.verdict import Violation

_CHI_TEXTS: Final = tuple([reason.value for reason in CHI_REASONS])


class Outcome(msgspec.Struct, frozen=True):
    """Settlement of a round.

    ``instant_wins`` by seat, None for a seat without one; empty if no seat has one. ``showings`` by seat, empty if an
    instant win ended the round. ``fouls`` of all seats, in the order of seats. ``showdown_time`` is when the showdown
    began, None after an instant win. ``transfers`` go by pairs of seats, lower seats first; for each pair by chi, then
    the additions of sweeps; then what seats at fault owe in place of others; last the commission. ``net`` by seat; with
    the house's it sums to zero. ``chi_won`` by seat counts the chi won against all opponents. ``winners`` are the seats
    with the most chi won among those that neither fouled nor left before the showdown, all of them on a tie; after an
    instant win the seats with the strongest one.
    """

    instant_wins: tuple[InstantWin | None, ...] = ()
    showings: tuple[Showing, ...] = ()
    fouls: tuple[Violation, ...] = ()
    showdown_time: int | None = None
    transfers: tuple[Transfer, ...] = ()
    net: tuple[int, ...] = ()
    chi_won: tuple[int, ...] = ()
    winners: tuple[Seat, ...] = ()


def settle(state: State) -> Outcome:
    """Settle a round; raise DealError if a hand is not open. ``check_closing`` must have returned no violation."""
    open_cards(state.deal)
    rules, stake, seats = state.rules, state.deal.stake, [Seat(seat) for seat in range(state.seat_count)]
    if state.is_won_at_the_deal:
        return _won_at_the_deal(rules, state.instant_wins, seats, stake)
    showings = tuple([showing_of(state, seat) for seat in seats])
    duels = [
        duel(first, showings[first], second, showings[second]) for first, second in itertools.combinations(seats, 2)
    ]
    sweeps = sweeps_of(rules, showings, duels)
    owed = [transfer for pair in duels for transfer in _paid(rules, pair, showings, sweeps, stake)]
    if sweeps.winner is not None:
        owed += [
            _transfer(seat, sweeps.winner, part.units * stake, part.reason, part.subject)
            for seat, part in compensations(rules, showings, sweeps, duels).items()
        ]
    transfers = _with_commission(rules, owed, seats, stake)
    chi_won = _chi_won(duels, len(seats))
    lawful = [seat for seat in seats if not (showings[seat].left_before or showings[seat].fouls)]
    most = max([chi_won[seat] for seat in lawful], default=0)
    return Outcome(
        showings=showings,
        fouls=tuple([foul for showing in showings for foul in showing.fouls]),
        showdown_time=state.showdown_time,
        transfers=transfers,
        net=net_amounts(transfers, len(seats)),
        chi_won=chi_won,
        winners=tuple([seat for seat in lawful if chi_won[seat] == most]),
    )


def encode_results(state: State, outcome: Outcome) -> Mapping[str, ResultValue]:
    """Encode the settlement for a transcript.

    The results are canonical JSON::

        {"events_hash": h_n, "ending": "SHOWDOWN" | "INSTANT_WIN",
         "seats": [{"arrangement": [back, middle, front], "hands": [category, category, category],
                    "fouls": [code, ..], "instant_win": pattern, "chi_won": n, "net": n}, ..],
         "transfers": [{"amount","from","reason","subject","to"}, ..], "winners": [seat, ..],
         "house": {"net": n}, "showdown_time": ms}

    where ``house`` is left out unless the ruleset has a commission, ``arrangement`` and ``hands`` are empty after an
    instant win, ``instant_win`` is empty for a seat without one, and ``showdown_time`` is left out after an instant
    win. The caller adds ``events_hash``.
    """
    seats: list[ResultValue] = []
    for seat, net in enumerate(outcome.net):
        showing = outcome.showings[seat] if outcome.showings else None
        win = outcome.instant_wins[seat] if outcome.instant_wins else None
        seats.append(
            {
                "arrangement": showing.arrangement.chi if showing else [],
                "chi_won": outcome.chi_won[seat],
                "fouls": [foul.code for foul in showing.fouls] if showing else [],
                "hands": [value.category for value in showing.values] if showing else [],
                "instant_win": win.pattern if win else "",
                "net": net,
            }
        )
    results: dict[str, ResultValue] = {
        "ending": "INSTANT_WIN" if outcome.instant_wins else "SHOWDOWN",
        "seats": seats,
        "transfers": outcome.transfers,
        "winners": outcome.winners,
        **house_result(state.rules.commission, outcome.transfers),
    }
    if outcome.showdown_time is not None:
        results["showdown_time"] = outcome.showdown_time
    return results


def _with_commission(
    rules: MauBinhRules, transfers: Sequence[Transfer], seats: Sequence[Seat], stake: int
) -> tuple[Transfer, ...]:
    return (*transfers, *commission_transfers(rules.commission, transfers, seat_count=len(seats), stake=stake))


def _won_at_the_deal(
    rules: MauBinhRules, wins: tuple[InstantWin | None, ...], seats: Sequence[Seat], stake: int
) -> Outcome:
    """Settle a round that ended at the deal: of two seats, the one with the stronger instant win collects its units."""
    transfers = []
    for first, second in itertools.combinations(seats, 2):
        for winner, loser in ((first, second), (second, first)):
            mine, theirs = wins[winner], wins[loser]
            if mine is not None and (theirs is None or mine.place < theirs.place):
                transfers.append(_transfer(loser, winner, mine.units * stake, Reason.INSTANT_WIN, mine.pattern))
    settled = _with_commission(rules, transfers, seats, stake)
    highest = min(win.place for win in wins if win is not None)
    return Outcome(
        instant_wins=wins,
        transfers=settled,
        net=net_amounts(settled, len(seats)),
        chi_won=(0,) * len(seats),
        winners=tuple(
            [seat for seat, win in zip(seats, wins, strict=True) if win is not None and win.place == highest]
        ),
    )


def _paid(rules: MauBinhRules, pair: Duel, showings: Sequence[Showing], sweeps: Sweeps, stake: int) -> list[Transfer]:
    """Return the transfers of one duel: the chi in their order, then the additions of sweeps or four aces."""
    if pair.swept is not None:
        winner, loser = pair.swept
        return [
            _transfer(loser, winner, part.units * stake, part.reason, part.subject)
            for part in owed_when_swept(rules, showings, sweeps, pair, pair.swept)
        ]
    paid = []
    for chi, sign in enumerate(pair.winners):
        if sign:
            winner, loser = (pair.first, pair.second) if sign == FIRST else (pair.second, pair.first)
            part = chi_owed(rules, pair, chi, showings[winner])
            paid.append(Transfer(loser, winner, Amount(part.units * stake), _CHI_TEXTS[chi], part.subject))
    return paid


def _transfer(payer: Seat, payee: Seat, amount: int, reason: str, subject: str = "") -> Transfer:
    return Transfer(payer, payee, Amount(amount), str(reason), str(subject))


def _chi_won(duels: Sequence[Duel], seat_count: int) -> tuple[int, ...]:
    """Return the number of chi that each seat won, summed over its duels. Lost chi are not subtracted."""
    won = [0] * seat_count
    for pair in duels:
        won[pair.first] += pair.winners.count(FIRST)
        won[pair.second] += pair.winners.count(SECOND)
    return tuple(won)
