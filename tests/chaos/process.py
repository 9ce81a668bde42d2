"""Servers in processes of their own, and ``referee serve`` as one that is frozen, killed and started at its address.

With ``broken`` the process is the same program with something wrong with it or its surroundings; see ``broken``.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Final

import psutil

STOP_SECONDS: Final = 90


class ServerProcess:
    """A server in a process of its own, which prints a line of JSON once it listens."""

    process: subprocess.Popen[str]
    printed: str

    def launch(self, command: Sequence[str], *, errors: int | IO[bytes] | None = subprocess.DEVNULL, **how: Any) -> Any:  # noqa: ANN401 - of Popen
        """Start the process and return the line that it prints; raise AssertionError if it ends without one."""
        self.process = subprocess.Popen(
            [sys.executable, *command], stdout=subprocess.PIPE, stderr=errors, text=True, **how
        )
        assert self.process.stdout is not None
        self.printed = self.process.stdout.readline()
        if not self.printed:
            self.process.communicate(timeout=STOP_SECONDS)
        assert self.printed, "the server did not start"
        return json.loads(self.printed)

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return self.process.poll() is None

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.process.terminate()

    def wait(self) -> int:
        """Its exit code, once it has ended."""
        code = self.process.wait(STOP_SECONDS)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code

    def kill(self) -> None:
        """Kill the process, as a power cut does."""
        self.process.kill()
        self.wait()

    def stop(self) -> int:
        """Stop the server by SIGTERM, or kill it if it does not stop; return its exit code."""
        self.terminate()
        try:
            return self.wait()
        except subprocess.TimeoutExpired:
            self.kill()
            return -1


class Server(ServerProcess):
    """One server on a data folder; standard error goes to ``errors.log`` beside the folder."""

    def __init__(
        self,
        data: Path,
        *options: str,
        database: str | None = None,
        broken: Sequence[str] = (),
        is_quiet: bool = True,
    ) -> None:
        self.data = data
        self.database = database
        self.address = "127.0.0.1:0"
        self._options = options
        self._broken = broken
        self._quiet = ["--quiet"] if is_quiet else []
        self.start()

    def start(self) -> None:
        """Start the server on its former port."""
        database = ["--database", self.database] if self.database else []
        program = ["-m", "tests.chaos.broken", *self._broken, "--"] if self._broken else ["-m", "referee"]
        command = [*program, "serve", "--data", str(self.data), "--listen", self.address]
        command += ["--set", "advice.seconds=300", "--set", "serve.drain_lead=0"]
        with (self.data.parent / "errors.log").open("ab") as errors:
            ready = self.launch(
                [*command, *self._quiet, *database, *self._options], errors=errors, cwd=Path(__file__).parents[2]
            )
        self.address = ready["address"]

    @property
    def workers(self) -> list[psutil.Process]:
        """The processes that serve: its children, or itself."""
        parent = psutil.Process(self.process.pid)
        return sorted(parent.children(), key=lambda one: one.create_time()) or [parent]
