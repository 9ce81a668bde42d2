"""``referee serve`` as a process that can be frozen, killed and started again at its address.

With ``broken`` the process is the same program with something wrong with it or its surroundings; see ``broken``.
"""

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import psutil

START_SECONDS: Final = 120
STOP_SECONDS: Final = 90


class Server:
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
        command = [sys.executable, *program, "serve", "--data", str(self.data), "--listen", self.address]
        command += ["--set", "advice.seconds=300", "--set", "serve.drain_lead=0"]
        with (self.data.parent / "errors.log").open("ab") as errors:
            self.process = subprocess.Popen(
                [*command, *self._quiet, *database, *self._options],
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=Path(__file__).parents[2],
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server did not start: {(self.data.parent / 'errors.log').read_text()[-2000:]}")
        self.address = json.loads(line)["address"]

    @property
    def workers(self) -> list[psutil.Process]:
        """The processes that serve: its children, or itself."""
        parent = psutil.Process(self.process.pid)
        return sorted(parent.children(), key=lambda one: one.create_time()) or [parent]

    def kill(self) -> None:
        """Kill the server."""
        self.process.kill()
        self._reap()

    def stop(self) -> int:
        """Stop the server by SIGTERM, or kill it if it does not stop; return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return -1
        finally:
            self._reap()

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return self.process.poll() is None

    def _reap(self) -> None:
        self.process.wait(STOP_SECONDS)
        if self.process.stdout is not None:
            self.process.stdout.close()
