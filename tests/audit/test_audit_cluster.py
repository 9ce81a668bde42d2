"""A bulk audit on a Dask cluster gives the report of one process, whichever worker dies and however it is split."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import referee
from referee.audit import MemoryLog, cluster
from referee.audit.cluster import Cluster, ClusterError
from referee.audit.source import TiledLog
from referee.tiles import open_place
from tests.audit import audit_tiles
from tests.audit.audit_builder import LOG, ROOT, LogBuilder
from tests.audit.auditing import audited, options_of
from tests.audit.test_audit_single import TABLES
from tests.vectors.reading import FOLDER, read

SECONDS = 120


@dataclass
class Machines:
    """A scheduler and workers, each in its own process on loopback."""

    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    address: str = ""

    def start_scheduler(self) -> None:
        """Start the scheduler and set ``address``."""
        file = self.folder / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            if file.exists() and (text := file.read_text(encoding="utf-8")).rstrip().endswith("}"):
                self.address = json.loads(text)["address"]
                return
            time.sleep(0.1)
        pytest.fail("the scheduler did not start")

    def start_worker(self, **environment: str) -> subprocess.Popen[bytes]:
        """Start one more worker without waiting for it."""
        kept = str(self.folder / f"worker-{len(self.processes)}")
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1", "--local-directory", kept)
        return self._start("worker", self.address, *options, **environment)

    def stop(self) -> None:
        """Kill the scheduler and all workers."""
        for process in reversed(self.processes):
            process.kill()
            process.wait(SECONDS)

    def _start(self, what: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{what}-{len(self.processes)}.log").open("wb") as log:
            process = subprocess.Popen(  # the tests' own arguments
                [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments],
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **environment},
                cwd=self.folder,
            )
        self.processes.append(process)
        return process


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """Start a scheduler with two workers."""
    running = Machines(tmp_path_factory.mktemp("cluster"))
    try:
        running.start_scheduler()
        running.start_worker()
        running.start_worker()
        yield running
    finally:
        running.stop()


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Machines]:
    """Start a scheduler without workers."""
    running = Machines(tmp_path)
    try:
        running.start_scheduler()
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="module")
def log() -> LogBuilder:
    """Build a log of some hundred rounds of three games."""
    return LogBuilder.of(*TABLES, rounds=120)


def publish(entries: tuple[bytes, ...], checkpoint: bytes, folder: Path) -> str:
    """Publish a log in a folder; return its URL for fsspec."""
    return f"local://{audit_tiles.publish(audit_tiles.files_of(entries, checkpoint), folder)}"


def team(machines: Machines, url: str | None = None, note: bytes = b"") -> Callable[..., Cluster]:
    return partial(Cluster, scheduler=machines.address, location=url, note=note)


def fixtures() -> list[dict[str, Any]]:
    names = [f"audit/{file.stem}" for file in sorted((FOLDER / "audit").glob("*.jsonl"))]
    return [row for name in names for row in read(name) if "leaves" in row]


@pytest.mark.slow("starts many processes")
def test_every_fixture_has_the_same_report_from_tiles_on_a_cluster(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Two rounds a chunk, so that what belongs together is split wherever it can be."""
    monkeypatch.setattr(cluster, "_CHUNK", 2)
    seen = 0
    for fixture in fixtures():
        entries, note = tuple(leaf.encode() for leaf in fixture["leaves"]), fixture["checkpoint"].encode()
        if any(len(entry) > 0xFFFF for entry in entries) or not entries:
            continue  # such a log has no tiles
        url = publish(entries, note, tmp_path / fixture["id"])
        alone = audited(TiledLog(open_place(url)), **options_of(fixture))
        there = audited(TiledLog(open_place(url)), **options_of(fixture), make_pool=team(machines, url, note))
        assert alone == there, fixture["id"]
        seen += 1
    assert seen > 150


def test_rounds_that_no_worker_can_read_for_itself_are_sent_whole(machines: Machines, log: LogBuilder):
    alone, there = audited(log.bundle()), audited(log.bundle(), make_pool=team(machines))
    assert alone == there
    assert there.checked.replayed == 360


@pytest.mark.slow("starts many processes")
def test_a_worker_that_dies_in_the_middle_costs_nothing_but_time(
    empty: Machines, log: LogBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(cluster, "_CHUNK", 8)
    url, note = publish(tuple(log.entries), log.checkpoint(), tmp_path / "log"), log.checkpoint()
    doomed = empty.start_worker()
    killed: list[int] = []

    class Deadly(Cluster):
        def send(self, rounds: Any) -> Any:  # noqa: ANN401 - as the team's
            sent = super().send(rounds)
            if self._sent == 3:
                empty.start_worker()
                os.kill(doomed.pid, signal.SIGKILL)
                killed.append(doomed.wait(SECONDS))
            return sent

    there = audited(
        TiledLog(open_place(url)), make_pool=partial(Deadly, scheduler=empty.address, location=url, note=note)
    )
    assert killed == [-signal.SIGKILL]
    assert there == audited(log.bundle())


@pytest.mark.slow("starts many processes")
def test_worker_with_other_code_is_refused(empty: Machines, log: LogBuilder, tmp_path: Path):
    package = Path(referee.__file__).parent
    shutil.copytree(package, tmp_path / "other" / "referee", ignore=shutil.ignore_patterns("__pycache__"))
    changed = tmp_path / "other" / "referee" / "audit" / "round.py"
    changed.write_text(changed.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    empty.start_worker(PYTHONPATH=str(tmp_path / "other"))
    with pytest.raises(ClusterError, match="another version of this package"):
        audited(log.bundle(), make_pool=team(empty))


def test_leaves_that_changed_after_they_were_read_are_no_round(machines: Machines, log: LogBuilder, tmp_path: Path):
    """The audit reads one log, the workers another at the same URL."""
    url = publish(tuple(log.entries), log.checkpoint(), tmp_path / "log")
    source = MemoryLog(checkpoint=log.checkpoint(), entries=tuple(log.entries))
    swapped = [*log.entries[:20], log.entries[21], log.entries[20], *log.entries[22:]]
    publish(tuple(swapped), log.checkpoint(), tmp_path / "log")
    with pytest.raises(ClusterError, match="is not the one that was read before"):
        audited(source, make_pool=team(machines, url, log.checkpoint()))


def test_tiles_that_a_worker_does_not_find_are_said(machines: Machines, log: LogBuilder, tmp_path: Path):
    with pytest.raises(ClusterError, match="is missing"):
        audited(log.bundle(), make_pool=team(machines, f"local://{tmp_path}/nothing", log.checkpoint()))


def test_scheduler_without_workers_is_said(empty: Machines, log: LogBuilder, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    with pytest.raises(ClusterError, match="has no workers; start some with `dask worker"):
        audited(log.bundle(), make_pool=team(empty))


@pytest.mark.slow("starts many processes")
def test_command_audits_a_published_log_on_a_cluster(machines: Machines, log: LogBuilder, tmp_path: Path):
    url = publish(tuple(log.entries), log.checkpoint(), tmp_path / "log")
    command = [sys.executable, "-m", "referee", "audit", url, "--log-key", LOG.text, "--root-key", ROOT.text, "--json"]
    alone, there = (
        subprocess.run([*command, *more], capture_output=True, timeout=SECONDS, check=False)
        for more in ((), ("--scheduler", machines.address))
    )
    reports = [{**json.loads(done.stdout), "now": 0, "as_of": 0} for done in (alone, there)]
    assert reports[0] == reports[1]
    assert alone.returncode == there.returncode


def test_command_says_that_no_scheduler_answers(tmp_path: Path, log: LogBuilder, monkeypatch: pytest.MonkeyPatch):
    url = publish(tuple(log.entries[:9]), LogBuilder(log.entries[:9]).checkpoint(), tmp_path / "log")
    with socket.socket() as taken:  # bound and not listening, so that nobody answers there
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
        with pytest.raises(ClusterError, match="no scheduler answers at"):
            audited(
                TiledLog(open_place(url)),
                make_pool=partial(Cluster, scheduler=f"tcp://127.0.0.1:{taken.getsockname()[1]}"),
            )


@pytest.mark.slow("starts many processes")
def test_processes_here_and_workers_there_are_not_asked_for_together(tmp_path: Path, log: LogBuilder):
    url = publish(tuple(log.entries[:9]), LogBuilder(log.entries[:9]).checkpoint(), tmp_path / "log")
    keys = ("--log-key", LOG.text, "--root-key", ROOT.text)
    done = subprocess.run(
        [sys.executable, "-m", "referee", "audit", url, *keys, "--scheduler", "tcp://127.0.0.1:1", "--workers", "2"],
        capture_output=True,
        timeout=SECONDS,
        check=False,
        text=True,
    )
    assert done.returncode == 2
    assert "give one of them" in " ".join(done.stderr.split())
