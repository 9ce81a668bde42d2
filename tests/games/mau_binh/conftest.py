"""Random rounds, stacked so that specials, fouls, instant wins and leavers are common; repeatable by seed."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import pytest

from referee.cards import DECK, Card, Seat
from referee.games.mau_binh import Arrange, Event, Leave, MauBinhRules
from referee.rulesets import Ruleset, get
from tests.builtin import rules_as
from tests.randomness import random_from

RULESETS = ("mau_binh.maubinh_com", "mau_binh.classic", "mau_binh.chi_2020")
CHI_MS = 5_000


@dataclass(frozen=True)
class SampleRound:
    """A random round that breaks no rule."""

    hands: tuple[tuple[Card, ...], ...]
    dealt_time: int
    closed_time: int
    events: tuple[Event, ...]


RoundMaker: TypeAlias = Callable[[MauBinhRules, int], SampleRound]


def _straight_flush(rng: random.Random) -> list[Card]:
    suit, low = rng.randrange(4), rng.choice([-1, -1, 8, 8, *range(9)])
    return [DECK[4 * ((low + step) % 13) + suit] for step in range(5)]


def _quad(rng: random.Random) -> list[Card]:
    rank = rng.choice([12, 12, 12, *range(12)])
    return [DECK[4 * rank + suit] for suit in range(4)]


def _full_house(rng: random.Random) -> list[Card]:
    triple, pair = rng.sample(range(13), 2)
    suits = rng.sample(range(4), 3), rng.sample(range(4), 2)
    return [DECK[4 * triple + suit] for suit in suits[0]] + [DECK[4 * pair + suit] for suit in suits[1]]


def _triple(rng: random.Random) -> list[Card]:
    rank = rng.randrange(13)
    return [DECK[4 * rank + suit] for suit in rng.sample(range(4), 3)]


def _patterned(rng: random.Random) -> list[Card]:
    """Thirteen cards that often win at once."""
    kind = rng.randrange(5)
    if kind == 0:
        suits = [rng.randrange(4)] * 13 if rng.random() < 0.3 else rng.choices(range(4), k=13)
        return [DECK[4 * rank + suit] for rank, suit in enumerate(suits)]
    if kind == 1:
        reds = [card for card in DECK if card.is_red]
        blacks = [card for card in DECK if not card.is_red]
        many, few = (reds, blacks) if rng.random() < 0.5 else (blacks, reds)
        odd = rng.randrange(3)
        return rng.sample(many, 13 - odd) + rng.sample(few, odd)
    if kind == 2:
        pairs = [card for rank in rng.sample(range(13), 6) for card in rng.sample(DECK[4 * rank : 4 * rank + 4], 2)]
        return [*pairs, rng.choice([card for card in DECK if card not in pairs])]
    if kind == 3:
        suits = rng.sample(range(4), 3)
        return [card for suit, size in zip(suits, (5, 5, 3), strict=True) for card in rng.sample(DECK[suit::4], size)]
    run: list[Card] = []
    for size in (5, 5, 3):
        low = rng.randrange(-1, 14 - size)
        for step in range(size):
            free = [card for card in DECK if card.rank == (low + step) % 13 and card not in run]
            run.append(rng.choice(free))
    return run


def _hand(rng: random.Random, free: list[Card]) -> list[Card]:
    """Thirteen of the free cards, back, middle and front one after the other; often something special in a chi."""
    wanted: list[list[Card]] = []
    if rng.random() < 0.08:
        wanted = [_patterned(rng)]
    elif rng.random() < 0.7:
        makers = rng.choice([[_quad], [_straight_flush], [_quad, _full_house], [_straight_flush, _quad]])
        wanted = [maker(rng) for maker in makers]
    chi: list[list[Card]] = []
    left = list(free)
    for cards in wanted:
        if all(card in left for card in cards):
            chi.append(cards)
            left = [card for card in left if card not in cards]
    triple = _triple(rng)
    front = triple if rng.random() < 0.4 and len(chi) < 3 and all(card in left for card in triple) else []
    left = [card for card in left if card not in front]
    rng.shuffle(left)
    if chi and len(chi[0]) == 13:
        return rng.sample(chi[0], 13)
    rows = [chi[0] if chi else [], chi[1] if len(chi) > 1 else []]
    if not front:
        front, left = left[:3], left[3:]
    rows += [front]
    for row, size in zip(rows, (5, 5, 3), strict=True):
        while len(row) < size:
            row.append(left.pop())
    return [card for row in rows for card in row]


def _arranged(rng: random.Random, hand: tuple[Card, ...]) -> tuple[Card, ...]:
    """Order a hand: as dealt, by equal ranks (often lawful), or shuffled (often fouled)."""
    choice = rng.random()
    if choice < 0.5:
        return hand
    if choice < 0.85:
        counts = {card: sum(card.rank == other.rank for other in hand) for card in hand}
        return tuple(sorted(hand, key=lambda card: (counts[card], card.rank), reverse=True))
    return tuple(rng.sample(hand, 13))


def make_round(rules: MauBinhRules, seed: int) -> SampleRound:
    """Make a lawful round of two to four seats."""
    rng = random_from(seed)
    seat_count = rng.choice((2, 3, 3, 4, 4))
    free = list(DECK)
    hands: list[tuple[Card, ...]] = []
    for _ in range(seat_count):
        dealt = tuple(_hand(rng, free))
        free = [card for card in free if card not in dealt]
        hands.append(dealt)
    rng.shuffle(hands)
    dealt_time, deadline = 1_000_000, 1_000_000 + rules.arranging_ms
    submissions: list[Arrange | Leave] = []
    for index, hand in enumerate(hands):
        for _ in range(rng.choice((0, 1, 1, 1, 2))):
            cards = _arranged(rng, hand)
            time = rng.choice((rng.randrange(dealt_time, deadline), deadline - 1))
            submissions.append(Arrange(Seat(index), cards[:5], cards[5:10], cards[10:], time))
        if rng.random() < 0.15:
            submissions.append(Leave(Seat(index), rng.randrange(dealt_time, deadline)))
    submissions.sort(key=lambda event: event.time)
    events: list[Event] = []
    inside, missing = set(range(seat_count)), set(range(seat_count))
    start = deadline
    for event in submissions:
        if event.seat not in inside:
            continue
        events.append(event)
        missing.discard(event.seat)
        if isinstance(event, Leave):
            inside.discard(event.seat)
        if not missing:
            start = event.time
            break
    leaving = [(rng.randrange(start + 1, start + 3 * CHI_MS), seat) for seat in inside if rng.random() < 0.2]
    events += [Leave(Seat(seat), time) for time, seat in sorted(leaving)]
    if any(len(set(hand)) != 13 for hand in hands):
        raise AssertionError(f"seed {seed} made a hand that is none")
    closed_time = max([start, *(event.time for event in events)])
    return SampleRound(tuple(hands), dealt_time, closed_time, tuple(events))


@pytest.fixture(name="make_round", scope="session")
def make_round_fixture() -> RoundMaker:
    return make_round


@pytest.fixture(params=RULESETS, scope="session")
def ruleset(request: pytest.FixtureRequest) -> Ruleset:
    return get(request.param)


@pytest.fixture(scope="session")
def rules(ruleset: Ruleset) -> MauBinhRules:
    return rules_as(MauBinhRules, ruleset)
