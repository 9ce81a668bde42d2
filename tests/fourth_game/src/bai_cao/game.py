"""The law of Bài Cào as a ``Game``: entry point ``referee.games``."""

from typing import Final

from bai_cao.hand import hand_of
from bai_cao.round import HAND_SIZE, MAX_EVENTS, Event, apply, begin, check, check_closing, check_stakes, clock, layout
from bai_cao.rules import BaiCaoRules
from bai_cao.settlement import encode_results, settle
from referee.games import Game
from referee.games.questions import strength_points

GAME: Final = Game(
    name="bai_cao",
    title="Bài Cào",
    data="bai_cao",
    rules_type=BaiCaoRules,
    event_type=Event,
    max_events=MAX_EVENTS,
    layout=layout,
    check_stakes=check_stakes,
    begin=begin,
    check=check,
    apply=apply,
    clock=clock,
    check_closing=check_closing,
    settle=settle,
    encode_results=encode_results,
    # The dealer plays against all others, so it wins more or loses more than they do.
    questions=strength_points(HAND_SIZE, lambda cards: hand_of(cards).strength, are_seats_alike=False),
)
