"""Former names of the functions of this game, until their callers use the new ones."""

# ruff: noqa: D101, D103 - former names, gone with their last caller

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from referee.cards import Card
from referee.games.game import Deal, UnlawfulEventError
from referee.games.ultimate_texas.code import Section
from referee.games.ultimate_texas.legality import check as check_decision
from referee.games.ultimate_texas.legality import check_closing
from referee.games.ultimate_texas.progress import apply
from referee.games.ultimate_texas.rules import UltimateTexasRules
from referee.games.ultimate_texas.stakes import Stake
from referee.games.ultimate_texas.state import Event, State, begin
from referee.verdict import Violation

__all__ = [
    "Replay",
    "check_decision",
    "check_settlement",
    "deal_of",
    "opened_sections",
    "replay",
    "start",
    "with_cards",
]


def deal_of(stakes: Sequence[Stake], *, bet_unit: int, dealt_time: int) -> Deal:
    return Deal(
        seat_count=len(stakes),
        stake=bet_unit,
        seat_stakes=tuple([(stake.ante, stake.trips) for stake in stakes]),
        bet_unit=bet_unit,
        sections=(None,) * (len(stakes) + 3),
        dealt_time=dealt_time,
    )


def start(rules: UltimateTexasRules, stakes: Sequence[Stake], *, bet_unit: int, dealt_time: int) -> State:
    return begin(rules, deal_of(stakes, bet_unit=bet_unit, dealt_time=dealt_time))


def check_settlement(state: State, *, closed_time: int) -> tuple[Violation, ...]:
    return check_closing(state, closed_time)


def opened_sections(state: State, event: Event) -> tuple[Section, ...]:
    return apply(state, event).open_sections[len(state.open_sections) :]


class Replay(NamedTuple):
    state: State
    violations: tuple[Violation, ...]


def replay(
    rules: UltimateTexasRules, stakes: Sequence[Stake], events: Iterable[Event], *, bet_unit: int, dealt_time: int
) -> Replay:
    state = start(rules, stakes, bet_unit=bet_unit, dealt_time=dealt_time)
    for event in events:
        try:
            state = apply(state, event)
        except UnlawfulEventError as error:
            return Replay(state, error.violations)
    return Replay(state, ())


def with_cards(
    state: State, hands: Sequence[tuple[Card, ...]], house: tuple[Card, ...], board: tuple[Card, ...]
) -> State:
    deal = msgspec.structs.replace(state.deal, sections=(*hands, house, board[:3], board[3:]))
    return msgspec.structs.replace(state, deal=deal)
