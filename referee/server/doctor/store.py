"""The store: reachable, whole, of this program's schema, writable, quick to force what it keeps, on a disk that locks.

The log is hashed again from its first leaf, as at a server's start. Nothing is written into it: a transaction is begun
and undone, and what is forced to the disk is a file beside it.
"""

import os
import re
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.evidence.dsse import Envelope, EnvelopeError
from referee.evidence.vkey import KeyTextError, VerifierKey
from referee.server.cosigner import known_checkpoints
from referee.server.doctor.check_result import CheckResult
from referee.server.key_registry import KeyRegistry
from referee.server.settings import Configuration
from referee.storage import (
    DataLossError,
    NotFoundedError,
    Reader,
    SchemaVersionError,
    StoreError,
    check_store,
    open_reader,
)
from referee.storage.schema import VERSION
from referee.storage.sqlite import FILE_NAME

_SLOW_MS: Final = 20.0
_FORCES: Final = 20
_REMOTE: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "vboxsf", "vmhgfs"}
)
"""File systems on which SQLite's locks, or what they order, cannot be relied on."""
_PASSING: Final = frozenset({"tmpfs", "ramfs"})
_TIME: Final = re.compile(rb'"(?:dealt|aborted|closed)_time":([0-9]+)')
_NEAR: Final = 512
"""Leaves at either end of the log in which a time is looked for."""


@dataclass(slots=True)
class StoreFacts:
    """What the other checks have to know of the log."""

    register: KeyRegistry | None = None
    origin: str = ""
    size: int = 0
    bytes: int = 0
    """The log's size on this machine's disk."""
    first_time: int = 0
    newest_time: int = 0
    """Times that its first and its newest leaves tell, in ms since 1970 UTC; 0 where they tell none."""


def check_storage(configuration: Configuration, stored: StoreFacts) -> Iterator[CheckResult]:
    """What there is to say of the store; ``stored`` is filled with what it holds."""
    data, database = Path(configuration.log.data), configuration.log.database or None
    if database is None:
        yield check_file_system(data)
        if not (data / FILE_NAME).exists():
            yield CheckResult.ok("log", f"{data / FILE_NAME} is made at the first start")
            yield from _writable(data)
            return
        stored.bytes = sum(path.stat().st_size for path in data.glob(f"{FILE_NAME}*"))
    try:
        began = time.perf_counter()
        reader = open_reader(data, database=database)
        opened = time.perf_counter() - began
    except StoreError as error:
        yield _unopened(error, database)
        return
    with closing(reader):
        yield CheckResult.ok("schema", f"version {VERSION}")
        if database is not None:
            yield CheckResult.ok("database", f"reached in {opened * 1000:,.0f} ms")
        yield from _whole(reader, data, stored)
    if database is None:
        yield from _sqlite(data / FILE_NAME)
        yield from _writable(data)


def _unopened(error: StoreError, database: str | None) -> CheckResult:
    why = str(error)
    if isinstance(error, SchemaVersionError):
        return CheckResult.fail("schema", why, "run the release that made the store, or begin a new log elsewhere")
    if database is None:
        return CheckResult.fail("log", why, "restore it from its backup: referee restore")
    if isinstance(error, NotFoundedError):
        return CheckResult.ok("log", "the database holds no log yet; it is founded at the first start")
    return CheckResult.fail(
        "database", why, "see that it runs, that its address and password are right, and its firewall"
    )


def _whole(reader: Reader, data: Path, stored: StoreFacts) -> Iterator[CheckResult]:
    """The log is hashed from its first leaf; the register of its keys is filled on the way."""
    stored.origin = reader.origin
    root = _root_key(data / "keys" / "root.pub")
    register = None if root is None else KeyRegistry(root)
    began = time.perf_counter()

    def visit(index: int, leaf: bytes) -> None:
        if register is not None:
            register.visit(index, leaf)
        if index < _NEAR:
            stored.first_time = stored.first_time or time_of(leaf)

    try:
        head = check_store(reader, known=known_checkpoints(reader), visit=visit)
    except (DataLossError, StoreError) as error:
        yield CheckResult.fail("log", str(error), "do not serve; restore the log from its backup: referee restore")
        return
    took = time.perf_counter() - began
    stored.register, stored.size = register, head.size
    newest = [time_of(leaf) for leaf in reader.leaves(max(0, head.size - _NEAR), head.size)]
    stored.newest_time = max(newest, default=0)
    yield CheckResult.ok("log", f"{head.size:,} leaves hash to the head, in {took:,.1f} s; {reader.origin}")


def _sqlite(path: Path) -> Iterator[CheckResult]:
    """What SQLite says of its file, and whether a transaction can begin."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=5)) as connection:
            connection.isolation_level = None
            told = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)")]
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        is_busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
        if is_busy:
            yield CheckResult.warn(
                "file", "a writer held the file for 5 s", "see which process that is, and look again"
            )
        else:
            yield CheckResult.fail(
                "file", f"{path}: {error}", f"see that this user may write {path.parent}, and its files"
            )
        return
    if told == ["ok"]:
        yield CheckResult.ok("file", "SQLite finds it sound, and a transaction can begin")
    else:
        yield CheckResult.fail("file", f"{path}: {'; '.join(told)}", "restore the log from its backup: referee restore")


def _writable(data: Path) -> Iterator[CheckResult]:
    """Whether the folder takes files, and how long one takes to be forced to the disk."""
    if not data.exists():
        return
    try:
        taken = force_times(data)
    except OSError as error:
        yield CheckResult.fail("fsync", f"{data}: {error.strerror or error}", "let this user write the data folder")
        return
    yield judge_forces(taken)


def judge_forces(taken: list[float]) -> CheckResult:
    """What the times, in ms, that it took to force a page to the disk amount to.

    >>> judge_forces([1.0, 2.0, 3.0]).measured
    '2.00 ms in the middle, 3.00 ms at most: some 500 commits a second'
    """
    middle, most = statistics.median(taken), max(taken)
    pace = 1000 / max(middle, 0.001)
    told = f"{middle:,.2f} ms in the middle, {most:,.2f} ms at most: some {pace:,.0f} commits a second"
    if middle > _SLOW_MS:
        return CheckResult.warn("fsync", told, "take a disk that is quicker to force: every answer waits for one")
    return CheckResult.ok("fsync", told)


def force_times(folder: Path) -> list[float]:
    """How long it took, in ms, to force each of some pages to the disk that holds the folder."""
    path = folder / f"doctor-{os.getpid()}.tmp"
    taken = []
    try:
        with path.open("wb") as file:
            for _ in range(_FORCES):
                began = time.perf_counter()
                file.write(bytes(4096))
                file.flush()
                os.fdatasync(file.fileno())
                taken.append((time.perf_counter() - began) * 1000)
    finally:
        path.unlink(missing_ok=True)
    return taken


def check_file_system(folder: Path, mounts: Callable[[], str] = lambda: _mounts()) -> CheckResult:  # noqa: PLW0108 - below
    """Whether the folder's file system keeps SQLite's locks, and what it holds."""
    kind = file_system_of(folder, mounts())
    if not kind:
        return CheckResult.ok("file system", "this system does not say of which kind it is")
    if kind in _REMOTE or kind.startswith("fuse"):
        remedy = "move the data folder to a local disk, or keep the log in PostgreSQL (log.database)"
        return CheckResult.warn("file system", f"{kind}, on which SQLite's locks cannot be relied on", remedy)
    if kind in _PASSING:
        return CheckResult.warn("file system", f"{kind}, which forgets everything", "move the data folder to a disk")
    return CheckResult.ok("file system", kind)


def file_system_of(folder: Path, mounts: str) -> str:
    r"""The kind of file system that holds a folder, by the text of ``/proc/self/mountinfo``; empty where it tells none.

    >>> told = "1 0 0:1 / / rw - ext4 /dev/a rw\n2 1 0:2 / /srv rw shared:1 - nfs4 host:/x rw"
    >>> file_system_of(Path("/srv/data"), told), file_system_of(Path("/srvdata"), told)
    ('nfs4', 'ext4')
    """
    best, kind = -1, ""
    place = str(folder.absolute().resolve())
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields, told = before.split(), after.split()
        if len(fields) > 4 and told:  # noqa: PLR2004 - the fifth is the mount point
            point = fields[4].replace("\\040", " ")
            is_above = point in {"/", place} or place.startswith(f"{point}/")
            if is_above and len(point) >= best:
                best, kind = len(point), told[0]
    return kind


def _mounts() -> str:
    try:
        return Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def time_of(leaf: bytes) -> int:
    """The newest time that a leaf tells, in ms since 1970 UTC; 0 where it tells none."""
    try:
        return max(map(int, _TIME.findall(Envelope.parse(leaf).payload)), default=0)
    except EnvelopeError:
        return 0


def _root_key(path: Path) -> VerifierKey | None:
    try:
        return VerifierKey.parse(path.read_text(encoding="ascii").strip())
    except (OSError, UnicodeDecodeError, KeyTextError):
        return None
