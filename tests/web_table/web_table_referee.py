"""A referee with its gateway, apart from the table: killed and started again while the table server stays."""

import json
import socket
import subprocess
import sys
import threading
from pathlib import Path
from queue import Queue
from typing import Any, Final

import grpc

from referee.audit.reading import read_envelope, read_payload
from referee.transcript.inputs import Transcript
from referee.v1 import log_pb2, log_pb2_grpc

STARTING: Final = 120
"""Seconds that a busy machine may take to start or audit it."""


def free_address() -> str:
    """An address of this machine that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return f"127.0.0.1:{found.getsockname()[1]}"


class RefereeProcess:
    """A running referee over a folder; started again it goes on there, at the same two addresses."""

    def __init__(self, folder: Path, *, origin: str) -> None:
        self.folder = folder
        self.origin = origin
        self.listen = self.web = "127.0.0.1:0"
        self.start()

    def start(self) -> None:
        """Starts it and waits until it can be asked."""
        command = [sys.executable, "-m", "referee", "serve", "--data", str(self.folder), "--quiet"]
        command += ["--listen", self.listen, "--web", self.web, "--set", f"web.origins={self.origin}"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        printed = self.process.stdout
        assert printed is not None
        lines: Queue[str] = Queue()
        reader = threading.Thread(target=lambda: lines.put(printed.readline()), daemon=True)
        reader.start()
        told: dict[str, Any] = json.loads(lines.get(timeout=STARTING))
        reader.join()
        self.listen, self.web = told["address"], told["web"]

    def stop(self) -> None:
        """Ends it as an operator does."""
        self.process.terminate()
        self._ended()

    def kill(self) -> None:
        """Ends it without a word of warning."""
        self.process.kill()
        self._ended()

    def transcripts(self) -> list[Transcript]:
        """Of all rounds that were settled, as they stand in the log."""
        with grpc.insecure_channel(self.listen) as channel:
            stub = log_pb2_grpc.LogServiceStub(channel)
            size = int(stub.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint.splitlines()[1])
            leaves: list[bytes] = []
            while len(leaves) < size:
                leaves += stub.ListEntries(log_pb2.ListEntriesRequest(start=len(leaves))).leaves
        payloads = [read_payload(read_envelope(leaf)) for leaf in leaves]
        return [one for one in payloads if isinstance(one, Transcript)]

    def audit(self) -> subprocess.CompletedProcess[str]:
        """What the audit says of its log."""
        command = [sys.executable, "-m", "referee", "audit", "--data", str(self.folder)]
        return subprocess.run(command, capture_output=True, text=True, timeout=STARTING, check=False)

    def _ended(self) -> None:
        self.process.wait(STARTING)
        assert self.process.stdout is not None
        self.process.stdout.close()
