"""Suggestions are exact while every other seat has one card: no other play is worth more on average.

``best`` deals those cards in every way, and tries every play of every later lead; it knows no plan, no order of singles
and no code of the advice.
"""

import itertools
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import pytest

from referee.advice.tien_len.last_cards import values_of
from referee.advice.tien_len.suggestion import suggest
from referee.advice.tien_len.view import View
from referee.cards import DECK
from referee.games.tien_len import Combination, Kind, TienLenRules, read_combination, set_of
from referee.games.tien_len.chop import beats, chop_units, chopped_by
from referee.games.tien_len.combination import combinations_in
from referee.games.tien_len.leftover import price_leftover
from referee.games.tien_len.order import THREE_OF_SPADES, CardSet
from tests.randomness import random_from

Dealt = tuple[CardSet, ...]
"""The last cards of the other seats, in the order of play."""


@cache
def left(rules: TienLenRules, hand: CardSet) -> int:
    return sum(item.units for item in price_leftover(rules.leftover_prices, hand))


@cache
def all_plays(hand: CardSet) -> tuple[Combination, ...]:
    return tuple(combinations_in(hand))


class Table:
    """Every way to deal the last cards of one position; values are sums over ways."""

    def __init__(self, view: View) -> None:
        self.view, self.rules = view, view.rules
        count = len(view.counts)
        self.seats = [(view.seat + step) % count for step in range(1, count)]
        unseen = [card for place in range(52) if (card := 1 << place) & view.unseen]
        self.ways = tuple(itertools.permutations(unseen, len(self.seats)))
        self.answering = [place for place, seat in enumerate(self.seats) if not view.passed >> seat & 1]
        self.led = cache(self._led)

    def value(self, play: Combination | None) -> Fraction:
        """Return the average win of a play of the position; None passes."""
        total = sum([self._passed(dealt) for dealt in self.ways]) if play is None else self._answered(play)
        return Fraction(total, len(self.ways))

    def _passed(self, dealt: Dealt) -> int:
        """Win of passing: who beats goes out, or stops a seat that has 3♠; else the seat to beat goes out."""
        view, rules = self.view, self.rules
        owner = self.seats.index(view.to_beat_seat)
        lost = left(rules, view.hand) + (view.chain if view.victim == view.seat else 0)
        assert view.to_beat is not None
        others = [dealt[place] for place in self.answering if place != owner]
        is_beaten = view.to_beat.kind is Kind.SINGLE and any(card > 1 << view.to_beat.top for card in others)
        if dealt[owner] == THREE_OF_SPADES:
            if is_beaten and rules.stopped_three_of_spades.applies:
                return 0
            if not is_beaten and rules.last_three_of_spades.applies:
                return -rules.last_three_of_spades.units
        return -lost

    def _answered(self, play: Combination) -> int:
        view, rules, total = self.view, self.rules, 0
        ways = self.ways
        if view.to_beat is not None:
            price = chopped_by(rules.chops, play, victim=view.to_beat)
            if price is not None:
                total += len(ways) * (chop_units(rules.chop_prices, price) + view.chain)
            if rules.stopped_three_of_spades.applies:
                owner = self.seats.index(view.to_beat_seat)
                stopped = [dealt for dealt in ways if dealt[owner] == THREE_OF_SPADES]
                total += rules.stopped_three_of_spades.units * len(stopped)
                ways = tuple([dealt for dealt in ways if dealt[owner] != THREE_OF_SPADES])
        return total + self._played(play, view.hand, ways, self.answering)

    def _led(self, hand: CardSet, ways: tuple[Dealt, ...]) -> int:
        everyone = list(range(len(self.seats)))
        return max([self._played(play, hand, ways, everyone) for play in all_plays(hand)]) if ways else 0

    def _played(self, play: Combination, hand: CardSet, ways: tuple[Dealt, ...], answering: list[int]) -> int:
        rest, rules = hand ^ play.card_set, self.rules
        if not rest:
            with_three = play.card_set == THREE_OF_SPADES and rules.last_three_of_spades.applies
            each = rules.last_three_of_spades.units
            return sum([each if with_three else left(rules, card) for dealt in ways for card in dealt])
        total, held = 0, []
        for dealt in ways:
            passing = [dealt[place] < play.card_set or play.kind is not Kind.SINGLE for place in answering]
            if all(passing):
                held.append(dealt)
            elif rest == THREE_OF_SPADES and rules.stopped_three_of_spades.applies:
                total -= rules.stopped_three_of_spades.units * (len(answering) - passing.index(False))
            else:
                total -= left(rules, rest)
        return total + self.led(rest, tuple(held))


def positions(rules: TienLenRules, *, seats: int, number: int, seed: int, leads: bool) -> Iterator[View]:
    """Yield positions with groups and 3♠ at random; most cards are of a few ranks, so that there are groups."""
    chance = random_from(seed)
    found = 0
    while found < number:
        ranks = chance.sample(range(13), 6)
        near = [place for place in range(52) if place >> 2 in ranks]
        size, hidden = chance.randint(2, 5 if seats == 2 else 4), 9 if seats == 2 else 5
        places = chance.sample(near, size + hidden)
        hand, unseen = (sum([1 << place for place in part]) for part in (places[:size], places[size:]))
        if chance.random() < 0.5 and not (hand | unseen) & THREE_OF_SPADES:
            hand = hand & hand - 1 | THREE_OF_SPADES
        to_beat, owner, passed = None, 0, 0
        if not leads:
            owner = chance.randrange(1, seats)
            passed = sum([1 << seat for seat in range(1, seats) if seat != owner and chance.random() < 0.3])
            rest = set_of(DECK) ^ hand ^ unseen
            weaker = [play for play in all_plays(hand) if play.kind in {Kind.SINGLE, Kind.PAIR}]
            kind = chance.choice(weaker).kind
            groups = [place for place in range(52) if rest >> place & 1]
            cards = chance.sample(groups, 1 if kind is Kind.SINGLE else 2)
            to_beat = read_combination(sum([1 << place for place in cards]))
            if to_beat is None or not any(beats(rules.chops, play, than=to_beat) for play in all_plays(hand)):
                continue
        found += 1
        counts = (hand.bit_count(), *[1] * (seats - 1))
        yield View(rules, 0, hand, unseen, counts, to_beat, owner, passed, 0, 0, 0)


@pytest.mark.parametrize("leading", [True, False], ids=["leading", "answering"])
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize(
    "number", [60, pytest.param(1_500, marks=pytest.mark.slow("tries every play of 1,500 positions"))]
)
def test_no_play_is_worth_more_than_the_one_suggested(
    rules: TienLenRules, house_rules: TienLenRules, number: int, seats: int, *, leading: bool
) -> None:
    with_three = with_groups = 0
    for place, view in enumerate(positions(rules, seats=seats, number=number, seed=seats, leads=leading)):
        position = view._replace(rules=house_rules) if place % 10 == 0 else view
        table = Table(position)
        choices: list[Combination | None] = list(position.plays())
        if not leading:
            choices.append(None)
        expected = {play: table.value(play) for play in choices}
        assert values_of(position) == expected
        (best,) = suggest(position, count=1)
        assert expected[best.play] == max(expected.values())
        with_three += bool(view.hand & THREE_OF_SPADES)
        with_groups += any(play.kind is not Kind.SINGLE for play in all_plays(view.hand))
    assert min(with_three, with_groups) > number // 5
