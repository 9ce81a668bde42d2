"""The command ``referee-table`` as a process of its own."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

STOPPING_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Running:
    """A table server that listens, and the addresses it given."""

    process: subprocess.Popen[str]
    address: str
    gateway: str
    referee: str

    @property
    def children(self) -> list[psutil.Process]:
        """The referee that it has started."""
        return psutil.Process(self.process.pid).children()


@contextlib.contextmanager
def table_process(data: Path, *options: str, listen: str = "127.0.0.1:0") -> Iterator[Running]:
    """Run a table server with its own referee for the block; end every process of it afterwards."""
    command = [sys.executable, "-m", "referee_table", "--listen", listen, "--data", str(data), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            given = json.loads(line)
            yield Running(process, given["address"], given["gateway"], given["referee"])
        finally:
            process.terminate()
            try:
                process.wait(STOPPING_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
