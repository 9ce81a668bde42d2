"""A log behind a running LogService, as ``referee audit host:port`` reads it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import grpc

from referee.cli.options import fail
from referee.v1 import log_pb2, log_pb2_grpc

CALL_SECONDS: Final = 30.0
_PAGE: Final = 1_000
_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class ServedLog:
    """A served log under the checkpoint of the audit's start, as the audit's log source."""

    stub: log_pb2_grpc.LogServiceStub
    keys: log_pb2.GetKeysResponse
    checkpoint: bytes

    def leaves(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield the leaves from ``start`` to before ``stop``, in order; fewer if the service returns no more."""
        while start < stop:
            request = log_pb2.ListEntriesRequest(start=start, count=min(stop - start, _PAGE))
            leaves = self.stub.ListEntries(request, timeout=CALL_SECONDS).leaves
            if not leaves:
                return
            yield from leaves
            start += len(leaves)

    def cosigned(self) -> Iterator[bytes]:
        """Yield the cosigned checkpoints that the service lists, smallest first."""
        start = 0
        while True:
            request = log_pb2.ListCosignedCheckpointsRequest(start_size=start)
            notes = self.stub.ListCosignedCheckpoints(request, timeout=CALL_SECONDS).checkpoints
            if not notes:
                return
            for note in notes:
                yield note.encode()
            size = notes[-1].partition("\n")[2].partition("\n")[0]
            if not size.isdecimal() or len(size) > _DIGITS or int(size) < start:
                return
            start = int(size) + 1


@contextmanager
def served_log(address: str) -> Iterator[ServedLog]:
    """Connect to a service for the block; end the command if it does not answer."""
    with grpc.insecure_channel(address) as channel:
        stub = log_pb2_grpc.LogServiceStub(channel)
        try:
            keys = stub.GetKeys(log_pb2.GetKeysRequest(), timeout=CALL_SECONDS)
            checkpoint = stub.GetCheckpoint(log_pb2.GetCheckpointRequest(), timeout=CALL_SECONDS).checkpoint
            yield ServedLog(stub, keys, checkpoint.encode())
        except grpc.RpcError as error:
            fail(
                f"{address} does not answer: {error.code().name}, {error.details()}; a service behind TLS or "
                "tokens cannot be asked from here: audit its tiles, or its data folder"
            )
