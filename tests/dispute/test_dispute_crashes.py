"""A quarrel about a round that a crash went through: nobody who was honest is named at fault."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.audit import MemoryLog
from referee.audit.dispute.case import case_of_log
from referee.audit.dispute.dispute import Dispute, settle_dispute
from referee.audit.dispute.held import read_held
from referee.v1 import log_pb2, shuffler_pb2, ultimate_texas_pb2
from tests.command import referee
from tests.driver.auditing import terms_of
from tests.driver.house import House
from tests.driver.table import Table
from tests.server.processes import (
    Process,  # a fixture
)


@pytest.fixture
def house(tmp_path: Path, quiet_calls: None) -> Iterator[House]:  # noqa: ARG001 - it is used by being there
    running = House(tmp_path / "house")
    yield running
    running.close()


def answer(house: House, table: Table, *files: tuple[str, bytes], now: int | None = None) -> Dispute:
    """Answer a quarrel about the table's first round, with these files of people."""
    keys = house.log.GetKeys(log_pb2.GetKeysRequest())
    now = house.clock.now if now is None else now
    terms = terms_of(origin=keys.origin, log_key=keys.log_key, root_key=keys.root_key, now=now, as_of=now)
    log = MemoryLog(checkpoint=house.checkpoint().encode(), entries=tuple(house.leaves()))
    case = case_of_log(log, (table.name, 1), *terms)
    return settle_dispute(case, [part for name, data in files for part in read_held(name, data)])


def named(dispute: Dispute) -> set[tuple[str, str]]:
    """Return the parties that an answer names, with how surely."""
    return {(suspect.party.value, suspect.certainty.value) for suspect in dispute.suspects}


def seed_file(table: Table, seat: int, seed: bytes) -> bytes:
    """Return a file of a seat's seed, as `--seeds` takes it."""
    return json.dumps({"round_id": table.round_id.hex(), "seat": seat, "seed": seed.hex()}).encode()


@pytest.mark.parametrize("given", ["nothing", "its seed", "a forged seed"])
def test_client_that_died_before_it_gave_its_seed_is_not_named(house: House, given: str) -> None:
    table = house.table(seats=2).open()
    table.contribute(0)
    house.clock.now = table.header.deal_deadline_time + 1
    table.abort(shuffler_pb2.ABORT_REASON_SEED_MISSING)
    table.reveal()
    seed = table.players[1].seed if given == "its seed" else bytes(31) + b"\x01"
    files = [] if given == "nothing" else [("seed.jsonl", seed_file(table, 1, seed))]
    assert named(answer(house, table, *files)) == set()


def test_frontend_that_lost_an_answer_and_asked_again_is_not_named(house: House) -> None:
    """Both receipts are held, the lost one too; the round is settled twice over."""
    table = house.table("ultimate_texas", seats=1).play()
    event = table.event(0, decision=ultimate_texas_pb2.DECISION_PLAY_4X)
    signature = table.sign(event)
    request = ultimate_texas_pb2.UltimateTexasServiceAcceptEventRequest(
        round=table.message, event=event, signature=signature
    )
    lost = table.referee.AcceptEvent(request)
    note = house.checkpoint().encode()
    house.clock.now += 50
    table.ask(event, signature)
    table.open_section()
    table.settle()
    table.settle()
    table.reveal()
    files = (("checkpoint", note), ("lost.json", lost.receipt), ("kept.json", table.message.receipt))
    dispute = answer(house, table, *files)
    assert len(dispute.exhibits) == len(files)
    assert named(dispute) == set()


def test_server_that_was_away_past_the_deadline_is_never_proved_at_fault(house: House) -> None:
    """An outage looks like an operator who waits: it is possible, with the honest cause beside it."""
    table = house.table(seats=2).play()
    dispute = answer(house, table, now=table.header.round_deadline_time + 3_600_000)
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
    table = process.play("t")
    kept = tmp_path / "checkpoint"
    kept.write_text(process.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint, encoding="utf-8")
    process.kill()
    process = serve()
    assert process.referee.SettleRound(table.request).log_receipt.leaf
    process.kill()
    process = serve()
    assert process.referee.SettleRound(table.request).log_receipt.leaf
    process.shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(round={"table_id": "t", "round_number": 1}))
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
