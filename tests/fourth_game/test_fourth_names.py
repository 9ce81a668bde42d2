"""A named round of the fourth game is answered as the whole message, regardless of who asked before."""

import shutil
from pathlib import Path
from typing import Any

import grpc
from bai_cao.v1 import bai_cao_pb2, bai_cao_pb2_grpc

from referee.v1 import round_pb2
from tests.driver.refusal import refusal_of
from tests.fourth_game.fourth_house import dealt_round, serving
from tests.randomness import random_from
from tests.service.abridging import content_of
from tests.service.courses import payload_of

SEATS = 3


def played_rounds(channel: grpc.Channel) -> list[Any]:
    """Play a round to its end; return it after each event."""
    referee = bai_cao_pb2_grpc.BaiCaoServiceStub(channel)
    played = dealt_round(channel, SEATS)
    rounds = []
    for seat in range(SEATS):
        event = bai_cao_pb2.BaiCaoEvent(seat=seat, act=bai_cao_pb2.ACT_SHOW)
        accepted = referee.AcceptEvent(bai_cao_pb2.AcceptEventRequest(round=played, event=event))
        played.events.append(accepted.event)
        played.receipt = accepted.receipt
        rounds.append(bai_cao_pb2.BaiCaoRound.FromString(played.SerializeToString()))
    return rounds


def name_of(played: Any) -> Any:  # noqa: ANN401 - a round of a game that is imported when it is installed
    """Return the round message that names another one."""
    history = bytes.fromhex(payload_of(played.receipt)["history"])
    course = round_pb2.RoundCourse(round=played.header.round, history=history, content=content_of(played))
    return bai_cao_pb2.BaiCaoRound(course=course)


def test_named_round_is_answered_as_a_second_process_answers_the_whole(
    environment: dict[str, str], tmp_path: Path
) -> None:
    log, chance = tmp_path / "log", random_from(4)
    with serving(log, environment) as ready, grpc.insecure_channel(ready["address"]) as channel:
        rounds = played_rounds(channel)
    shutil.copytree(log, tmp_path / "copy")
    with (
        serving(log, environment) as one,
        serving(tmp_path / "copy", environment) as other,
        grpc.insecure_channel(one["address"]) as busy,
        grpc.insecure_channel(other["address"]) as fresh,
    ):
        asked, compared = map(bai_cao_pb2_grpc.BaiCaoServiceStub, (busy, fresh))
        request = bai_cao_pb2.PreviewRoundRequest
        for played in chance.sample(rounds * 4, len(rounds) * 4):
            whole = asked.PreviewRound(request(round=played))
            assert asked.PreviewRound(request(round=name_of(played))) == whole
            assert compared.PreviewRound(request(round=played)) == whole
        guessed = name_of(rounds[-1])
        guessed.course.content = bytes(32)
        assert refusal_of(asked.PreviewRound, request(round=guessed)).reason == "ROUND_UNKNOWN"
        guessed.course.ClearField("content")
        refusal = refusal_of(asked.PreviewRound, request(round=guessed))
        assert refusal.seen == ("INVALID_ARGUMENT", "MISSING_FIELD", "round.course.content")
