"""A supervisor of worker processes that serve one address: it starts, restarts and stops them.

It opens no log, holds no key and makes no gRPC object; it reserves the port. Each worker is pinned to one core. The
first is ready before the others start, because it may name the keys of a new log. A worker that dies is restarted after
a pause that doubles. One that ends ``give_up`` times in a row by itself before it is ready found something that does
not mend itself, and stops them all: a worker waits for what may pass, such as a database that is away, and one that was
killed by a signal, as by a lack of memory, is tried again for ever. A worker is asked to stop by SIGTERM and by the end
of its standard input, which it also reads when its supervisor has died, and when the signal came while it ignored it.
"""

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

import structlog

from referee.server.process.address import bound_socket
from referee.threads import lasting

_log = structlog.get_logger("referee.workers")

HEALTHY_SECONDS: Final = 60.0
"""Lifetime after which a worker's next restart pauses for the shortest time again."""

_WELL: Final = (0, -signal.SIGTERM)
"""Exit codes of a worker that was stopped; the second one before it was ready."""


class WorkerError(RuntimeError):
    """A worker ended before it was ready."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartPolicy:
    """Pauses in seconds before restarts, and how many failures stop the supervisor."""

    first: float = 0.2
    longest: float = 30.0
    give_up: int = 5
    stopping: float = 30.0
    """Time workers have to stop before they are killed."""


@contextmanager
def reserve_address(listen: str) -> Iterator[str]:
    """Reserve the address in a block and yield it with its port; workers may share it.

    Raises OSError where another process has it, ValueError where it is not ``host:port``.
    """
    host, colon, port = listen.rpartition(":")
    if not colon or not port.isdigit() or host == "unix":
        raise ValueError(f"several workers share an address such as 127.0.0.1:50051; {listen} is none")
    with bound_socket(listen) as alone:  # without SO_REUSEPORT, so that a port in use is an error
        shared = f"{host}:{alone.getsockname()[1]}"
    with bound_socket(shared, [socket.SO_REUSEPORT]):  # which never listens, so that no connection is routed here
        yield shared


@dataclass(slots=True)
class _Worker:
    """A worker: its command, its core and its current process."""

    index: int
    command: Sequence[str]
    core: int
    process: "subprocess.Popen[bytes] | None" = None
    is_started: threading.Event = field(default_factory=threading.Event)
    """Set once its first process is ready or dead."""
    printed: bytes = b""
    """Line that the process printed when ready; empty until then."""
    failures: int = 0
    """Consecutive ends before being ready, those by a signal left out."""


class Supervisor:
    """Supervisor of one worker for each command; the n-th is pinned to the n-th core, in rotation."""

    def __init__(
        self,
        commands: Sequence[Sequence[str]],
        *,
        policy: RestartPolicy | None = None,
        on_first: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        """Take the commands; ``on_first`` gets what the first worker prints, before the others start."""
        cores = sorted(os.sched_getaffinity(0))
        self._workers = [_Worker(index, command, cores[index % len(cores)]) for index, command in enumerate(commands)]
        self._policy = policy or RestartPolicy()
        self._on_first = on_first
        self._starting = threading.Lock()
        self._stopping = threading.Event()
        self.ended = threading.Event()
        """Set when a worker was given up, or all were stopped."""
        self._threads: list[threading.Thread] = []
        self._sending = threading.Lock()
        self._sent = b""

    @property
    def pids(self) -> list[int]:
        """Process ids of the running workers, in their order."""
        return [
            worker.process.pid
            for worker in self._workers
            if worker.process is not None and worker.process.poll() is None
        ]

    def start(self) -> list[bytes]:
        """Start the workers and return what each printed when ready; raise WorkerError where one ended first."""
        first = self._workers[:1]
        for group in (first, self._workers[1:]):
            for worker in group:
                thread = lasting(self._keep, worker, name=f"worker-{worker.index}")
                self._threads.append(thread)
                thread.start()
            for worker in group:
                worker.is_started.wait()
                if not worker.printed and not self._stopping.is_set():
                    self.stop()
                    raise WorkerError(f"worker {worker.index} did not start")
            if group is first and self._workers[0].printed:
                self._on_first(self._workers[0].printed)
        return [worker.printed for worker in self._workers]

    def send(self, line: bytes) -> None:
        """Write a line to the standard input of every worker, and of those that start later.

        A worker that does not read misses lines, so that none is waited for; each line says all that is known.
        """
        with self._sending:
            self._sent = line
            for worker in self._workers:
                if worker.process is not None:
                    _write(worker.process, line)

    def stop(self) -> bool:
        """Stop every worker; return whether all exited by themselves."""
        self._stopping.set()
        with self._starting:  # no worker starts from here on
            processes = [worker.process for worker in self._workers if worker.process is not None]
        was_running = [process for process in processes if process.poll() is None]
        for process in was_running:
            process.terminate()
            with self._sending:
                if process.stdin is not None:
                    process.stdin.close()
        end = time.monotonic() + self._policy.stopping
        for process in was_running:
            try:
                process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                _log.error("worker killed", pid=process.pid)
                process.kill()
        for thread in self._threads:
            thread.join()
        self.ended.set()
        return all(process.returncode in _WELL for process in was_running)

    def _keep(self, worker: _Worker) -> None:
        """Run a worker, restarting it until the supervisor stops."""
        pause = self._policy.first
        while True:
            process = self._spawn(worker)
            if process is None:
                return
            begun = time.monotonic()
            worker.printed = process.stdout.readline() if process.stdout else b""
            is_first = not worker.is_started.is_set()
            worker.is_started.set()
            code = process.wait()
            worker.failures = 0 if worker.printed else worker.failures + (code >= 0)
            with self._sending:
                for pipe in (process.stdin, process.stdout):
                    if pipe is not None:
                        pipe.close()
            if self._stopping.is_set() or (is_first and not worker.printed):
                return
            if worker.failures >= self._policy.give_up:
                _log.error(
                    "worker given up",
                    worker=worker.index,
                    code=code,
                    cause=f"it ended {worker.failures} times before it was ready; its own lines above say why",
                    remedy="mend that, and start the server again; all its workers stop now",
                )
                self.ended.set()
                return
            if time.monotonic() - begun > HEALTHY_SECONDS:
                pause = self._policy.first
            _log.error("worker died", worker=worker.index, code=code, again_after_seconds=pause)
            self._stopping.wait(pause)
            pause = min(2 * pause, self._policy.longest)

    def _spawn(self, worker: _Worker) -> "subprocess.Popen[bytes] | None":
        """Start a worker's process; return None when the supervisor stops."""
        with self._starting:
            if self._stopping.is_set():
                return None
            mine = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {worker.core})  # of this thread alone; what it starts inherits it before it runs
            try:
                worker.process = subprocess.Popen(  # noqa: S603 - this program's own command
                    worker.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
                )
            finally:
                os.sched_setaffinity(0, mine)
            with self._sending:
                if worker.process.stdin is not None:
                    os.set_blocking(worker.process.stdin.fileno(), False)
                if self._sent:
                    _write(worker.process, self._sent)
            return worker.process


def _write(process: "subprocess.Popen[bytes]", line: bytes) -> None:
    """Write a line, short enough to be written whole or not at all, unless the worker has ended or reads nothing."""
    with suppress(OSError):
        if process.stdin is not None and not process.stdin.closed:
            os.write(process.stdin.fileno(), line)
