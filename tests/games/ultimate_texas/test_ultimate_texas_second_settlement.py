"""A second settlement, written from the rule sheet's sentences alone, agrees with the first on random rounds.

It shares no code with it: hands are counted and compared as tuples, bets are a table of cases.
"""

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import msgspec
import pytest

from referee.cards import DECK, HOUSE, Card, Seat
from referee.games.ultimate_texas import GAME, Decision, Event, State, UltimateTexasRules, apply, begin, legal_decisions
from referee.games.ultimate_texas.rules import HandRule
from referee.games.ultimate_texas.settlement import Outcome, best_hand, hand_value, open_values, trips_returns
from referee.money import house_net
from tests.budget import examples
from tests.games.rounds import settled, texas_deal
from tests.randomness import random_from

RulesOf = Callable[..., UltimateTexasRules]

RULESETS: Final = ("ultimate_texas.casino", "ultimate_texas.two_plus_three")
NAMES: Final = (
    *("HIGH_CARD", "PAIR", "TWO_PAIR", "THREE_OF_A_KIND", "STRAIGHT", "FLUSH", "FULL_HOUSE", "FOUR_OF_A_KIND"),
    *("STRAIGHT_FLUSH", "ROYAL_FLUSH"),
)
STRAIGHT: Final = NAMES.index("STRAIGHT")
BLIND: Final = {4: Fraction(1), 5: Fraction(3, 2), 6: Fraction(3), 7: Fraction(10), 8: Fraction(50), 9: Fraction(500)}
TRIPS: Final = {3: 3, 4: 4, 5: 7, 6: 8, 7: 30, 8: 40, 9: 50}


class SampleRound(NamedTuple):
    """Stakes, events and cards of a random round."""

    stakes: list[tuple[int, int]]
    events: list[Event]
    hands: tuple[tuple[Card, ...], ...]
    house: tuple[Card, ...]
    board: tuple[Card, ...]


def _worth(five: Sequence[Card]) -> tuple[int, ...]:
    """Place in NAMES, then the ranks that decide among equals."""
    counts = sorted(((count, rank) for rank, count in Counter(card.rank for card in five).items()), reverse=True)
    shape, ranks = [count for count, _ in counts], [rank for _, rank in counts]
    flush = len({card.suit for card in five}) == 1
    top = -1
    if shape == [1] * 5:
        if ranks[0] - ranks[4] == 4:
            top = ranks[0]
        elif ranks == [12, 3, 2, 1, 0]:
            top = 3
    if top >= 0:
        return ((9 if top == 12 else 8) if flush else 4, top)
    if flush:
        return (5, *ranks)
    place = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1, (1,) * 5: 0}
    return (place[tuple(shape)], *ranks)


def _best(rule: HandRule, hole: Sequence[Card], board: Sequence[Card]) -> tuple[int, ...]:
    if rule is HandRule.BEST_OF_SEVEN:
        return max(_worth(five) for five in itertools.combinations([*hole, *board], 5))
    return max(_worth([*hole, *three]) for three in itertools.combinations(board, 3))


def _second_net(rule: HandRule, sample: SampleRound) -> list[int]:
    """Compute each seat's net bet by bet, following the paragraphs of the rules."""
    house = _best(rule, sample.house, sample.board)
    qualified = house[0] >= 1
    net = []
    for index, ((ante, trips), hole) in enumerate(zip(sample.stakes, sample.hands, strict=True)):
        own = [event.decision for event in sample.events if event.seat == index]
        played = [int(what[5]) for what in own if what.startswith("PLAY")]
        if not played:
            net.append(-2 * ante - trips)
            continue
        hand = _best(rule, hole, sample.board)
        total = Fraction(TRIPS.get(hand[0], -1) * trips)
        if hand > house:
            total += played[0] * ante + (ante if qualified else 0) + BLIND.get(hand[0], 0) * ante
        elif hand < house:
            total -= played[0] * ante + (ante if qualified else 0) + ante
        assert total.denominator == 1
        net.append(total.numerator)
    return net


def _play_on(state: State, luck: random.Random) -> Iterator[Event]:
    """Random lawful events until the round is over."""
    while not state.is_over:
        seat = luck.choice(range(len(state.seats)))
        offered: Sequence[Decision] = legal_decisions(state, Seat(seat))
        lawful: list[Decision] = [what for what in offered if what is not Decision.LEAVE]
        deadline = state.deadline_time or 0
        if lawful:
            lawful = [Decision.TIMEOUT] if state.last_time >= deadline else [*lawful, Decision.TIMEOUT]
        if not lawful or luck.random() < 0.04:
            lawful = [what for what in offered if what is Decision.LEAVE]
        if lawful and (lawful != [Decision.LEAVE] or luck.random() < 0.2):
            what, time = luck.choice(lawful), state.last_time + luck.randrange(3)
            event = Event(Seat(seat), what, max(time, deadline) if what is Decision.TIMEOUT else time)
            state = apply(state, event)
            yield event


def _sample(rules: UltimateTexasRules, luck: random.Random) -> SampleRound:
    seats = luck.randint(1, 6)
    stakes = [(2 * luck.randint(1, 500), luck.choice((0, luck.randint(1, 99)))) for _ in range(seats)]
    deck = luck.sample(DECK, 2 * seats + 7)
    pairs = [tuple(deck[at : at + 2]) for at in range(0, 2 * seats + 2, 2)]
    events = list(_play_on(begin(rules, texas_deal(stakes)), luck))
    return SampleRound(stakes, events, tuple(pairs[:-1]), pairs[-1], tuple(deck[-5:]))


def _rounds(rules: UltimateTexasRules, count: int) -> Iterator[SampleRound]:
    luck = random_from(f"{rules.hands.rule} {count}")
    return (_sample(rules, luck) for _ in range(count))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_both_settlements_agree_and_sum_to_zero(ruleset: str, rules_of: RulesOf):
    """Random rounds of one to six seats, with leavers and timeouts; each is replayed from its events."""
    rules = rules_of(ruleset)
    seen: Counter[str] = Counter()
    for sample in _rounds(rules, examples(1_000)):
        outcome = _settled(rules, sample)
        assert _second_net(rules.hands.rule, sample) == list(outcome.net)
        assert sum(outcome.net) + house_net(outcome.transfers) == 0
        assert all(HOUSE in (one.payer, one.payee) and one.amount > 0 for one in outcome.transfers)
        assert NAMES[_best(rules.hands.rule, sample.house, sample.board)[0]] == outcome.house_value.category
        seen.update(seat.result for seat in outcome.seats)
        seen.update(seat.value.category for seat in outcome.seats)
    assert {"WON", "LOST", "TIED", "FOLDED"} < set(seen)
    assert set(NAMES[:7]) < set(seen), "the sample holds every hand up to the full house"


@pytest.mark.parametrize("ruleset", RULESETS)
def test_five_cards_shown_are_the_hand_that_is_paid(ruleset: str, rules_of: RulesOf):
    rules = rules_of(ruleset)
    for sample in _rounds(rules, 300):
        board = sample.board
        for hole in sample.hands:
            value, shown = best_hand(rules, hole=hole, board=board)
            assert hand_value(rules, hole=hole, board=board) == value
            assert _best(rules.hands.rule, hole, board) == _worth(shown)
            assert set(shown) <= {*hole, *board}
            assert rules.hands.rule is HandRule.BEST_OF_SEVEN or set(hole) <= set(shown)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_hand_is_worth_what_it_makes_with_the_open_board(ruleset: str, rules_of: RulesOf):
    """On the flop five cards, on the river those that the hand rule takes; before, or with cards closed, nothing."""
    rules = rules_of(ruleset)
    streets = list(
        itertools.accumulate([Decision.CHECK] * 2, apply_decision, initial=begin(rules, texas_deal([(2, 0)])))
    )
    for sample in _rounds(rules, 100):
        hole, flop, late = sample.hands[0], sample.board[:3], sample.board[3:]
        sections = (hole, None, flop, late)
        assert [open_values(with_sections(state, *sections[:2], None, None))[0] for state in streets] == [None] * 3
        assert open_values(with_sections(streets[1], None, None, flop, None))[0] is None
        assert open_values(with_sections(streets[2], hole, None, flop, None))[0] is None
        assert open_values(with_sections(streets[0], *sections))[0] is None
        early = open_values(with_sections(streets[1], hole, None, flop, None))[0]
        whole = open_values(with_sections(streets[2], *sections))[0]
        assert early is not None
        assert NAMES.index(early.category) == _worth([*hole, *flop])[0]
        assert whole == hand_value(rules, hole=hole, board=sample.board)


def apply_decision(state: State, decision: Decision) -> State:
    """Return the state after the only seat's decision."""
    return apply(state, Event(Seat(0), decision, 0))


def with_sections(state: State, *sections: tuple[Card, ...] | None) -> State:
    """Return the state of the same round with these sections: hand, house, flop, turn and river."""
    return msgspec.structs.replace(state, deal=msgspec.structs.replace(state.deal, sections=sections))


def test_unit_of_trips_returns_what_the_cards_give_it(rules_of: RulesOf):
    """Seat by seat of those that bet on it, folded or not."""
    rules = rules_of("ultimate_texas.casino")
    for sample in _rounds(rules, 300):
        outcome = _settled(rules, sample)
        returned = [
            1 + TRIPS.get(_best(rules.hands.rule, hole, sample.board)[0], -1)
            for (_, trips), hole in zip(sample.stakes, sample.hands, strict=True)
            if trips
        ]
        assert list(trips_returns(begin(rules, texas_deal(sample.stakes)), outcome)) == returned


def test_seats_do_not_concern_one_another(rules_of: RulesOf):
    """Turning the seats round turns the result round; twice the stakes are twice every transfer."""
    rules = rules_of("ultimate_texas.casino")
    for sample in _rounds(rules, 300):
        seats = len(sample.stakes)
        net = _settled(rules, sample).net
        turned = SampleRound(
            sample.stakes[1:] + sample.stakes[:1],
            [Event(Seat((event.seat - 1) % seats), event.decision, event.time) for event in sample.events],
            sample.hands[1:] + sample.hands[:1],
            sample.house,
            sample.board,
        )
        assert net[1:] + net[:1] == _settled(rules, turned).net
        doubled = [(2 * ante, 2 * trips) for ante, trips in sample.stakes]
        twice = _settled(rules, sample._replace(stakes=doubled)).transfers
        assert [2 * one.amount for one in _settled(rules, sample).transfers] == [one.amount for one in twice]


def _settled(rules: UltimateTexasRules, sample: SampleRound) -> Outcome:
    sections = (*sample.hands, sample.house, sample.board[:3], sample.board[3:])
    deal = msgspec.structs.replace(texas_deal(sample.stakes), sections=sections)
    played = settled(GAME, rules, deal, sample.events, closed_time=sample.events[-1].time)
    assert played.violations == ()
    assert played.state.is_over
    assert isinstance(played.outcome, Outcome)
    return played.outcome
