"""Keys that have signed a log do not start without it, wherever it went, unless the operator says what is given up."""

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from referee.log import Checkpoint, CheckpointSigner
from referee.server.keys.folder import KeyFolder
from referee.server.keys.private_key import KeyFileError
from referee.server.keys.rotation import KeyRotation
from referee.server.keys.signed_head import FILE_NAME, HeadRecord, LostLeavesError, read_signed_head
from referee.server.process.app import Application
from referee.storage import Append, Writer, back_up, open_reader, open_sqlite, open_sqlite_reader
from tests.command import referee
from tests.server.options import server_options
from tests.storage.postgres_server import PostgresServer, running_postgres

Process: TypeAlias = Any  # made by a fixture, and has its class in conftest
Serve: TypeAlias = Callable[..., Process]

ORIGIN: Final = "log.example/1"
_KEYS: Final = 4
"""Leaves of a log that names its keys and has no round."""


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """Start a PostgreSQL server for this module."""
    yield from running_postgres()


def started(data: Path, **more: Any) -> Application:  # noqa: ANN401 - an option
    """Make a server on a data folder; ``with`` starts it."""
    return Application(server_options(data=data, origin=ORIGIN, **more))


def grow(data: Path, leaves: int) -> None:
    """Add leaves to a stopped server's log and record its head, as that server would."""
    signer = KeyFolder.open(data / "keys", private=("log",)).signer("log")
    with closing(open_sqlite(data)) as store:
        with Writer(store, CheckpointSigner(signer, key_name=ORIGIN), origin=ORIGIN) as writer:
            for number in range(leaves):
                writer.append(Append(leaf=b"%d in %s" % (number, os.fsencode(data))))
        HeadRecord(data / "keys").keep(store.head())


def recorded(data: Path) -> Checkpoint:
    found = read_signed_head(data / "keys")
    assert found is not None
    return found


def head_of(data: Path) -> Checkpoint:
    with closing(open_sqlite_reader(data)) as reader:
        head = reader.head()
        return Checkpoint(reader.origin, head.size, head.root)


def tree(folder: Path) -> dict[str, str]:
    """Return what each file of a folder holds."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return the data folder of a server that has run and stopped."""
    with started(tmp_path / "data"):
        pass
    return tmp_path / "data"


def log_files(data: Path) -> list[Path]:
    return list(data.glob("log.sqlite3*"))


def delete(data: Path) -> None:
    for path in log_files(data):
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
    for accepted in (0, _KEYS - 1, _KEYS + 1):
        with pytest.raises(
            LostLeavesError, match=rf"holds no log.*signed {_KEYS} leaves.*--set log.accept_loss={_KEYS} "
        ):
            started(data, accept_loss=accepted)
        assert {name: data for name, data in tree(data).items() if name != "presence.lock"} == {
            name: data for name, data in before.items() if name != "presence.lock"
        }
    with pytest.raises(LostLeavesError), KeyRotation.of(data, root=None, entropy=os.urandom):
        pass
    examined = referee("doctor", "--data", data, "--json")
    assert examined.returncode == 1
    found = next(one for one in json.loads(examined.stdout)["checks"] if one["level"] == "FAIL")
    assert (found["group"], f"--set log.accept_loss={_KEYS}" in found["remedy"]) == ("store", True)
    with started(data, accept_loss=_KEYS):
        pass
    assert recorded(data) == head_of(data)
    with started(data):
        pass


def test_older_copy_of_the_log_is_refused_until_its_loss_is_accepted(data: Path, tmp_path: Path) -> None:
    back_up(data, tmp_path / "copy")
    grow(data, 4)
    delete(data)
    done = referee("restore", tmp_path / "copy", "--data", data)
    assert done.returncode == 0
    assert "signed 4 leaves that are not in this backup" in done.stderr
    with pytest.raises(LostLeavesError, match=rf"holds {_KEYS} leaves.*signed {_KEYS + 4}.*--set log.accept_loss=4 "):
        started(data)
    with pytest.raises(LostLeavesError), KeyRotation.of(data, root=None, entropy=os.urandom):
        pass
    refused = referee("serve", "--data", data, "--listen", "127.0.0.1:0", "--set", "log.accept_loss=3")
    assert refused.returncode == 2
    assert "--set log.accept_loss=4" in refused.stderr
    with started(data, accept_loss=4):
        pass
    assert recorded(data) == head_of(data)
    assert recorded(data).size == _KEYS


def test_other_log_under_the_same_keys_is_refused(data: Path, tmp_path: Path) -> None:
    """It is longer than the one that was signed, and does not contain it."""
    shutil.copytree(data, tmp_path / "other")
    delete(tmp_path / "other")
    grow(data, 2)
    with started(tmp_path / "other", accept_loss=_KEYS):
        pass
    grow(tmp_path / "other", 4)
    shutil.copy(data / "keys" / FILE_NAME, tmp_path / "other" / "keys" / FILE_NAME)
    with pytest.raises(LostLeavesError, match=f"another log of {ORIGIN}.*--set log.accept_loss={_KEYS + 2} "):
        started(tmp_path / "other")
    with started(tmp_path / "other", accept_loss=_KEYS + 2):
        pass
    assert recorded(tmp_path / "other") == head_of(tmp_path / "other")


def test_log_of_another_origin_is_refused(data: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    with Application(server_options(data=other, origin="log.example/2")):
        pass
    for path in log_files(other):
        shutil.copy(path, data / path.name)
    shutil.rmtree(data / "keys")
    shutil.copytree(other / "keys", data / "keys")
    with started(tmp_path / "third"):
        pass
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
        early = reader.head()
    grow(data, 2)
    HeadRecord(data / "keys").keep(early)
    assert recorded(data).size == _KEYS + 2


def test_keys_that_cannot_be_written_beside_are_served_with_a_warning(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (data / "keys" / FILE_NAME).unlink()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(30, "Read-only file system")

    monkeypatch.setattr(HeadRecord, "_replace", refuse)
    with started(data):
        pass
    assert read_signed_head(data / "keys") is None


def test_keys_that_signed_nothing_begin_a_log(tmp_path: Path) -> None:
    KeyFolder.open_or_make(tmp_path / "data" / "keys", origin=ORIGIN, entropy=os.urandom)
    with started(tmp_path / "data"):
        assert recorded(tmp_path / "data").size == _KEYS


def test_database_that_lost_its_tables_is_not_begun_anew(
    serve: Serve, postgres: PostgresServer, tmp_path: Path
) -> None:
    """Neither the one that was emptied nor another one; the same number is what the command prints."""
    name = f"test_{uuid.uuid4().hex}"
    url = postgres.make_schema(name)
    process = serve("--quiet", "--database", url)
    process.referee.SettleRound(process.play("t").request)
    assert process.stop() == 0
    data = tmp_path / "data"
    with closing(open_reader(data, database=url)) as reader:
        size = reader.head().size
    postgres.execute(f"DROP SCHEMA {name} CASCADE")
    postgres.make_schema(name)
    for place in (url, postgres.make_schema(f"{name}_other")):
        done = referee("serve", "--data", data, "--listen", "127.0.0.1:0", "--database", place)
        assert done.returncode == 2
        assert f"signed {size} leaves" in done.stderr
        assert f"--set log.accept_loss={size} " in done.stderr
    process = serve("--quiet", "--database", url, "--set", f"log.accept_loss={size}", "--workers", "2")
    process.referee.SettleRound(process.play("t").request)
    assert process.stop() == 0


@pytest.mark.slow("kills a process again and again")
def test_killed_server_starts_again_and_its_record_is_never_ahead(serve: Serve, tmp_path: Path) -> None:
    """Killed a moment after an answer, so also between the log's commit and the record's replacement."""
    data, sizes = tmp_path / "data", []
    for turn in range(4):
        process = serve("--quiet")
        for number in range(6 + 9 * turn):
            process.referee.SettleRound(process.play(f"t-{turn}-{number}").request)
        process.kill()
        found, head = recorded(data), head_of(data)
        assert found.size <= head.size
        sizes.append(found.size)
    assert sizes == sorted(sizes)
    assert sizes[-1] > sizes[0]
    assert serve("--quiet").stop() == 0
    assert recorded(data) == head_of(data)
