"""The doctor finds what is wrong with clock, machine and witnesses: each question with the failure that it is for."""

import datetime as dt
import re
import resource
import shutil
import socket
import sqlite3
import sys
import threading
from collections import namedtuple
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from referee.server.clock import system_clock
from referee.server.doctor import CheckLevel, CheckResult, examine
from referee.server.doctor.clock import check_clock, kernel_clock
from referee.server.doctor.machine import check_answers, check_certificates, check_disk, check_files, check_ports
from referee.server.doctor.store import StoreFacts
from referee.server.doctor.witnesses import check_witness_states
from referee.server.keys.folder import read_public_keys
from referee.server.process.app import Application
from referee.server.settings.configuration import Configuration
from referee.server.settings.tls import TlsSettings
from referee.storage.sqlite import FILE_NAME
from referee.v1 import log_pb2
from tests.server.cosigning.local_witness import LocalWitness
from tests.server.doctor.examining import by_check, configured, outcome_of, stored_of
from tests.server.options import server_options
from tests.server.processes import calling
from tests.server.tls.authority import Authority
from tests.storage.test_storage_trouble import breakable

DAY: Final = 86_400_000
GIB: Final = 1024**3
Usage = namedtuple("Usage", "total used free")  # noqa: PYI024 - as shutil's own


BEHIND: Final = "behind the log's newest leaf"


def levels_of(found: dict[str, CheckResult]) -> dict[str, str]:
    return {check: finding.level.name for check, finding in found.items()}


def test_founded_folder_of_a_sound_machine_has_nothing_that_failed(data: Path) -> None:
    """Every group but the witnesses' is asked; without one they are not."""
    found = list(examine(configured(data=data, serve__listen="127.0.0.1:0")))
    assert [(group, one.check, one.measured) for group, one in found if one.level is CheckLevel.FAIL] == []
    assert list(dict.fromkeys(group for group, _ in found)) == ["store", "keys", "clock", "machine"]


def test_machine_without_anything_can_begin(tmp_path: Path) -> None:
    """And nothing is made there."""
    found = list(examine(configured(data=tmp_path / "new", serve__listen="127.0.0.1:0")))
    assert [one.check for _, one in found if one.level is CheckLevel.FAIL] == []
    assert list(tmp_path.iterdir()) == []


def test_the_doctor_changes_nothing_that_a_reader_sees(data: Path, tmp_path: Path) -> None:
    """Not a byte of the keys, no row but the one that counts commits, and no file but SQLite's own."""

    def held() -> dict[str, bytes]:
        files = [one for one in tmp_path.rglob("*") if one.is_file() and not one.name.startswith(FILE_NAME)]
        return {str(one.relative_to(tmp_path)): one.read_bytes() for one in files}

    def rows() -> list[str]:
        with closing(sqlite3.connect(data / FILE_NAME)) as connection:
            return [line for line in connection.iterdump() if "schema_version" not in line]

    files, before = held(), rows()
    found = list(examine(configured(data=data, serve__listen="127.0.0.1:0")))
    assert [one.level.name for _, one in found if one.check == "commit"] == ["OK"]
    assert (held(), rows()) == (files, before)


def test_commit_that_does_not_return_fails_in_time(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The doctor goes on, and leaves the commit to itself."""
    go, ended = threading.Event(), threading.Event()

    def hang() -> None:
        go.wait(60)
        ended.set()

    monkeypatch.setattr("referee.server.doctor.commit.open_store", lambda folder, database: breakable(folder, hang))  # noqa: ARG005 - as the real one
    monkeypatch.setattr("referee.server.doctor.commit.STALL_SECONDS", 0.2)
    _, found = stored_of(configured(data=data))
    assert (found["commit"].level, found["fsync"].level is CheckLevel.FAIL) == (CheckLevel.FAIL, False)
    assert "the disk has not forced a commit of the log's file" in found["commit"].measured
    go.set()
    assert ended.wait(60)


def test_question_that_goes_wrong_is_a_finding_and_the_others_are_asked(data: Path, monkeypatch) -> None:
    def broken(*_: object, **__: object) -> Iterator[CheckResult]:
        raise ZeroDivisionError("by chance")

    monkeypatch.setattr("referee.server.doctor.check_clock", broken)
    found = list(examine(configured(data=data, serve__listen="127.0.0.1:0")))
    assert ("clock", "FAIL") in [(group, one.level.name) for group, one in found]
    assert "ZeroDivisionError: by chance" in next(one.measured for group, one in found if group == "clock")
    assert "machine" in {group for group, _ in found}


def clock_of(*, newest: int = 0, after: int = 1_000, kernel: tuple[int, int] | None = (0, 5_000)) -> dict[str, Any]:
    """Check a clock that shows 0, another time one second of a steady clock after, and 5 s at last."""
    wall, steady = iter((0, after, 5_000)), iter((0.0, 1.0))
    findings = check_clock(
        newest, wall=lambda: next(wall), monotonic=lambda: next(steady), sleep=lambda _: None, kernel=lambda: kernel
    )
    return by_check(findings)


def test_even_clock_that_somebody_keeps_is_well() -> None:
    found = clock_of(newest=4_000)
    assert {one.level for one in found.values()} == {CheckLevel.OK}
    assert found["log"].measured == "ahead of the newest leaf by 1 s"
    assert found["synchronized"].measured == "within 5.0 ms, according to the kernel"


@pytest.mark.parametrize(
    ("clock", "check", "level", "words"),
    [
        *(({"after": after}, "pace", "FAIL", "") for after in (1_021, 979, -3_600_000)),  # it jumps
        ({"newest": 12_000}, "log", "WARN", f"the clock is 7.0 s {BEHIND}; 10 s are allowed"),
        ({"newest": 605_000}, "log", "FAIL", f"600.0 s {BEHIND}, and 10 s are allowed: every leaf would be refused"),
        ({"kernel": (0x40, 0)}, "synchronized", "WARN", "not synchronized"),
        ({"kernel": (0, 2_000_000)}, "synchronized", "WARN", "up to 2,000 ms off"),
        ({"kernel": None}, "synchronized", "WARN", "unknown on this system"),
    ],
)
def test_clock_that_is_not_even_or_that_nobody_keeps_is_reported(clock, check, level, words) -> None:
    found = clock_of(**clock)[check]
    assert (found.level.name, words in found.measured) == (level, True), found.measured
    assert ("takes leaves again in 590 s" in found.remedy) == (words.startswith("600.0 s"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="adjtimex is Linux's")
def test_kernel_says_something_that_can_be() -> None:
    """A status of sixteen bits, and an error that is not negative."""
    status, largest = kernel_clock() or (0, 0)
    assert 0 <= status < 2**16
    assert largest >= 0


def test_newest_leaf_states_its_time(serve: Callable[..., Any], tmp_path: Path) -> None:
    """A round is dealt; its time is found in the log, and is about now."""
    began = system_clock()
    process = serve("--quiet")
    process.driver.play("t")
    process.kill()
    stored, _ = stored_of(configured(data=tmp_path / "data"))
    assert began <= stored.newest_time <= system_clock()
    assert began <= stored.first_time <= stored.newest_time


def ports_of(configuration: Configuration) -> dict[str, CheckResult]:
    """Check the addresses."""
    return by_check(check_ports(configuration))


def test_taken_port_fails_unless_a_server_of_this_folder_has_it(data: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        found = ports_of(configured(data=tmp_path, serve__listen=address, telemetry__metrics=address))
        assert [one.level.name for one in found.values()] == ["FAIL", "FAIL"]
        assert "Address already in use" in found["serve.listen"].measured
    assert ports_of(configured(data=tmp_path, serve__listen=address))["serve.listen"].level is CheckLevel.OK
    with Application(server_options(data=data)) as application:
        address = f"127.0.0.1:{application.port}"
        found = ports_of(configured(data=data, serve__listen=address))
        assert outcome_of(found["serve.listen"]) == ("OK", f"{address} is taken; a server runs on this data folder")


def test_address_of_another_machine_fails(tmp_path: Path) -> None:
    found = ports_of(configured(data=tmp_path, serve__listen="192.0.2.1:50051", access__insecure=True))
    assert found["serve.listen"].level is CheckLevel.FAIL


@pytest.mark.parametrize(
    ("free", "grown", "level", "words"),
    [
        (500 * GIB, (0, 0), "OK", "512,000 MiB of 1,024,000 free"),
        (500 * GIB, (GIB, 10 * DAY), "OK", "5,000 days at the log's growth of 102.4 MiB a day"),
        (2 * GIB, (GIB, 10 * DAY), "WARN", "20 days"),
        (GIB // 2, (0, 0), "WARN", "512 MiB"),
        (GIB // 20, (0, 0), "FAIL", "51 MiB"),
        (500 * GIB, (GIB, 1_000), "OK", "512,000 MiB of 1,024,000 free"),
    ],
)
def test_disk_that_fills_is_reported_with_its_days(tmp_path: Path, free, grown, level, words) -> None:
    """A log of less than an hour shows no growth."""
    log_bytes, log_ms = grown
    usage = Usage(1000 * GIB, 0, free)
    (finding,) = check_disk(tmp_path / "new", log_bytes=log_bytes, log_ms=log_ms, usage=lambda _: usage)
    assert (finding.level.name, words in finding.measured) == (level, True), finding.measured


@pytest.mark.parametrize(
    ("soft", "level"), [(65_536, "OK"), (resource.RLIM_INFINITY, "OK"), (1_024, "WARN"), (128, "FAIL")]
)
def test_few_open_files_are_reported(soft: int, level: str) -> None:
    assert check_files(lambda: (soft, 1_048_576)).level.name == level


def certificate(ends: dt.datetime) -> bytes:
    """Make a certificate with another library."""
    return Authority("referee.example").server(ends=ends - dt.datetime.now(dt.UTC)).pem


@pytest.mark.parametrize(
    ("days", "level", "words"),
    [(90, "OK", "90 days left"), (10, "WARN", "in 10 days"), (-3, "FAIL", "expired 3 days ago")],
)
def test_certificate_that_ends_is_reported(tmp_path: Path, days: int, level: str, words: str) -> None:
    now = dt.datetime(2030, 1, 1, tzinfo=dt.UTC)
    path = tmp_path / "server.pem"
    path.write_bytes(certificate(now + dt.timedelta(days=days)))
    configuration = msgspec.structs.replace(Configuration(), tls=TlsSettings(certificate=str(path), key="k"))
    (finding,) = check_certificates(configuration, now=int(now.timestamp() * 1000))
    assert finding.level.name == level
    assert words in finding.measured


def test_authority_of_clients_that_ends_soon_is_reported_too(tmp_path: Path) -> None:
    """The gateway for browsers has the server's certificate, so these two are all that a server uses."""
    now = dt.datetime.now(dt.UTC)
    for name, days in (("server.pem", 90), ("clients.pem", 10)):
        (tmp_path / name).write_bytes(certificate(now + dt.timedelta(days=days)))
    tls = TlsSettings(certificate=str(tmp_path / "server.pem"), key="k", client_ca=str(tmp_path / "clients.pem"))
    configuration = msgspec.structs.replace(Configuration(), tls=tls)
    found = by_check(check_certificates(configuration, now=int(now.timestamp() * 1000)))
    assert levels_of(found) == {"tls.certificate": "OK", "tls.client_ca": "WARN"}


def test_file_that_is_no_certificate_fails(tmp_path: Path) -> None:
    path = tmp_path / "server.pem"
    path.write_bytes(b"no certificate")
    tls = TlsSettings(certificate=str(path), key="k", client_ca=str(tmp_path / "nowhere"))
    found = by_check(check_certificates(msgspec.structs.replace(Configuration(), tls=tls), now=0))
    assert levels_of(found) == {"tls.certificate": "FAIL", "tls.client_ca": "FAIL"}


@dataclass
class WitnessScene:
    """A witness of this test's log, and the settings that name it."""

    witness: LocalWitness
    configuration: Configuration

    def found(self, *, later: int = 0) -> dict[str, CheckResult]:
        """Check the witnesses this many seconds after they cosigned."""
        stored, _ = stored_of(self.configuration)
        return by_check(check_witness_states(self.configuration, stored, now=system_clock() // 1000 + later))


@pytest.fixture
def scene(data: Path, tmp_path: Path) -> Iterator[WitnessScene]:
    witness = LocalWitness(tmp_path / "w", "w").open(read_public_keys(data / "keys")["log"])
    named = {"witnesses__urls": [witness.address.url], "witnesses__keys": [witness.signer.verifier_key]}
    yield WitnessScene(witness, configured(data=data, **named))
    witness.close()


def test_log_without_witnesses_is_not_asked_about_them(data: Path) -> None:
    assert list(check_witness_states(configured(data=data), StoreFacts(), now=0)) == []


def test_witness_that_has_cosigned_lately_is_well(scene: WitnessScene, data: Path) -> None:
    """Until then it shows nothing; long after, the log is not cosigned any more."""
    found = scene.found()
    assert levels_of(found) == {"witness.example/w": "WARN", "witness.example/w clock": "OK", "quorum": "WARN"}
    assert "has cosigned nothing of" in found["witness.example/w"].measured
    assert found["quorum"].measured == "1 have never cosigned one head"
    witnesses = scene.configuration.witnesses
    Application(server_options(data=data, witnesses=witnesses)).close()
    found = scene.found(later=7)
    assert outcome_of(found["witness.example/w"]) == ("OK", "answers; it cosigned 4 of 5 leaves")
    assert re.fullmatch("1 cosigned 4 leaves [0-9]+ s ago", found["quorum"].measured)
    assert found["quorum"].level is CheckLevel.OK
    assert scene.found(later=901)["quorum"].level is CheckLevel.WARN


@pytest.mark.parametrize(("off", "words"), [(40, "ahead of"), (-40, "behind")])
def test_clock_of_a_witness_that_differs_from_this_machines_fails(scene: WitnessScene, off: int, words: str) -> None:
    assert scene.found()["witness.example/w clock"].level is CheckLevel.OK
    scene.witness.ahead += off
    found = scene.found()["witness.example/w clock"]
    assert (found.level, f"s {words} this machine's" in found.measured) == (CheckLevel.FAIL, True)
    assert 5 < float(re.findall("clock is ([0-9.]+) s", found.measured)[0]) <= 41
    assert "its cosignatures are not used" in found.measured


def test_witness_that_is_away_is_reported(scene: WitnessScene) -> None:
    """As a failure where the server would not start without it."""
    scene.witness.close()
    found = scene.found()["witness.example/w"]
    assert found.level is CheckLevel.WARN
    assert "cannot be reached" in found.measured
    required = msgspec.structs.replace(scene.configuration.witnesses, required=True)
    scene.configuration = msgspec.structs.replace(scene.configuration, witnesses=required)
    assert scene.found()["witness.example/w"].level is CheckLevel.FAIL


def test_log_behind_what_a_witness_has_cosigned_fails(scene: WitnessScene, data: Path, tmp_path: Path) -> None:
    """The folder is an old copy; the witness has seen a round since."""
    shutil.copytree(data, tmp_path / "old")
    witnesses = scene.configuration.witnesses
    with calling(data=data, witnesses=witnesses) as (_, caller):
        caller.driver.open()
        caller.log.GetCheckpoint(log_pb2.GetCheckpointRequest(cosigned_size=6), timeout=30)
    old = msgspec.structs.replace(scene.configuration.log, data=str(tmp_path / "old"))
    scene.configuration = msgspec.structs.replace(scene.configuration, log=old)
    found = scene.found()["witness.example/w"]
    assert outcome_of(found) == ("FAIL", "it has cosigned 6 leaves, but the log has 4")


def test_running_server_is_asked_whether_it_answers_calls(tmp_path: Path) -> None:
    """By its probe, which needs no certificate; a server whose metrics are elsewhere is something to look at."""
    with Application(server_options(data=tmp_path, metrics="127.0.0.1:0", sweep=False)) as app:
        address = f"127.0.0.1:{app.metrics_port}"
        configuration = configured(data=tmp_path, telemetry__metrics=address)
        (found,) = check_answers(configuration)
        assert outcome_of(found) == ("OK", "ready")
        app.health.pause((), "a test")
        (found,) = check_answers(configuration)
        assert outcome_of(found) == ("FAIL", "not ready: NOT_SERVING: a test")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            elsewhere = f"127.0.0.1:{taken.getsockname()[1]}"
            (found,) = check_answers(configured(data=tmp_path, telemetry__metrics=elsewhere))
        assert found.level is CheckLevel.WARN
    assert not list(check_answers(configuration))
