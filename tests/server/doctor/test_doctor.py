"""The doctor finds what is wrong with clock, machine and witnesses: each question with the failure that it is for."""

import datetime as dt
import os
import re
import resource
import shutil
import socket
import sys
from collections import namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from referee.evidence.vkey import Algorithm
from referee.server.clock import system_clock
from referee.server.doctor import CheckLevel, CheckResult, examine
from referee.server.doctor.clock import check_clock, kernel_clock
from referee.server.doctor.machine import check_certificates, check_disk, check_files, check_ports
from referee.server.doctor.store import StoreFacts
from referee.server.doctor.witnesses import check_witness_states
from referee.server.keys.folder import KeyFolder
from referee.server.keys.private_key import KeySigner
from referee.server.process.app import Application
from referee.server.settings.configuration import Configuration
from referee.server.settings.tls import TlsSettings
from referee.v1 import log_pb2, log_pb2_grpc, shuffler_pb2_grpc
from referee.witness import Witness, WitnessServer, WitnessState, read_trusted
from tests.driver.opening import open_round
from tests.server.doctor.examining import by_check, configured, outcome_of, stored_of
from tests.server.options import server_options

PASSPHRASE: Final = "correct horse battery"  # noqa: S105 - a test's own
DAY: Final = 86_400_000
GIB: Final = 1024**3
Usage = namedtuple("Usage", "total free")  # noqa: PYI024 - as shutil's own


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


def test_the_doctor_changes_nothing(data: Path, tmp_path: Path) -> None:
    """Not a byte of the log or the keys, nor a file beside them but SQLite's empty ones."""

    def held() -> dict[str, bytes]:
        return {str(one.relative_to(tmp_path)): one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()}

    before = held()
    list(examine(configured(data=data, serve__listen="127.0.0.1:0")))
    after = held()
    assert before == {name: after[name] for name in before}
    assert all(name.endswith(("-wal", "-shm")) for name in after.keys() - before.keys())


def test_question_that_goes_wrong_is_a_finding_and_the_others_are_asked(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> Iterator[CheckResult]:
        raise ZeroDivisionError("by chance")

    monkeypatch.setattr("referee.server.doctor.check_clock", broken)
    found = list(examine(configured(data=data, serve__listen="127.0.0.1:0")))
    assert ("clock", "FAIL") in [(group, one.level.name) for group, one in found]
    assert "ZeroDivisionError: by chance" in next(one.measured for group, one in found if group == "clock")
    assert "machine" in {group for group, _ in found}


def clock_of(
    *, newest: int = 0, walls: tuple[int, ...] = (0, 1_000, 5_000), kernel: tuple[int, int] | None = (0, 5_000)
) -> dict[str, CheckResult]:
    """Check a clock that shows these times, one second of a steady clock apart."""
    wall, steady = iter(walls), iter((0.0, 1.0))
    findings = check_clock(
        newest, wall=lambda: next(wall), monotonic=lambda: next(steady), sleep=lambda _: None, kernel=lambda: kernel
    )
    return by_check(findings)


def test_even_clock_that_somebody_keeps_is_well() -> None:
    found = clock_of(newest=4_000)
    assert {one.level for one in found.values()} == {CheckLevel.OK}
    assert found["log"].measured == "ahead of the newest leaf by 1 s"
    assert found["synchronized"].measured == "within 5.0 ms, according to the kernel"


@pytest.mark.parametrize("after", [1_021, 979, -3_600_000])
def test_clock_that_jumps_fails(after: int) -> None:
    assert clock_of(walls=(0, after, 5_000))["pace"].level is CheckLevel.FAIL


def test_clock_behind_the_newest_leaf_is_warned_of() -> None:
    found = clock_of(newest=12_000)["log"]
    assert outcome_of(found) == ("WARN", "the clock is 7.0 s behind the log's newest leaf; 10 s are allowed")


def test_clock_behind_by_more_than_the_slack_fails_and_says_until_when() -> None:
    found = clock_of(newest=5_000 + 600_000)["log"]
    measured = "this machine's clock is 600.0 s behind the log's newest leaf, and 10 s are allowed: every leaf would"
    assert outcome_of(found) == ("FAIL", f"{measured} be refused")
    assert "takes leaves again in 590 s" in found.remedy


@pytest.mark.parametrize(
    ("kernel", "words"),
    [((0x40, 0), "not synchronized"), ((0, 2_000_000), "up to 2,000 ms off"), (None, "unknown on this system")],
)
def test_clock_that_nobody_keeps_is_warned_of(kernel: tuple[int, int] | None, words: str) -> None:
    found = clock_of(kernel=kernel)["synchronized"]
    assert found.level is CheckLevel.WARN
    assert words in found.measured


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
    process.play("t")
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
    ("free", "log_bytes", "log_ms", "level", "words"),
    [
        (500 * GIB, 0, 0, "OK", "512,000 MiB of 1,024,000 free"),
        (500 * GIB, GIB, 10 * DAY, "OK", "5,000 days at the log's growth of 102.4 MiB a day"),
        (2 * GIB, GIB, 10 * DAY, "WARN", "20 days"),
        (GIB // 2, 0, 0, "WARN", "512 MiB"),
        (GIB // 20, 0, 0, "FAIL", "51 MiB"),
        (500 * GIB, GIB, 1_000, "OK", "512,000 MiB of 1,024,000 free"),
    ],
)
def test_disk_that_fills_is_reported_with_its_days(  # noqa: PLR0913, PLR0917 - a row of the table
    tmp_path: Path, free: int, log_bytes: int, log_ms: int, level: str, words: str
) -> None:
    """A log of less than an hour shows no growth."""
    (finding,) = check_disk(
        tmp_path / "new", log_bytes=log_bytes, log_ms=log_ms, usage=lambda _: Usage(1000 * GIB, free)
    )
    assert finding.level.name == level
    assert words in finding.measured


@pytest.mark.parametrize(
    ("soft", "level"), [(65_536, "OK"), (resource.RLIM_INFINITY, "OK"), (1_024, "WARN"), (128, "FAIL")]
)
def test_few_open_files_are_reported(soft: int, level: str) -> None:
    assert check_files(lambda: (soft, 1_048_576)).level.name == level


def certificate(ends: dt.datetime) -> bytes:
    """Make a self-signed certificate with another library."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "referee.example")])
    built = x509.CertificateBuilder(
        name, name, key.public_key(), x509.random_serial_number(), ends - dt.timedelta(days=400), ends
    )
    return built.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


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
    levels = {check: finding.level.name for check, finding in found.items()}
    assert levels == {"tls.certificate": "OK", "tls.client_ca": "WARN"}


def test_file_that_is_no_certificate_fails(tmp_path: Path) -> None:
    path = tmp_path / "server.pem"
    path.write_bytes(b"no certificate")
    tls = TlsSettings(certificate=str(path), key="k", client_ca=str(tmp_path / "nowhere"))
    found = by_check(check_certificates(msgspec.structs.replace(Configuration(), tls=tls), now=0))
    assert [(check, one.level.name) for check, one in found.items()] == [
        ("tls.certificate", "FAIL"),
        ("tls.client_ca", "FAIL"),
    ]


@dataclass
class WitnessScene:
    """A witness of this test's log, on a port of its own, and the settings that name it."""

    listener: WitnessServer
    configuration: Configuration
    ahead: list[int]
    """Seconds by which the witness's clock is ahead."""

    def found(self, *, later: int = 0) -> dict[str, CheckResult]:
        """Check the witnesses this many seconds after they cosigned."""
        stored, _ = stored_of(self.configuration)
        return by_check(check_witness_states(self.configuration, stored, now=system_clock() // 1000 + later))


@pytest.fixture
def scene(data: Path, tmp_path: Path) -> Iterator[WitnessScene]:
    held = KeyFolder.open_or_make(data / "keys", origin="", entropy=os.urandom, private=())
    signer = KeySigner("witness.example/w", b"w" * 32, Algorithm.COSIGNATURE_V1)
    state, ahead = WitnessState(tmp_path / "witness.sqlite3"), [0]
    trusted = read_trusted(f"log {held.public['log'].text}")
    witness = Witness(state, signer, name=signer.name, trusted=trusted, clock=lambda: system_clock() // 1000 + ahead[0])
    with WitnessServer(witness, host="127.0.0.1", port=0) as listener:
        named = {"urls": [f"http://127.0.0.1:{listener.port}"], "keys": [signer.verifier_key]}
        yield WitnessScene(
            listener, configured(data=data, **{f"witnesses__{key}": value for key, value in named.items()}), ahead
        )
    state.close()


def test_log_without_witnesses_is_not_asked_about_them(data: Path) -> None:
    assert list(check_witness_states(configured(data=data), StoreFacts(), now=0)) == []


def test_witness_that_has_cosigned_lately_is_well(scene: WitnessScene, data: Path) -> None:
    """Until then it shows nothing; long after, the log is not cosigned any more."""
    found = scene.found()
    assert {name: one.level.name for name, one in found.items()} == {
        "witness.example/w": "WARN",
        "witness.example/w clock": "OK",
        "quorum": "WARN",
    }
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
    scene.ahead[0] += off
    found = scene.found()["witness.example/w clock"]
    assert (found.level, f"s {words} this machine's" in found.measured) == (CheckLevel.FAIL, True)
    assert 5 < float(re.findall("clock is ([0-9.]+) s", found.measured)[0]) <= 41
    assert "its cosignatures are not used" in found.measured


def test_witness_that_is_away_is_reported(scene: WitnessScene) -> None:
    """As a failure where the server would not start without it."""
    scene.listener.close()
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
    with (
        Application(server_options(data=data, witnesses=witnesses)) as application,
        grpc.insecure_channel(f"127.0.0.1:{application.port}") as channel,
    ):
        open_round(shuffler_pb2_grpc.ShufflerServiceStub(channel))
        log = log_pb2_grpc.LogServiceStub(channel)
        log.GetCheckpoint(log_pb2.GetCheckpointRequest(cosigned_size=6), timeout=30)
    old = msgspec.structs.replace(scene.configuration.log, data=str(tmp_path / "old"))
    scene.configuration = msgspec.structs.replace(scene.configuration, log=old)
    found = scene.found()["witness.example/w"]
    assert outcome_of(found) == ("FAIL", "it has cosigned 6 leaves, but the log has 4")
