"""Several processes that serve one address: started, watched, replaced when they die, and stopped together.

The law: this process opens no log, holds no key and makes no gRPC object. It keeps the port, starts each worker as a
new program pinned to one core, and waits. The first worker is ready before the others start, for it may found the log.
A worker that dies is started again after a pause that doubles up to half a minute; one that dies ``give_up`` times in a
row before it is ready ends them all, so that whoever watches this process hears of it. A worker whose crew is gone
finds its standard input at its end, and stops by itself.
"""

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import structlog

_log = structlog.get_logger("referee.workers")

HEALTHY_SECONDS: Final = 60.0
"""A worker that lived so long was well; its next death is the first again."""

_WELL: Final = (0, -signal.SIGTERM)
"""How a worker ends that was asked to; the latter before it was ready."""


class WorkerError(RuntimeError):
    """A worker ended before it was ready."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartPolicy:
    """Seconds between a worker's death and its next start, and how often it may fail before it is ready."""

    first: float = 0.2
    longest: float = 30.0
    give_up: int = 5
    stopping: float = 30.0
    """How long workers may take to stop; then they are killed."""


@contextmanager
def reserve_address(listen: str) -> Iterator[str]:
    """The address with its port filled in. It stays this process's until the block ends, and workers may share it.

    OSError where somebody else has it; ValueError where it is no ``host:port``.
    """
    host, colon, port = listen.rpartition(":")
    if not colon or not port.isdigit() or host == "unix":
        msg = f"several workers share an address such as 127.0.0.1:50051, not {listen}"
        raise ValueError(msg)
    family, kind, proto, _, place = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, proto) as alone:
        alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        alone.bind(place)  # without SO_REUSEPORT: fails where anybody listens
        place = alone.getsockname()
    with socket.socket(family, kind, proto) as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind(place)  # never listens, so that no caller is ever led here
        yield f"{host}:{place[1]}"


def next_port(listen: str, step: int) -> str:
    """The address so many ports further on.

    >>> next_port("127.0.0.1:50051", 1), next_port("127.0.0.1:0", 1)
    ('127.0.0.1:50052', '127.0.0.1:0')
    """
    host, _, port = listen.rpartition(":")
    return f"{host}:{int(port) + step if int(port) else 0}"


@dataclass(slots=True)
class _Post:
    """One worker's place: its command, its core, and who holds it now."""

    index: int
    command: Sequence[str]
    core: int
    process: "subprocess.Popen[bytes] | None" = None
    is_started: threading.Event = field(default_factory=threading.Event)
    """Set once the first of its processes is ready, or dead."""
    printed: bytes = b""
    """What the process printed when it was ready; empty where it is not."""
    failures: int = 0
    """Deaths in a row before it was ready."""


class Supervisor:
    """Workers, one a command; the n-th is pinned to the n-th core of this process, cores being shared when few."""

    def __init__(self, commands: Sequence[Sequence[str]], *, patience: RestartPolicy | None = None) -> None:
        cores = sorted(os.sched_getaffinity(0))
        self._posts = [_Post(index, command, cores[index % len(cores)]) for index, command in enumerate(commands)]
        self._patience = patience or RestartPolicy()
        self._starting = threading.Lock()
        self._stopping = threading.Event()
        self.ended = threading.Event()
        """Set when a worker was given up, or all were stopped."""
        self._threads: list[threading.Thread] = []

    @property
    def pids(self) -> list[int]:
        """The processes that run now, by worker."""
        return [post.process.pid for post in self._posts if post.process is not None and post.process.poll() is None]

    def start(self) -> list[bytes]:
        """What each worker printed once it was ready, in their order; WorkerError where one ended before."""
        for group in (self._posts[:1], self._posts[1:]):
            for post in group:
                thread = threading.Thread(target=self._keep, args=(post,), name=f"worker-{post.index}", daemon=True)
                self._threads.append(thread)
                thread.start()
            for post in group:
                post.is_started.wait()
                if not post.printed and not self._stopping.is_set():
                    self.stop()
                    msg = f"worker {post.index} did not start"
                    raise WorkerError(msg)
        return [post.printed for post in self._posts]

    def stop(self) -> bool:
        """Every worker has drained and ended; whether all ended well by themselves."""
        self._stopping.set()
        with self._starting:  # nobody starts from here on
            processes = [post.process for post in self._posts if post.process is not None]
        was_running = [process for process in processes if process.poll() is None]
        for process in was_running:
            process.terminate()
        end = time.monotonic() + self._patience.stopping
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

    def _keep(self, post: _Post) -> None:
        """The post is held until the crew stops."""
        pause = self._patience.first
        while True:
            process = self._spawn(post)
            if process is None:
                return
            begun = time.monotonic()
            post.printed = process.stdout.readline() if process.stdout else b""
            post.failures = 0 if post.printed else post.failures + 1
            is_first = not post.is_started.is_set()
            post.is_started.set()
            code = process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            if self._stopping.is_set() or (is_first and not post.printed):
                return
            if post.failures >= self._patience.give_up:
                _log.error("worker given up", worker=post.index, code=code)
                self.ended.set()
                return
            if time.monotonic() - begun > HEALTHY_SECONDS:
                pause = self._patience.first
            _log.error("worker died", worker=post.index, code=code, again_after_seconds=pause)
            self._stopping.wait(pause)
            pause = min(2 * pause, self._patience.longest)

    def _spawn(self, post: _Post) -> "subprocess.Popen[bytes] | None":
        """A new process at the post; None when the crew stops."""
        with self._starting:
            if self._stopping.is_set():
                return None
            mine = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {post.core})  # of this thread alone; what it starts inherits it before it runs
            try:
                post.process = subprocess.Popen(  # noqa: S603 - this program's own command
                    post.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
                )
            finally:
                os.sched_setaffinity(0, mine)
            return post.process
