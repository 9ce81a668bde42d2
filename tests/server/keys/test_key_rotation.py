"""Keys change by leaves of the log: rounds under way go on, old statements hold, and an audit follows."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import grpc
import pytest

from referee.audit import Code, Report, audit_log
from referee.evidence.note import Note
from referee.evidence.vkey import VerifierKey
from referee.rulesets import load_builtin
from referee.server.clock import system_clock
from referee.server.folder_lock import FolderInUseError, lock_folder
from referee.server.keys.folder import KeyFolder, read_public_keys
from referee.server.keys.private_key import KeyFileError
from referee.server.keys.registry import KeyRegistry
from referee.server.keys.rotation import KeyRotation, KeyRotationError
from referee.server.process.app import Application
from referee.storage import DataLossError, open_sqlite, open_sqlite_reader
from referee.v1 import mau_binh_pb2, mau_binh_pb2_grpc, shuffler_pb2_grpc
from tests.driver.opening import deal_round, open_round
from tests.server.options import server_options

ORIGIN = "log.example/1"

Rotate: TypeAlias = Callable[..., VerifierKey]


class House:
    """Plays rounds of Mậu Binh on a running server."""

    def __init__(self, port: int, stack: ExitStack) -> None:
        channel = stack.enter_context(grpc.insecure_channel(f"127.0.0.1:{port}"))
        self.shuffler = shuffler_pb2_grpc.ShufflerServiceStub(channel)
        self.referee = mau_binh_pb2_grpc.MauBinhServiceStub(channel)

    def deal(self, table: str) -> mau_binh_pb2.MauBinhRound:
        """Deal a round at a new table and return its inputs."""
        opened = open_round(self.shuffler, table)
        dealt = deal_round(self.shuffler, opened)
        message = mau_binh_pb2.MauBinhRound(header=opened.header, certificates=[dealt.certificate])
        if self.referee.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=message)).violations:
            for hand in dealt.hands:
                cards = list(hand.cards)
                arrange = mau_binh_pb2.Arrangement(back=cards[:5], middle=cards[5:10], front=cards[10:])
                message.events.add(time=dealt.dealt_time, seat=hand.seat, arrange=arrange)
        return message

    def settle(self, message: mau_binh_pb2.MauBinhRound) -> bytes:
        """Settle a round and return its leaf."""
        request = mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=message)
        return bytes(self.referee.SettleRound(request).log_receipt.leaf)


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
    """Run a server on this test's data folder in a block."""

    @contextmanager
    def running(**more: Any) -> Iterator[House]:  # noqa: ANN401 - a setting
        settings = server_options(data=tmp_path / "data", origin=ORIGIN, **more)
        with ExitStack() as stack:
            yield House(stack.enter_context(Application(settings)).port, stack)

    return running


@pytest.fixture
def rotate(tmp_path: Path) -> Rotate:
    """Change a key of this test's data folder."""

    def change(how: str, named: str, root: Path | None = None) -> VerifierKey:
        with KeyRotation.of(tmp_path / "data", root=root, entropy=os.urandom) as rotation:
            key: VerifierKey = getattr(rotation, how)(named)
            return key

    return change


def audited(data: Path, *, log_key: str = "", root_key: str = "") -> Report:
    """Audit a data folder with its own keys or others."""
    keys = read_public_keys(data / "keys")
    reader = open_sqlite_reader(data)
    try:
        source = type("Source", (), {"checkpoint": reader.head().checkpoint, "leaves": staticmethod(reader.iterate)})
        return audit_log(
            source,  # type: ignore[arg-type] # it has both members
            origin=reader.origin,
            log_key=log_key or keys["log"],
            root_key=root_key or keys["root"],
            catalogue=load_builtin(),
            now=system_clock(),
        )
    finally:
        reader.close()


@pytest.mark.parametrize("role", ["shuffler", "referee"])
def test_round_dealt_before_a_rotation_is_settled_after_it(
    tmp_path: Path, run: Callable[..., Any], rotate: Rotate, role: str
) -> None:
    """Its certificate is by the old key, which counts for rounds that run; new rounds are signed by the new one."""
    with run() as house:
        early = house.deal("early")
        house.settle(house.deal("whole"))
    old = read_public_keys(tmp_path / "data" / "keys")[role]
    new = rotate("rotate", role)
    assert new.text != old
    with run() as house:
        house.settle(early)
        house.settle(house.deal("late"))
    report = audited(tmp_path / "data")
    assert report.findings == ()
    assert report.rounds.settled == 3
    lives = {record.key: record for record in report.keys if record.role == role}
    assert lives[old].revoked_leaf == lives[new.text].added_leaf + 1


def test_event_receipts_of_a_rotated_key_hold_in_rounds_that_run(
    tmp_path: Path, run: Callable[..., Any], rotate: Rotate
) -> None:
    with run() as house:
        message = next(one for one in (house.deal(f"t-{number}") for number in range(100)) if one.events)
        event = mau_binh_pb2.MauBinhEvent(seat=0, arrange=message.events[0].arrange)
        bare = mau_binh_pb2.MauBinhRound(header=message.header, certificates=message.certificates)
        accepted = house.referee.AcceptEvent(mau_binh_pb2.MauBinhServiceAcceptEventRequest(round=bare, event=event))
    rotate("rotate", "referee")
    message.events[0].CopyFrom(accepted.event)
    message.events[1].time = accepted.event.time
    message.receipt = accepted.receipt
    with run() as house:
        house.settle(message)
    assert audited(tmp_path / "data").findings == ()


def test_rotated_private_key_is_gone_from_the_folder(tmp_path: Path, run: Callable[..., Any], rotate: Rotate) -> None:
    with run():
        pass
    folder = tmp_path / "data" / "keys"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    new = rotate("rotate", "shuffler")
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert before.keys() == after.keys()
    assert {name for name in before if before[name] != after[name]} == {"shuffler.key", "shuffler.pub", "log.head"}
    assert after["shuffler.pub"].decode().strip() == new.text


def test_log_changes_its_key_in_two_steps_and_holders_of_one_key_follow(
    tmp_path: Path, run: Callable[..., Any], rotate: Rotate
) -> None:
    """Both keys sign until the old one is revoked; an auditor with the old key follows the root to the new one."""
    data = tmp_path / "data"
    with run() as house:
        house.settle(house.deal("first"))
    old = read_public_keys(data / "keys")["log"]
    new = rotate("rotate", "log").text
    with run() as house:
        house.settle(house.deal("second"))
    reader = open_sqlite_reader(data)
    note = Note.parse(reader.head().checkpoint)
    reader.close()
    keys = [VerifierKey.parse(new), VerifierKey.parse(old)]
    assert note.verify(keys) == tuple(keys)
    for key in (old, new):
        assert audited(data, log_key=key).findings == ()
    assert rotate("revoke", "log").text == old
    with run() as house:
        house.settle(house.deal("third"))
    reader = open_sqlite_reader(data)
    assert Note.parse(reader.head().checkpoint).verify(keys) == (keys[0],)
    reader.close()
    for key in (old, new):
        assert audited(data, log_key=key).findings == ()


def test_stranger_who_signs_checkpoints_is_not_followed(
    tmp_path: Path, run: Callable[..., Any], rotate: Rotate
) -> None:
    """Without the root's word a new key is nobody's."""
    with run():
        pass
    rotate("rotate", "log")
    rotate("revoke", "log")
    other = KeyFolder.open_or_make(tmp_path / "other", origin=ORIGIN, entropy=os.urandom)
    report = audited(tmp_path / "data", root_key=other.public["root"].text, log_key=other.public["log"].text)
    assert [finding.code for finding in report.findings] == [Code.CHECKPOINT_REFUSED]


def test_revoked_role_serves_no_more_until_it_has_a_new_key(
    tmp_path: Path, run: Callable[..., Any], rotate: Rotate
) -> None:
    with run() as house:
        house.settle(house.deal("first"))
    revoked = rotate("revoke", "referee")
    with pytest.raises(KeyFileError, match="referee keys rotate referee"), run():
        pass
    with run(services=["shuffler", "log"]):
        pass
    assert rotate("rotate", "referee") != revoked
    with run() as house:
        house.settle(house.deal("second"))
    assert audited(tmp_path / "data").findings == ()


def test_key_is_revoked_by_its_text(tmp_path: Path, run: Callable[..., Any], rotate: Rotate) -> None:
    with run():
        pass
    key = read_public_keys(tmp_path / "data" / "keys")["shuffler"]
    assert rotate("revoke", key).text == key
    with pytest.raises(KeyRotationError, match="not in force"):
        rotate("revoke", key)
    with pytest.raises(KeyRotationError, match="no key of shuffler"):
        rotate("revoke", "shuffler")


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
def test_change_that_cannot_be_meant_changes_nothing(  # noqa: PLR0913, PLR0917 - pytest hands these in
    tmp_path: Path, run: Callable[..., Any], rotate: Rotate, how: str, named: str, words: str
) -> None:
    with run():
        pass
    with pytest.raises(KeyRotationError, match=words):
        rotate(how, named)
    with run():
        pass
    assert len(audited(tmp_path / "data").keys) == 3


def test_log_key_is_not_rotated_while_the_one_before_still_signs(run: Callable[..., Any], rotate: Rotate) -> None:
    with run():
        pass
    rotate("rotate", "log")
    with pytest.raises(KeyRotationError, match="revoke it first"):
        rotate("rotate", "log")


def test_root_key_may_be_away_while_servers_run(tmp_path: Path, run: Callable[..., Any], rotate: Rotate) -> None:
    """Made elsewhere, shown for the first start and for changes, and otherwise not needed."""
    safe = tmp_path / "safe" / "root.key"
    with run(root=safe) as house:
        house.settle(house.deal("first"))
    assert not (tmp_path / "data" / "keys" / "root.key").exists()
    away = safe.rename(tmp_path / "away.key")
    with run() as house:
        house.settle(house.deal("second"))
    with pytest.raises(KeyFileError, match=r"lacks root\.key"):
        rotate("rotate", "referee")
    rotate("rotate", "referee", away)
    with run() as house:
        house.settle(house.deal("third"))
    assert audited(tmp_path / "data").findings == ()


def test_other_root_key_changes_nothing(tmp_path: Path, run: Callable[..., Any], rotate: Rotate) -> None:
    with run():
        pass
    KeyFolder.open_or_make(tmp_path / "other", origin=ORIGIN, entropy=os.urandom)
    with pytest.raises(KeyFileError, match="is not the private key"):
        rotate("rotate", "referee", tmp_path / "other" / "root.key")
    assert len(audited(tmp_path / "data").keys) == 3


@pytest.mark.parametrize(
    ("services", "needed"),
    [
        (["shuffler"], {"shuffler", "log", "sealing"}),
        (["referee", "log"], {"referee", "log"}),
        (["log"], set()),
        (["rulesets", "seating"], set()),
    ],
)
def test_process_needs_the_private_keys_of_its_services_alone(
    tmp_path: Path, run: Callable[..., Any], services: list[str], needed: set[str]
) -> None:
    """It starts without the others, and not without any of its own."""
    with run():
        pass
    folder = tmp_path / "data" / "keys"
    kept = tmp_path / "kept"
    shutil.copytree(folder, kept)
    for path in folder.glob("*.key"):
        if path.stem not in needed:
            path.unlink()
    with run(services=services):
        pass
    for role in needed:
        (folder / f"{role}.key").unlink()
        with pytest.raises(KeyFileError, match=rf"lacks {role}\.key"), run(services=services):
            pass
        shutil.copy2(kept / f"{role}.key", folder / f"{role}.key")


def test_server_with_keys_that_the_log_does_not_name_does_not_start(tmp_path: Path, run: Callable[..., Any]) -> None:
    """All keys of another deployment stand in the folder, its own root's public key among them or not."""
    with run():
        pass
    other = tmp_path / "other"
    KeyFolder.open_or_make(other, origin=ORIGIN, entropy=os.urandom)
    folder = tmp_path / "data" / "keys"
    for path in other.iterdir():
        if not path.name.startswith("root"):
            shutil.copy2(path, folder / path.name)
    with pytest.raises(KeyFileError, match="does not name"), run():
        pass
    for path in other.glob("root.*"):
        shutil.copy2(path, folder / path.name)
    with pytest.raises(DataLossError, match="did not sign"), run():
        pass


def test_keys_do_not_change_while_a_server_runs(run: Callable[..., Any], rotate: Rotate) -> None:
    with run(), pytest.raises(FolderInUseError, match="stop it first"):
        rotate("rotate", "referee")
    rotate("rotate", "referee")


def test_no_server_starts_while_keys_change(tmp_path: Path, run: Callable[..., Any]) -> None:
    with run():
        pass
    with lock_folder(tmp_path / "data", alone=True), pytest.raises(FolderInUseError, match="being changed"), run():
        pass


def test_servers_may_share_a_folder(run: Callable[..., Any]) -> None:
    with run(services=["shuffler", "log"]), run(services=["referee", "log"]):
        pass


@pytest.mark.parametrize("role", ["log", "shuffler", "referee"])
@pytest.mark.parametrize("died", ["before the append", "after the append", "while adopting"])
def test_process_that_died_while_it_rotated_is_finished_by_the_next(  # noqa: PLR0913, PLR0917 - pytest hands these in
    tmp_path: Path, run: Callable[..., Any], rotate: Rotate, monkeypatch: pytest.MonkeyPatch, role: str, died: str
) -> None:
    """It dies with its next key on the disk, once the log has named it, or half way through its files."""
    with run() as house:
        house.settle(house.deal("first"))
    old = read_public_keys(tmp_path / "data" / "keys")[role]

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
        rotate("rotate", role)
    monkeypatch.undo()
    if died == "before the append":
        assert read_public_keys(tmp_path / "data" / "keys")[role] == old
        with run() as house:
            house.settle(house.deal("second"))
        rotate("rotate", role)
    with run() as house:
        house.settle(house.deal("third"))
    assert read_public_keys(tmp_path / "data" / "keys")[role] != old
    assert not list((tmp_path / "data" / "keys").glob("*.next.key"))
    assert audited(tmp_path / "data").findings == ()


def die_at(place: int, error: type[Exception], truly: Callable[..., Any]) -> Callable[..., Any]:
    """Make renames fail from this one on, counted from 0."""
    left = [place]

    def rename(path: Path, target: Path) -> Any:  # noqa: ANN401 - as Path has it
        if left[0] == 0:
            raise error
        left[0] -= 1
        return truly(path, target)

    return rename


def test_register_reads_what_the_log_names(tmp_path: Path, run: Callable[..., Any], rotate: Rotate) -> None:
    with run():
        pass
    old = VerifierKey.parse(read_public_keys(tmp_path / "data" / "keys")["shuffler"])
    new = rotate("rotate", "shuffler")
    store = open_sqlite(tmp_path / "data")
    root = VerifierKey.parse(read_public_keys(tmp_path / "data" / "keys")["root"])
    register = KeyRegistry.of(store, root)
    store.close()
    assert register.in_force("shuffler") == (new,)
    revoked = next(record.revoked_leaf for record in register.records if record.key == old.text)
    assert revoked == 5  # three keys, START, the new key
    assert register.counted("shuffler", since=4) == (new, old)
    assert register.counted("shuffler", since=5) == (new,)


def referee(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the project's command."""
    return subprocess.run(
        [sys.executable, "-m", "referee", *arguments], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.slow("starts many processes")
def test_commands_rotate_revoke_and_print(tmp_path: Path, run: Callable[..., Any]) -> None:
    with run() as house:
        house.settle(house.deal("first"))
    data = ["--data", str(tmp_path / "data")]
    before = dict(line.split("\t") for line in referee("keys", *data).stdout.splitlines())
    assert list(before) == ["root", "log", "shuffler", "referee"]
    rotated = referee("keys", "rotate", "shuffler", *data)
    assert (rotated.returncode, rotated.stderr) == (0, "")
    after = dict(line.split("\t") for line in referee("keys", *data).stdout.splitlines())
    assert rotated.stdout == f"shuffler\t{after['shuffler']}\n"
    assert {role for role in before if before[role] != after[role]} == {"shuffler"}
    revoked = referee("keys", "revoke", after["referee"], *data)
    assert (revoked.returncode, revoked.stdout) == (0, f"revoked\t{after['referee']}\n")
    refused = referee("keys", "rotate", "root", *data)
    assert (refused.returncode, "roles are log, shuffler, referee" in refused.stderr) == (2, True)
    with run(services=["log"]):
        busy = referee("keys", "rotate", "referee", *data)
        assert (busy.returncode, "stop it first" in busy.stderr) == (2, True)
    report = json.loads(referee("audit", "--json", *data).stdout)
    assert report["findings"] == []
