"""A disk that is full for a while: a small file system, or a limit on the size of files, under SQLite and PostgreSQL.

Allowed: UNAVAILABLE with LOG_BUSY, since asking again once there is room will do. On SQLite the log is read all the
while; a PostgreSQL that has no room for its own write-ahead log ends by its own law, and with it reading. The server
writes its log lines to the same full disk.
"""

import contextlib
import random
import resource
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import grpc
import psutil

from referee.v1 import log_pb2, log_pb2_grpc
from tests.chaos.frontend import Load
from tests.chaos.ledger import status_of
from tests.chaos.outcome import Outcome
from tests.chaos.process import Server
from tests.storage.postgres_server import PostgresServer

ALLOWED: Final = ("UNAVAILABLE", "UNAVAILABLE/LOG_BUSY", "RESOURCE_EXHAUSTED/OVERLOADED")
_SQLITE_MB: Final = 48
_POSTGRES_MB: Final = 192
_CHUNK: Final = 1 << 16
MOUNT: Final = shutil.which("mount") or "/bin/mount"
UNMOUNT: Final = shutil.which("umount") or "/bin/umount"


@contextlib.contextmanager
def small_disk(folder: Path, *, megabytes: int) -> Iterator[Path]:
    """Mount a file system of this size on the folder for the block; raise OSError if this user may not mount one."""
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [MOUNT, "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise OSError(done.stderr.strip())
    try:
        yield folder
    finally:
        subprocess.run([UNMOUNT, "--lazy", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Fill the remaining space with a file; return it."""
    ballast = folder / "ballast"
    with ballast.open("ab", buffering=0) as file:
        for size in (_CHUNK, 4096, 512, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(bytes(size))
    return ballast


class Limited:
    """A process whose files may grow no further while the block runs."""

    def __init__(self, pid: int, files: Path) -> None:
        self._pid, self._files = pid, files

    def __enter__(self) -> None:
        largest = max(one.stat().st_size for one in self._files.glob("log.sqlite3*"))
        self._set(largest)

    def __exit__(self, *_: object) -> None:
        self._set(resource.RLIM_INFINITY)

    def _set(self, size: int) -> None:
        psutil.Process(self._pid).rlimit(psutil.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


class _Reader:
    """Looks whether the log can be read, and how it is answered where not."""

    def __init__(self, outcome: Outcome, address: str) -> None:
        self._outcome = outcome
        self._channel = grpc.insecure_channel(address)
        self._log = log_pb2_grpc.LogServiceStub(self._channel)

    def read(self) -> str:
        """``OK``, or the status of the first read that failed."""
        try:
            self._outcome.ledger.see(self._log.GetCheckpoint(log_pb2.GetCheckpointRequest(), timeout=60).checkpoint)
            self._log.ListEntries(log_pb2.ListEntriesRequest(start=0, page_size=10), timeout=60)
        except grpc.RpcError as error:
            return status_of(error)
        return "OK"

    def close(self) -> None:
        """Close the channel."""
        self._channel.close()


def fill_disk(folder: Path, *, rounds: int, full: float, luck: random.Random) -> Outcome:
    """SQLite on a small disk, filled so often, each time for so many seconds; or a limit on files where none mounts."""
    outcome = Outcome("Disk full under SQLite")
    with contextlib.ExitStack() as stack:
        try:
            place = stack.enter_context(small_disk(folder / "disk", megabytes=_SQLITE_MB))
            is_mounted = True
        except OSError as error:
            place, is_mounted = folder / "disk", False
            outcome.notes.append(f"no disk could be mounted ({error}); the server's files were limited instead")
        server = Server(place / "data", is_quiet=False)
        stack.callback(lambda: server.is_running and server.stop())
        reader = _Reader(outcome, server.address)
        stack.callback(reader.close)
        with Load(outcome.ledger, [server.address], each=4) as load:
            load.more(3)
            for number in range(rounds):
                is_limit = not is_mounted or number % 2 == 1
                with Limited(server.process.pid, place / "data") if is_limit else _filled(place):
                    _stay_full(outcome, reader, seconds=full * luck.uniform(0.5, 1), must_read=True)
                outcome.done("files limited (RLIMIT_FSIZE)" if is_limit else "disk filled to the last byte")
                load.more(3)
        if not outcome.ledger.statuses["UNAVAILABLE/LOG_BUSY"]:
            outcome.hold(["nothing was ever refused, so nothing was full"])
        outcome.conclude(server, allowed=ALLOWED)
    return outcome


def fill_database_disk(folder: Path, *, rounds: int, full: float, luck: random.Random) -> Outcome:
    """PostgreSQL on a small disk, filled so often; it is started again by its operator where it gave up."""
    outcome = Outcome("Disk full under PostgreSQL")
    with contextlib.ExitStack() as stack:
        try:
            place = stack.enter_context(small_disk(folder / "disk", megabytes=_POSTGRES_MB))
        except OSError as error:
            outcome.skipped = f"no disk could be mounted: {error}"
            return outcome
        database = PostgresServer(str(place))
        stack.callback(database.close)
        url = database.make_schema("chaos")
        server = Server(folder / "data", database=url)
        stack.callback(lambda: server.is_running and server.stop())
        reader = _Reader(outcome, server.address)
        stack.callback(reader.close)
        with Load(outcome.ledger, [server.address], each=4, retry_seconds=180) as load:
            load.more(3)
            for _ in range(rounds):
                with _filled(place):
                    _fill_tables(database)
                    _stay_full(outcome, reader, seconds=full * luck.uniform(0.5, 1), must_read=False)
                outcome.done("disk filled to the last byte")
                if _bring_back(database):
                    outcome.done("PostgreSQL had ended and was started again")
                load.more(3, within=180)
        if not outcome.ledger.statuses["UNAVAILABLE/LOG_BUSY"]:
            outcome.hold(["nothing was ever refused, so nothing was full"])
        outcome.conclude(server, allowed=ALLOWED)
    return outcome


@contextlib.contextmanager
def _filled(place: Path) -> Iterator[None]:
    ballast = fill(place)
    try:
        yield
    finally:
        ballast.unlink()


def _stay_full(outcome: Outcome, reader: _Reader, *, seconds: float, must_read: bool) -> None:
    """Keep the disk full for so many seconds and until a call is refused because of it."""
    begun, before = time.monotonic(), outcome.ledger.statuses["UNAVAILABLE/LOG_BUSY"]
    while True:
        status = reader.read()
        outcome.did[f"log read while full: {status}"] += 1
        if must_read and status != "OK":
            outcome.hold([f"the log could not be read: {status}"])
        if not must_read and status not in {"OK", *ALLOWED}:
            outcome.hold([f"reading the log ended with {status}"])
        took = time.monotonic() - begun
        if took > seconds and (outcome.ledger.statuses["UNAVAILABLE/LOG_BUSY"] > before or took > seconds + 30):
            return
        time.sleep(0.1)


def _fill_tables(database: PostgresServer) -> None:
    """Use up the space that PostgreSQL reserved in its own files too, as far as it can be used."""
    import psycopg  # noqa: PLC0415 - an extra

    with contextlib.suppress(psycopg.Error):
        database.execute("CREATE TABLE IF NOT EXISTS ballast (data text)")
        for _ in range(200):
            database.execute(
                "INSERT INTO ballast SELECT repeat(md5(random()::text), 2000) FROM generate_series(1, 500)"
            )


def _bring_back(database: PostgresServer) -> bool:
    """Whether the database had to be started; it answers now, and its own ballast is gone."""
    import psycopg  # noqa: PLC0415 - an extra

    was_started = False
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            database.execute("DROP TABLE IF EXISTS ballast")
            database.execute("CHECKPOINT")
        except psycopg.Error:
            with contextlib.suppress(subprocess.CalledProcessError):
                database.start()
                was_started = True
            time.sleep(0.5)
        else:
            return was_started
    raise RuntimeError("PostgreSQL did not come back")
