"""A round: what has been told since the deal, and what stands because of it.

Two rules carry this module. Time: arranging ends ``arranging_ms`` after the deal; the showdown begins then, or as soon
as every seat still in has submitted (a leaving can make that so); chi k (1 back, 2 middle, 3 front) is shown during
``[start + (k-1) * showdown_chi_ms, start + k * showdown_chi_ms)``. Standing: a seat's last arrangement in time stands;
where there is none the cards stand as dealt. An instant win ends the round at the deal. A sealed round has two parts
before its showdown, committing and opening, by the rules of ``sealing``; until its hands open they need not be known.

Submissions at the very deadline are in time. This module knows no money.

>>> from referee.cards import DECK, Seat
>>> from referee.rulesets import get
>>> rules = get("mau_binh.classic").rules
>>> hands = (DECK[0:52:4], DECK[1:52:4])
>>> [win.pattern.value for win in begin(rules, hands, dealt_time=0).instant_wins]
['SUITED_DRAGON', 'SUITED_DRAGON']
"""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from referee.cards import Card, Seat, spell
from referee.games.mau_binh.arrangement import Arrangement, check_cards, is_acceptable
from referee.games.mau_binh.code import CHI, HAND_SIZE, Code
from referee.games.mau_binh.event import MAX_EVENTS, Arrange, Commit, CommitTimeout, Event, Leave
from referee.games.mau_binh.foul import fouls_of
from referee.games.mau_binh.instant_win import InstantWin, instant_win_of
from referee.games.mau_binh.rules import MauBinhRules
from referee.games.mau_binh.sealing import (
    Sealing,
    begin_sealed,
    refusals_of_commit,
    refusals_of_opening,
    refusals_of_timeout,
    sealed_after,
)
from referee.verdict import Violation

Hands: TypeAlias = tuple[tuple[Card, ...], ...]
"""The thirteen cards dealt to each seat, in the order dealt; none for a hand of a sealed round that is not open."""

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
    ``sealing``: how far a sealed round has come, None for an open one.
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
    sealing: Sealing | None = None

    @property
    def is_won_at_the_deal(self) -> bool:
        """Whether an instant win ended the round."""
        return any(self.instant_wins)

    @property
    def showdown_time(self) -> int:
        """When the showdown begins as things stand: the deadline, or earlier where every seat has submitted."""
        return self.closing_deadline if self.all_in_time is None else self.all_in_time

    @property
    def closing_deadline(self) -> int:
        """When the showdown begins at the latest; beyond all times while a sealed round's seats commit."""
        return self.deadline_time if self.sealing is None else self.sealing.closing_deadline

    @property
    def awaited(self) -> tuple[Seat, ...]:
        """The seats that the showdown waits for; in a sealed round at first those that are to commit."""
        sealing = self.sealing
        return tuple(
            [
                Seat(seat)
                for seat, (mine, gone) in enumerate(zip(self.arrangements, self.departures, strict=True))
                if mine is None and gone is None and (sealing is None or sealing.waits_for(Seat(seat)))
            ]
        )

    def standing(self, seat: Seat) -> Arrangement:
        """The arrangement that stands for a seat: its last one, or its cards as dealt."""
        return self.arrangements[seat] or Arrangement.as_dealt(self.hands[seat])


def begin(rules: MauBinhRules, hands: Hands, *, dealt_time: int, is_sealed: bool = False) -> Round:
    """The round at the deal. DealError unless the hands are thirteen different cards for each allowed seat.

    Hands of a sealed round that are not open have no cards.
    """
    check_deal(rules, [hand for hand in hands if hand] if is_sealed else hands, seat_count=len(hands))
    nobody = (None,) * len(hands)
    return Round(
        hands=hands,
        dealt_time=dealt_time,
        deadline_time=dealt_time + rules.arranging_ms,
        instant_wins=tuple([instant_win_of(rules, hand) if hand else None for hand in hands]),
        arrangements=nobody,
        departures=nobody,
        all_in_time=None,
        last_time=dealt_time,
        event_counts=(0,) * len(hands),
        sealing=begin_sealed(len(hands)) if is_sealed else None,
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
    if faults or not isinstance(event, Arrange):
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
    elif isinstance(event, Commit | CommitTimeout):
        faults += _refusals_of_sealed(told, event)
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
    elif isinstance(event, Leave):
        departures = (*departures[:seat], chi_shown(rules, told, event.time), *departures[seat + 1 :])
    sealing = None if told.sealing is None else sealed_after(told.sealing, event, departures=departures)
    all_in_time = told.all_in_time
    if all_in_time is None and event.time <= told.closing_deadline:
        waited_for = [seat for seat, mine in enumerate(arrangements) if mine is None and departures[seat] is None]
        if not waited_for or (sealing is not None and not any(sealing.waits_for(Seat(seat)) for seat in waited_for)):
            all_in_time = event.time
    seat, counts = event.seat, told.event_counts
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
        sealing=sealing,
    )


def check_closing(told: Round, *, closed_time: int) -> tuple[Violation, ...]:
    """Everything that keeps a round from being settled at a time; empty when it may be.

    It may be once the showdown has begun, or an instant win ended it at the deal.
    """
    faults: list[Violation] = []
    if closed_time < told.last_time:
        faults.append(Violation(code=Code.CLOSED_TOO_EARLY, expected=told.last_time, received_time=closed_time))
    if not told.is_won_at_the_deal and told.all_in_time is None and closed_time < told.closing_deadline:
        is_committing = told.sealing is not None and told.sealing.opened_time is None
        deadline = told.deadline_time if is_committing else told.closing_deadline
        faults += [
            Violation(code=Code.ROUND_NOT_OVER, seat=seat, deadline_time=deadline, received_time=closed_time)
            for seat in told.awaited
        ]
    return tuple(faults)


def _refusals_of_arrange(told: Round, event: Arrange) -> list[Violation]:
    """What refuses an arrangement from a seat that exists: too many, too late, or the cards."""
    faults: list[Violation] = []
    seat, time, sealing = event.seat, event.time, told.sealing
    if sealing is not None:
        faults += refusals_of_opening(sealing, event, is_arranged=told.arrangements[seat] is not None)
        if faults:
            return faults
    elif event.nonce or event.opens:
        faults.append(Violation(code=Code.NOT_SEALED, seat=seat))
    most = _most_events(told)
    if told.event_counts[seat] >= most:
        count = told.event_counts[seat] + 1
        faults.append(Violation(code=Code.TOO_MANY_EVENTS, seat=seat, expected=most, found=count))
    if time > told.closing_deadline:
        deadline = told.closing_deadline
        faults.append(Violation(code=Code.DEADLINE_PASSED, seat=seat, deadline_time=deadline, received_time=time))
    elif told.all_in_time is not None:
        began = told.all_in_time
        faults.append(Violation(code=Code.SHOWDOWN_STARTED, seat=seat, deadline_time=began, received_time=time))
    return [*faults, *check_cards(told.hands[seat], event.arrangement)]


def _refusals_of_sealed(told: Round, event: Commit | CommitTimeout) -> list[Violation]:
    """What refuses a commitment, or that a seat ran out of time to make one, from a seat that exists."""
    sealing, seat = told.sealing, event.seat
    if sealing is None:
        return [Violation(code=Code.NOT_SEALED, seat=seat)]
    if isinstance(event, CommitTimeout):
        return refusals_of_timeout(sealing, event, deadline_time=told.deadline_time)
    count, most = told.event_counts[seat], _most_events(told)
    return refusals_of_commit(sealing, event, deadline_time=told.deadline_time, count=count, most=most)


def _most_events(told: Round) -> int:
    """How many events a seat may have besides its leaving."""
    return MAX_EVENTS // len(told.hands) - 1


def check_deal(rules: MauBinhRules, hands: Sequence[Sequence[Card]], *, seat_count: int) -> None:
    """Nothing, for thirteen different cards in each hand known of an allowed number of seats; DealError otherwise."""
    if not rules.seats.minimum <= seat_count <= rules.seats.maximum:
        msg = f"{rules.seats.minimum} to {rules.seats.maximum} hands are needed, not {seat_count}"
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
