"""A round: what has been told since the deal, and what stands because of it.

Two rules carry this module. Time: arranging ends ``arranging_ms`` after the deal; the showdown begins then, or as soon
as every seat still in has submitted (a leaving can make that so); chi k (1 back, 2 middle, 3 front) is shown during
``[start + (k-1) * showdown_chi_ms, start + k * showdown_chi_ms)``. Standing: a seat's last arrangement in time stands;
where there is none the cards stand as dealt. An instant win ends the round at the deal.

Submissions at the very deadline are in time. This module knows no money.

>>> from referee.cards import DECK, Seat
>>> from referee.rulesets import get
>>> rules = get("mau_binh.classic").rules
>>> hands = (DECK[0:52:4], DECK[1:52:4])
>>> [win.pattern.value for win in begin(rules, hands, dealt_time=0).instant_wins]
['SUITED_DRAGON', 'SUITED_DRAGON']
"""

from typing import TypeAlias

import msgspec

from referee.cards import Card, Seat, spell
from referee.games.mau_binh.arrangement import Arrangement, check_cards, is_acceptable
from referee.games.mau_binh.code import CHI, HAND_SIZE, Code
from referee.games.mau_binh.event import MAX_EVENTS, Arrange, Event, Leave
from referee.games.mau_binh.foul import fouls_of
from referee.games.mau_binh.instant_win import InstantWin, instant_win_of
from referee.games.mau_binh.rules import MauBinhRules
from referee.verdict import Violation

Hands: TypeAlias = tuple[tuple[Card, ...], ...]
"""The thirteen cards dealt to each seat, in the order dealt."""

BEFORE_SHOWDOWN = 0
"""The departure of a seat that left before the showdown; 1 to 3 are the chi that was being shown."""


class DealError(ValueError):
    """Hands that no deal of this ruleset gives: a wrong number of seats or cards, or a card dealt twice."""


class UnlawfulEventError(ValueError):
    """An event was applied that ``check_event`` refuses."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        self.violations = violations
        super().__init__(", ".join(violation.code for violation in violations))


class Round(msgspec.Struct, frozen=True):
    """A round so far. Every tuple goes by seat.

    ``arrangements``: the last one submitted, None where there is none. ``departures``: None for who is still in,
    ``BEFORE_SHOWDOWN`` or the chi (1-3) that was being shown. ``all_in_time``: when every seat still in had submitted,
    None until then. ``last_time``: of the last event, or of the deal. ``event_counts``: events of each seat.
    """

    hands: Hands
    dealt_time: int
    deadline_time: int
    instant_wins: tuple[InstantWin | None, ...]
    arrangements: tuple[Arrangement | None, ...]
    departures: tuple[int | None, ...]
    all_in_time: int | None
    last_time: int
    event_counts: tuple[int, ...]

    @property
    def is_won_at_the_deal(self) -> bool:
        """Whether an instant win ended the round."""
        return any(self.instant_wins)

    @property
    def showdown_time(self) -> int:
        """When the showdown begins as things stand: the deadline, or earlier where every seat has submitted."""
        return self.deadline_time if self.all_in_time is None else self.all_in_time

    def standing(self, seat: Seat) -> Arrangement:
        """The arrangement that stands for a seat: its last one, or its cards as dealt."""
        return self.arrangements[seat] or Arrangement.as_dealt(self.hands[seat])


def begin(rules: MauBinhRules, hands: Hands, *, dealt_time: int) -> Round:
    """The round at the deal. DealError unless the hands are thirteen different cards for each allowed seat."""
    _check_deal(rules, hands)
    nobody = (None,) * len(hands)
    return Round(
        hands=hands,
        dealt_time=dealt_time,
        deadline_time=dealt_time + rules.arranging_ms,
        instant_wins=tuple([instant_win_of(rules, hand) for hand in hands]),
        arrangements=nobody,
        departures=nobody,
        all_in_time=None,
        last_time=dealt_time,
        event_counts=(0,) * len(hands),
    )


def chi_shown(rules: MauBinhRules, told: Round, time: int) -> int:
    """What is being shown at a time: 0 before the showdown, 1 to 3 a chi, 4 when the last has been shown."""
    if time < told.showdown_time:
        return BEFORE_SHOWDOWN
    return min((time - told.showdown_time) // rules.showdown_chi_ms, len(CHI)) + 1


def check_event(rules: MauBinhRules, told: Round, event: Event) -> tuple[Violation, ...]:
    """Everything wrong with an event in this round; ``is_acceptable`` of it tells whether it may be applied.

    A fouled arrangement is acceptable and told with its foul codes.
    """
    faults = refusals_of(rules, told, event)
    if faults or isinstance(event, Leave):
        return faults
    return fouls_of(rules, event.arrangement.chi)


def refusals_of(rules: MauBinhRules, told: Round, event: Event) -> tuple[Violation, ...]:
    """Everything that refuses an event in this round; empty when it may be applied."""
    if not 0 <= event.seat < len(told.hands):
        return (Violation(code=Code.UNKNOWN_SEAT, expected=len(told.hands), found=event.seat),)
    seat, time = event.seat, event.time
    faults: list[Violation] = []
    if time < told.last_time:
        faults.append(Violation(code=Code.OUT_OF_ORDER, seat=seat, expected=told.last_time, received_time=time))
    if told.departures[seat] is not None:
        faults.append(Violation(code=Code.ALREADY_LEFT, seat=seat))
    is_won = told.is_won_at_the_deal
    end = told.dealt_time if is_won else told.showdown_time + len(CHI) * rules.showdown_chi_ms
    if is_won or time >= end:
        faults.append(Violation(code=Code.ROUND_OVER, seat=seat, deadline_time=end, received_time=time))
    if isinstance(event, Arrange):
        faults += _refusals_of_arrange(told, event)
    return tuple(faults)


def apply(rules: MauBinhRules, told: Round, event: Event) -> Round:
    """The round after an event. UnlawfulEventError where ``check_event`` gives more than fouls."""
    faults = refusals_of(rules, told, event)
    if not is_acceptable(faults):
        raise UnlawfulEventError(faults)
    return applied(rules, told, event)


def applied(rules: MauBinhRules, told: Round, event: Event) -> Round:
    """The round after an event that ``refusals_of`` has nothing against; unchecked."""
    seat = event.seat
    arrangements, departures = told.arrangements, told.departures
    if isinstance(event, Arrange):
        arrangements = (*arrangements[:seat], event.arrangement, *arrangements[seat + 1 :])
    else:
        departures = (*departures[:seat], chi_shown(rules, told, event.time), *departures[seat + 1 :])
    all_in_time = told.all_in_time
    if all_in_time is None and event.time <= told.deadline_time:
        waited_for = [gone for mine, gone in zip(arrangements, departures, strict=True) if mine is None]
        if None not in waited_for:
            all_in_time = event.time
    counts = told.event_counts
    return Round(
        hands=told.hands,
        dealt_time=told.dealt_time,
        deadline_time=told.deadline_time,
        instant_wins=told.instant_wins,
        arrangements=arrangements,
        departures=departures,
        all_in_time=all_in_time,
        last_time=event.time,
        event_counts=(*counts[:seat], counts[seat] + 1, *counts[seat + 1 :]),
    )


def check_closing(told: Round, *, closed_time: int) -> tuple[Violation, ...]:
    """Everything that keeps a round from being settled at a time; empty when it may be.

    It may be once the showdown has begun, or an instant win ended it at the deal.
    """
    faults: list[Violation] = []
    if closed_time < told.last_time:
        faults.append(Violation(code=Code.CLOSED_TOO_EARLY, expected=told.last_time, received_time=closed_time))
    if not told.is_won_at_the_deal and told.all_in_time is None and closed_time < told.deadline_time:
        faults += [
            Violation(
                code=Code.ROUND_NOT_OVER, seat=Seat(seat), deadline_time=told.deadline_time, received_time=closed_time
            )
            for seat, (mine, gone) in enumerate(zip(told.arrangements, told.departures, strict=True))
            if mine is None and gone is None
        ]
    return tuple(faults)


def _refusals_of_arrange(told: Round, event: Arrange) -> list[Violation]:
    """What refuses an arrangement from a seat that exists: too many, too late, or the cards."""
    faults: list[Violation] = []
    seat, time = event.seat, event.time
    most = MAX_EVENTS // len(told.hands) - 1
    if told.event_counts[seat] >= most:
        count = told.event_counts[seat] + 1
        faults.append(Violation(code=Code.TOO_MANY_EVENTS, seat=seat, expected=most, found=count))
    if time > told.deadline_time:
        deadline = told.deadline_time
        faults.append(Violation(code=Code.DEADLINE_PASSED, seat=seat, deadline_time=deadline, received_time=time))
    elif told.all_in_time is not None:
        began = told.all_in_time
        faults.append(Violation(code=Code.SHOWDOWN_STARTED, seat=seat, deadline_time=began, received_time=time))
    return [*faults, *check_cards(told.hands[seat], event.arrangement)]


def _check_deal(rules: MauBinhRules, hands: Hands) -> None:
    if not rules.seats.minimum <= len(hands) <= rules.seats.maximum:
        msg = f"{rules.seats.minimum} to {rules.seats.maximum} hands are needed, not {len(hands)}"
        raise DealError(msg)
    for hand in hands:
        if len(hand) != HAND_SIZE:
            msg = f"each hand has {HAND_SIZE} cards, not {len(hand)}: {spell(hand)}"
            raise DealError(msg)
    if len({card for hand in hands for card in hand}) != HAND_SIZE * len(hands):
        cards = [card for hand in hands for card in hand]
        twice = [card for card in dict.fromkeys(cards) if cards.count(card) > 1]
        msg = f"dealt more than once: {spell(twice)}"
        raise DealError(msg)
