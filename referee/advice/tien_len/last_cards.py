"""Exact values of plays while every other seat has one card left, or has left the table.

A seat with one card goes out with it on any lower single, and on nothing else. So a combination of more cards holds
for certain, and a single holds if each card of the seats that may answer is lower. Those cards are equally likely to be
any of the unseen ones; passes of former tricks say nothing. Values are summed over all ways to deal them, in stakes.

A plan plays its groups first, as they cannot be beaten, then its singles, the highest first; one group may be kept to
be led before 3♠. Every division of a hand into groups and singles is tried; if 3♠ is a single, every order is.

Leftovers of seats that left count as plain cards, since their hands are not known. A commission is not counted.

>>> from referee.advice.tien_len.view import EVERYTHING
>>> from referee.cards import parse_cards, spell
>>> from referee.games.tien_len import set_of
>>> from referee.rulesets import get
>>> hand, unseen = set_of(parse_cards("4C 9D KS")), set_of(parse_cards("5C TC 2H"))
>>> view = View(get("tien_len.mien_nam").rules, 0, hand, unseen, (3, 1), None, 0, 0, 0, 0, 0)
>>> values = values_of(view)
>>> [(spell(play.cards), str(value)) for play, value in values.items() if play is not None]
[('4C', '-2'), ('9D', '-1'), ('KS', '-2/3')]
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import Final, TypeAlias

from referee.advice.tien_len.playout import left_units
from referee.advice.tien_len.view import View
from referee.games.tien_len.chop import chop_units, chopped_by
from referee.games.tien_len.code import Kind
from referee.games.tien_len.combination import Combination, combinations_in
from referee.games.tien_len.order import THREE_OF_SPADES, CardSet

Bounds: TypeAlias = tuple[int, ...]
"""For each other seat, in the order of play, the strength that its card lies below; 52 where nothing is known."""
_NO_BOUND: Final = 52


def values_of(view: View) -> dict[Combination | None, Fraction] | None:
    """Return the average win of every lawful play, and of passing as None; None where it is not known exactly."""
    opponents = view.opponents()
    if view.bound or any(view.counts[seat] != 1 for seat in opponents):
        return None
    if not opponents:
        return _values_alone(view)
    if view.to_beat is not None and view.to_beat_seat not in opponents:
        return None
    endgame = _Endgame(view)
    values: dict[Combination | None, Fraction] = {play: endgame.value_of(play) for play in view.plays()}
    if view.to_beat is not None:
        values[None] = endgame.value_of_pass()
    return values


def _values_alone(view: View) -> dict[Combination | None, Fraction] | None:
    """Return the values for the last seat, which answers the play of a seat that left; then the round ends."""
    rules, beaten = view.rules, view.to_beat
    if beaten is None:
        return None
    left = [count for seat, count in enumerate(view.counts) if seat != view.seat]
    times, three = rules.leaving_multiplier, rules.last_three_of_spades

    def usual(rest: CardSet) -> int:
        least = three.units if three.applies and rest & THREE_OF_SPADES else 0
        return times * sum([max(least, rules.leftover_prices.card * count) for count in left])

    stop = rules.stopped_three_of_spades
    may_stop = stop.applies and view.counts[view.to_beat_seat] == 1 and view.unseen & THREE_OF_SPADES
    chance = Fraction(1 if may_stop else 0, max(1, view.unseen.bit_count()))
    values: dict[Combination | None, Fraction] = {}
    for play in view.plays():
        end = usual(view.hand ^ play.card_set)
        values[play] = _chop(view, play) + end + chance * (stop.units * times - end)
    values[None] = Fraction(usual(view.hand) - (view.chain if view.victim == view.seat else 0))
    return values


def _chop(view: View, play: Combination) -> int:
    price = None if view.to_beat is None else chopped_by(view.rules.chops, play, victim=view.to_beat)
    return 0 if price is None else chop_units(view.rules.chop_prices, price) + view.chain


class _Endgame:
    """The other seats' last cards in one position, and the values that follow from them."""

    def __init__(self, view: View) -> None:
        self.view, self.rules = view, view.rules
        count = len(view.counts)
        in_order = [(view.seat + step) % count for step in range(1, count)]
        opponents = [seat for seat in in_order if not view.gone >> seat & 1]
        self.others: Final = tuple(range(len(opponents)))
        self.in_trick: Final = [place for place, seat in enumerate(opponents) if not view.passed >> seat & 1]
        self.owner: Final = opponents.index(view.to_beat_seat) if view.to_beat is not None else None
        gone = [held for seat, held in enumerate(view.counts) if view.gone >> seat & 1]
        times = self.rules.leaving_multiplier
        self.from_gone: Final = times * sum(gone) * self.rules.leftover_prices.card
        three = self.rules.last_three_of_spades
        self.three_units: Final = three.units * (len(opponents) + times * len(gone)) if three.applies else None
        self.stop_units: Final = self.rules.stopped_three_of_spades.units
        self.stops: Final = self.rules.stopped_three_of_spades.applies
        self.begun: Final[Bounds] = (_NO_BOUND,) * len(opponents)
        self.not_three = False
        """Whether the seat to beat is known not to hold 3♠: it would have been stopped."""
        self.ways, self.won, self.led = cache(self._ways), cache(self._won), cache(self._led)
        self.singles, self.before_three = cache(self._singles), cache(self._before_three)

    def value_of(self, play: Combination) -> Fraction:
        """Return the average win of a play."""
        rest, chopped, everything = self.view.hand ^ play.card_set, _chop(self.view, play), self._all_ways()
        total = chopped * everything
        if self.owner is None or not self.stops or not self.view.unseen & THREE_OF_SPADES:
            total += self._played(play.card_set, rest, self.begun, self.in_trick)
            return Fraction(total, everything)
        total += self.stop_units * self._with_three(self.others, self.begun)
        self._suppose(not_three=True)
        total += self._played(play.card_set, rest, self.begun, self.in_trick)
        self._suppose(not_three=False)
        return Fraction(total, everything)

    def value_of_pass(self) -> Fraction:
        """Return the average win of passing: the seat to beat then leads its last card, unless another goes out."""
        view, everything = self.view, self._all_ways()
        units, chain = left_units(self.rules, view.hand), view.chain if view.victim == view.seat else 0
        total = -units * everything
        if self.three_units is not None and view.unseen & THREE_OF_SPADES:
            by_three = self._with_three(self.others, self.begun)
            lost = by_three
            if self.stops and view.to_beat is not None and view.to_beat.kind is Kind.SINGLE:
                answering = [place for place in self.in_trick if place != self.owner]
                lost = self._with_three(self.others, _below(self.begun, answering, view.to_beat.top))
            total += units * by_three - self.rules.last_three_of_spades.units * lost
        return Fraction(total, everything) - chain

    def _all_ways(self) -> int:
        return self.ways(self.others, self.begun, 0)

    def _suppose(self, *, not_three: bool) -> None:
        self.not_three = not_three
        for kept in (self.ways, self.won, self.led, self.singles, self.before_three):
            kept.cache_clear()

    def _ways(self, others: tuple[int, ...], bounds: Bounds, used: CardSet) -> int:
        """Count the ways to deal a card to each of some seats, below their bounds, of the cards that are not used."""
        unseen = self.view.unseen & ~used
        ways = 1
        for taken, cards in enumerate(sorted([_count_below(unseen, bounds[place]) for place in others])):
            ways *= max(0, cards - taken)
        if self.not_three and self.owner in others and unseen & THREE_OF_SPADES:
            rest = tuple([place for place in others if place != self.owner])
            ways -= self.ways(rest, bounds, used | THREE_OF_SPADES)
        return ways

    def _with_three(self, others: tuple[int, ...], bounds: Bounds) -> int:
        """Count the ways in which the seat to beat holds 3♠."""
        rest = tuple([place for place in others if place != self.owner])
        return self.ways(rest, bounds, THREE_OF_SPADES)

    def _won(self, bounds: Bounds) -> int:
        """Sum what the others pay for their cards, over the ways to deal these below the bounds."""
        total = self.from_gone * self.ways(self.others, bounds, 0)
        for place in self.others:
            rest = tuple([other for other in self.others if other != place])
            for card in _cards(self.view.unseen & (1 << bounds[place]) - 1):
                if not (self.not_three and place == self.owner and card == THREE_OF_SPADES):
                    total += left_units(self.rules, card) * self.ways(rest, bounds, card)
        return total

    def _played(self, cards: CardSet, rest: CardSet, bounds: Bounds, answering: Sequence[int]) -> int:
        """Sum the wins of a play after which the seat leads if it holds."""
        if not rest:
            return self._out(cards, bounds)
        if cards & cards - 1:
            return self.led(rest, bounds)
        held, paid = self._risked(cards, rest, bounds, answering)
        return self.led(rest, held) - paid

    def _out(self, cards: CardSet, bounds: Bounds) -> int:
        """Sum the wins of a last play."""
        if cards == THREE_OF_SPADES and self.three_units is not None:
            return self.three_units * self.ways(self.others, bounds, 0)
        return self.won(bounds)

    def _risked(self, card: CardSet, rest: CardSet, bounds: Bounds, answering: Sequence[int]) -> tuple[Bounds, int]:
        """Return the bounds if a single holds, and the sum of what is paid where it does not."""
        top = card.bit_length() - 1
        held = _below(bounds, answering, top)
        if not self.stops or rest != THREE_OF_SPADES:
            lost = self.ways(self.others, bounds, 0) - self.ways(self.others, held, 0)
            return held, left_units(self.rules, rest) * lost
        paid = 0
        for passed in range(len(answering)):  # the seats that passed before the one that stops are not paid
            before, after = (_below(bounds, answering[:number], top) for number in (passed, passed + 1))
            lost = self.ways(self.others, before, 0) - self.ways(self.others, after, 0)
            paid += self.stop_units * (len(answering) - passed) * lost
        return held, paid

    def _led(self, hand: CardSet, bounds: Bounds) -> int:
        """Return the best sum of wins of a hand that leads."""
        if not self.ways(self.others, bounds, 0):
            return 0
        best = None
        for groups, singles in _divisions(hand):
            values = [self.singles(singles, bounds) if singles else self.won(bounds)]
            if singles & THREE_OF_SPADES:
                values += [self.before_three(singles ^ THREE_OF_SPADES, group, bounds) for group in groups]
            best = max(values) if best is None else max(best, *values)
        assert best is not None  # noqa: S101 - every hand is divided into its singles at least
        return best

    def _singles(self, singles: CardSet, bounds: Bounds) -> int:
        """Return the best sum of wins of leading these singles, with nothing else left."""
        if not singles & singles - 1:
            return self._out(singles, bounds)
        sums = []
        for card in _cards(singles) if singles & THREE_OF_SPADES else (_highest(singles),):
            held, paid = self._risked(card, singles ^ card, bounds, self.others)
            sums.append(self.singles(singles ^ card, held) - paid)
        return max(sums)

    def _before_three(self, singles: CardSet, group: CardSet, bounds: Bounds) -> int:
        """Return the best sum of wins of leading these singles, with a group and 3♠ kept for the end."""
        at_once = self.singles(singles | THREE_OF_SPADES, bounds)
        if not singles:
            return at_once
        card = _highest(singles)
        held, paid = self._risked(card, singles ^ card | group | THREE_OF_SPADES, bounds, self.others)
        return max(at_once, self.before_three(singles ^ card, group, held) - paid)


def _below(bounds: Bounds, places: Sequence[int], top: int) -> Bounds:
    return tuple([min(bound, top) if place in places else bound for place, bound in enumerate(bounds)])


def _count_below(cards: CardSet, bound: int) -> int:
    return (cards & (1 << bound) - 1).bit_count()


def _cards(cards: CardSet) -> Iterator[CardSet]:
    while cards:
        card = cards & -cards
        yield card
        cards ^= card


def _highest(cards: CardSet) -> CardSet:
    return 1 << cards.bit_length() - 1


Division: TypeAlias = tuple[frozenset[CardSet], CardSet]
"""Groups, named only where 3♠ is among the singles, and the singles."""


@lru_cache(maxsize=1 << 14)
def _divisions(hand: CardSet) -> frozenset[Division]:
    """Return the divisions of a hand into groups and singles, but none with more singles beside those of another."""
    if not hand:
        return frozenset([(frozenset(), 0)])
    highest = _highest(hand)
    found = {(groups, singles | highest) for groups, singles in _divisions(hand ^ highest)}
    for play in combinations_in(hand):
        if play.card_set & highest and play.card_set != highest:
            for groups, singles in _divisions(hand ^ play.card_set):
                named = groups | {play.card_set} if singles & THREE_OF_SPADES else frozenset()
                found.add((named, singles))
    sets = {singles for _, singles in found}
    least = {singles for singles in sets if not any(other & singles == other != singles for other in sets)}
    least |= {singles for singles in sets if singles & THREE_OF_SPADES}
    return frozenset([division for division in found if division[1] in least])
