"""Keys that have signed a log do not start without it, wherever it went, unless the operator says what is given up.

Nor are keys made where a log exists: every command says that they are missing, and where they come from.
"""

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

import pytest

from referee.evidence.merkle import EMPTY_ROOT
from referee.log import Checkpoint, CheckpointSigner
from referee.server.keys.folder import KeyFolder
from referee.server.keys.private_key import KeyFileError
from referee.server.keys.rotation import KeyRotation
from referee.server.keys.signed_head import FILE_NAME, HeadRecord, LostLeavesError, read_signed_head
from referee.server.process.app import Application
from referee.server.process.opened_log import name_keys
from referee.storage import Append, Store, Writer, back_up, open_reader
from referee.storage.sqlite import open_sqlite, open_sqlite_reader
from tests.command import referee, refused
from tests.driver.driver import settle
from tests.server.options import server_options
from tests.server.processes import Serve
from tests.storage.postgres_server import PostgresServer

ORIGIN: Final = "log.example/1"
_KEYS: Final = 4
"""Leaves of a log that names its keys and has no round."""


def started(data: Path, **more: Any) -> Application:  # noqa: ANN401 - an option
    """Make a server on a data folder; ``with`` starts it."""
    return Application(server_options(data=data, **{"origin": ORIGIN} | more))


def begin(data: Path, **more: Any) -> None:  # noqa: ANN401 - an option
    """Start a server on a data folder and stop it."""
    with started(data, **more):
        pass


def may_rotate(data: Path) -> bool:
    """Say whether a change of keys begins."""
    with suppress(LostLeavesError), KeyRotation.of(data, root=None, entropy=os.urandom):
        return True
    return False


def grow(data: Path, leaves: int) -> None:
    """Add leaves to a stopped server's log and record its head, as that server would."""
    signer = KeyFolder.open(data / "keys", private=("log",)).signer("log")
    with closing(open_sqlite(data)) as store:
        with Writer(store, CheckpointSigner(signer, key_name=ORIGIN), origin=ORIGIN) as writer:
            for number in range(leaves):
                writer.append(Append(leaf=b"%d in %s" % (number, os.fsencode(data)), names_keys=False))
        HeadRecord(data / "keys", store.key_leaves()).keep(store.head())


def recorded(data: Path) -> Checkpoint:
    found = read_signed_head(data / "keys")
    assert found is not None
    return found


def head_of(data: Path) -> Checkpoint:
    with closing(open_sqlite_reader(data)) as reader:
        head = reader.head()
        return Checkpoint(reader.origin, head.size, head.root)


def tree(folder: Path) -> dict[str, str]:
    """Return what each file of a folder holds, except the lock of its users."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "presence.lock")
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return the data folder of a server that has run and stopped."""
    begin(tmp_path / "data")
    return tmp_path / "data"


def delete(data: Path) -> None:
    for path in data.glob("log.sqlite3*"):
        path.unlink()


def empty(data: Path) -> None:
    delete(data)
    (data / "log.sqlite3").touch(mode=0o600)


def unmount(data: Path) -> None:
    """Leave the keys, which are on another volume, and nothing else."""
    keys = data.with_name("volume of keys")
    (data / "keys").rename(keys)
    shutil.rmtree(data)
    data.mkdir(mode=0o700)
    keys.rename(data / "keys")


def test_head_is_recorded_when_a_server_stops_and_when_keys_change(data: Path) -> None:
    assert recorded(data) == head_of(data)
    assert recorded(data).size == _KEYS
    with KeyRotation.of(data, root=None, entropy=os.urandom) as rotation:
        rotation.rotate("referee")
    assert recorded(data) == head_of(data)
    assert recorded(data).size == _KEYS + 2


@pytest.mark.parametrize("lose", [delete, empty, unmount])
def test_log_that_is_gone_is_not_begun_anew(data: Path, lose: Callable[[Path], None]) -> None:
    """Nothing is changed by the refusal; the right number begins a second log, knowingly and once."""
    lose(data)
    before = tree(data)
    message = rf"holds no log.*signed {_KEYS} leaves.*--set log.accept_loss={_KEYS} "
    for accepted in (0, _KEYS - 1, _KEYS + 1):
        with pytest.raises(LostLeavesError, match=message):
            started(data, accept_loss=accepted)
        assert tree(data) == before
    assert not may_rotate(data)
    examined = referee("doctor", "--data", data, "--json")
    assert examined.returncode == 1
    found = next(one for one in json.loads(examined.stdout)["checks"] if one["level"] == "FAIL")
    assert (found["group"], f"--set log.accept_loss={_KEYS}" in found["remedy"]) == ("store", True)
    begin(data, accept_loss=_KEYS)
    assert recorded(data) == head_of(data)
    begin(data)


def test_older_copy_of_the_log_is_refused_until_its_loss_is_accepted(data: Path, tmp_path: Path) -> None:
    back_up(data, tmp_path / "copy")
    grow(data, 4)
    delete(data)
    done = referee("restore", tmp_path / "copy", "--data", data)
    assert done.returncode == 0
    assert "signed 4 leaves that are not in this backup" in done.stderr
    with pytest.raises(LostLeavesError, match=rf"holds {_KEYS} leaves.*signed {_KEYS + 4}.*--set log.accept_loss=4 "):
        started(data)
    assert not may_rotate(data)
    message = refused("serve", "--data", data, "--listen", "127.0.0.1:0", "--set", "log.accept_loss=3")
    assert "--set log.accept_loss=4" in message
    begin(data, accept_loss=4)
    assert recorded(data) == head_of(data)
    assert recorded(data).size == _KEYS


def test_other_log_under_the_same_keys_is_refused(data: Path, tmp_path: Path) -> None:
    """It is longer than the one that was signed, and does not contain it."""
    shutil.copytree(data, tmp_path / "other")
    delete(tmp_path / "other")
    grow(data, 2)
    begin(tmp_path / "other", accept_loss=_KEYS)
    grow(tmp_path / "other", 4)
    shutil.copy(data / "keys" / FILE_NAME, tmp_path / "other" / "keys" / FILE_NAME)
    with pytest.raises(LostLeavesError, match=f"another log of {ORIGIN}.*--set log.accept_loss={_KEYS + 2} "):
        started(tmp_path / "other")
    begin(tmp_path / "other", accept_loss=_KEYS + 2)
    assert recorded(tmp_path / "other") == head_of(tmp_path / "other")


def test_log_of_another_origin_is_refused(data: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    begin(other, origin="log.example/2")
    shutil.copytree(other, data, dirs_exist_ok=True)
    begin(tmp_path / "third")
    shutil.copy(tmp_path / "third" / "keys" / FILE_NAME, data / "keys" / FILE_NAME)
    with pytest.raises(KeyFileError, match=rf"of the log {ORIGIN}, and .* holds log\.example/2"):
        started(data, accept_loss=_KEYS)


@pytest.mark.parametrize("state", ["gone", "behind", "half written"])
def test_whole_log_starts_whatever_a_crash_left_of_the_record(data: Path, state: str) -> None:
    record = data / "keys" / FILE_NAME
    early = record.read_bytes()
    grow(data, 2)
    if state == "gone":
        record.unlink()
    elif state == "behind":
        record.write_bytes(early)
    else:
        record.with_name(f"{FILE_NAME}.new").write_bytes(early[:10])
    with started(data):
        assert recorded(data) == head_of(data)


def test_record_that_is_no_checkpoint_is_refused_with_its_remedy(data: Path) -> None:
    (data / "keys" / FILE_NAME).write_bytes(b"")
    with pytest.raises(KeyFileError, match=r"log\.head is no checkpoint.*or remove it"):
        started(data)


def test_record_is_not_taken_back_by_a_process_that_is_behind(data: Path) -> None:
    with closing(open_sqlite_reader(data)) as reader:
        early, keys = reader.head(), reader.key_leaves()
    grow(data, 2)
    HeadRecord(data / "keys", keys).keep(early)
    assert recorded(data).size == _KEYS + 2


def test_keys_that_cannot_be_written_beside_are_served_with_a_warning(data: Path, monkeypatch) -> None:
    (data / "keys" / FILE_NAME).unlink()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(30, "Read-only file system")

    monkeypatch.setattr(HeadRecord, "_replace", refuse)
    begin(data)
    assert read_signed_head(data / "keys") is None


def test_keys_that_signed_nothing_begin_a_log(tmp_path: Path) -> None:
    KeyFolder.open_or_make(tmp_path / "data" / "keys", origin=ORIGIN, entropy=os.urandom)
    with started(tmp_path / "data"):
        assert recorded(tmp_path / "data").size == _KEYS


def test_database_that_lost_its_tables_is_not_begun_anew(serve: Serve, postgres: PostgresServer, tmp_path) -> None:
    """Neither the one that was emptied nor another one; the same number is what the command prints."""
    name = f"test_{uuid.uuid4().hex}"
    url = postgres.make_schema(name)
    process = serve("--quiet", "--database", url)
    settle(process.driver.play("t"))
    assert process.stop() == 0
    data = tmp_path / "data"
    with closing(open_reader(data, database=url)) as reader:
        size = reader.head().size
    postgres.execute(f"DROP SCHEMA {name} CASCADE")
    postgres.make_schema(name)
    for place in (url, postgres.make_schema(f"{name}_other")):
        message = refused("serve", "--data", data, "--listen", "127.0.0.1:0", "--database", place)
        assert f"signed {size} leaves" in message
        assert f"--set log.accept_loss={size} " in message
    process = serve("--quiet", "--database", url, "--set", f"log.accept_loss={size}", "--workers", "2")
    settle(process.driver.play("t"))
    assert process.stop() == 0


@pytest.mark.slow("kills a process again and again")
def test_killed_server_starts_again_and_its_record_is_never_ahead(serve: Serve, tmp_path: Path) -> None:
    """Killed a moment after an answer, so also between the log's commit and the record's replacement."""
    data, sizes = tmp_path / "data", []
    for turn in range(4):
        process = serve("--quiet")
        for number in range(6 + 9 * turn):
            settle(process.driver.play(f"t-{turn}-{number}"))
        process.kill()
        found, head = recorded(data), head_of(data)
        assert found.size <= head.size
        sizes.append(found.size)
    assert sizes == sorted(sizes)
    assert sizes[-1] > sizes[0]
    assert serve("--quiet").stop() == 0
    assert recorded(data) == head_of(data)


REMEDY: Final = "copy the keys folder"


def commands(data: Path) -> list[list[object]]:
    """Commands that would need keys, or make them."""
    return [
        ["serve", "--data", data, "--listen", "127.0.0.1:0"],
        ["serve", "--data", data, "--listen", "127.0.0.1:0", "--workers", "2"],
        ["keys", "--data", data],
        ["keys", "--make", "--data", data],
        ["keys", "rotate", "referee", "--data", data],
        ["keys", "revoke", "referee", "--data", data],
        ["doctor", "--data", data],
    ]


@pytest.mark.parametrize("number", range(len(commands(Path()))))
def test_no_keys_are_made_for_a_restored_log(tmp_path: Path, number: int, capfd: pytest.CaptureFixture[str]) -> None:
    """Backed up and restored elsewhere, as on a new machine; with the keys copied there it goes on."""
    data, again = tmp_path / "data", tmp_path / "again"
    begin(data)
    assert referee("backup", tmp_path / "copy", "--data", data).returncode == 0
    restored = referee("restore", tmp_path / "copy", "--data", again)
    assert restored.returncode == 0
    assert "has no keys" in restored.stderr
    done = referee(*commands(again)[number])
    said = done.stdout + done.stderr + "".join(capfd.readouterr())
    assert done.returncode != 0
    assert "has no keys" in said
    assert REMEDY in " ".join(said.split())
    assert "damaged" not in said
    assert not (again / "keys").exists()
    shutil.copytree(data / "keys", again / "keys")
    begin(again)


def test_no_keys_are_made_for_a_log_in_a_database(tmp_path: Path, url: str) -> None:
    begin(tmp_path / "data", database=url)
    new = tmp_path / "new"
    for command in (["serve", "--listen", "127.0.0.1:0"], ["keys", "--make"], ["keys", "rotate", "log"]):
        message = refused(*command, "--data", new, REFEREE_LOG_DATABASE=url)
        assert "has no keys" in message
        assert REMEDY in message
    assert not (new / "keys").exists()
    assert referee("keys", "--make", "--data", new, REFEREE_LOG_DATABASE="postgresql://u@127.0.0.1:1/x").returncode == 0


def test_public_key_that_is_missing_is_named(tmp_path: Path) -> None:
    begin(tmp_path / "data", root=tmp_path / "root.key")
    (tmp_path / "data" / "keys" / "root.pub").unlink()
    message = refused("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0")
    assert "root.pub is missing; copy it from a backup of the keys" in message


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Open a store with a new, empty log."""
    with closing(open_sqlite(tmp_path / "data")) as opened:
        yield opened


def keys_in(folder: Path, store: Store) -> KeyFolder:
    """Make the keys of a folder, and their log in the store unless there is one."""
    keys = KeyFolder.open_or_make(folder, origin=ORIGIN, entropy=os.urandom)
    store.found(ORIGIN, CheckpointSigner(keys.signer("log"), key_name=ORIGIN).sign(Checkpoint(ORIGIN, 0, EMPTY_ROOT)))
    return keys


def test_second_server_with_the_same_keys_names_nothing_and_goes_on(tmp_path: Path, store: Store) -> None:
    """Three leaves, and both know the same keys."""
    keys = keys_in(tmp_path / "keys", store)
    first, second = name_keys(store, keys), name_keys(store, keys_in(tmp_path / "keys", store))
    assert store.head().size == 3
    assert first.records == second.records
    assert [one.key for one in first.records] == [keys.public[role].text for role in ("log", "shuffler", "referee")]


@pytest.mark.parametrize("is_root_shared", [False, True])
def test_second_server_with_other_keys_does_not_go_on(tmp_path: Path, store: Store, *, is_root_shared: bool) -> None:
    """Whether all of them are others or the root's is the same: it says what to do, and the log is as it was."""
    name_keys(store, keys_in(tmp_path / "keys", store))
    head = store.head()
    others = tmp_path / "others"
    keys_in(others, store)
    if is_root_shared:
        for name in ("root.key", "root.pub"):
            (tmp_path / "keys" / name).replace(others / name)
    with pytest.raises(KeyFileError, match=r"another server has just begun this log with other keys .* copy its keys"):
        name_keys(store, keys_in(others, store))
    assert store.head() == head
