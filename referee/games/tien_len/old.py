"""Former names of the functions of this game, until their callers use the new ones."""

# ruff: noqa: D101, D103, PLR0913 - former names, gone with their last caller

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from referee.cards import Card, Seat
from referee.games.game import Deal, UnlawfulEventError
from referee.games.tien_len.event import Event
from referee.games.tien_len.legality import check as check_event
from referee.games.tien_len.legality import check_closing
from referee.games.tien_len.progress import apply
from referee.games.tien_len.rules import TienLenRules
from referee.games.tien_len.state import State, begin
from referee.verdict import Violation

__all__ = ["Replay", "check_event", "check_settlement", "replay", "start"]


def start(
    rules: TienLenRules, hands: Sequence[Sequence[Card]], *, leader: Seat, dealt_time: int, stake: int = 1
) -> State:
    sections = tuple([tuple(hand) for hand in hands])
    deal = Deal(seat_count=len(hands), stake=stake, sections=sections, leader=leader, dealt_time=dealt_time)
    return begin(rules, deal)


def check_settlement(state: State, *, closed_time: int) -> tuple[Violation, ...]:
    return check_closing(state, closed_time)


class Replay(NamedTuple):
    state: State
    violations: tuple[Violation, ...]


def replay(
    rules: TienLenRules,
    hands: Sequence[Sequence[Card]],
    events: Iterable[Event],
    *,
    leader: Seat,
    dealt_time: int,
    stake: int = 1,
) -> Replay:
    state = start(rules, hands, leader=leader, dealt_time=dealt_time, stake=stake)
    for event in events:
        try:
            state = apply(state, event)
        except UnlawfulEventError as error:
            return Replay(state, error.violations)
    return Replay(state, ())
