"""The command ``referee-table`` as a process of its own."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psutil

from tests.chaos.process import ServerProcess

STOPPING_SECONDS: Final = 60


class Running(ServerProcess):
    """A table server on a folder; a restart continues with its data, at the same address."""

    def __init__(self, folder: Path, *options: str, listen: str = "127.0.0.1:0") -> None:
        self.folder, self.options, self.address = folder, options, listen
        self.start()

    def start(self) -> None:
        """Start the table server and wait until it serves pages."""
        command = ["-m", "referee_table", "--listen", self.address, "--data", str(self.folder), *self.options]
        ready = self.launch(command, errors=None, start_new_session=True)
        self.address, self.url, self.gateway = ready["address"], ready["url"], ready["gateway"]
        self.referee: str = ready["referee"]

    @property
    def children(self) -> list[psutil.Process]:
        """The referee that it has started."""
        return psutil.Process(self.process.pid).children()

    def kill_all(self) -> None:
        """Kill the table server and the referee that it started, without warning."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.wait()


@contextlib.contextmanager
def table_process(data: Path, *options: str) -> Iterator[Running]:
    """Run a table server with its own referee for the block; end every process of it afterwards."""
    running = Running(data, *options)
    try:
        yield running
    finally:
        running.stop()
