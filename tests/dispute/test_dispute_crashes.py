"""A quarrel about a round that a crash went through: nobody who was honest is named at fault."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from referee.audit import MemoryLog
from referee.audit.dispute.case import case_of_log
from referee.audit.dispute.dispute import Dispute, settle_dispute
from referee.audit.dispute.held import read_held
from referee.v1 import log_pb2, shuffler_pb2
from tests.command import referee
from tests.driver.auditing import terms_of
from tests.driver.driver import AnyRound, settle
from tests.driver.messages import method_of, request_of
from tests.driver.running import Running
from tests.server.processes import (
    Process,  # a fixture
)


def answer(running: Running, played: AnyRound, *files: tuple[str, bytes], now: int | None = None) -> Dispute:
    """Answer a quarrel about the table's first round, with these files of people."""
    keys = running.log.GetKeys(log_pb2.GetKeysRequest())
    now = running.clock.now if now is None else now
    terms = terms_of(origin=keys.origin, log_key=keys.log_key, root_key=keys.root_key, now=now, as_of=now)
    log = MemoryLog(checkpoint=running.checkpoint().encode(), entries=tuple(running.leaves()))
    case = case_of_log(log, (played.table, 1), *terms)
    return settle_dispute(case, [part for name, data in files for part in read_held(name, data)])


def named(dispute: Dispute) -> set[tuple[str, str]]:
    """Return the parties that an answer names, with how surely."""
    return {(suspect.party.value, suspect.certainty.value) for suspect in dispute.suspects}


def seed_file(played: AnyRound, seat: int, seed: bytes) -> bytes:
    """Return a file of a seat's seed, as `--seeds` takes it."""
    return json.dumps({"round_id": played.round_id.hex(), "seat": seat, "seed": seed.hex()}).encode()


@pytest.mark.parametrize("given", ["nothing", "its seed", "a forged seed"])
def test_client_that_died_before_it_gave_its_seed_is_not_named(running: Running, given: str) -> None:
    opened = running.driver.open(keyed=True)
    opened.contribute(0)
    running.clock.now = opened.header.deal_deadline + 1
    opened.abort(reason=shuffler_pb2.ABORT_REASON_SEED_MISSING)
    opened.reveal()
    seed = opened.secrets[1].seed if given == "its seed" else bytes(31) + b"\x01"
    files = [] if given == "nothing" else [("seed.jsonl", seed_file(opened, 1, seed))]
    assert named(answer(running, opened, *files)) == set()


def test_frontend_that_lost_an_answer_and_asked_again_is_not_named(running: Running) -> None:
    """Both receipts are held, the lost one too; the round is settled twice over."""
    played = running.driver.deal("t", "ultimate_texas", seats=1, keyed=True)
    event = played.event(seat=0, decision="DECISION_PLAY_4X")
    signature = played.sign(event)
    request = request_of("ultimate_texas", "AcceptEvent", round=played.message, event=event, signature=signature)
    lost = method_of(running.channel, "UltimateTexasService/AcceptEvent")(request)
    note = running.checkpoint().encode()
    running.clock.now += 50
    played.accept_event(event, signature=signature)
    settle(played)
    settle(played)
    played.reveal()
    files = (("checkpoint", note), ("lost.json", lost.receipt), ("kept.json", played.message.receipt))
    dispute = answer(running, played, *files)
    assert len(dispute.exhibits) == len(files)
    assert named(dispute) == set()


def test_server_that_was_away_past_the_deadline_is_never_proved_at_fault(running: Running) -> None:
    """An outage looks like an operator who waits: it is possible, with the honest cause beside it."""
    dealt = running.driver.deal(keyed=True)
    dispute = answer(running, dealt, now=dealt.header.round_deadline + 3_600_000)
    assert named(dispute) == {("operator", "POSSIBLE")}
    assert all(suspect.honest for suspect in dispute.suspects)


def quarrel(data: Path, *options: object) -> dict[str, Any]:
    """Answer a quarrel about the round by the command."""
    done = referee("dispute", data, "t", 1, "--json", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_killed_server_and_its_restored_backup_name_nobody(tmp_path: Path, serve: Any) -> None:  # noqa: ANN401 - starts a server
    """The server is killed after the deal and again after the settlement; its log is restored elsewhere."""
    process: Process = serve()
    table = process.driver.play("t")
    kept = tmp_path / "checkpoint"
    kept.write_text(process.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint, encoding="utf-8")
    process.kill()
    process = serve()
    assert settle(process.driver.take(table)).leaf
    process.kill()
    process = serve()
    assert settle(process.driver.take(table)).leaf
    table.reveal()
    assert process.stop() == 0
    data = process.data
    found = quarrel(data, "--held", kept)
    assert (found["verdict"], found["suspects"]) == ("SOUND", [])
    copy = tmp_path / "copy.log"
    assert referee("backup", copy, "--data", data).returncode == 0
    restored = tmp_path / "restored"
    assert referee("restore", copy, "--data", restored).returncode == 0
    shutil.copytree(data / "keys", restored / "keys", dirs_exist_ok=True)
    again = quarrel(restored, "--held", kept)
    assert (again["verdict"], again["suspects"]) == ("SOUND", [])
    page = tmp_path / "quarrel.html"
    quarrel(data, "--held", kept, "--html", page)
    text = page.read_text(encoding="utf-8")
    assert 'lang="vi"' in text
    assert 'lang="en"' in text
