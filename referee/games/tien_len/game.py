"""The law of Tiến Lên as a ``Game``."""

from typing import Final

from referee.games.game import Clock, Game
from referee.games.groups import Shown, groups_of
from referee.games.lead import LeaderBy, Leading
from referee.games.questions import RANKS, rank_points
from referee.games.tien_len.code import fault_kind
from referee.games.tien_len.event import MAX_EVENTS, Event, Pass, Play
from referee.games.tien_len.legality import check, check_closing
from referee.games.tien_len.order import lowest_dealt
from referee.games.tien_len.progress import apply
from referee.games.tien_len.rules import LowestCardLead, TienLenRules, check_stakes
from referee.games.tien_len.settlement import encode_results, settle
from referee.games.tien_len.state import State, begin, layout


def _clock(state: State) -> Clock | None:
    if state.is_over:
        return None
    return Clock(state.turn_time, 1000 * state.rules.turn.seconds, state.turn, state.turn_event)


def _first_leader(rules: TienLenRules) -> LeaderBy:
    return LeaderBy.LOWEST_CARD if isinstance(rules.lead, LowestCardLead) else LeaderBy.DRAW


def _minimum_seen(state: State, event: Event) -> int:
    return state.turn_event if isinstance(event, Play | Pass) else 0


QUESTIONS: Final = rank_points(
    hand_size=13, places=[(rank - 1) % RANKS for rank in range(RANKS)], together=(0, 0, 3, 9, 30)
)

GAME: Final = Game(
    name="tien_len",
    title="Tiến Lên",
    rules_type=TienLenRules,
    event_type=Event,
    max_events=MAX_EVENTS,
    lead=Leading(first_leader=_first_leader, lowest_dealt=lowest_dealt),
    fault_kind=fault_kind,
    groups=groups_of(Shown("cards"), Shown("left", ("LEFT",))),
    layout=layout,
    check_stakes=check_stakes,
    begin=begin,
    check=check,
    apply=apply,
    clock=_clock,
    minimum_seen=_minimum_seen,
    check_closing=check_closing,
    settle=settle,
    encode_results=encode_results,
    questions=QUESTIONS,
)
