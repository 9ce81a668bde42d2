"""Several processes on one address: real ones, killed, starved and stopped."""

import itertools
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import grpc
import psutil
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.server.process.supervisor import RestartPolicy, Supervisor, WorkerError, reserve_address
from referee.v1 import log_pb2
from tests.command import referee
from tests.driver.refusal import ending_of
from tests.server.processes import Load, Process, Serve, servers_in
from tests.waiting import until

RESTART_SECONDS: Final = 40
READY = "print('ready', flush=True)"
READ_ALL = "import sys; sys.stdin.buffer.read()"
UNTIL_ASKED = (
    "import signal; asked = [signal.SIGTERM]; signal.pthread_sigmask(signal.SIG_BLOCK, asked); "
    f"{READY}; signal.sigwait(asked)"
)
"""A worker that waits for its signal and reads nothing; ``pause`` would miss a signal that comes just before it."""
IGNORING = """
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
os.execv(sys.executable, [sys.executable, "-m", "referee", *sys.argv[1:]])
"""
"""A parent that leaves SIGTERM ignored and blocked for the program that it becomes."""


def threads_of(process: psutil.Process) -> set[str]:
    """Return the names of a process's threads."""
    return {path.read_text().strip() for path in Path(f"/proc/{process.pid}/task").glob("*/comm")}


def apart(address: str, count: int) -> list[grpc.Channel]:
    """Channels that share no connection, so that the system spreads them over the workers."""
    return [grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)]) for _ in range(count)]


def supervising(*scripts: str, **policy: Any) -> Supervisor:  # noqa: ANN401 - fields of the policy
    """Supervise processes that run these scripts."""
    return Supervisor([[sys.executable, "-c", script] for script in scripts], policy=RestartPolicy(**policy))


def test_two_workers_share_a_port_and_a_log_each_on_its_core(serve: Serve) -> None:
    """Both answer, both write; the parent has no gRPC thread; SIGTERM under load loses nothing that was answered."""
    process = serve("--workers", "2", "--metrics", "127.0.0.1:0", "--quiet")
    first, second = process.workers()
    cores = sorted(os.sched_getaffinity(0))
    assert [first.cpu_affinity(), second.cpu_affinity()] == [[cores[0]], [cores[1 % len(cores)]]]
    assert "event_engine" in threads_of(first)
    assert "event_engine" not in threads_of(psutil.Process(process.pid))
    with Load(apart(process.ready["address"], 12)) as load:
        load.more(60)
        assert not load.errors, load.errors[0]
        process.terminate()
    assert process.stop() == 0
    assert {error.code.name for error in load.errors} <= {"UNAVAILABLE", "CANCELLED"}
    assert not first.is_running()
    assert not second.is_running()
    assert set(load.settled.values()) <= set(serve("--quiet").leaves())


def test_first_worker_passes_on_the_log_that_it_verified(serve: Serve) -> None:
    """The others receive what it verified, and so does one that takes its place; the ready line leaves that out."""
    alone = serve("--quiet")
    with Load([alone.channel]) as load:
        load.more(3)
    assert alone.stop() == 0
    process = serve("--workers", "2", "--quiet")
    assert "verified" not in process.ready
    first, second = process.workers()
    variable = "REFEREE_WORKER_VERIFIED"
    assert variable not in first.environ()
    size = json.loads(second.environ()[variable])["size"]
    assert size >= len(load.settled) > 0
    first.kill()
    until(lambda: len(process.workers()) >= 2 and first not in process.workers(), seconds=RESTART_SECONDS)
    assert json.loads(process.workers()[-1].environ()[variable])["size"] == size
    assert len(process.leaves()) >= size
    assert process.stop() == 0


def test_line_is_sent_to_every_worker_and_to_one_that_takes_a_place_later(tmp_path: Path) -> None:
    """And a worker that reads nothing makes nobody wait."""
    path = f"os.path.join({str(tmp_path)!r}, sys.stdin.readline().strip() + str(os.getpid()))"
    reads = f"import os, sys; {READY}; open({path}, 'w'); {READ_ALL}"
    supervisor = supervising(reads, UNTIL_ASKED, first=0.01)
    supervisor.start()
    try:
        for _ in range(5_000):
            supervisor.send(b"first-".ljust(90, b"-") + b"\n")
        until(lambda: len(list(tmp_path.iterdir())) == 1, seconds=60)
        os.kill(supervisor.pids[0], signal.SIGKILL)
        until(lambda: len(list(tmp_path.iterdir())) == 2, seconds=60)
    finally:
        assert supervisor.stop()


def test_killed_worker_is_replaced_and_the_other_serves_meanwhile(serve: Serve) -> None:
    """One is killed; callers that follow no config see its connections break, and go on."""
    process = serve("--workers", "2", "--quiet")
    first, second = process.workers()
    with Load(apart(process.ready["address"], 8)) as load:
        load.more(10)
        first.kill()
        load.more(40)
        until(lambda: len(process.workers()) >= 2 and first not in process.workers(), seconds=RESTART_SECONDS)
        load.more(20)
    assert second in process.workers()
    assert {error.code.name for error in load.errors} <= {"UNAVAILABLE"}
    assert process.stop() == 0


def test_workers_whose_parent_is_killed_stop_by_themselves(serve: Serve) -> None:
    """Nobody is left behind who holds the port and the log."""
    process = serve("--workers", "2", "--quiet")
    left = process.workers()
    process.kill()
    _, alive = psutil.wait_procs(left, timeout=20)
    assert not alive


@pytest.mark.slow("starts many processes")
def test_each_worker_reports_the_health_of_each_service(serve: Serve) -> None:
    """With ports of their own, a balancer can ask each of them."""
    process = serve("--workers", "2", "--set", "serve.apart=true", "--services", "rulesets,log", "--quiet")
    addresses = [one["address"] for one in process.ready["workers"]]
    assert len(set(addresses)) == 2
    for address in addresses:
        with grpc.insecure_channel(address) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            for service in ("", "referee.v1.RulesetService", "referee.v1.LogService"):
                answer = health.Check(health_pb2.HealthCheckRequest(service=service))
                assert answer.status == health_pb2.HealthCheckResponse.SERVING
            other = health_pb2.HealthCheckRequest(service="referee.v1.ShufflerService")
            assert ending_of(health.Check, other)[0] == "NOT_FOUND"
    assert process.stop() == 0


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """Return a server of two workers that no test stops."""
    with servers_in(tmp_path_factory.mktemp("server")) as serve:
        yield serve("--quiet", "--workers", "2")


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.slow("starts many processes")), "2"])
def test_taken_port_is_an_error(tmp_path: Path, process: Process, workers: str) -> None:
    """A second server on a port neither starts nor takes calls from the first, however many processes it has."""
    options = ("--listen", process.ready["address"], "--workers", workers)
    done = referee("serve", "--data", tmp_path / "other", "--quiet", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert process.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint


@pytest.mark.slow("starts many processes")
def test_log_that_cannot_be_opened_stops_the_start(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The first worker says why; the command ends and nothing is left running."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "log.sqlite3").write_bytes(b"no database " * 1000)
    done = referee("serve", "--data", tmp_path / "data", "--workers", "2", "--listen", "127.0.0.1:0")
    assert (done.returncode, done.stdout) == (1, "")
    assert "not a database" in done.stderr + capfd.readouterr().err


def test_worker_that_keeps_dying_before_it_is_ready_ends_all(tmp_path: Path) -> None:
    """It started once; from then on it fails at once, is tried as often as allowed, and given up."""
    tries = tmp_path / "tries"
    script = f"import sys; f = open({str(tries)!r}, 'a'); f.write('x'); f.close(); "
    script += f"{READY} if len(open({str(tries)!r}).read()) == 1 else sys.exit(3)"
    supervisor = supervising(UNTIL_ASKED, script, first=0.01, longest=0.05, give_up=3)
    assert supervisor.start() == [b"ready\n", b"ready\n"]
    assert supervisor.ended.wait(20)
    assert supervisor.stop()
    assert not supervisor.pids
    assert tries.read_text() == "x" * 4


def test_worker_that_is_killed_before_it_is_ready_is_never_given_up(tmp_path: Path) -> None:
    """As by the system where memory is short; once there is enough, it serves."""
    tries = tmp_path / "tries"
    lines = ["import os, signal", f"f = open({str(tries)!r}, 'a'); f.write('x'); f.close()"]
    lines += [f"count = len(open({str(tries)!r}).read())", "if 1 < count < 6: os.kill(os.getpid(), signal.SIGKILL)"]
    lines += ["signal.pthread_sigmask(signal.SIG_BLOCK, asked := [signal.SIGTERM])", READY]
    lines += ["if count > 1: signal.sigwait(asked)"]
    supervisor = supervising("\n".join(lines), first=0.01, longest=0.05, give_up=3)
    assert supervisor.start() == [b"ready\n"]
    until(lambda: supervisor.ended.is_set() or len(tries.read_text()) == 6)
    assert not supervisor.ended.is_set(), "it was given up"
    assert supervisor.stop()
    assert tries.read_text() == "x" * 6


def test_pause_between_deaths_doubles_to_its_bound(tmp_path: Path) -> None:
    """A worker that is ready and dies again and again is always replaced, ever later."""
    times = tmp_path / "times"
    script = f"import time; f = open({str(times)!r}, 'a'); f.write(f'{{time.time()}}\\n'); f.close(); {READY}"
    supervisor = supervising(script, first=0.2, longest=0.8, give_up=1)
    supervisor.start()
    until(lambda: len(times.read_text().splitlines()) >= 5)
    assert supervisor.stop()
    started = [float(line) for line in times.read_text().splitlines()]
    gaps = [later - earlier for earlier, later in itertools.pairwise(started)]
    assert [gap >= least for gap, least in zip(gaps, (0.2, 0.4, 0.8, 0.8), strict=False)] == [True] * 4
    assert not supervisor.ended.is_set() or supervisor.pids == []


def test_worker_that_missed_its_signal_stops_at_the_end_of_its_input() -> None:
    """A worker that is still starting ignores SIGTERM if the process that started its supervisor did."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        supervisor = supervising(f"{READY}; {READ_ALL}", f"{READY}; {READ_ALL}")
        supervisor.start()
        assert supervisor.stop()
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_server_stops_whose_parent_left_the_signal_ignored_and_blocked(serve: Serve, workers: str) -> None:
    assert serve("--quiet", "--workers", workers, program=("-c", IGNORING)).stop() == 0


def test_worker_that_does_not_stop_is_killed() -> None:
    """It ignores SIGTERM; the supervisor ends all the same and says that it did not end well."""
    deaf = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {READY}; signal.pause()"
    supervisor = supervising(deaf, stopping=0.3)
    supervisor.start()
    (pid,) = supervisor.pids
    assert not supervisor.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


def test_worker_that_never_starts_is_an_error() -> None:
    """Nothing is tried again at the start: its parent reads why."""
    with pytest.raises(WorkerError, match="worker 0"):
        supervising("exit(1)").start()


def test_reserved_port_leads_no_caller_astray() -> None:
    """While a supervisor holds its port, nobody else can take it, and nothing answers on it."""
    with reserve_address("127.0.0.1:0") as address:
        host, _, port = address.rpartition(":")
        with pytest.raises(OSError, match="in use"), reserve_address(address):
            pass
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((host, int(port)))
    with reserve_address(address) as again:
        assert again == address
    with pytest.raises(ValueError, match="several workers"), reserve_address("unix:/tmp/socket"):
        pass
