"""The doctor finds what is wrong with the stored log, with the keys, and with those of identity providers."""

import json
import os
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from typer.testing import CliRunner

from referee.cli.doctor import SpacedLines
from referee.cli.main import app
from referee.server.doctor import CheckDepth, CheckLevel, CheckResult
from referee.server.doctor.providers import WAIT_SECONDS, check_providers
from referee.server.doctor.store import check_file_system, judge_forces
from referee.server.keys.folder import KeyFolder
from referee.server.keys.private_key import KeySigner, Passphrase, write_key
from referee.server.keys.signing_agent import SigningAgent
from referee.server.process.app import Application
from referee.server.process.log_check import CheckRecord
from referee.server.settings.access import AccessSettings
from referee.server.settings.caller_role import CallerRole
from referee.server.settings.configuration import Configuration
from referee.server.settings.provider import Provider
from tests.server.access.identity_provider import ISSUER, IdentityProvider, public_key
from tests.server.doctor.examining import by_check, configured, keys_of, outcome_of, stored_of
from tests.server.options import server_options
from tests.storage.long_log import counted, extend

PASSPHRASE: Final = "correct horse battery"  # noqa: S105 - a test's own
WRONG: Final = {"REFEREE_PASSPHRASE": PASSPHRASE.upper()}


LEAF = "UPDATE leaf SET data = CAST(replace(CAST(data AS TEXT), 'a', 'b') AS BLOB) WHERE position = 1"
PAGE = (
    "PRAGMA writable_schema=ON",
    "UPDATE sqlite_master SET sql = replace(sql, 'WHERE due IS NOT NULL', '') WHERE name='round_due'",
    "INSERT INTO round SELECT 't', 1, x'00', 1, 1, 0, NULL, NULL, 1, x'', NULL, NULL",
)
"""Makes an index say otherwise than its table: the leaves are whole, the file is not."""


@pytest.mark.parametrize(
    ("statements", "check", "words"),
    [
        ((LEAF,), "log", "restore"),
        ((), "log", ""),  # the file is no database
        (PAGE, "file", "round_due"),
        (("UPDATE schema_version SET version = 99",), "schema", "version 99"),
    ],
    ids=["leaf changed", "no database", "page damaged", "another schema"],
)
def test_damaged_log_fails(data: Path, statements: tuple[str, ...], check: str, words: str) -> None:
    with closing(sqlite3.connect(data / "log.sqlite3")) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    if not statements:
        (data / "log.sqlite3").write_bytes(b"no database" * 1000)
        for one in data.glob("log.sqlite3-*"):
            one.unlink()
    stored, found = stored_of(configured(data=data))
    assert outcome_of(found[check])[0] == "FAIL"
    assert words in found[check].measured + found[check].remedy
    assert check != "log" or stored.registry is None


def test_long_log_is_examined_as_a_start_does_and_whole_where_that_is_asked(data: Path) -> None:
    """What no check has reached is reported, with what to do; a full examination reads all and shows progress."""
    (data / "log_check.json").unlink()
    extend(data, 3_000)
    configuration, shown = configured(data=data), list[tuple[int, int]]()
    with counted() as work:
        _, found = stored_of(configuration)
    few = work.rows
    assert outcome_of(found["whole log"]) == ("WARN", "no check of all leaves has ended yet")
    assert "referee doctor --full" in found["whole log"].remedy
    with counted() as work:
        stored, found = stored_of(configuration, CheckDepth(is_full=True, progress=lambda *done: shown.append(done)))
    assert work.rows > 2 * 3_000
    assert "whole log" not in found
    assert (stored.size, shown[0], shown[-1]) == (3_000, (256, 3_000), (3_000, 3_000))
    extend(data, 60_000)
    with counted() as work:
        stored_of(configuration)
    assert work.rows < 2 * few
    CheckRecord().end(data, now=1)
    assert stored_of(configuration)[1]["whole log"].level is CheckLevel.OK


def test_deep_damage_is_found_by_a_full_examination(data: Path) -> None:
    extend(data, 3_000)
    with closing(sqlite3.connect(data / "log.sqlite3")) as connection, connection:
        connection.execute("UPDATE leaf SET data = CAST(data || ' ' AS BLOB) WHERE position = 700")
    configuration = configured(data=data)
    assert stored_of(configuration)[1]["log"].level is CheckLevel.OK
    assert stored_of(configuration, CheckDepth(is_full=True))[1]["log"].level is CheckLevel.FAIL


def test_progress_that_no_terminal_shows_is_a_line_every_five_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    lines = SpacedLines(lambda: now)
    for now in (1.0, 4.9, 5.0, 6.0, 10.0):
        lines(f"at {now}")
    assert capsys.readouterr().err.splitlines() == ["at 5.0", "at 10.0"]


def test_file_that_another_writer_holds_is_reported(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *names, **more: real(*names, **{**more, "timeout": 0.1}))
    holder = real(data / "log.sqlite3", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    _, found = stored_of(configured(data=data))
    holder.execute("ROLLBACK")
    holder.close()
    assert outcome_of(found["file"]) == ("WARN", "a writer held the file for 5 s")


def test_folder_that_takes_no_files_fails(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_folder: Path) -> list[float]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("referee.server.doctor.store.force_times", refuse)
    _, found = stored_of(configured(data=data))
    assert outcome_of(found["fsync"]) == ("FAIL", f"{data}: Permission denied")


def test_disk_that_is_slow_to_force_is_warned_of() -> None:
    assert judge_forces([30.0] * 20).level is CheckLevel.WARN
    assert judge_forces([1.0] * 19 + [300.0]).level is CheckLevel.OK


@pytest.mark.parametrize(
    ("kind", "level"),
    [("nfs4", "WARN"), ("9p", "WARN"), ("cifs", "WARN"), ("fuse.sshfs", "WARN"), ("tmpfs", "WARN"), ("ext4", "OK")],
)
def test_file_system_that_does_not_lock_or_keep_is_warned_of(tmp_path: Path, kind: str, level: str) -> None:
    mounts = f"1 0 0:1 / / rw - xfs /dev/a rw\n2 1 0:2 / {tmp_path} rw shared:1 master:2 - {kind} host:/x rw\n"
    finding = check_file_system(tmp_path / "data", lambda: mounts)
    assert finding.level.name == level
    assert finding.measured.startswith(kind)


def test_database_that_is_away_fails_without_showing_its_password(data: Path) -> None:
    url = "postgresql://referee:hunter2@127.0.0.1:1/none?connect_timeout=2"
    pytest.importorskip("psycopg")
    _, found = stored_of(configured(data=data, log__database=url))
    assert found["database"].level is CheckLevel.FAIL
    assert "hunter2" not in str(found)


def test_keys_of_a_founded_log_are_well(data: Path) -> None:
    found = keys_of(configured(data=data))
    assert set(found) == {
        *("log", "shuffler", "referee", "sealing"),
        *("log in the log", "shuffler in the log", "referee in the log"),
    }
    assert {one.level for one in found.values()} == {CheckLevel.OK}
    assert found["log"].measured == "plain, mode 600"


def test_process_is_asked_for_the_keys_that_it_needs_only(data: Path) -> None:
    (data / "keys" / "shuffler.key").unlink()
    assert keys_of(configured(data=data, serve__services=["rulesets", "log"])) == {}
    assert keys_of(configured(data=data))["shuffler"].level is CheckLevel.FAIL
    assert "missing" in keys_of(configured(data=data))["shuffler"].measured


def test_key_that_others_can_read_fails(data: Path) -> None:
    path = data / "keys" / "log.key"
    path.chmod(0o644)
    found = keys_of(configured(data=data))["log"]
    assert outcome_of(found) == ("FAIL", f"{path} can be read by users other than its owner")
    assert found.remedy == f"run: chmod 600 {path}"


def test_key_of_another_user_fails(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert "belongs to user" in keys_of(configured(data=data))["log"].measured


def test_key_that_is_not_the_public_ones_fails(data: Path) -> None:
    """And one that is, but that the log does not name."""
    other = KeySigner("localhost/referee/referee", b"o" * 32)
    (data / "keys" / "referee.key").unlink()
    write_key(data / "keys" / "referee.key", other)
    assert "is not the private key of referee.pub" in keys_of(configured(data=data))["referee"].measured
    (data / "keys" / "referee.pub").write_text(other.verifier_key + "\n")
    found = keys_of(configured(data=data))
    assert found["referee"].level is CheckLevel.OK
    assert found["referee in the log"].level is CheckLevel.FAIL
    assert "referee keys rotate referee" in found["referee in the log"].remedy


def test_key_that_is_damaged_fails(data: Path) -> None:
    for role in ("log", "sealing"):
        path = data / "keys" / f"{role}.key"
        path.write_text("ENCRYPTED+KEY+argon2id+1+8+AAAA\n")
    found = keys_of(configured(data=data), REFEREE_PASSPHRASE=PASSPHRASE)
    assert [found[role].level.name for role in ("log", "sealing", "referee")] == ["FAIL", "FAIL", "OK"]


def test_encrypted_keys_need_their_passphrase(tmp_path: Path) -> None:
    data = tmp_path / "data"
    passphrase = Passphrase(PASSPHRASE.encode())
    Application(server_options(data=data, passphrase=passphrase)).close()
    configuration = configured(data=data)
    assert keys_of(configuration)["log"].measured.endswith("is encrypted, and no passphrase was given")
    assert "another passphrase" in keys_of(configuration, **WRONG)["log"].measured
    found = keys_of(configuration, REFEREE_PASSPHRASE=PASSPHRASE)
    assert outcome_of(found["log"]) == ("OK", "encrypted, mode 600")
    assert outcome_of(found["sealing"]) == ("OK", "encrypted, mode 600")


def test_passphrase_file_that_others_can_read_fails(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "passphrase"
    file.write_text(PASSPHRASE)
    file.chmod(0o644)
    assert "chmod 600" in keys_of(configured(data=data, keys__passphrase_file=str(file)))["passphrase"].measured


def test_root_key_beside_the_others_is_warned_of(tmp_path: Path) -> None:
    Application(server_options(data=tmp_path / "data")).close()
    assert keys_of(configured(data=tmp_path / "data"))["root"].level is CheckLevel.WARN


def test_signer_is_asked_for_its_keys(data: Path, tmp_path: Path) -> None:
    """Away, with the right keys, and with others."""
    path = tmp_path / "signer.sock"
    configuration = configured(data=data, keys__signer=f"unix:{path}")
    assert "cannot be reached" in keys_of(configuration)["log"].measured
    held = KeyFolder.open_or_make(data / "keys", origin="", entropy=os.urandom, private=("log", "shuffler", "referee"))
    roles = ("log", "shuffler", "referee")
    for signers, expected in (
        ({role: held.signer(role) for role in roles}, "held by the signer"),
        ({role: KeySigner(held.signer(role).name, b"o" * 32) for role in roles}, "the signer holds"),
    ):
        agent = SigningAgent(path, signers).start()
        found = keys_of(configuration)
        agent.close()
        assert all(found[role].measured.startswith(expected) for role in roles)


def found(jwks: str, *, seconds: float = WAIT_SECONDS, **changes: Any) -> CheckResult:  # noqa: ANN401 - any setting
    made: dict[str, Any] = {"issuer": ISSUER, "audience": "referee", "tenant": "acme", "jwks": jwks}
    setting = Provider(**made | {"roles": {"dealer": CallerRole.FRONTEND}} | changes)
    access = AccessSettings(providers=(setting,))
    return by_check(check_providers(msgspec.structs.replace(Configuration(), access=access), seconds=seconds))[ISSUER]


def test_machine_without_providers_is_not_asked_about_them() -> None:
    assert list(check_providers(Configuration())) == []


def test_provider_is_well_with_the_keys_that_it_publishes(provider: IdentityProvider) -> None:
    assert found(provider.url) == CheckResult.ok(ISSUER, "3 keys; accepts rsa-1 (RS256), ec-1 (ES256), ed-1 (EdDSA)")
    assert provider.requests == 1


def test_keys_that_are_refused_are_named_with_the_reason(provider: IdentityProvider, tmp_path: Path) -> None:
    provider.published = ["ec-1", "rsa-small", "ed-1"]
    assert found(provider.url, algorithms=("ES256", "RS256")).measured == (
        "3 keys; accepts ec-1 (ES256); refuses rsa-small (has 1024 bits, and 2048 are needed), ed-1 (signs with EdDSA)"
    )
    file = tmp_path / "keys.json"
    sealing = {**public_key("rsa-1"), "use": "enc"}
    nameless = {name: value for name, value in public_key("ed-1").items() if name != "kid"}
    file.write_text(json.dumps({"keys": [sealing, public_key("rsa-2"), nameless]}))
    assert found(str(file)).measured == (
        "3 keys; accepts rsa-2 (RS256); refuses rsa-1 (is for enc, not for signatures), a key (has no kid)"
    )


def test_provider_none_of_whose_keys_are_accepted_fails(provider: IdentityProvider) -> None:
    provider.published = ["rsa-1"]
    result = found(provider.url, algorithms=("ES256",))
    assert (result.level.name, result.measured) == ("FAIL", "1 keys; accepts none; refuses rsa-1 (signs with RS256)")
    assert "for ES256" in result.remedy


@contextmanager
def dripping() -> Iterator[str]:
    """Run a server that sends its answer byte by byte, without an end."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        over = threading.Event()

        def drip() -> None:
            with listening.accept()[0] as connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
                while not over.wait(0.05):
                    connection.sendall(b" ")

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/keys"
        over.set()
        thread.join(60)


@pytest.mark.parametrize("kind", ["refused", "down", "no key set", "no file", "drips"])
def test_provider_without_keys_is_warned_of_and_says_what_to_do(provider: IdentityProvider, tmp_path, kind) -> None:
    """Tokens of other issuers are still served, so nothing has failed."""
    provider.published = None if kind == "down" else []
    place, words = provider.url, "503" if kind == "down" else "did not contain any keys"
    if kind == "refused":
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            place, words = f"http://127.0.0.1:{nobody.getsockname()[1]}/keys", "refused"
    if kind == "no file":
        place, words = str(tmp_path / "nowhere.json"), "No such file"
    if kind == "drips":
        began = time.monotonic()
        with dripping() as place:
            result = found(place, seconds=0.5)
        assert time.monotonic() - began < 60, "the doctor waited for the end of an answer that has none"
        words = "no whole answer within 0.5 s"
    else:
        result = found(place)
    assert result.level.name == "WARN"
    assert place in result.measured
    assert words in result.measured
    assert "jwks_uri" in result.remedy


def test_the_command_shows_the_provider_of_its_configuration(provider: IdentityProvider, tmp_path: Path) -> None:
    file = tmp_path / "referee.toml"
    file.write_text(
        f'[[access.providers]]\nissuer = "{ISSUER}"\naudience = "referee"\njwks = "{provider.url}"\n'
        'tenant = "acme"\nroles = { dealer = "frontend" }\n'
    )
    arguments = ["doctor", "--config", str(file), "--data", str(tmp_path / "data"), "--json"]
    done = CliRunner().invoke(app, [*arguments, "--set", "serve.listen=127.0.0.1:0"])
    shown = [one for one in json.loads(done.stdout)["checks"] if one["group"] == "identity providers"]
    assert [(one["check"], one["level"]) for one in shown] == [(ISSUER, "OK")]
