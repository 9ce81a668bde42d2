"""Former names of the functions of this game, until their callers use the new ones."""

# ruff: noqa: D103, PLR0913 - former names, gone with their last caller

from collections.abc import Sequence
from typing import TypeAlias

from referee.cards import Card
from referee.games.game import Deal, UnlawfulEventError
from referee.games.mau_binh.event import Event
from referee.games.mau_binh.event import Timeout as CommitTimeout
from referee.games.mau_binh.legality import check
from referee.games.mau_binh.legality import check_closing as check_closing_at
from referee.games.mau_binh.legality import refusals_of as refusals
from referee.games.mau_binh.progress import apply as apply_event
from referee.games.mau_binh.rules import MauBinhRules
from referee.games.mau_binh.settlement import Outcome
from referee.games.mau_binh.settlement import settle as settle_state
from referee.games.mau_binh.state import BEFORE_SHOWDOWN, State
from referee.games.mau_binh.state import begin as begin_deal
from referee.verdict import Violation

Round = State
Hands: TypeAlias = tuple[tuple[Card, ...], ...]

__all__ = [
    "BEFORE_SHOWDOWN",
    "CommitTimeout",
    "Hands",
    "Round",
    "applied",
    "apply",
    "begin",
    "check_closing",
    "check_event",
    "chi_shown",
    "refusals_of",
    "settle",
    "settle_told",
]


def begin(rules: MauBinhRules, hands: Hands, *, dealt_time: int, is_sealed: bool = False, stake: int = 1) -> State:
    sections = tuple([hand or None for hand in hands]) if is_sealed else hands
    deal = Deal(seat_count=len(hands), stake=stake, sections=sections, dealt_time=dealt_time, is_sealed=is_sealed)
    return begin_deal(rules, deal)


def chi_shown(rules: MauBinhRules, told: State, time: int) -> int:
    del rules
    return told.chi_shown(time)


def check_event(rules: MauBinhRules, told: State, event: Event) -> tuple[Violation, ...]:
    del rules
    return check(told, event)


def refusals_of(rules: MauBinhRules, told: State, event: Event) -> tuple[Violation, ...]:
    del rules
    return refusals(told, event)


def apply(rules: MauBinhRules, told: State, event: Event) -> State:
    del rules
    return apply_event(told, event)


applied = apply


def check_closing(told: State, *, closed_time: int) -> tuple[Violation, ...]:
    return check_closing_at(told, closed_time)


def settle(
    rules: MauBinhRules,
    hands: Hands,
    *,
    stake: int,
    dealt_time: int,
    closed_time: int,
    events: Sequence[Event],
    is_sealed: bool = False,
) -> Outcome | tuple[int, tuple[Violation, ...]]:
    state = begin(rules, hands, dealt_time=dealt_time, is_sealed=is_sealed, stake=stake)
    for number, event in enumerate(events, start=1):
        try:
            state = apply_event(state, event)
        except UnlawfulEventError as error:
            return number, error.violations
    if faults := check_closing_at(state, closed_time):
        return 0, faults
    return settle_state(state)


def settle_told(rules: MauBinhRules, told: State, *, stake: int) -> Outcome:
    del rules, stake
    return settle_state(told)
