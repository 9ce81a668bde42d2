"""Real server processes, started and killed as an operator's machine would, and rounds played on them."""

import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, Self

import grpc
import psutil
import pytest
from referee_client import RefereeError

from referee.server.process.app import Application
from tests.chaos.process import ServerProcess
from tests.driver.client_over import client_over
from tests.driver.driver import Driver, settle
from tests.driver.log_reader import LogReader
from tests.server.options import server_options

PROGRAM: Final = ("-m", "referee")


class Caller(LogReader):
    """A channel whose owner reads the log and plays rounds."""

    def __init__(self, channel: grpc.Channel) -> None:
        super().__init__(channel)
        self.driver = Driver(client_over(channel))


class Load:
    """Callers, one a channel, who play rounds until the block ends. ``errors`` has every call that failed."""

    def __init__(self, channels: Sequence[grpc.Channel]) -> None:
        self.errors: list[RefereeError] = []
        self.settled: dict[str, bytes] = {}
        self._channels = channels
        self._done = threading.Event()
        self._numbers = itertools.count()
        self._threads = ThreadPoolExecutor(len(channels))

    def __enter__(self) -> Self:
        for channel in self._channels:
            self._threads.submit(self._play, Caller(channel))
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._threads.shutdown()
        for channel in self._channels:
            channel.close()

    def more(self, rounds: int) -> None:
        """So many more rounds are settled."""
        end, before = time.monotonic() + 60, len(self.settled)
        while len(self.settled) < before + rounds:
            assert time.monotonic() < end, f"the callers stand still; {self.errors[:1]}"
            time.sleep(0.02)

    def _play(self, caller: Caller) -> None:
        while not self._done.is_set():
            name = f"load-{next(self._numbers)}"
            try:
                self.settled[name] = settle(caller.driver.play(name)).leaf
                caller.driver.client.checkpoint()
            except RefereeError as error:
                self.errors.append(error)


class Process(ServerProcess, Caller):
    """One ``referee serve`` and a caller; what it prints on standard error goes to a file."""

    def __init__(
        self, data: Path, errors: IO[bytes], *options: str, program: Sequence[str] = PROGRAM, drain_lead: str | None
    ) -> None:
        self.data = data
        lead = {} if drain_lead is None else {"REFEREE_SERVE_DRAIN_LEAD": drain_lead}
        command = [*program, "serve", "--data", str(data), "--listen", "127.0.0.1:0", *options]
        self.ready = self.launch(command, errors=errors, env=os.environ | lead, cwd=Path(__file__).parents[2])
        self.pid = self.process.pid
        super().__init__(grpc.insecure_channel(self.ready["address"]))

    def wait(self) -> int:
        """Close the channel once the process has ended; return its exit code."""
        code = super().wait()
        self.channel.close()
        return code

    def workers(self) -> list[psutil.Process]:
        """Return the processes that serve, in the order of their start."""
        return sorted(psutil.Process(self.pid).children(), key=lambda one: one.create_time())


Serve = Callable[..., Process]
"""Starts a server with these options."""


@contextmanager
def calling(**settings: Any) -> Iterator[tuple[Application, Caller]]:  # noqa: ANN401 - what server_options takes
    """Run a server in this process for the block, with a caller on a channel to it."""
    with Application(server_options(**settings)) as app, grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        yield app, Caller(channel)


@contextmanager
def servers_in(folder: Path) -> Iterator[Serve]:
    """Start servers on a folder and stop them when the block ends; ``errors.log`` in it has their logs."""
    started: list[Process] = []
    with (folder / "errors.log").open("ab") as errors:

        def start(
            *options: str, data: Path = folder / "data", program: Sequence[str] = PROGRAM, drain_lead: str | None = "0"
        ) -> Process:
            started.append(Process(data, errors, *options, program=program, drain_lead=drain_lead))
            return started[-1]

        try:
            yield start
        finally:
            running = [process for process in started if process.is_running]
            for process in running:
                process.terminate()
            for process in running:
                process.stop()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start servers on this test's data folder and stop them at its end. ``errors.log`` has their logs.

    They stop without a lead, which costs time, unless ``drain_lead`` is one, or None for the default.
    """
    with servers_in(tmp_path) as start:
        yield start
