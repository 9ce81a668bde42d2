"""A referee with its gateway in its own process: a test can kill and restart it while the table server runs."""

import socket
import subprocess
import sys
from pathlib import Path

import grpc

from referee.audit.reading import read_envelope, read_payload
from referee.transcript.inputs import Transcript
from referee.v1 import log_pb2, log_pb2_grpc
from tests.chaos.process import STOP_SECONDS, ServerProcess


def free_address() -> str:
    """Return a loopback address that no server listens on."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return f"127.0.0.1:{found.getsockname()[1]}"


class RefereeProcess(ServerProcess):
    """A running referee on a folder; a restart continues with its data, at the same two addresses."""

    def __init__(self, folder: Path, *, origin: str, options: tuple[str, ...] = ()) -> None:
        self.folder, self.origin, self.options = folder, origin, options
        self.listen = self.web = "127.0.0.1:0"
        self.start()

    def start(self) -> None:
        """Start the referee and wait until it is serving."""
        command = ["-m", "referee", "serve", "--data", str(self.folder), "--quiet"]
        command += ["--listen", self.listen, "--web", self.web, "--set", f"web.origins={self.origin}", *self.options]
        ready = self.launch(command)
        self.listen, self.web = ready["address"], ready["web"]

    def transcripts(self) -> list[Transcript]:
        """Read the transcripts of all settled rounds from the log."""
        with grpc.insecure_channel(self.listen) as channel:
            stub = log_pb2_grpc.LogServiceStub(channel)
            size = int(stub.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint.splitlines()[1])
            leaves: list[bytes] = []
            while len(leaves) < size:
                leaves += stub.ListEntries(log_pb2.ListEntriesRequest(start=len(leaves))).leaves
        payloads = [read_payload(read_envelope(leaf)) for leaf in leaves]
        return [one for one in payloads if isinstance(one, Transcript)]

    def audit(self) -> subprocess.CompletedProcess[str]:
        """Run the audit command on the log."""
        command = [sys.executable, "-m", "referee", "audit", "--data", str(self.folder)]
        return subprocess.run(command, capture_output=True, text=True, timeout=STOP_SECONDS, check=False)
