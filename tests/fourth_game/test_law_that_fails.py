"""A defect in the law of an installed game is named where it happens, and a repaired package settles the round."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest
from bai_cao.v1 import bai_cao_pb2, bai_cao_pb2_grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from referee.server.keys.folder import read_public_keys
from referee.v1 import shuffler_pb2, shuffler_pb2_grpc
from tests.driver.messages import terms_of
from tests.fourth_game.fourth_house import HERE, SECONDS, STAKE, run, serving
from tests.service.opening import open_round
from tests.status_details import reason_and_field

RULESET = "bai_cao.classic 1.0.0"
SOUND_SETTLE = "    hands = tuple([hand_of(cards) for cards in open_cards(state.deal)])\n    stake, house"
SOUND_CHECK = "    seat = event.seat\n"


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Install the package with two defects: it fails where a seat leaves, and where a round is settled."""
    source, target = tmp_path_factory.mktemp("source") / "bai_cao", tmp_path_factory.mktemp("broken")
    shutil.copytree(HERE, source, ignore=shutil.ignore_patterns("__pycache__", "test_*.py"))
    for name, sound, defect in (
        ("settlement.py", SOUND_SETTLE, "    [].pop()\n"),
        ("round.py", SOUND_CHECK, "    {Show: 0}[type(event)]\n"),
    ):
        file = source / "src" / "bai_cao" / name
        text = file.read_text("utf-8")
        assert sound in text
        file.write_text(text.replace(sound, defect + sound, 1), "utf-8")
    offline = ("--no-index", "--no-build-isolation", "--no-deps", "--disable-pip-version-check", "--quiet")
    command = [sys.executable, "-m", "pip", "install", *offline, "--target", str(target), str(source)]
    subprocess.run(command, check=True, timeout=SECONDS)
    return os.environ | {"PYTHONPATH": str(target), "COLUMNS": "200"}


def dealt_round(channel: grpc.Channel) -> bai_cao_pb2.BaiCaoRound:
    """Deal a round to two seats."""
    shuffler = shuffler_pb2_grpc.ShufflerServiceStub(channel)
    opened = open_round(shuffler, terms_of("table", ruleset_id="bai_cao.classic", stake_minor=STAKE), timeout=SECONDS)
    number, seeds = opened.header.round.round_number, [os.urandom(32) for _ in range(2)]
    request = shuffler_pb2.DealRoundRequest(round={"table_id": "table", "round_number": number}, client_seeds=seeds)
    dealt = shuffler.DealRound(request, timeout=SECONDS)
    return bai_cao_pb2.BaiCaoRound(header=opened.header, certificates=[dealt.certificate])


def info_of(error: grpc.RpcError) -> dict[str, Any]:
    """Return the facts of a refusal, its reason and its message."""
    status = rpc_status.from_call(error)
    info = error_details_pb2.ErrorInfo()
    assert status is not None
    assert status.details[0].Unpack(info)
    return {**info.metadata, "reason": info.reason, "message": status.message}


def test_defect_of_a_law_is_named_and_costs_no_round(
    broken: dict[str, str], environment: dict[str, str], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    with serving(data, broken) as ready, grpc.insecure_channel(ready["address"]) as channel:
        referee = bai_cao_pb2_grpc.BaiCaoServiceStub(channel)
        played = dealt_round(channel)
        early = referee.SettleRound(bai_cao_pb2.SettleRoundRequest(round=played), timeout=SECONDS)
        time = early.violations[0].received_time
        played.events.append(bai_cao_pb2.BaiCaoEvent(seat=0, act=bai_cao_pb2.ACT_SHOW, time=time))
        leaving = bai_cao_pb2.BaiCaoEvent(seat=1, act=bai_cao_pb2.ACT_LEAVE)
        with pytest.raises(grpc.RpcError) as at_the_event:
            referee.AcceptEvent(bai_cao_pb2.AcceptEventRequest(round=played, event=leaving), timeout=SECONDS)
        played.events.append(bai_cao_pb2.BaiCaoEvent(seat=1, act=bai_cao_pb2.ACT_SHOW, time=time))
        settle = bai_cao_pb2.SettleRoundRequest(round=played)
        with pytest.raises(grpc.RpcError) as at_the_preview:
            referee.PreviewRound(bai_cao_pb2.PreviewRoundRequest(round=played), timeout=SECONDS)
        with pytest.raises(grpc.RpcError) as at_the_end:
            referee.SettleRound(settle, timeout=SECONDS)
        batch = referee.SettleRounds(bai_cao_pb2.SettleRoundsRequest(requests=[settle]), timeout=SECONDS)
    facts = {"reason": "INTERNAL", "game": "bai_cao", "ruleset": RULESET}
    found = info_of(at_the_event.value)
    assert found.items() >= {**facts, "function": "check", "event": "2", "fault": "KeyError"}.items()
    for caught in (at_the_preview, at_the_end):
        found = info_of(caught.value)
        assert found.items() >= {**facts, "function": "settle", "event": "2", "fault": "IndexError"}.items()
        assert found["message"].startswith(
            f"the law of bai_cao failed in settle at event 2 under {RULESET}: IndexError"
        )
    assert reason_and_field(batch.responses[0].refused) == ("INTERNAL", "")
    assert "the law of bai_cao failed" in batch.responses[0].refused.message

    public = read_public_keys(data / "keys")
    keys = ["--data", str(data), "--log-key", public["log"], "--root-key", public["root"]]
    (open_still,) = run(["audit", *keys, "--json"], environment=environment)
    report = json.loads(open_still.output)
    assert (report["findings"], report["rounds"]["running"], report["rounds"]["settled"]) == ([], 1, 0)

    with serving(data, environment) as ready, grpc.insecure_channel(ready["address"]) as channel:
        repaired = bai_cao_pb2_grpc.BaiCaoServiceStub(channel)
        settled = repaired.SettleRound(settle, timeout=SECONDS)
        assert settled.log_receipt.leaf
        number = played.header.round.round_number
        reveal = shuffler_pb2.RevealRoundRequest(round={"table_id": "table", "round_number": number})
        shuffler_pb2_grpc.ShufflerServiceStub(channel).RevealRound(reveal, timeout=SECONDS)

    (sound,) = run(["audit", *keys, "--json"], environment=environment)
    assert json.loads(sound.output)["findings"] == []
    failed, replayed = run(
        ["audit", *keys, "--json"], ["replay", "table", "1", "--data", str(data)], environment=broken
    )
    (finding,) = json.loads(failed.output)["findings"]
    assert (failed.code, finding["code"], finding["table_id"], finding["round_number"]) == (1, "LAW_FAILED", "table", 1)
    message = f"the law of bai_cao failed in settle at event 2 under {RULESET}: IndexError"
    assert finding["detail"].startswith(message)
    assert replayed.code == 2
    assert message in " ".join(replayed.errors.split())
