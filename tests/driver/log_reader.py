"""The log as anyone reads it who may call ``LogService``."""

from typing import Any

from referee.v1 import log_pb2, log_pb2_grpc


class LogReader:
    """A channel to a server, and what its log says."""

    def __init__(self, channel: Any) -> None:  # noqa: ANN401 - a channel, or a wrapper of one
        self.channel: Any = channel
        self.log = log_pb2_grpc.LogServiceStub(channel)

    def checkpoint(self) -> str:
        """Return the newest signed checkpoint; its text changes whenever the log grows."""
        return self.log.GetCheckpoint(log_pb2.GetCheckpointRequest(), timeout=60).checkpoint

    @property
    def size(self) -> int:
        """How many leaves the log has, as its checkpoint says."""
        return int(self.checkpoint().splitlines()[1])

    def leaves(self) -> list[bytes]:
        """All leaves of the log."""
        found: list[bytes] = []
        size = self.size
        while len(found) < size:
            found += self.log.ListEntries(log_pb2.ListEntriesRequest(start=len(found))).leaves
        return found
