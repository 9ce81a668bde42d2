"""The command ``referee-table`` as a process of its own, which a test can kill and start again."""

import contextlib
import os
import re
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psutil

import referee.rulesets
from tests.chaos.process import ServerProcess
from tests.command import referee as command

WEB: Final = Path(__file__).parents[2] / "clients" / "web"


class TableProcess(ServerProcess):
    """A table server on a folder that serves the built page; a restart continues with its data, at its address."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.address = folder, steady_address()
        self.start()

    def start(self) -> None:
        """Start the table server and wait until it serves pages."""
        files = ["--data", str(self.folder), "--page", str(WEB / "dist")]
        ready = self.launch(
            ["-m", "referee_table", "--listen", self.address, *files, "--brisk"],
            errors=None,
            start_new_session=True,
        )
        self.address, self.url, self.referee = ready["address"], ready["url"], ready["referee"]

    @property
    def children(self) -> list[psutil.Process]:
        """The referee that it has started."""
        return psutil.Process(self.process.pid).children()

    def kill_all(self) -> None:
        """Kill the table server and the referee that it started, without warning."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.wait()

    def kill_referee(self) -> None:
        """Kill the referee, which the table server starts again; it may be starting after the last kill."""
        while True:
            for child in self.children:
                with contextlib.suppress(psutil.NoSuchProcess):
                    if child.status() != psutil.STATUS_ZOMBIE:
                        child.kill()
                        return
            time.sleep(0.02)


def steady_address() -> str:
    """Return a free loopback address that no connection takes as its own while the server is down."""
    for port in range(20_000 + os.getpid() % 10_000, 32_768):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return f"127.0.0.1:{port}"
    raise AssertionError("no port is free below those that connections are made from")


@contextlib.contextmanager
def table_process(data: Path) -> Iterator[TableProcess]:
    """Run a table server with its own referee for the block; end every process of it afterwards."""
    running = TableProcess(data)
    try:
        yield running
    finally:
        running.stop()


def audit(folder: Path) -> None:
    """Audit the log of a referee's folder."""
    done = command("audit", "--data", folder)
    assert done.returncode == 0, done.stdout + done.stderr


def write_slow_rulesets(folder: Path, *shipped: str) -> None:
    """Write copies of rulesets, each ``<game>.slow``, whose clocks outlast restarts on a busy machine."""
    folder.mkdir()
    for ruleset in shipped:
        name = ruleset.partition(".")[0] + ".slow"
        source = Path(referee.rulesets.__file__).parent / f"{ruleset}.toml"
        text = source.read_text(encoding="utf-8").replace(ruleset, name)
        clocks = r"(\[(?:clocks\.(?:ready|arranging|opening|street)|turn)\]\n(?:\w+ = .*\n)*?seconds = )\d+"
        for pattern, seconds in (
            (clocks, 600),
            (r"(shortest_seconds = )\d+", 2400),
            (r"(longest_seconds = )\d+", 86400),
        ):
            text = re.sub(pattern, rf"\g<1>{seconds}", text)
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
