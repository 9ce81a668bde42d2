"""Suggestions: the best plays of the seat on turn with the reasons for them, from what that seat may know.

A suggestion is lawful, depends on the seat's view alone, and is the same whenever the view is. ``samples = 0`` answers
by the policy at once; more samples play rounds out and give the value of plays. Reasons are stable codes with numbers;
the rulesets' texts have the words.

>>> from referee.cards import DECK, Seat, parse_cards, spell
>>> from referee.games import DealtRound
>>> from referee.games.tien_len import Play, apply, begin
>>> from referee.rulesets import get
>>> texts = "3S 3C 5S 6C 7D 8H 9S TC JD QH AS AC 2S", "4S 4C 5H 5D 6H 6D 8S 8C 9D TH QS QC KS"
>>> hands = tuple(map(parse_cards, texts))
>>> deal = DealtRound(seat_count=len(hands), stake=1, sections=hands, leader=Seat(0), dealt_time=0)
>>> state = begin(get("tien_len.mien_nam").rules, deal)
>>> state = apply(state, Play(Seat(0), parse_cards("2S"), time=0))
>>> best, second = suggest(View.of(state), count=3)
>>> spell(best.play.cards), [advice.reason.value for advice in best.advice], second.play
('4S 4C 5D 5H 6D 6H', ['CHOPS', 'LIKELY_HOLDS', 'KEEPS_GROUPS', 'SHEDS_MANY', 'WEAKEST'], None)
"""

import enum
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

import msgspec

from referee.advice.tien_len.last_cards import values_of
from referee.advice.tien_len.policy import Weighed, weigh, weigh_all
from referee.advice.tien_len.sampling import Sampled, sample
from referee.advice.tien_len.view import View
from referee.cards import Card, Seat
from referee.games.tien_len import Combination, Kind
from referee.games.tien_len.chop import chop_units
from referee.games.tien_len.leftover import price_leftover
from referee.games.tien_len.order import THREE_OF_SPADES, TWOS, CardSet, cards_of
from referee.games.tien_len.structure import is_whole, plan_of

MAX_SUGGESTIONS: Final = 10
MAX_SAMPLES: Final = 200

_LIKELY: Final = 0.6
_MANY: Final = 4
_NEAR_THE_END: Final = 3


class AdviceReason(enum.StrEnum):
    """A reason for a suggestion, or a warning about it, in the order in which reasons are listed."""

    LAST_CARDS = "LAST_CARDS"
    """It empties the hand, which wins."""
    NOTHING_BEATS = "NOTHING_BEATS"
    """No play beats the one on the table: the seat can only pass."""
    CHOPS = "CHOPS"
    """It chops, which pays ``units`` with the chain that it ends."""
    MAY_BE_LAST_THREE = "MAY_BE_LAST_THREE"
    """The one card of ``seat``, the seat to beat, is 3S with ``chance_permille``: beating it then pays ``units``."""
    GOES_FOR_THREE = "GOES_FOR_THREE"
    """It leaves 3S alone: ``units`` from each other seat if it holds; otherwise as much to each that had not passed."""
    KEEPS_THREE = "KEEPS_THREE"
    """It keeps 3S, ``cards``, to go out with: the seat has a card that nothing unseen beats."""
    LETS_OUT = "LETS_OUT"
    """A warning: ``seat`` has exactly as many cards as are played, and goes out if it can beat this."""
    BLOCKS = "BLOCKS"
    """``seat`` is near the end and has fewer cards than are played."""
    HIGHEST_FIRST = "HIGHEST_FIRST"
    """It leads the highest single, as ``seat`` has one card and goes out on any lower one."""
    LIKELY_HOLDS = "LIKELY_HOLDS"
    """It keeps the lead with a chance of ``chance_permille``."""
    KEEPS_GROUPS = "KEEPS_GROUPS"
    """It is a whole group of the best plan for the hand: nothing is broken."""
    BREAKS_GROUP = "BREAKS_GROUP"
    """A warning: it takes cards from ``cards``, which the best plan for the hand plays together."""
    SHEDS_MANY = "SHEDS_MANY"
    """It sheds ``cards``, four or more at once."""
    SHEDS_TWOS = "SHEDS_TWOS"
    """It sheds twos, ``cards``, that would cost ``units`` if left."""
    WEAKEST = "WEAKEST"
    """It is the weakest play that beats the one on the table."""
    SAVES_STRENGTH = "SAVES_STRENGTH"
    """Passing: the plays that would beat it are worth more later."""
    PLAYED_OUT = "PLAYED_OUT"
    """Over ``samples`` rounds played out it did best."""


class ReasonWithFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A reason with its facts; others are absent or empty."""

    reason: AdviceReason
    cards: tuple[Card, ...] = ()
    seat: Seat | None = None
    units: int | None = None
    chance_permille: int | None = None
    samples: int | None = None


class PlaySuggestion(msgspec.Struct, frozen=True, kw_only=True):
    """A play, or None for passing, with its reasons.

    ``stakes`` is the seat's average win from here on over ``samples`` rounds, negative for a loss, and ``error`` the
    standard error. Without samples both are None, or exact: all other seats have one card, and ``error`` is 0.
    """

    play: Combination | None
    advice: tuple[ReasonWithFacts, ...]
    stakes: float | None = None
    error: float | None = None
    samples: int = 0


def suggest(view: View, *, count: int, samples: int = 0) -> tuple[PlaySuggestion, ...]:
    """Return at most ``count`` suggestions for the seat on turn, best first.

    Where the value of every play is known exactly, that decides, and nothing is played out: ``samples`` is 0,
    ``stakes`` is the exact average and ``error`` is 0.
    """
    facts, values = _Facts(view), values_of(view)
    if values is not None:
        exact = sorted(weigh_all(view), key=lambda weighed: -values[weighed.play])
        return tuple([_exact(facts, best, values[best.play]) for best in exact[:count]])
    weighed = weigh(view, wide=count > 1)
    if not samples or len(weighed) == 1:
        return tuple([PlaySuggestion(play=best.play, advice=facts.advice(best)) for best in weighed[:count]])
    return tuple([_played_out(facts, best) for best in sample(view, weighed, samples=samples)[:count]])


def _exact(facts: "_Facts", weighed: Weighed, value: Fraction) -> PlaySuggestion:
    return PlaySuggestion(play=weighed.play, advice=facts.advice(weighed), stakes=float(value), error=0.0)


def _played_out(facts: "_Facts", sampled: Sampled) -> PlaySuggestion:
    advice = facts.advice(sampled.weighed)
    return PlaySuggestion(
        play=sampled.weighed.play,
        advice=(*advice, ReasonWithFacts(reason=AdviceReason.PLAYED_OUT, samples=sampled.samples)),
        stakes=sampled.stakes,
        error=sampled.error,
        samples=sampled.samples,
    )


class _Facts:
    """The source of reasons: the view and the best plan for the hand."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.plan = plan_of(view.hand)
        self.weakest: CardSet | None = None
        if view.to_beat is not None:
            first = next(view.plays(), None)
            self.weakest = None if first is None else first.card_set

    def advice(self, weighed: Weighed) -> tuple[ReasonWithFacts, ...]:
        """Return the reasons for a candidate, in the order of AdviceReason."""
        if weighed.play is None:
            reason = AdviceReason.NOTHING_BEATS if self.weakest is None else AdviceReason.SAVES_STRENGTH
            return (ReasonWithFacts(reason=reason),)
        play = weighed.play
        return (
            *self._of_the_end(play),
            *self._of_money(weighed, play),
            *self._of_rivals(play),
            *self._of_the_hand(weighed, play),
        )

    def _of_the_end(self, play: Combination) -> Iterator[ReasonWithFacts]:
        if play.card_set == self.view.hand:
            yield ReasonWithFacts(reason=AdviceReason.LAST_CARDS)

    def _of_money(self, weighed: Weighed, play: Combination) -> Iterator[ReasonWithFacts]:
        view, rules = self.view, self.view.rules
        if weighed.chops is not None:
            yield ReasonWithFacts(
                reason=AdviceReason.CHOPS, units=chop_units(rules.chop_prices, weighed.chops) + view.chain
            )
        may_stop = rules.stopped_three_of_spades.applies and view.to_beat is not None
        three_is_hidden = may_stop and view.unseen & THREE_OF_SPADES
        if three_is_hidden and view.counts[view.to_beat_seat] == 1:
            chance = 1000 // view.unseen.bit_count()
            units = rules.stopped_three_of_spades.units
            yield ReasonWithFacts(
                reason=AdviceReason.MAY_BE_LAST_THREE, seat=Seat(view.to_beat_seat), units=units, chance_permille=chance
            )
        rest = view.hand ^ play.card_set
        if not rules.last_three_of_spades.applies:
            return
        if rest == THREE_OF_SPADES:
            yield ReasonWithFacts(reason=AdviceReason.GOES_FOR_THREE, units=rules.last_three_of_spades.units)
        elif rest & THREE_OF_SPADES and not view.unseen >> rest.bit_length() - 1:
            yield ReasonWithFacts(reason=AdviceReason.KEEPS_THREE, cards=cards_of(THREE_OF_SPADES))

    def _of_rivals(self, play: Combination) -> Iterator[ReasonWithFacts]:
        view, shed = self.view, play.card_set.bit_count()
        for seat in view.rivals():
            if view.counts[seat] == shed:
                yield ReasonWithFacts(reason=AdviceReason.LETS_OUT, seat=Seat(seat))
        for seat in view.rivals():
            if view.counts[seat] < min(shed, _NEAR_THE_END + 1):
                yield ReasonWithFacts(reason=AdviceReason.BLOCKS, seat=Seat(seat))
        if view.to_beat is None and play.kind is Kind.SINGLE and play.top == view.hand.bit_length() - 1:
            for seat in view.rivals():
                if view.counts[seat] == 1 and play.card_set != view.hand:
                    yield ReasonWithFacts(reason=AdviceReason.HIGHEST_FIRST, seat=Seat(seat))

    def _of_the_hand(self, weighed: Weighed, play: Combination) -> Iterator[ReasonWithFacts]:
        cards = play.card_set
        if weighed.hold >= _LIKELY and cards != self.view.hand:
            yield ReasonWithFacts(reason=AdviceReason.LIKELY_HOLDS, chance_permille=int(1000 * weighed.hold))
        if is_whole(self.view.hand, cards):
            yield ReasonWithFacts(reason=AdviceReason.KEEPS_GROUPS)
        else:
            for group in self.plan.groups:
                if group.card_set & cards and group.card_set & ~cards:
                    yield ReasonWithFacts(reason=AdviceReason.BREAKS_GROUP, cards=group.cards)
        if cards.bit_count() >= _MANY:
            yield ReasonWithFacts(reason=AdviceReason.SHEDS_MANY, cards=play.cards)
        if cards & TWOS:
            left = price_leftover(self.view.rules.leftover_prices, cards & TWOS)
            yield ReasonWithFacts(
                reason=AdviceReason.SHEDS_TWOS, cards=cards_of(cards & TWOS), units=sum(item.units for item in left)
            )
        if cards == self.weakest:
            yield ReasonWithFacts(reason=AdviceReason.WEAKEST)
