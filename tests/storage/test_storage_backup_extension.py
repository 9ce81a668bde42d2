"""An extended backup is what a whole one would be, and one that cannot be extended stays as it was."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest
from sqlalchemy import Connection

from referee.log import CheckpointSigner
from referee.storage import (
    Append,
    Contribution,
    Cosigned,
    DataLossError,
    Store,
    StoreBusyError,
    StoreError,
    Writer,
    back_up,
    extend_backup,
    is_postgres,
    restore,
)
from referee.storage.schema import METADATA, SCHEMA_VERSION
from referee.storage.sqlite import FILE_NAME, change_sqlite_file, open_sqlite, open_sqlite_file
from tests.storage.log_bench import Bench, FixedSigner, Place
from tests.storage.real_rounds import LOG, ORIGIN, REQUESTS

MOMENTS = [1, 3, 4, len(REQUESTS) - 1, len(REQUESTS)]
"""Requests after which a backup is made or extended."""


def play(writer: Writer, requests: list[list[Append]]) -> None:
    """Append requests; a seat contributes its seed once its round is open."""
    for request in requests:
        writer.submit(*request).result()
        step = request[-1].step
        if step is not None and step.kind.name == "OPEN":
            writer.contribute(Contribution(key=step.key, seat=1, seed=bytes(range(32)), signature=b"s" * 64))


def tables_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of every table of a file, but for that which counts openings."""
    found: dict[str, list[tuple[object, ...]]] = {}

    def read(connection: Connection) -> None:
        for table in METADATA.sorted_tables:
            if table is not SCHEMA_VERSION:
                found[table.name] = sorted(map(tuple, connection.execute(table.select())))

    with closing(open_sqlite_file(path)) as reader:
        reader.pour(read)
    return found


def database_of(place: Place) -> str | None:
    return place.name if is_postgres(place.name) else None


def cosign(store: Store, *, is_quorate: bool) -> None:
    """Keep the newest checkpoint as witnesses cosigned it."""
    head = store.head()
    store.keep_cosigned(head.size, lambda _note: Cosigned(size=head.size, note=head.checkpoint, is_quorate=is_quorate))


@pytest.mark.parametrize(("first", "second"), list(combinations(MOMENTS, 2)))
def test_extended_backup_is_what_a_whole_backup_would_be(first: int, second: int, tmp_path: Path, place: Place) -> None:
    folder, database = tmp_path / "data", database_of(place)
    with (
        closing(place.open()) as store,
        Writer(store, CheckpointSigner(LOG, key_name=LOG.name), origin=ORIGIN) as writer,
    ):
        play(writer, REQUESTS[:first])
        cosign(store, is_quorate=False)
        back_up(folder, tmp_path / "extended", database=database)
        cosign(store, is_quorate=True)
        play(writer, REQUESTS[first:second])
        cosign(store, is_quorate=True)
        head = store.head()
        assert extend_backup(folder, tmp_path / "extended", database=database) == head
        back_up(folder, tmp_path / "whole", database=database)
        assert tables_of(tmp_path / "extended") == tables_of(tmp_path / "whole")
        assert extend_backup(folder, tmp_path / "extended", database=database) == head
    assert tables_of(tmp_path / "extended") == tables_of(tmp_path / "whole")
    assert restore(tmp_path / "extended", tmp_path / "again") == head


def test_seed_that_came_without_a_leaf_is_added(tmp_path: Path, bench: Bench) -> None:
    with bench.writing(open_sqlite(tmp_path / "data")) as (_store, writer):
        opened = bench.append("OPEN", "table", 1)
        writer.append(opened)
        back_up(tmp_path / "data", tmp_path / "copy")
        assert opened.step is not None
        writer.contribute(Contribution(key=opened.step.key, seat=0, seed=b"a" * 32, signature=b"s" * 64))
        extend_backup(tmp_path / "data", tmp_path / "copy")
    assert len(tables_of(tmp_path / "copy")["contribution"]) == 1


def test_new_leaves_of_many_tiles_are_proved(tmp_path: Path, bench: Bench) -> None:
    """From the middle of a tile over three whole ones; and progress counts them all."""
    done: list[tuple[int, int]] = []
    with bench.writing(open_sqlite(tmp_path / "data")) as (store, writer):
        writer.submit(*[Append(leaf=b"%d" % n) for n in range(300)]).result()
        back_up(tmp_path / "data", tmp_path / "copy")
        writer.submit(*[Append(leaf=b"%d" % n) for n in range(300, 1_200)]).result()
        head = extend_backup(tmp_path / "data", tmp_path / "copy", progress=lambda *count: done.append(count))
        assert (head, done[-1]) == (store.head(), (900, 900))


def edited(folder: Path, statement: str) -> None:
    """Change a log behind its back."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection, connection:
        connection.execute(statement)


def set_back(folder: Path, bench: Bench) -> None:
    (folder / FILE_NAME).unlink()
    with bench.writing(open_sqlite(folder)) as (_store, writer):
        writer.append(Append(leaf=b"0"))


def forked(folder: Path, bench: Bench) -> None:
    (folder / FILE_NAME).unlink()
    with bench.writing(open_sqlite(folder)) as (_store, writer):
        writer.submit(*[Append(leaf=b"other %d" % n) for n in range(700)]).result()


def of_another_origin(folder: Path, _bench: Bench) -> None:
    (folder / FILE_NAME).unlink()
    signer = CheckpointSigner(FixedSigner(), key_name="other.example/1")
    with closing(open_sqlite(folder)) as store, Writer(store, signer, origin="other.example/1") as writer:
        writer.submit(*[Append(leaf=b"%d" % n) for n in range(700)]).result()


def with_a_lost_leaf(folder: Path, _bench: Bench) -> None:
    edited(folder, "DELETE FROM leaf WHERE position = 400")


def with_an_edited_leaf(folder: Path, _bench: Bench) -> None:
    edited(folder, "UPDATE leaf SET data = x'00' WHERE position = 400")


def with_an_edited_hash(folder: Path, _bench: Bench) -> None:
    edited(folder, "UPDATE node SET hash = zeroblob(32) WHERE level = 0 AND position = 400")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (set_back, "has 1 leaves, but a known checkpoint has 300"),
        (forked, "first 300 leaves do not hash to the root of a known checkpoint"),
        (of_another_origin, "is a backup of the log 'log.example/1', not of 'other.example/1'"),
        (with_a_lost_leaf, "a leaf is missing between 256 and 511"),
        (with_an_edited_leaf, "not those of the leaves"),
        (with_an_edited_hash, "the proof leads to another new root"),
    ],
)
def test_log_that_does_not_continue_its_backup_whole_leaves_the_backup_as_it_was(
    spoil: Callable[[Path, Bench], None], words: str, tmp_path: Path, bench: Bench
) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy"
    with bench.writing(open_sqlite(data)) as (store, writer):
        writer.submit(*[Append(leaf=b"%d" % n) for n in range(300)]).result()
        back_up(data, copy)
        writer.submit(*[Append(leaf=b"%d" % n) for n in range(300, 700)]).result()
        store.compact()
    kept = copy.read_bytes()
    spoil(data, bench)
    with pytest.raises(DataLossError, match=words):
        extend_backup(data, copy)
    assert copy.read_bytes() == kept
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("copy")] == ["copy"]


def test_what_is_no_backup_is_not_extended(tmp_path: Path, bench: Bench) -> None:
    with bench.writing(open_sqlite(tmp_path / "data")) as (_store, writer):
        writer.append(Append(leaf=b"0"))
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_bytes(b"no database " * 100)
    for name in ("missing", "empty", "text"):
        with pytest.raises(StoreError):
            extend_backup(tmp_path / "data", tmp_path / name)
    back_up(tmp_path / "data", tmp_path / "copy")
    with pytest.raises(StoreError, match="no log"):
        extend_backup(tmp_path / "nowhere", tmp_path / "copy")
    with change_sqlite_file(tmp_path / "copy"), pytest.raises(StoreBusyError):
        extend_backup(tmp_path / "data", tmp_path / "copy")


def test_backup_that_was_killed_while_extended_is_what_it_was(tmp_path: Path, bench: Bench) -> None:
    """The killed process had written to the file already; restore undoes that, and so does the next extension."""
    data, copy, journal = tmp_path / "data", tmp_path / "copy", tmp_path / "copy-journal"
    killed = (
        "import os, signal, sys; from pathlib import Path; from referee.storage import extend_backup;"
        "extend_backup(Path(sys.argv[1]), Path(sys.argv[2]), progress=lambda *_: os.kill(os.getpid(), signal.SIGKILL))"
    )
    with bench.writing(open_sqlite(data)) as (store, writer):
        writer.submit(*[Append(leaf=b"%d" % n) for n in range(300)]).result()
        old = back_up(data, copy)
        writer.submit(*[Append(leaf=os.urandom(4) * 2_000) for _ in range(1_000)]).result()
        for ends in (
            lambda: restore(copy, tmp_path / "again") == old,
            lambda: extend_backup(data, copy) == store.head(),
        ):
            done = subprocess.run([sys.executable, "-c", killed, data, copy], check=False, timeout=60)
            assert (done.returncode, journal.exists()) == (-signal.SIGKILL, True)
            assert ends()
            assert not journal.exists()
