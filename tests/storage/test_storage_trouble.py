"""What a writer says of a log that it cannot write, and when it says that it can again."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.evidence.ed25519 import SignerUnavailableError
from referee.log.times import SLACK_MS
from referee.storage import (
    Append,
    DataLossError,
    Store,
    StoreAwayError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    Writer,
    trouble_of,
)
from referee.storage.record import HeadMovedError, OutcomeUnknownError
from referee.storage.sqlite import FILE_NAME, open_sqlite
from tests.storage.log_bench import Bench

NOON = 1_700_000_000_000


class Broken:
    """A step of a store that raises ``error`` while there is one."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    def __call__(self) -> None:
        """Raise the error, if there is one."""
        if self.error is not None:
            raise self.error


def breakable(folder: Path, broken: Callable[[], None]) -> Store:
    """Return a store that cannot commit while ``broken`` raises."""
    plain = open_sqlite(folder)
    really = plain._flavor.commit  # noqa: SLF001 - the same store, of another flavor

    def commit(cursor: Any) -> None:  # noqa: ANN401 - a driver's cursor
        broken()
        really(cursor)

    return Store(plain._engine, replace(plain._flavor, commit=commit))  # noqa: SLF001 - as above


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (StoreAwayError("closed"), "AWAY"),
        (OutcomeUnknownError("closed"), "AWAY"),
        (StoreFullError("full"), "FULL"),
        (StoreBusyError("locked"), "BUSY"),
        (StoreError("disk I/O error"), "OTHER"),
    ],
)
def test_failed_append_is_trouble_until_a_write_succeeds(
    tmp_path: Path, bench: Bench, error: Exception, kind: str
) -> None:
    broken = Broken()
    with bench.writing(breakable(tmp_path, broken)) as (store, writer):
        assert writer.trouble is None
        broken.error = error
        with pytest.raises(StoreError):
            writer.append(Append(leaf=b"lost"))
        assert writer.trouble is not None
        assert (writer.trouble.kind, bool(writer.trouble.remedy)) == (kind, True)
        writer.prove()
        assert writer.trouble == trouble_of(error)
        broken.error = None
        writer.prove()
        assert writer.trouble is None
        assert store.head().size == 0


def test_trouble_of_a_log_that_nobody_writes_is_found(tmp_path: Path, bench: Bench) -> None:
    broken = Broken()
    with bench.writing(breakable(tmp_path, broken)) as (_, writer):
        broken.error = StoreFullError("database or disk is full")
        writer.prove()
        assert writer.trouble == trouble_of(broken.error)
        broken.error = None
        writer.append(Append(leaf=b"one"))
        assert writer.trouble is None


def test_disk_with_hardly_any_room_counts_as_full(tmp_path: Path, bench: Bench) -> None:
    """A small write may still succeed in what the file system has set aside already."""

    def check_room() -> None:
        raise StoreFullError("12 bytes left")

    plain = open_sqlite(tmp_path)
    store = Store(plain._engine, replace(plain._flavor, check_room=check_room))  # noqa: SLF001 - the same store
    with closing(store), Writer(store, bench.signer, origin=bench.origin) as writer:
        writer.prove()
        assert writer.trouble == trouble_of(StoreFullError("12 bytes left"))


def test_store_is_proved_by_a_change_that_it_keeps(tmp_path: Path, bench: Bench) -> None:
    def openings() -> int:
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
            (count,) = connection.execute("SELECT openings FROM schema_version").fetchone()
        return int(count)

    with closing(open_sqlite(tmp_path)) as store, Writer(store, bench.signer, origin=bench.origin) as writer:
        before = openings()
        writer.prove()
        assert writer.trouble is None
        assert openings() == before + 1


def test_clock_behind_the_log_is_trouble_until_it_is_right(store: Store, bench: Bench) -> None:
    now = NOON
    with Writer(store, bench.signer, origin=bench.origin, clock=lambda: now) as writer:
        append = bench.append("OPEN")
        writer.append(Append(leaf=append.leaf, step=append.step, request_digest=append.request_digest, time=NOON))
        now = NOON - SLACK_MS
        writer.prove()
        assert writer.trouble is None
        now -= 1
        writer.prove()
        assert writer.trouble is not None
        assert writer.trouble.kind == "CLOCK"
        now = NOON
        writer.prove()
        assert writer.trouble is None


def test_log_that_contradicts_itself_stays_in_trouble(store: Store, bench: Bench) -> None:
    class Liar:
        """A signer after whose first signature the log is found damaged."""

        def sign(self, checkpoint: Any) -> bytes:  # noqa: ANN401 - a checkpoint
            if checkpoint.size:
                raise DataLossError("the head moved back")
            return bytes(bench.signer.sign(checkpoint))

    liar: Any = Liar()
    with Writer(store, liar, origin=bench.origin) as writer:
        with pytest.raises(DataLossError):
            writer.append(Append(leaf=b"one"))
        writer.prove()
        assert writer.trouble is not None
        assert writer.trouble.kind == "DAMAGED"


def test_signer_that_is_away_is_trouble_until_it_signs(store: Store, bench: Bench) -> None:
    is_away = False

    class Agent:
        """A signer that can be away."""

        def sign(self, checkpoint: Any) -> bytes:  # noqa: ANN401 - a checkpoint
            if is_away:
                raise SignerUnavailableError
            return bytes(bench.signer.sign(checkpoint))

    agent: Any = Agent()
    with Writer(store, agent, origin=bench.origin) as writer:
        is_away = True
        with pytest.raises(SignerUnavailableError):
            writer.append(Append(leaf=b"one"))
        writer.prove()
        assert writer.trouble is not None
        assert writer.trouble.kind == "SIGNER"
        is_away = False
        writer.prove()
        assert writer.trouble is None


def test_head_that_another_process_moved_is_no_trouble(tmp_path: Path, bench: Bench) -> None:
    broken = Broken()
    with bench.writing(breakable(tmp_path, broken)) as (_, writer):
        broken.error = HeadMovedError("moved")
        with pytest.raises(HeadMovedError):
            writer.append(Append(leaf=b"one"))
        assert writer.trouble is None


def test_proofs_leave_no_growing_file_behind(tmp_path: Path, bench: Bench) -> None:
    """A log that is proved every ten seconds for days takes the room of a few proofs."""
    with bench.writing(open_sqlite(tmp_path)) as (_, writer):
        for _ in range(40):
            before = (tmp_path / "log.sqlite3-wal").stat().st_size
            for _ in range(100):
                writer.prove()
            if (tmp_path / "log.sqlite3-wal").stat().st_size == before:
                break
        else:
            pytest.fail("the write-ahead log grew with every hundred proofs")
        assert writer.trouble is None
