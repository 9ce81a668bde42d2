"""Keys change only while no server uses the log, on whichever machine; a server that missed it signs no more."""

import json
import os
import shutil
import subprocess
import sys
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.server.folder_lock import FILE_NAME
from referee.server.keys.folder import read_public_keys
from referee.server.keys.rotation import KeyRotation
from referee.storage import LogInUseError, LogLock, StoreError, open_reader
from referee.storage.postgres import open_postgres
from tests.command import Done, referee, refused
from tests.driver.driver import settle
from tests.driver.refusal import ending_of, refusal_of
from tests.server.processes import Process, Serve
from tests.storage.postgres_server import PostgresServer
from tests.waiting import until

SECONDS: Final = 60.0


def rotated(data: Path, url: str | None, role: str = "referee") -> Done:
    """Rotate a key by the command."""
    where = [] if url is None else ["--database", url]
    return referee("keys", "rotate", role, "--data", data, *where)


def audit(data: Path, url: str | None) -> dict[str, Any]:
    where = [] if url is None else ["--database", url]
    done = referee("audit", "--json", "--data", data, *where)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def is_serving(process: Process) -> bool:
    """Ask for the server's health."""
    answer = health_pb2_grpc.HealthStub(process.channel).Check(health_pb2.HealthCheckRequest(), timeout=10)
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def test_keys_are_not_changed_while_another_machine_serves(serve: Serve, url: str, tmp_path: Path) -> None:
    """Two machines are two data folders with the same keys and one database; a kill frees what its process held."""
    here, there = tmp_path / "data", tmp_path / "there"
    process = serve("--quiet", "--database", url)
    settle(process.driver.play("before"))
    shutil.copytree(here / "keys", there / "keys")
    refused = rotated(there, url)
    assert refused.returncode == 2
    assert "servers use this log; stop them all first" in refused.stderr
    assert "process " in refused.stderr
    settle(process.driver.play("meanwhile"))
    process.kill()
    changed = rotated(there, url)
    assert (changed.returncode, changed.stderr) == (0, "")
    shutil.rmtree(here / "keys")
    shutil.copytree(there / "keys", here / "keys")
    process = serve("--quiet", "--database", url)
    settle(process.driver.play("after"))
    assert process.stop() == 0
    report = audit(there, url)
    assert report["findings"] == []
    assert report["rounds"]["settled"] == 3


def test_machine_with_the_old_keys_does_not_start_and_says_where_the_new_ones_are(serve, url: str, tmp_path) -> None:
    process = serve("--quiet", "--database", url)
    shutil.copytree(tmp_path / "data" / "keys", tmp_path / "there" / "keys")
    assert process.stop() == 0
    assert rotated(tmp_path / "there", url).returncode == 0
    message = refused("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", "--database", url)
    assert "copy the keys folder from the machine on which they were changed" in message


@pytest.mark.slow("starts many processes")
def test_keys_are_not_changed_beside_workers_of_which_one_was_killed(serve, database: str | None, tmp_path) -> None:
    """Each worker holds the lock, so the others keep it when one dies."""
    options = () if database is None else ("--database", database)
    process = serve("--quiet", "--workers", "2", *options)
    threads = Path(f"/proc/{process.pid}/task").glob("*/children")
    children = [child for path in threads for child in path.read_text().split()]
    assert len(children) == 2
    os.kill(int(children[0]), 9)
    errors = tmp_path / "errors.log"
    until(lambda: "worker died" in errors.read_text(), "the killed worker was not noticed")  # ends with 1 until then
    refused = rotated(tmp_path / "data", database)
    assert refused.returncode == 2
    assert "stop" in refused.stderr
    assert process.stop() == 0, errors.read_text()
    assert rotated(tmp_path / "data", database).returncode == 0


def change_behind_its_back(data: Path, database: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rotate a key as if the running server held no lock, as one that lost its connection or its file."""
    with monkeypatch.context() as patched:
        patched.setattr(LogLock, "take", lambda _lock, *, seconds: None)  # noqa: ARG005 - as take has it
        (data / FILE_NAME).unlink()
        with KeyRotation.of(data, root=None, entropy=os.urandom, database=database) as rotation:
            rotation.rotate("referee")


def test_server_whose_key_was_revoked_appends_nothing_and_stops(serve, database, tmp_path, monkeypatch) -> None:
    """The call that follows is refused with the reason, the next leaf is not signed, and the process ends by itself."""
    options = () if database is None else ("--database", database)
    process = serve("--quiet", "--set", "serve.drain_lead=5", *options)
    tables = [process.driver.play(f"t-{number}") for number in range(3)]
    settle(tables[0])
    change_behind_its_back(tmp_path / "data", database, monkeypatch)
    with closing(open_reader(tmp_path / "data", database=database)) as reader:
        size = reader.head().size
    code, _ = ending_of(tables[1].settle)
    assert code in {"UNAVAILABLE", "CANCELLED"}  # it may have stopped
    until(lambda: not process.is_running, "the server goes on")
    assert process.stop() == 2
    assert "keys were changed by another process" in (tmp_path / "errors.log").read_text()
    with closing(open_reader(tmp_path / "data", database=database)) as reader:
        assert reader.head().size == size
    assert audit(tmp_path / "data", database)["findings"] == []
    process = serve("--quiet", *options)
    settle(process.driver.take(tables[2]))
    assert process.stop() == 0


def test_server_whose_key_was_revoked_reports_not_serving_and_says_why(serve: Serve, tmp_path, monkeypatch) -> None:
    """Nothing is appended meanwhile; calls that read are still answered until it stops."""
    process = serve("--quiet", "--set", "serve.drain_lead=600")
    table = process.driver.play("t")
    assert is_serving(process)
    change_behind_its_back(tmp_path / "data", None, monkeypatch)
    until(lambda: not is_serving(process), "it reports SERVING")
    refusal = refusal_of(table.settle)
    assert (refusal.code, "the log's keys were changed" in refusal.message) == ("UNAVAILABLE", True)
    assert len(process.leaves()) > 3
    process.kill()


def test_lock_on_a_log_is_per_schema_and_shared_by_servers(postgres: PostgresServer, url: str) -> None:
    other = postgres.make_schema(f"test_{uuid.uuid4().hex}")
    with closing(open_postgres(url)) as store, closing(open_postgres(other)) as elsewhere:
        with store.lock(alone=False) as first, store.lock(alone=False) as second:
            first.take(seconds=0)
            second.take(seconds=0)
            with elsewhere.lock(alone=True) as alone:
                alone.take(seconds=0)
            with store.lock(alone=True) as alone, pytest.raises(LogInUseError, match="stop them all first"):
                alone.take(seconds=0)
        with store.lock(alone=True) as alone, store.lock(alone=False) as late:
            alone.take(seconds=SECONDS)
            with pytest.raises(LogInUseError, match="being changed"):
                late.take(seconds=0)


def test_lock_that_its_connection_lost_is_taken_again_when_it_is_free(postgres: PostgresServer, url: str) -> None:
    def cut() -> None:
        postgres.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted")

    with closing(open_postgres(url)) as store, store.lock(alone=False) as lock:
        lock.take(seconds=0)
        assert lock.keep()
        cut()
        assert lock.keep()
        with store.lock(alone=True) as alone, pytest.raises(LogInUseError):
            alone.take(seconds=0)
        cut()
        with store.lock(alone=True) as alone:
            alone.take(seconds=SECONDS)
            assert not lock.keep()
        until(lock.keep, "the lock is not taken again")
        postgres.stop("fast")
        try:
            with pytest.raises(StoreError, match="lock on the log"):
                lock.keep()
        finally:
            postgres.start()
        until(lock.keep, "the lock is not taken again after a restart")


@pytest.mark.slow("kills a process in the middle of its work")
def test_change_of_keys_that_was_killed_frees_the_log(serve: Serve, url: str, tmp_path: Path) -> None:
    """A server starts at once, with the keys that the log names."""
    data = tmp_path / "data"
    assert serve("--quiet", "--database", url).stop() == 0
    program = (
        "import os, sys, time\nfrom pathlib import Path\nfrom referee.server.keys.rotation import KeyRotation\n"
        "with KeyRotation.of(Path(sys.argv[1]), root=None, entropy=os.urandom, database=sys.argv[2]):\n"
        "    print('holding', flush=True)\n    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(data), url], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        held = holder.stdout.readline()
        done = referee("serve", "--data", tmp_path / "other", "--listen", "127.0.0.1:0", "--database", url)
        holder.kill()
    assert held == b"holding\n"
    assert done.returncode == 2
    assert "keys of this log are being changed" in done.stderr
    assert not (tmp_path / "other" / "keys").exists()
    before = read_public_keys(data / "keys")
    assert serve("--quiet", "--database", url).stop() == 0
    assert read_public_keys(data / "keys") == before
