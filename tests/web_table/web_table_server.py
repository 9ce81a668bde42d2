"""The table in its own processes: referee, gateway, table server and page, as one command starts them."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from queue import Queue
from typing import Any, Final

STARTING: Final = 120
"""Seconds that a busy machine may take to start it."""


class TableProcess:
    """A running table on a folder; a restart continues with its data, at the same address."""

    def __init__(self, folder: Path, *, page: Path, options: tuple[str, ...] = (), listen: str = "127.0.0.1:0") -> None:
        self.folder = folder
        self.page = page
        self.options = options
        self.listen = listen
        self.start()

    def start(self) -> None:
        """Start the table and wait until it serves pages."""
        command = [sys.executable, "-m", "referee_table", "--listen", self.listen, "--data", str(self.folder)]
        command += ["--page", str(self.page), *self.options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
        )
        printed = self.process.stdout
        assert printed is not None
        lines: Queue[str] = Queue()
        reader = threading.Thread(target=lambda: lines.put(printed.readline()), daemon=True)
        reader.start()
        ready: dict[str, Any] = json.loads(lines.get(timeout=STARTING))
        reader.join()
        self.listen, self.url, self.gateway = ready["address"], ready["url"], ready["gateway"]

    def stop(self) -> None:
        """Stop the table as an operator does."""
        self.process.terminate()
        self._ended()

    def kill_server(self) -> None:
        """Kill the table server alone, without warning; the referee that it started notices and stops."""
        self.process.kill()
        self._ended()

    def kill(self) -> None:
        """Kill the table and the referee that it started, without warning."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self._ended()

    def _ended(self) -> None:
        self.process.wait(STARTING)
        assert self.process.stdout is not None
        self.process.stdout.close()
