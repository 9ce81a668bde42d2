"""The table and its referee in their own processes, which a test can kill and start again."""

import socket
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.chaos.process import STOP_SECONDS, ServerProcess
from tests.table.table_process import Running

WEB: Final = Path(__file__).parents[2] / "clients" / "web"
QUICK: Final = ("--bot-ms", "40", "--brisk")
"""Options of a table with quick bots and no pauses between the parts of a show."""


def free_address() -> str:
    """Return a loopback address that no server listens on."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return f"127.0.0.1:{found.getsockname()[1]}"


class TableProcess(Running):
    """A running table that serves the built page."""

    def __init__(self, folder: Path, *options: str, pace: tuple[str, ...] = QUICK, listen: str = "127.0.0.1:0") -> None:
        super().__init__(folder, "--page", str(WEB / "dist"), *pace, *options, listen=listen)


class RefereeProcess(ServerProcess):
    """A running referee with its gateway; a restart continues with its data, at the same two addresses."""

    def __init__(self, folder: Path, *, origin: str) -> None:
        self.folder, self.origin = folder, origin
        self.listen = self.web = "127.0.0.1:0"
        self.start()

    def start(self) -> None:
        """Start the referee and wait until it is serving."""
        command = ["-m", "referee", "serve", "--data", str(self.folder), "--quiet", "--listen", self.listen]
        ready = self.launch([*command, "--web", self.web, "--set", f"web.origins={self.origin}"])
        self.listen, self.web = ready["address"], ready["web"]

    def audit(self) -> subprocess.CompletedProcess[str]:
        """Run the audit command on the log."""
        command = [sys.executable, "-m", "referee", "audit", "--data", str(self.folder)]
        return subprocess.run(command, capture_output=True, text=True, timeout=STOP_SECONDS, check=False)
