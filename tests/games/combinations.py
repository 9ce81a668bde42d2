"""Whether a fault ever pays under combinations of knobs: ``python -m tests.games.combinations [--count N] [--seed S]``.

The loader is asked about random combinations of each game's knobs. Under those that it takes, no seat may win more by
leaving, stalling, fouling on purpose or keeping its cards shut. At Mậu Binh that is a claim about every deal, with all
cards seen: for each seat at fault the same cards are settled with any lawful arrangement in place of the fault, while
the others play whatever they play. The command also counts what two partners win by a fault of one of them.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from referee.cards import DECK, Card, Seat
from referee.evidence.canonical import Hex
from referee.games import GAMES
from referee.games.mau_binh import GAME, Arrange, Arrangement, Commit, Leave, MauBinhRules, State
from referee.games.mau_binh.arrangement import ChiCards, fouls_of
from referee.games.mau_binh.bounds import Fault
from referee.games.mau_binh.event import Timeout
from referee.games.mau_binh.penalties import NoFourAcesSweep, NoWinnerSweep, SweptByAll
from referee.rulesets import load_builtin
from referee.rulesets.shape import faults_of, newest_schema, spelled_out
from tests.games.rounds import hands_deal
from tests.randomness import random_from

LEFT, FOULED, STALLED, SHUT = (
    "leave before the showdown",
    "foul on purpose",
    "let the clock run",
    "do not open (sealed)",
)
LATER: Final = "leave while a chi is shown"
FAULTS: Final = (LEFT, FOULED, STALLED, SHUT, LATER)
ALLOWING: Final = {Fault.LEFT: (LEFT,), Fault.FOUL: (FOULED, STALLED)}
"""Faults that pay where a sheet's own words allow one; the clock fouls for a seat whose cards foul as dealt."""
LAWFUL: Final = "lawful"


class Table(NamedTuple):
    """Hands of one deal, each with a lawful arrangement."""

    hands: tuple[tuple[Card, ...], ...]
    chi: tuple[ChiCards, ...]


class Gain(NamedTuple):
    """What a seat wins more by a fault than by its lawful arrangement, in stakes, and what each other seat does."""

    fault: str
    seat: int
    won: tuple[int, ...]
    lawful: tuple[int, ...]
    others: tuple[str, ...]

    @property
    def more(self) -> int:
        """What the seat at fault wins more."""
        return self.won[self.seat] - self.lawful[self.seat]


def said(**fields: object) -> dict[str, object]:
    """Return a table of a ruleset with a source."""
    return {**fields, "source": "a test", "quote": "a test"}


def drawn_mau_binh(luck: random.Random) -> dict[str, Any]:
    """Draw a combination of knobs as the data of a file of the newest schema."""
    sheet = luck.choice([one for one in load_builtin() if one.game == "mau_binh"])
    data: Any = spelled_out(sheet.rules, schema=newest_schema(MauBinhRules))
    words = luck.choice(["", "the sheet's own words"]), luck.choice(["", "the sheet's own words"])
    times, plus = luck.choice([2, 3, 5]), luck.choice([1, 2, 6])
    unopened = luck.choice(["FOUL", "FOUL_OR_SWEEP", "FOUL_OR_SWEEP"])
    least, most = luck.choice([(2, 2), (2, 4), (3, 4)])
    return data | {
        "instant_wins": [],
        "seats": said(minimum=least, maximum=most),
        "sweep": luck.choice(
            [
                said(kind="BY_EVERY_SEAT", multiplier=times),
                said(kind="BETWEEN_TWO_TIMES", multiplier=times),
                said(kind="BETWEEN_TWO_PLUS", units=plus),
                said(kind="NONE"),
            ]
        ),
        "four_aces_sweep": luck.choice(
            [said(kind="NONE"), said(kind="BACK_BECOMES_WORTH", units=luck.choice([25, 80]))]
        ),
        "foul": luck.choice(
            [
                said(kind="SWEPT", unopened=unopened),
                said(kind="LOSES_CHI", unopened=unopened),
                said(kind="FLAT", unopened=unopened, units=luck.choice([1, 3, 3, 7, 400]), allowed_by=words[0]),
            ]
        ),
        "leaving": said(
            before_showdown=luck.choice(["SWEPT", "LOSES_CHI"]),
            in_showdown=luck.choice(["LOSES_LATER_CHI", "ARRANGEMENT_COUNTS"]),
            allowed_by=words[1],
        ),
        "commission": luck.choice(
            [{"kind": "NONE"}, {"kind": "OF_WINNINGS", "permille": 50, "cap_units": 2, "reason": "a test"}]
        ),
        "winner_sweep": luck.choice(
            [{"kind": "NONE"}, {"kind": "MULTIPLIED", "multiplier": luck.choice([2, 3, 4, 7]), "reason": "a test"}]
        ),
    }


def rules_of(game: str, data: Mapping[str, Any]) -> Any:  # noqa: ANN401 - the rules of any game
    """Return the rules that the loader makes of a file's data, None if it refuses them."""
    rules_type = GAMES[game].rules_type
    if faults_of(data, rules_type, schema=newest_schema(rules_type)):
        return None
    return msgspec.convert(data, rules_type)


def unasked(data: Mapping[str, Any]) -> MauBinhRules | None:
    """Return the rules of refused data as a file of an earlier schema has them, which is not asked about faults."""
    data = {key: {**value} if isinstance(value, dict) else value for key, value in data.items()}
    data["foul"].pop("allowed_by", None)
    data["leaving"].pop("allowed_by", None)
    return None if faults_of(data, MauBinhRules, schema=2) else msgspec.convert(data, MauBinhRules)


def drawn_table(rules: MauBinhRules, luck: random.Random, *, seats: int) -> Table:
    """Deal cards so that sweeps and dear hands are common, and arrange each hand lawfully."""
    while True:
        deck = luck.sample(DECK, len(DECK))
        if luck.random() < 0.5:  # the first seat has more of the high cards, often the aces
            deck.sort(key=lambda card: card.rank + luck.random() * 16, reverse=True)
        hands = [tuple(deck[13 * seat : 13 * seat + 13]) for seat in range(seats)]
        if luck.random() < 0.5:
            hands = [tuple(luck.sample(hand, 13)) for hand in hands]
        chi = [arranged for hand in hands if (arranged := lawful_chi(rules, hand)) is not None]
        if len(chi) == seats:
            places = luck.sample(range(seats), seats)
            return Table(tuple([hands[place] for place in places]), tuple([chi[place] for place in places]))


def lawful_chi(rules: MauBinhRules, hand: Sequence[Card]) -> ChiCards | None:
    """Return an arrangement that does not foul: equal ranks and high cards go to the back; None if that fouls."""
    counts = Counter(card.rank for card in hand)
    cards = sorted(hand, key=lambda card: (counts[card.rank], card.rank), reverse=True)
    chi = tuple(cards[:5]), tuple(cards[5:10]), tuple(cards[10:])
    return None if fouls_of(rules, chi) else chi


def fouled_chi(rules: MauBinhRules, hand: Sequence[Card], chi: ChiCards) -> ChiCards | None:
    """Return the hand's cards in an order that fouls, None if neither exchanging two chi nor the order dealt does."""
    back, middle, front = chi
    for fouled in ((middle, back, front), Arrangement.as_dealt(hand).chi):
        if fouls_of(rules, fouled):
            return fouled
    return None


def net(rules: MauBinhRules, table: Table, ways: Sequence[str], *, later: int = 0) -> tuple[int, ...] | None:
    """Return what each seat wins where the seats do so, in stakes; None if a fault is not possible with these cards.

    ``later``: the chi, from 1, that is shown when a seat leaves the showdown. A table is sealed if a seat keeps its
    cards shut.
    """
    seats = [Seat(seat) for seat in range(len(ways))]
    chi = dict(zip(seats, table.chi, strict=True))
    for seat in seats:
        hand = table.hands[seat]
        fouled = fouled_chi(rules, hand, chi[seat]) if ways[seat] == FOULED else chi[seat]
        if fouled is None or (ways[seat] == STALLED and not fouls_of(rules, Arrangement.as_dealt(hand).chi)):
            return None  # nothing fouls, or the order dealt is an arrangement like any other
        chi[seat] = fouled
    state = GAME.begin(rules, hands_deal(table.hands, is_sealed=SHUT in ways))
    for seat in seats:
        if ways[seat] == LEFT:
            state = GAME.apply(state, Leave(seat, 0))
    coming = [seat for seat in seats if ways[seat] not in {LEFT, STALLED}]
    if SHUT in ways:
        return tuple(GAME.settle(_opened(rules, state, chi, coming, ways)).net)
    for seat in coming:
        state = GAME.apply(state, Arrange(seat, *chi[seat], time=0))
    begun = rules.arranging_ms if STALLED in ways else 0
    for seat in seats:
        if ways[seat] == LATER:
            state = GAME.apply(state, Leave(seat, begun + (later - 1) * rules.showdown_chi_ms))
    return tuple(GAME.settle(state).net)


def _opened(
    rules: MauBinhRules, state: State, chi: Mapping[Seat, ChiCards], coming: Sequence[Seat], ways: Sequence[str]
) -> State:
    """Return a sealed round in which the seats that come commit, and those that keep nothing shut open."""
    stalled = [Seat(seat) for seat, way in enumerate(ways) if way == STALLED]
    for seat in coming:
        state = GAME.apply(state, Commit(seat, Hex(bytes([seat]) * 32), time=0))
    for seat in stalled:
        state = GAME.apply(state, Timeout(seat, rules.arranging_ms))
    opened = rules.arranging_ms if stalled else 0
    state = GAME.later.unseal(state, opened)
    for seat in coming:
        if ways[seat] != SHUT:
            state = GAME.apply(state, Arrange(seat, *chi[seat], opened, Hex(bytes(32)), bytes([seat]) * 32))
    for seat in coming:
        if ways[seat] == SHUT:
            state = GAME.apply(state, Timeout(seat, state.closing_deadline))
    return state


def gains(rules: MauBinhRules, table: Table, luck: random.Random) -> Iterator[Gain]:
    """Yield what each fault of each seat wins, where the others are lawful, and where one of them is at fault."""
    count = len(table.hands)
    for seat in range(count):
        ways = [LAWFUL] * count
        others = [other for other in range(count) if other != seat]
        if luck.random() < 0.4:
            ways[luck.choice(others)] = luck.choice([LEFT, FOULED])
        lawful = net(rules, table, ways)
        for fault in FAULTS if lawful is not None else ():
            won = net(rules, table, [*ways[:seat], fault, *ways[seat + 1 :]], later=luck.choice([1, 2, 3]))
            if lawful is not None and won is not None:
                yield Gain(fault, seat, won, lawful, tuple(ways))


def allowed(rules: MauBinhRules) -> set[str]:
    """Return the faults that may pay under rules, by a sheet's own words."""
    return {way for fault in rules.losses.allowed for way in ALLOWING[fault]}


def combinations(luck: random.Random, count: int) -> Iterator[tuple[dict[str, Any], MauBinhRules | None]]:
    """Yield drawn combinations of Mậu Binh and the loader's rules, None where it refuses them."""
    for _ in range(count):
        data = drawn_mau_binh(luck)
        if data["four_aces_sweep"]["kind"] != "NONE" and "FOUR_ACES" not in data["ranking"]["rules"]["order"]:
            data["four_aces_sweep"] = said(kind="NONE")
        yield data, rules_of("mau_binh", data)


def tables_of(rules: MauBinhRules, luck: random.Random, count: int) -> Iterator[Table]:
    """Yield deals at tables of a random number of seats that the rules allow."""
    for _ in range(count):
        yield drawn_table(rules, luck, seats=luck.randint(rules.seats.minimum, rules.seats.maximum))


def partners_gains(rules: MauBinhRules, table: Table) -> Iterator[tuple[str, int]]:
    """Yield for each two partners and fault of one what they win more together than by lawful arrangements."""
    count = len(table.hands)
    lawful = net(rules, table, [LAWFUL] * count)
    assert lawful is not None
    for partner in range(count):
        for fault in (LEFT, FOULED, SHUT, LATER):
            ways = [fault if seat == partner else LAWFUL for seat in range(count)]
            won = net(rules, table, ways, later=1)
            for other in range(count) if won is not None else ():
                if won is not None and other != partner:
                    pair = partner, other
                    yield fault, sum(won[seat] for seat in pair) - sum(lawful[seat] for seat in pair)


def kind_of(rules: MauBinhRules) -> str:
    """Return what of the rules decides whether partners can win by a fault."""
    if rules.losses.allowed:
        return "a sheet allows a fault"
    if not isinstance(rules.four_aces_sweep, NoFourAcesSweep):
        return "four aces that win from everyone are dearer"
    return "a sweep by every seat" if isinstance(rules.sweep, SweptByAll) else "all others"


def main(arguments: Sequence[str]) -> None:
    """Print both tables of Mậu Binh."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2_000, help="combinations that are drawn")
    parser.add_argument("--deals", type=int, default=20, help="deals of each combination that the loader takes")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    luck = random_from(chosen.seed)
    tried, better, most = Counter[tuple[str, str]](), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    pairs, won, best = Counter[tuple[str, str]](), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    kinds, refused = Counter[str](), 0
    for _, rules in combinations(luck, chosen.count):
        if rules is None:
            refused += 1
            continue
        kinds[kind_of(rules)] += 1
        has_sweep = "with" if not isinstance(rules.winner_sweep, NoWinnerSweep) else "without"
        for table in tables_of(rules, luck, chosen.deals):
            for gain in gains(rules, table, luck):
                key = gain.fault, "allowed" if gain.fault in allowed(rules) else "not allowed"
                tried[key] += 1
                better[key] += gain.more > 0
                most[key] = max(most[key], gain.more)
            if len(table.hands) > 2:  # else two partners are the whole table
                for fault, more in partners_gains(rules, table):
                    leaves = "; one leaves while a chi is shown" if fault == LATER else ""
                    key = kind_of(rules), f"{has_sweep}{leaves}"
                    pairs[key] += 1
                    won[key] += more > 0
                    best[key] = max(best[key], more)
    write = sys.stdout.write
    write(f"{chosen.count} combinations, of which the loader refuses {refused}; seed {chosen.seed}\n\n")
    write("| fault of one seat | by a sheet's words | tried | better | most won more |\n|---|---|---|---|---|\n")
    for key in sorted(tried):
        write(f"| {key[0]} | {key[1]} | {tried[key]:,} | {better[key]:,} | {most[key]} |\n")
    write(
        "\n| rules | winner's sweep | faults of partners | better for both | most won more |\n|---|---|---|---|---|\n"
    )
    for key in sorted(pairs):
        write(f"| {key[0]} | {key[1]} | {pairs[key]:,} | {won[key]:,} | {best[key]} |\n")


if __name__ == "__main__":
    main(sys.argv[1:])
