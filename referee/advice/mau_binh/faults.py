"""Whether a fault pays: leaving before the showdown, or fouling on purpose, where a sheet's own words make it cheap.

Deals are played by the advice, and again with one seat at fault; the game's law settles both. A fault pays a hand that
expects to lose more by the advice than a seat at fault loses on average. A commission is left out.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from statistics import mean
from typing import Final, NamedTuple

import msgspec

from referee.advice.mau_binh.advisor import Advisor
from referee.advice.mau_binh.population import HandPopulation
from referee.advice.mau_binh.suggestion import SCALE
from referee.cards import DECK, Card, Seat
from referee.games import DealtRound
from referee.games.commission import NoCommission
from referee.games.mau_binh import GAME, HAND_SIZE, Arrange, Event, Leave, MauBinhRules, instant_win_of
from referee.games.mau_binh.arrangement import ChiCards, fouls_of
from referee.games.mau_binh.bounds import Fault

HANDS: Final = 1_200
"""Hands that are asked at each number of seats."""


class AdvisedHand(NamedTuple):
    """Dealt cards, the arrangement that the advice gives them and what it expects, in stakes."""

    cards: tuple[Card, ...]
    chi: ChiCards
    expected: float


class PayingFault(NamedTuple):
    """A fault at a table of some seats, and the share of hands that it pays."""

    fault: Fault
    seats: int
    share: float


def paying_faults(rules: MauBinhRules, population: HandPopulation, *, seed: int = 1) -> Iterator[PayingFault]:
    """Yield how often each fault pays that a sheet's own words allow, at each number of seats of the rules."""
    rules = msgspec.structs.replace(rules, commission=NoCommission())
    for seats in range(rules.seats.minimum, rules.seats.maximum + 1):
        if rules.losses.allowed:
            advisor = Advisor.of(rules, population, seat_count=seats)
            tables = list(islice(advised_tables(advisor, seats=seats, seed=seed), HANDS // seats))
            hands = [hand for table in tables for hand in table]
            for fault in rules.losses.allowed:
                lost = mean_at_fault(rules, tables, fault)
                yield PayingFault(fault, seats, sum(hand.expected < lost for hand in hands) / len(hands))


def advised_tables(advisor: Advisor, *, seats: int, seed: int) -> Iterator[list[AdvisedHand]]:
    """Yield deals without end that no instant win ends, with what the advice makes of them."""
    luck, rules = random.Random(seed), advisor.table.rules  # noqa: S311 - deals that repeat themselves
    while True:
        deck = luck.sample(DECK, HAND_SIZE * seats)
        hands = [tuple(deck[start : start + HAND_SIZE]) for start in range(0, len(deck), HAND_SIZE)]
        if not any(instant_win_of(rules, hand) for hand in hands):
            best = [advisor.suggest(hand, count=1)[0] for hand in hands]
            yield [
                AdvisedHand(hand, advised.arrangement.chi, advised.expected / SCALE)
                for hand, advised in zip(hands, best, strict=True)
            ]


def mean_at_fault(rules: MauBinhRules, tables: Sequence[Sequence[AdvisedHand]], fault: Fault) -> float:
    """Return what a seat that leaves or fouls wins on average while the others play the advice; below 0 in stakes."""
    return mean(
        won_at_fault(rules, [hand.cards for hand in table], [hand.chi for hand in table], Seat(seat), fault)
        for table in tables
        for seat, hand in enumerate(table)
        if fault is Fault.LEFT or fouled_chi(rules, hand.chi) is not None
    )


def won_at_fault(
    rules: MauBinhRules, hands: Sequence[tuple[Card, ...]], chi: Sequence[ChiCards], at_fault: Seat, fault: Fault
) -> int:
    """Return what a seat wins that leaves before the showdown or fouls while the others arrange so, in stakes.

    A foul must be possible (``fouled_chi``).
    """
    events: list[Event] = [Arrange(Seat(seat), *arranged, time=0) for seat, arranged in enumerate(chi)]
    fouled = None if fault is Fault.LEFT else fouled_chi(rules, chi[at_fault])
    if fouled is None:
        events = [Leave(at_fault, 0), *events[:at_fault], *events[at_fault + 1 :]]
    else:
        events[at_fault] = Arrange(at_fault, *fouled, time=0)
    state = GAME.begin(rules, DealtRound(seat_count=len(hands), stake=1, sections=tuple(hands), dealt_time=0))
    for event in events:
        state = GAME.apply(state, event)
    return GAME.settle(state).net[at_fault]


def fouled_chi(rules: MauBinhRules, chi: ChiCards) -> ChiCards | None:
    """Return the same cards with back and middle exchanged, which fouls; None where the two are equal."""
    back, middle, front = chi
    exchanged = (middle, back, front)
    return exchanged if fouls_of(rules, exchanged) else None
