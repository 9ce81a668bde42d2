"""Checks of the store: reachable, intact, of this schema, writable, fast to fsync, on a suitable file system.

The log is verified as at a server's start, at a cost that does not grow with it, or whole. One commit counts up beside
the log, as that of an idle server does, and fsync is timed on a file beside it.
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
from referee.evidence.outside import OutsideError, pasted, read_text
from referee.evidence.vkey import KeyTextError, VerifierKey
from referee.log.proof import TILE_WIDTH
from referee.server.clock import system_clock
from referee.server.doctor.check_result import CheckLevel, CheckResult
from referee.server.doctor.commit import check_commit
from referee.server.keys.private_key import MOST_BYTES, KeyFileError
from referee.server.keys.registry import KeyRegistry
from referee.server.keys.signed_head import LostLeavesError, SignedHead
from referee.server.process.cosigner import known_checkpoints
from referee.server.process.log_check import CheckRecord
from referee.server.process.proved_start import prove_start
from referee.server.settings.configuration import Configuration
from referee.storage import (
    DataLossError,
    NotFoundedError,
    Reader,
    SchemaVersionError,
    StoreError,
    check_store,
    is_missing,
    log_place,
    open_reader,
)
from referee.storage.schema import VERSION
from referee.storage.sqlite import FILE_NAME

_SLOW_MS: Final = 20.0
_FORCES: Final = 20
_REMOTE: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "vboxsf", "vmhgfs"}
)
"""File systems on which SQLite's locks or write order are unreliable."""
_PASSING: Final = frozenset({"tmpfs", "ramfs"})
_TIME: Final = re.compile(rb'"(?:dealt|aborted|closed)_time":([0-9]+)')
_NEAR: Final = 64
"""First leaves of the log, which are searched for a time."""
_SMALL_BYTES: Final = 64 * 1024 * 1024
"""Size of a file whose pages are always examined."""
_STEPS: Final = 1_000_000
"""Steps of SQLite's machine after which it says that it works."""


@dataclass(frozen=True, slots=True)
class CheckDepth:
    """How much of a log is checked, and where progress is shown."""

    is_full: bool = False
    """Whether all leaves and pages are read; otherwise what a start reads."""
    progress: Callable[[int, int], None] = lambda _done, _size: None
    """Called with the leaves checked so far and the number of all."""
    say: Callable[[str], None] = lambda _words: None
    """Called often with words about other work that may take long."""


@dataclass(slots=True)
class StoreFacts:
    """Facts about the log for the other checks."""

    registry: KeyRegistry | None = None
    origin: str = ""
    size: int = 0
    bytes: int = 0
    """Size of the log on this machine's disk."""
    first_time: int = 0
    newest_time: int = 0
    """Times in the first and the newest leaves, in ms since 1970 UTC; 0 where they have none."""


def check_storage(
    configuration: Configuration, stored: StoreFacts, depth: CheckDepth | None = None
) -> Iterator[CheckResult]:
    """Check the store and fill ``stored``."""
    depth = depth or CheckDepth()
    data, database = Path(configuration.log.data), configuration.log.database or None
    if database is None:
        yield check_file_system(data)
        if is_missing(data, database):
            yield _not_begun(data, database, f"{data / FILE_NAME} is created at the first start")
            yield from _writable(data)
            return
        stored.bytes = sum(path.stat().st_size for path in data.glob(f"{FILE_NAME}*"))
    try:
        began = time.perf_counter()
        reader = open_reader(data, database=database)
        opened = time.perf_counter() - began
    except StoreError as error:
        yield _unopened(error, data, database)
        return
    with closing(reader):
        yield CheckResult.ok("schema", f"version {VERSION}")
        if database is not None:
            yield CheckResult.ok("database", f"reached in {opened * 1000:,.0f} ms")
        yield from _log(reader, data, stored, depth)
    file = [] if database is not None else list(_sqlite(data / FILE_NAME, depth))
    yield from file
    if all(one.level is CheckLevel.OK for one in file):
        yield from check_commit(data, database)
    if database is None:
        yield from _writable(data)


def _not_begun(data: Path, database: str | None, words: str) -> CheckResult:
    """Judge a place without a log: fine, unless the keys have signed one."""
    try:
        SignedHead.read(data / "keys", place=log_place(data, database)).check_no_log()
    except (LostLeavesError, KeyFileError) as error:
        return _unlike_record("log", error)
    return CheckResult.ok("log", words)


def _unlike_record(check: str, error: Exception) -> CheckResult:
    what, _, remedy = str(error).partition(". Nothing was changed. ")
    return CheckResult.fail(check, what, remedy or "name the place of this log, or repair the file")


def _unopened(error: StoreError, data: Path, database: str | None) -> CheckResult:
    why = str(error)
    if isinstance(error, SchemaVersionError):
        what, _, remedy = why.partition(": ")
        return CheckResult.fail("schema", what, remedy)
    if isinstance(error, NotFoundedError):
        return _not_begun(data, database, "there is no log yet; it is created at the first start")
    if database is None:
        return CheckResult.fail("log", why, "restore it from a backup: referee restore")
    return CheckResult.fail("database", why, "check that it runs, its address, password and firewall")


def _log(reader: Reader, data: Path, stored: StoreFacts, depth: CheckDepth) -> Iterator[CheckResult]:
    """Verify the log as a start does, or whole, and collect its keys."""
    stored.origin = reader.origin
    root = public_key_of(data / "keys" / "root.pub")
    began = time.perf_counter()
    try:
        signed = SignedHead.read(data / "keys", place="the store")
        if root is None:
            head = check_store(reader, known=known_checkpoints(reader), progress=depth.progress)
            stored.size, stored.newest_time = head.size, head.newest_time
            signed.check_log(reader, head)
            yield CheckResult.ok("log", f"{head.size:,} leaves hash to the head; {reader.origin}")
            return
        proved = prove_start(reader, root, known=known_checkpoints(reader), signed=signed)
        if depth.is_full:
            proved.check_all(reader, depth.progress)
        head, leaves = proved.edge.head, len(proved.edge.leaves)
        stored.registry, stored.size, stored.newest_time = proved.registry, head.size, head.newest_time
        near = (time_of(reader.leaf(index)) for index in range(min(_NEAR, head.size)))
        stored.first_time = next(filter(None, near), 0)
    except (LostLeavesError, KeyFileError) as error:
        yield _unlike_record("signed head", error)
        return
    except (DataLossError, StoreError) as error:
        yield CheckResult.fail("log", str(error), "do not serve; restore the log from a backup: referee restore")
        return
    took = f"in {time.perf_counter() - began:,.1f} s; {reader.origin}"
    if not reader.unpassed:
        yield CheckResult.ok("log", f"{head.size:,} leaves hash to the head, {took}")
        return
    yield CheckResult.ok(
        "log", f"{head.size:,} leaves; the newest {leaves} and the tree's edge hash to the head, {took}"
    )
    yield judge_check(CheckRecord.read(data), size=head.size, now=system_clock())


def judge_check(record: CheckRecord, *, size: int, now: int) -> CheckResult:
    """Judge how long ago a check of all leaves ended.

    >>> judge_check(CheckRecord(ended_time=1), size=9_000, now=2 * 3_600_000 + 1).measured
    'the last check of all leaves ended 2.0 hours ago'
    >>> judge_check(CheckRecord(next_tile=8, begun_time=1), size=9_000, now=1).measured
    'no check of all leaves has ended yet; the one under way is at leaf 2,048 of 9,000'
    """
    if record.ended_time:
        hours = max(0, now - record.ended_time) / 3_600_000
        return CheckResult.ok("whole log", f"the last check of all leaves ended {hours:,.1f} hours ago")
    place = f"; the one under way is at leaf {record.next_tile * TILE_WIDTH:,} of {size:,}" if record.begun_time else ""
    return CheckResult.warn(
        "whole log",
        f"no check of all leaves has ended yet{place}",
        "let a server run until its line `log checked`, or check here: referee doctor --full",
    )


def _sqlite(path: Path, depth: CheckDepth) -> Iterator[CheckResult]:
    """Begin a transaction; also run SQLite's integrity check if the file is small or a full check is wanted."""
    is_examined = depth.is_full or path.stat().st_size <= _SMALL_BYTES
    began = time.monotonic()

    def tick() -> None:
        depth.say(f"checking the pages of {path.name}: {time.monotonic() - began:,.0f} s")

    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=5)) as connection:
            connection.isolation_level = None
            connection.set_progress_handler(tick, _STEPS)
            report = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)")] if is_examined else ["ok"]
            connection.set_progress_handler(None, 0)
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        is_busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
        if is_busy:
            yield CheckResult.warn("file", "a writer held the file for 5 s", "find that process, and check again")
        else:
            yield CheckResult.fail("file", f"{path}: {error}", f"let this user write {path.parent} and its files")
        return
    if report == ["ok"]:
        examined = "integrity check passed, and" if is_examined else "pages not examined (referee doctor --full does);"
        yield CheckResult.ok("file", f"{examined} a transaction can begin")
    else:
        yield CheckResult.fail("file", f"{path}: {'; '.join(report)}", "restore the log from a backup: referee restore")


def _writable(data: Path) -> Iterator[CheckResult]:
    """Check that the folder is writable, and time fsync."""
    if not data.exists():
        return
    try:
        taken = force_times(data)
    except OSError as error:
        yield CheckResult.fail("fsync", f"{data}: {error.strerror or error}", "let this user write the data folder")
        return
    yield judge_forces(taken)


def judge_forces(taken: list[float]) -> CheckResult:
    """Judge the times, in ms, that fsync of a page took.

    >>> judge_forces([1.0, 2.0, 3.0]).measured
    '2.00 ms median, 3.00 ms maximum: about 500 commits a second'
    """
    middle, most = statistics.median(taken), max(taken)
    pace = 1000 / max(middle, 0.001)
    measured = f"{middle:,.2f} ms median, {most:,.2f} ms maximum: about {pace:,.0f} commits a second"
    if middle > _SLOW_MS:
        return CheckResult.warn("fsync", measured, "use a disk with faster fsync: every answer waits for one")
    return CheckResult.ok("fsync", measured)


def force_times(folder: Path) -> list[float]:
    """Force small writes to the disk of a folder; return how long each took, in ms."""
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


def check_file_system(folder: Path, mounts: Callable[[], str] = lambda: _mounts()) -> CheckResult:  # noqa: PLW0108 - defined below
    """Check that the folder's file system supports SQLite's locks."""
    kind = file_system_of(folder, mounts())
    if not kind:
        return CheckResult.ok("file system", "unknown on this system")
    if kind in _REMOTE or kind.startswith("fuse"):
        remedy = "move the data folder to a local disk, or keep the log in PostgreSQL (log.database)"
        return CheckResult.warn("file system", f"{kind}, on which SQLite's locks are unreliable", remedy)
    if kind in _PASSING:
        return CheckResult.warn("file system", f"{kind}, which is lost at a restart", "move the data folder to a disk")
    return CheckResult.ok("file system", kind)


def file_system_of(folder: Path, mounts: str) -> str:
    r"""Return the type of a folder's file system by the text of ``/proc/self/mountinfo``; empty if unknown.

    >>> mounts = "1 0 0:1 / / rw - ext4 /dev/a rw\n2 1 0:2 / /srv rw shared:1 - nfs4 host:/x rw"
    >>> file_system_of(Path("/srv/data"), mounts), file_system_of(Path("/srvdata"), mounts)
    ('nfs4', 'ext4')
    """
    best, kind = -1, ""
    place = str(folder.absolute().resolve())
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields, types = before.split(), after.split()
        if len(fields) > 4 and types:  # noqa: PLR2004 - the fifth is the mount point
            point = fields[4].replace("\\040", " ")
            is_above = point in {"/", place} or place.startswith(f"{point}/")
            if is_above and len(point) >= best:
                best, kind = len(point), types[0]
    return kind


def _mounts() -> str:
    try:
        return Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def time_of(leaf: bytes) -> int:
    """Return the newest time in a leaf, in ms since 1970 UTC; 0 for none."""
    try:
        return max(map(int, _TIME.findall(Envelope.parse(leaf).payload)), default=0)
    except EnvelopeError:
        return 0


def public_key_of(path: Path) -> VerifierKey | None:
    """Return the verifier key in a file; None if it cannot be read."""
    try:
        return VerifierKey.parse(pasted(read_text(path.read_bytes(), most=MOST_BYTES)))
    except (OSError, OutsideError, KeyTextError):
        return None
