"""A disk that is full for a while: a small file system, or a limit on the size of files, under SQLite and PostgreSQL.

Allowed: UNAVAILABLE with LOG_BUSY, since asking again once there is room will do. On SQLite the log is read all the
while; a PostgreSQL that has no room for its own write-ahead log ends by its own law, and with it reading. The server
writes its log lines to the same full disk.
"""

import contextlib
import resource
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import grpc
import psutil
import pytest

from referee.v1 import log_pb2
from tests.chaos.fault_workers import BUSY
from tests.chaos.ledger import status_of
from tests.chaos.process import Server
from tests.chaos.scene import Scene
from tests.driver.log_reader import LogReader
from tests.storage.postgres_server import PostgresServer

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


@contextlib.contextmanager
def _limited(server: Server) -> Iterator[None]:
    """Let the files of a process grow no further."""
    process, unlimited = psutil.Process(server.process.pid), resource.RLIM_INFINITY
    largest = max(one.stat().st_size for one in server.data.glob("log.sqlite3*"))
    process.rlimit(psutil.RLIMIT_FSIZE, (largest, unlimited))
    yield
    process.rlimit(psutil.RLIMIT_FSIZE, (unlimited, unlimited))


@contextlib.contextmanager
def _filled(place: Path) -> Iterator[None]:
    ballast = fill(place)
    yield
    ballast.unlink()


def disk(scene: Scene) -> None:
    """SQLite on a small disk, filled so often, each time for seconds; or a limit on files where none mounts."""
    place, is_mounted = scene.folder / "disk", True
    try:
        scene.stack.enter_context(small_disk(place, megabytes=_SQLITE_MB))
    except OSError as error:
        is_mounted = False
        scene.notes.append(f"no disk could be mounted ({error}); the server's files were limited instead")
    server = scene.server(data=place / "data", is_quiet=False)
    with scene.load(server) as load:
        load.more(3)
        for number in range(scene.times(6, least=2)):
            is_limit = not is_mounted or number % 2 == 1
            with _limited(server) if is_limit else _filled(place):
                _stay_full(scene, server, allowed=("OK",))
            scene.done("files limited (RLIMIT_FSIZE)" if is_limit else "disk filled to the last byte")
            load.more(3)
    scene.expect(scene.ledger.statuses["UNAVAILABLE/LOG_BUSY"], "nothing was ever refused, so nothing was full")
    scene.conclude(server, allowed=BUSY)


def database_disk(scene: Scene) -> None:
    """PostgreSQL on a small disk, filled so often; it is started again by its operator where it gave up."""
    place = scene.folder / "disk"
    try:
        scene.stack.enter_context(small_disk(place, megabytes=_POSTGRES_MB))
    except OSError as error:
        pytest.skip(f"no disk could be mounted: {error}")
    database = scene.database(str(place))
    server = scene.server(database=scene.schema(database)[1])
    with scene.load(server, retry_seconds=180) as load:
        load.more(3)
        for _ in range(scene.times(3, least=1)):
            with _filled(place):
                _fill_tables(database)
                _stay_full(scene, server, allowed=("OK", *BUSY))
            scene.done("disk filled to the last byte")
            if _bring_back(database):
                scene.done("PostgreSQL had ended and was started again")
            load.more(3, within=180)
    scene.expect(scene.ledger.statuses["UNAVAILABLE/LOG_BUSY"], "nothing was ever refused, so nothing was full")
    scene.conclude(server, allowed=BUSY)


def _stay_full(scene: Scene, server: Server, *, allowed: tuple[str, ...]) -> None:
    """Keep the disk full for seconds and until a call is refused because of it; the log is read meanwhile."""
    least, before = scene.luck.uniform(1, 4), scene.ledger.statuses["UNAVAILABLE/LOG_BUSY"]
    begun = time.monotonic()
    with grpc.insecure_channel(server.address) as channel:
        reader = LogReader(channel)
        while (took := time.monotonic() - begun) < least + 30:
            status = "OK"
            try:
                scene.ledger.checkpoints.add(reader.checkpoint())
                reader.log.ListEntries(log_pb2.ListEntriesRequest(start=0, page_size=10), timeout=60)
            except grpc.RpcError as error:
                status = status_of(error)
            scene.did[f"log read while full: {status}"] += 1
            scene.expect(status in allowed, f"the log could not be read: {status}")
            if took > least and scene.ledger.statuses["UNAVAILABLE/LOG_BUSY"] > before:
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
