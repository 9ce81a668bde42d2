"""The check of the whole log behind a start: a process of low priority that reads every leaf once.

``check_behind`` is its work, tile by tile, and ``main`` the process; ``LogCheck`` starts it for a server, or for the
supervisor of several workers, and starts it again if it dies. It reports in lines of JSON, and keeps its
place in ``log_check.json`` of the data folder, so that a later start goes on from there. That file is not evidence:
what a former start has checked is proved again until the check has passed it.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path
from typing import IO, Final, Self

import msgspec
import structlog

from referee.dealing.header import SUITE_COMMITMENT
from referee.dealing.leaf import OPEN_TYPE
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.evidence.outside import OutsideError, read_json
from referee.log.noted import TYPE_BYTES, NotedKind, noted_leaf
from referee.log.proof import TILE_WIDTH
from referee.server.clock import system_clock
from referee.storage import DataLossError, Reader, StoreError, open_reader
from referee.storage.check import TileCheck, newest_tile
from referee.threads import lasting

FILE_NAME: Final = "log_check.json"
SAVED_TILES: Final = 64
"""Tiles after which the check reports and keeps its place."""
_NICENESS: Final = 10
"""Priority that gives way to callers and is never starved by them."""
_MOST_BYTES: Final = 4096
"""Most bytes of a record that is read."""
_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0
_LINE_SECONDS: Final = 60.0
_DAMAGED: Final = 3
"""Exit code of a check that found damage."""
_MARK: Final = OPEN_TYPE.encode("ascii")
_DRAWN: Final = b'"randomness_suite":%d,' % SUITE_COMMITMENT
"""A member of canonical JSON: inside a string its quotes would be escaped."""

_log = structlog.get_logger("referee.check")


class SuiteError(RuntimeError):
    """Error for a log with a round of the other randomness suite than this server's: drawn seeds or fixed ones."""


class CheckTask(msgspec.Struct, frozen=True, kw_only=True):
    """The log that is to be checked, as a start has found it."""

    data: str
    database: str = ""
    size: int
    root: bytes
    keys: tuple[int, ...]
    """Indices of the KEY leaves that the start used."""
    is_fixture: bool = False
    """Whether the server deals from fixed seeds, for tests."""


class CheckState(msgspec.Struct, frozen=True, kw_only=True):
    """How far the check is."""

    unpassed: tuple[tuple[int, int], ...] = ()
    """Ranges of leaves that it has not passed, each as start and stop."""
    since: int = 0
    """Time, in ms since 1970 UTC, at which a check of all leaves last ended; at which the first began if none has."""
    damage: str = ""
    """What it found to be wrong; empty for nothing."""

    @property
    def ranges(self) -> tuple[range, ...]:
        """The leaves that it has not passed."""
        return tuple([range(*one) for one in self.unpassed])


class CheckRecord(msgspec.Struct):
    """The place of the check as the data folder keeps it: the next tile, and the times behind ``CheckState.since``."""

    next_tile: int = 0
    begun_time: int = 0
    ended_time: int = 0

    @classmethod
    def read(cls, data: Path) -> Self:
        """Read the record; return a new one if there is none that can be read."""
        try:
            record = read_json((data / FILE_NAME).read_bytes(), cls, most=_MOST_BYTES)
        except (OSError, OutsideError):
            return cls()
        return record if min(record.next_tile, record.begun_time, record.ended_time) >= 0 else cls()

    def save(self, data: Path) -> None:
        """Replace the record; do nothing where the folder cannot be written."""
        draft = data / f"{FILE_NAME}.{os.getpid()}"
        with suppress(OSError):
            draft.touch(mode=0o600)
            draft.write_bytes(msgspec.json.encode(self))
            draft.replace(data / FILE_NAME)

    @property
    def since(self) -> int:
        """The time that ``CheckState.since`` describes."""
        return self.ended_time or self.begun_time

    def end(self, data: Path, *, now: int) -> None:
        """Record that all leaves were checked."""
        self.next_tile, self.ended_time = 0, now
        self.begun_time = self.begun_time or now
        self.save(data)


class KindCheck:
    """Check that a start knew all KEY and START leaves, and that no round is of the other randomness suite."""

    def __init__(self, *, keys: Sequence[int], starts: Sequence[int], is_fixture: bool | None) -> None:
        self._known = {NotedKind.KEY: frozenset(keys), NotedKind.START: frozenset(starts)}
        self._is_fixture = is_fixture

    def check(self, index: int, leaf: bytes) -> None:
        """Check a leaf; raise DataLossError or SuiteError."""
        if self._is_fixture is not None:
            check_suite(index, leaf, is_fixture=self._is_fixture)
        noted = noted_leaf(leaf)
        for kind, indices in self._known.items():
            is_one = noted is not None and noted.kind is kind
            if is_one is not (index in indices):
                what = "is, and the store does not name it" if is_one else "is none, and the store names it"
                raise DataLossError(f"leaf {index} {what} as a {kind.name} leaf: a row of the table noted was changed")


def check_suite(index: int, leaf: bytes, *, is_fixture: bool) -> None:
    """Raise SuiteError if a leaf is the OPEN of a round of the other randomness suite than this server's.

    ``is_fixture``: whether this server deals from fixed seeds, for tests.
    """
    if _MARK not in leaf[-TYPE_BYTES:]:
        return
    is_drawn = _DRAWN in Envelope.parse(leaf).payload
    if is_drawn != is_fixture:
        return
    kind = (
        "from a drawn seed, and this server deals from fixed ones"
        if is_drawn
        else "from a fixed seed for tests, which is never fair"
    )
    msg = f"leaf {index} opens a round dealt {kind}; serve this log as it was served before, or use another log"
    raise SuiteError(msg)


def check_behind(
    reader: Reader, task: CheckTask, report: Callable[[CheckState], None], *, clock: Callable[[], int] = system_clock
) -> None:
    """Check the tiles before the newest one, from the place on that a former check left; then those before it.

    ``report`` is called first, every ``SAVED_TILES`` tiles and at the end. Raises DataLossError, SuiteError or
    EnvelopeError for the first leaf that is not as the start took it.
    """
    data, tiles = Path(task.data), newest_tile(task.size) // TILE_WIDTH
    record = CheckRecord.read(data)
    first = record.next_tile if record.next_tile < tiles else 0
    record.begun_time = record.begun_time or clock()
    check = TileCheck(reader, size=task.size, root=task.root)
    starts = [index for index in reader.start_leaves() if index < task.size]
    kinds = KindCheck(keys=task.keys, starts=starts, is_fixture=task.is_fixture)
    report(CheckState(unpassed=_left(first, 0, tiles), since=record.since))
    for done, tile in enumerate(chain(range(first, tiles), range(first)), start=1):
        for index, leaf in enumerate(check.check(tile), start=TILE_WIDTH * tile):
            kinds.check(index, leaf)
        if done % SAVED_TILES == 0 and done < tiles:
            record.next_tile = tile + 1
            record.save(data)
            report(CheckState(unpassed=_left(first, done, tiles), since=record.since))
    record.end(data, now=clock())
    report(CheckState(since=record.since))


def _left(first: int, done: int, tiles: int) -> tuple[tuple[int, int], ...]:
    """Return the ranges of leaves of the tiles that are left after ``done``, from tile ``first`` on and round."""
    to_end = tiles - first
    left = ((first + done, tiles), (0, first)) if done < to_end else ((done - to_end, first),)
    return tuple([(TILE_WIDTH * start, TILE_WIDTH * stop) for start, stop in left if start < stop])


class LogCheck:
    """The process that checks a log, and the thread that reads its reports; ``on_state`` gets each of them."""

    def __init__(self, task: CheckTask, on_state: Callable[[CheckState], None]) -> None:
        self._task = task
        self._on_state = on_state
        self._closing = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()
        self._thread = lasting(self._run, name="log-check")
        self._began = self._said = time.monotonic()
        self._first = -1

    def start(self) -> None:
        """Start the process and the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop the process where it is; a later start goes on from there."""
        self._closing.set()
        with self._starting:
            if self._process is not None:
                self._process.kill()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        pause = _FIRST_PAUSE
        while not self._closing.is_set():
            try:
                code = self._check()
            except OSError:  # the system allows no further process now
                code = 1
            if code in {0, _DAMAGED} or self._closing.is_set():
                return
            _log.warning("check of the log ended early", code=code, again_after_seconds=pause)
            self._closing.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _check(self) -> int:
        with self._starting:
            if self._closing.is_set():
                return 0
            process = self._process = subprocess.Popen(
                [sys.executable, "-m", "referee.server.process.log_check"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            with suppress(OSError):  # it may have died
                os.setpriority(os.PRIO_PROCESS, process.pid, _NICENESS)
        with process:
            stdin, stdout = process.stdin, process.stdout
            if stdin is None or stdout is None:
                raise AssertionError
            with suppress(BrokenPipeError):  # it died; its exit code says so
                stdin.write(msgspec.json.encode(self._task) + b"\n")  # no argument, since a URL may hold a password
                stdin.flush()
            for line in stdout:
                self._take(msgspec.json.decode(line, type=CheckState))
        return process.returncode

    def _take(self, state: CheckState) -> None:
        left, now = sum(map(len, state.ranges)), time.monotonic()
        if state.damage:
            _log.error("the log is damaged", error=state.damage, remedy="stop every server of this log and restore it")
        elif not left:
            _log.info("log checked", leaves=self._task.size, seconds=round(now - self._began, 1))
        elif self._first < 0 or now - self._said >= _LINE_SECONDS:
            done = max(self._first, left) - left
            seconds = round((now - self._began) * left / done) if done else None
            _log.info("checking the log", leaves_left=left, of=self._task.size, seconds_left=seconds)
            self._said, self._first = now, max(self._first, left)
        self._on_state(state)


def main(source: IO[bytes], out: IO[bytes]) -> int:
    """Check the log that the first line of ``source`` names and report to ``out``; return the exit code.

    The end of ``source`` means that the server has ended.
    """
    for stopping in (signal.SIGINT, signal.SIGTERM):  # sent to a whole group; this process ends with its server
        signal.signal(stopping, signal.SIG_IGN)
    task = msgspec.json.decode(source.readline(), type=CheckTask)
    lasting(_end_with, source, name="parent").start()
    since = CheckRecord.read(Path(task.data)).since
    latest = CheckState(unpassed=((0, newest_tile(task.size)),), since=since)

    def report(state: CheckState) -> None:
        nonlocal latest
        latest = state
        out.write(msgspec.json.encode(state) + b"\n")
        out.flush()

    try:
        with closing(open_reader(Path(task.data), database=task.database or None)) as reader:
            check_behind(reader, task, report)
    except (DataLossError, SuiteError, EnvelopeError) as error:
        report(msgspec.structs.replace(latest, damage=str(error)))
        return _DAMAGED
    except StoreError as error:
        sys.stderr.write(msgspec.json.encode({"event": "log not checked", "error": str(error)}).decode() + "\n")
        return 1
    return 0


def _end_with(source: IO[bytes]) -> None:
    source.read()
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.stdin.buffer, sys.stdout.buffer))
