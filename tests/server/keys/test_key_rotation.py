"""Keys change by leaves of the log: rounds under way go on, old statements hold, and an audit follows."""

import itertools
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.audit import Code
from referee.evidence.note import Note
from referee.evidence.vkey import VerifierKey
from referee.server.clock import system_clock
from referee.server.folder_lock import FolderInUseError, lock_folder
from referee.server.keys.folder import KeyFolder, read_public_keys
from referee.server.keys.private_key import KeyFileError
from referee.server.keys.registry import KeyRegistry
from referee.server.keys.rotation import KeyRotation, KeyRotationError
from referee.storage import DataLossError
from referee.storage.sqlite import open_sqlite
from tests.command import referee, refused
from tests.driver.driver import play, settle
from tests.driver.running import ORIGIN, Running


@pytest.fixture
def stopped(running: Running) -> Running:
    """Return a server that has founded its log and is stopped."""
    running.close()
    return running


def change(running: Running, how: str, named: str, *, root: Path | None = None) -> VerifierKey:
    """Change a key of a stopped server."""
    with KeyRotation.of(running.folder, root=root, entropy=os.urandom) as rotation:
        key: VerifierKey = getattr(rotation, how)(named)
        return key


def changed(running: Running, how: str, named: str, *, root: Path | None = None) -> VerifierKey:
    """Stop the server, change a key, and start it again."""
    running.close()
    key = change(running, how, named, root=root)
    running.start()
    return key


def settle_one(running: Running) -> None:
    """Settle a round."""
    settle(running.driver.play())


def public(running: Running) -> dict[str, str]:
    """Return the public keys of the server's folder by role."""
    return read_public_keys(running.folder / "keys")


@pytest.mark.parametrize("role", ["shuffler", "referee"])
def test_round_dealt_before_a_rotation_is_settled_after_it(running: Running, role: str) -> None:
    """Its certificate is by the old key, which counts for rounds that run; new rounds are signed by the new one."""
    early = running.driver.play("early")
    settle_one(running)
    old = public(running)[role]
    new = changed(running, "rotate", role)
    assert new.text != old
    settle(running.driver.take(early))
    settle_one(running)
    report = running.audit()
    assert report.findings == ()
    lives = {record.key: record for record in report.keys if record.role == role}
    assert lives[old].revoked_leaf == lives[new.text].added_leaf + 1


def test_event_receipts_of_a_rotated_key_hold_in_rounds_that_run(running: Running) -> None:
    early = play(running.driver.deal_playable(), events=1)
    changed(running, "rotate", "referee")
    settle(play(running.driver.take(early)))
    assert running.audit().findings == ()


def test_rotated_private_key_is_gone_from_the_folder(stopped: Running) -> None:
    folder = stopped.folder / "keys"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    new = change(stopped, "rotate", "shuffler")
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert before.keys() == after.keys()
    assert {name for name in before if before[name] != after[name]} == {"shuffler.key", "shuffler.pub", "log.head"}
    assert after["shuffler.pub"].decode().strip() == new.text


def test_log_changes_its_key_in_two_steps_and_holders_of_one_key_follow(running: Running) -> None:
    """Both keys sign until the old one is revoked; an auditor with the old key follows the root to the new one."""
    settle_one(running)
    old = public(running)["log"]
    new = changed(running, "rotate", "log").text
    settle_one(running)
    keys = [VerifierKey.parse(new), VerifierKey.parse(old)]
    assert Note.parse(running.checkpoint().encode()).verify(keys) == tuple(keys)
    assert [running.audit(log_key=key).findings for key in (old, new)] == [(), ()]
    assert changed(running, "revoke", "log").text == old
    settle_one(running)
    assert Note.parse(running.checkpoint().encode()).verify(keys) == (keys[0],)
    assert [running.audit(log_key=key).findings for key in (old, new)] == [(), ()]


def test_stranger_who_signs_checkpoints_is_not_followed(running: Running, tmp_path: Path) -> None:
    """Without the root's word a new key is nobody's."""
    changed(running, "rotate", "log")
    changed(running, "revoke", "log")
    other = KeyFolder.open_or_make(tmp_path / "other", origin=ORIGIN, entropy=os.urandom).public
    report = running.audit(root_key=other["root"].text, log_key=other["log"].text)
    assert [finding.code for finding in report.findings] == [Code.CHECKPOINT_REFUSED]


def test_revoked_role_serves_no_more_until_it_has_a_new_key(running: Running) -> None:
    settle_one(running)
    running.close()
    revoked = change(running, "revoke", "referee")
    with pytest.raises(KeyFileError, match="referee keys rotate referee"):
        running.start()
    running.restart(services=["shuffler", "log"])
    assert changed(running, "rotate", "referee") != revoked
    running.restart(services=None)
    settle_one(running)
    assert running.audit().findings == ()


def test_key_is_revoked_by_its_text(stopped: Running) -> None:
    key = public(stopped)["shuffler"]
    assert change(stopped, "revoke", key).text == key
    with pytest.raises(KeyRotationError, match="not in force"):
        change(stopped, "revoke", key)
    with pytest.raises(KeyRotationError, match="no key of shuffler"):
        change(stopped, "revoke", "shuffler")


@pytest.mark.parametrize(
    ("how", "named", "words"),
    [
        ("rotate", "root", "roles are log, shuffler, referee"),
        ("rotate", "sealing", "roles are log, shuffler, referee"),
        ("revoke", "witness", "roles are log, shuffler, referee"),
        ("revoke", "log", "signs the log's checkpoints"),
        ("revoke", "not+a+key", "no verifier key"),
    ],
)
def test_change_that_cannot_be_meant_changes_nothing(stopped: Running, how: str, named: str, words: str) -> None:
    with pytest.raises(KeyRotationError, match=words):
        change(stopped, how, named)
    stopped.start()
    assert len(stopped.audit().keys) == 3


def test_log_key_is_not_rotated_while_the_one_before_still_signs(stopped: Running) -> None:
    change(stopped, "rotate", "log")
    with pytest.raises(KeyRotationError, match="revoke it first"):
        change(stopped, "rotate", "log")


def test_root_key_may_be_away_while_servers_run(make_running: Callable[..., Running], tmp_path: Path) -> None:
    """Made elsewhere, shown for the first start and for changes, and otherwise not needed."""
    safe = tmp_path / "safe" / "root.key"
    running = make_running(root=safe)
    settle_one(running)
    assert not (running.folder / "keys" / "root.key").exists()
    away = safe.rename(tmp_path / "away.key")
    running.restart(root=None)
    settle_one(running)
    running.close()
    with pytest.raises(KeyFileError, match=r"lacks root\.key"):
        change(running, "rotate", "referee")
    changed(running, "rotate", "referee", root=away)
    settle_one(running)
    assert running.audit().findings == ()


def test_other_root_key_changes_nothing(stopped: Running, tmp_path: Path) -> None:
    KeyFolder.open_or_make(tmp_path / "other", origin=ORIGIN, entropy=os.urandom)
    with pytest.raises(KeyFileError, match="is not the private key"):
        change(stopped, "rotate", "referee", root=tmp_path / "other" / "root.key")
    stopped.start()
    assert len(stopped.audit().keys) == 3


@pytest.mark.parametrize(
    ("services", "needed"),
    [
        (["shuffler"], {"shuffler", "log", "sealing"}),
        (["referee", "log"], {"referee", "log"}),
        (["log"], set()),
        (["rulesets", "seating"], set()),
    ],
)
def test_process_needs_the_private_keys_of_its_services_alone(stopped: Running, tmp_path, services, needed) -> None:
    """It starts without the others, and not without any of its own."""
    folder, kept = stopped.folder / "keys", tmp_path / "kept"
    shutil.copytree(folder, kept)
    for path in folder.glob("*.key"):
        if path.stem not in needed:
            path.unlink()
    stopped.restart(services=services)
    for role in needed:
        (folder / f"{role}.key").unlink()
        with pytest.raises(KeyFileError, match=rf"lacks {role}\.key"):
            stopped.restart()
        shutil.copy2(kept / f"{role}.key", folder / f"{role}.key")


def test_server_with_keys_that_the_log_does_not_name_does_not_start(stopped: Running, tmp_path: Path) -> None:
    """All keys of another deployment stand in the folder, its own root's public key among them or not."""
    other, folder = tmp_path / "other", stopped.folder / "keys"
    KeyFolder.open_or_make(other, origin=ORIGIN, entropy=os.urandom)
    for path in other.iterdir():
        if not path.name.startswith("root"):
            shutil.copy2(path, folder / path.name)
    with pytest.raises(KeyFileError, match="does not name"):
        stopped.start()
    for path in other.glob("root.*"):
        shutil.copy2(path, folder / path.name)
    with pytest.raises(DataLossError, match="did not sign"):
        stopped.start()


def test_keys_do_not_change_while_a_server_runs(running: Running) -> None:
    with pytest.raises(FolderInUseError, match="stop it first"):
        change(running, "rotate", "referee")
    changed(running, "rotate", "referee")


def test_no_server_starts_while_keys_change(stopped: Running) -> None:
    with lock_folder(stopped.folder, alone=True), pytest.raises(FolderInUseError, match="being changed"):
        stopped.start()


def test_servers_may_share_a_folder(make_running: Callable[..., Running]) -> None:
    make_running(services=["shuffler", "log"])
    make_running(services=["referee", "log"])


@pytest.mark.parametrize("role", ["log", "shuffler", "referee"])
@pytest.mark.parametrize("died", ["before the append", "after the append", "while adopting"])
def test_process_that_died_while_it_rotated_is_finished_by_the_next(
    running: Running, monkeypatch, role: str, died
) -> None:
    """It dies with its next key on the disk, once the log has named it, or half way through its files."""
    settle_one(running)
    old = public(running)[role]

    class DiedError(Exception):
        """The process is gone."""

    def die(*_: object, **__: object) -> None:
        raise DiedError

    if died == "before the append":
        monkeypatch.setattr(KeyRotation, "_append", die)
    elif died == "after the append":
        monkeypatch.setattr(KeyFolder, "adopt", die)
    else:
        monkeypatch.setattr(Path, "replace", die_at(2 if role == "log" else 1, DiedError, Path.replace))
    with pytest.raises(DiedError):
        changed(running, "rotate", role)
    monkeypatch.undo()
    if died == "before the append":
        assert public(running)[role] == old
        running.start()
        settle_one(running)
        running.close()
        change(running, "rotate", role)
    running.start()
    settle_one(running)
    assert public(running)[role] != old
    assert not list((running.folder / "keys").glob("*.next.key"))
    assert running.audit().findings == ()


def die_at(place: int, error: type[Exception], truly: Callable[..., Any]) -> Callable[..., Any]:
    """Make renames fail from this one on, counted from 0."""
    renames = itertools.count()

    def rename(path: Path, target: Path) -> Any:  # noqa: ANN401 - as Path has it
        if next(renames) >= place:
            raise error
        return truly(path, target)

    return rename


def test_register_reads_what_the_log_names(stopped: Running) -> None:
    old = VerifierKey.parse(public(stopped)["shuffler"])
    new = change(stopped, "rotate", "shuffler")
    store = open_sqlite(stopped.folder)
    register = KeyRegistry.of(store, VerifierKey.parse(public(stopped)["root"]))
    store.close()
    assert register.in_force("shuffler") == (new,)
    revoked = next(record.revoked_leaf for record in register.records if record.key == old.text)
    assert revoked == 5  # three keys, START, the new key
    assert register.counted("shuffler", since=4) == (new, old)
    assert register.counted("shuffler", since=5) == (new,)


def test_commands_rotate_revoke_and_print(make_running: Callable[..., Running]) -> None:
    running = make_running(clock=system_clock)
    settle_one(running)
    running.close()
    data = ("--data", running.folder)

    def keys() -> dict[str, str]:
        return dict(line.split("\t") for line in referee("keys", *data).stdout.splitlines())

    before = keys()
    assert list(before) == ["root", "log", "shuffler", "referee"]
    rotated = referee("keys", "rotate", "shuffler", *data)
    after = keys()
    assert (rotated.returncode, rotated.stderr, rotated.stdout) == (0, "", f"shuffler\t{after['shuffler']}\n")
    assert {role for role in before if before[role] != after[role]} == {"shuffler"}
    revoked = referee("keys", "revoke", after["referee"], *data)
    assert (revoked.returncode, revoked.stdout) == (0, f"revoked\t{after['referee']}\n")
    assert "roles are log, shuffler, referee" in refused("keys", "rotate", "root", *data)
    running.restart(services=["log"])
    assert "stop it first" in refused("keys", "rotate", "referee", *data)
    assert json.loads(referee("audit", "--json", *data).stdout)["findings"] == []
