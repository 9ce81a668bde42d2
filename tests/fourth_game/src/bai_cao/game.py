"""The law of Bài Cào as a ``Game``: entry point ``referee.games``."""

from typing import Final

from bai_cao.codec import decode_event, decode_events, encode_event, encode_events, encode_results
from bai_cao.questions import QUESTIONS
from bai_cao.round import (
    MAX_EVENTS,
    apply,
    begin,
    check,
    check_closing,
    check_stakes,
    clock,
    layout,
)
from bai_cao.rules import BaiCaoRules
from bai_cao.settlement import settle
from referee.games import Game

GAME: Final = Game(
    name="bai_cao",
    title="Bài Cào",
    data="bai_cao",
    rules_type=BaiCaoRules,
    max_events=MAX_EVENTS,
    layout=layout,
    check_stakes=check_stakes,
    begin=begin,
    check=check,
    apply=apply,
    clock=clock,
    check_closing=check_closing,
    settle=settle,
    encode_event=encode_event,
    encode_events=encode_events,
    decode_event=decode_event,
    decode_events=decode_events,
    encode_results=encode_results,
    questions=QUESTIONS,
)
