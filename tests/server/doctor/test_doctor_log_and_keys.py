"""The doctor finds what is wrong with the stored log and with the keys."""

import os
import sqlite3
from pathlib import Path
from typing import Final

import pytest

from referee.server.doctor import CheckLevel
from referee.server.doctor.store import check_file_system, judge_forces
from referee.server.keys.folder import KeyFolder
from referee.server.keys.private_key import KeySigner, Passphrase, write_key
from referee.server.keys.signing_agent import SigningAgent
from referee.server.process.app import Application
from tests.server.doctor.examining import configured, keys_of, outcome_of, stored_of
from tests.server.options import server_options

PASSPHRASE: Final = "correct horse battery"  # noqa: S105 - a test's own
WRONG: Final = {"REFEREE_PASSPHRASE": PASSPHRASE.upper()}


def test_log_whose_leaf_was_changed_fails(data: Path) -> None:
    with sqlite3.connect(data / "log.sqlite3") as connection:
        connection.execute(
            "UPDATE leaf SET data = CAST(replace(CAST(data AS TEXT), 'a', 'b') AS BLOB) WHERE position = 1"
        )
    connection.close()
    stored, found = stored_of(configured(data=data))
    assert outcome_of(found["log"])[0] == "FAIL"
    assert "restore" in found["log"].remedy
    assert stored.registry is None


def test_file_that_is_no_database_fails(data: Path) -> None:
    (data / "log.sqlite3").write_bytes(b"no database" * 1000)
    for one in data.glob("log.sqlite3-*"):
        one.unlink()
    _, found = stored_of(configured(data=data))
    assert found["log"].level is CheckLevel.FAIL


def test_page_that_is_damaged_is_found_by_sqlite(data: Path) -> None:
    """An index that says otherwise than its table: the leaves are whole, the file is not."""
    path = data / "log.sqlite3"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA writable_schema=ON")
    connection.execute(
        "UPDATE sqlite_master SET sql = replace(sql, 'WHERE due IS NOT NULL', '') WHERE name='round_due'"
    )
    connection.execute("INSERT INTO round SELECT 't', 1, x'00', 1, 1, 0, NULL, NULL, 1, x'', NULL, NULL")
    connection.commit()
    connection.close()
    _, found = stored_of(configured(data=data))
    assert found["file"].level is CheckLevel.FAIL
    assert "round_due" in found["file"].measured


def test_log_of_another_schema_version_fails(data: Path) -> None:
    with sqlite3.connect(data / "log.sqlite3") as connection:
        connection.execute("UPDATE schema_version SET version = 99")
    connection.close()
    _, found = stored_of(configured(data=data))
    assert found["schema"].level is CheckLevel.FAIL
    assert "version 99" in found["schema"].measured


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
    (data / "keys" / "referee.key").unlink()
    write_key(data / "keys" / "referee.key", KeySigner("localhost/referee/referee", b"o" * 32))
    assert "is not the private key of referee.pub" in keys_of(configured(data=data))["referee"].measured


def test_key_that_the_log_does_not_name_fails(data: Path) -> None:
    other = KeySigner("localhost/referee/referee", b"o" * 32)
    (data / "keys" / "referee.key").unlink()
    write_key(data / "keys" / "referee.key", other)
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
    with Application(server_options(data=data, passphrase=passphrase)):
        pass
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
    found = keys_of(configured(data=data, keys__passphrase_file=str(file)))
    assert "chmod 600" in found["passphrase"].measured


def test_root_key_beside_the_others_is_warned_of(tmp_path: Path) -> None:
    with Application(server_options(data=tmp_path / "data")):
        pass
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
