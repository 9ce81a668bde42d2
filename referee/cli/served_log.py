"""A log that ``referee audit host:port`` reads from a running LogService."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeAlias

import grpc

from referee.cli.options import fail
from referee.cli.service_access import NO_ACCESS, TOKEN_VARIABLE, ServiceAccess
from referee.reach import direct_options, proxy_words
from referee.v1 import log_pb2
from referee.v1.log_pb2_grpc import LogServiceStub

CALL_SECONDS: Final = 30.0
_PAGE: Final = 1_000
_DIGITS: Final = 16
Metadata: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ServedLog:
    """Log source of an audit that reads a service; its checkpoint is the newest when the audit began."""

    stub: LogServiceStub
    metadata: Metadata
    keys: log_pb2.GetKeysResponse
    checkpoint: bytes

    def leaves(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield the leaves from ``start`` to before ``stop``, in order; fewer if the service returns no more."""
        while start < stop:
            request = log_pb2.ListEntriesRequest(start=start, page_size=min(stop - start, _PAGE))
            leaves = self.stub.ListEntries(request, timeout=CALL_SECONDS, metadata=self.metadata).leaves
            if not leaves:
                return
            yield from leaves
            start += len(leaves)

    def cosigned(self) -> Iterator[bytes]:
        """Yield the cosigned checkpoints that the service lists, smallest first; stop at a page that goes backwards."""
        start = 0
        while True:
            request = log_pb2.ListCosignedCheckpointsRequest(start_size=start)
            answer = self.stub.ListCosignedCheckpoints(request, timeout=CALL_SECONDS, metadata=self.metadata)
            notes = answer.checkpoints
            if not notes:
                return
            for note in notes:
                yield note.encode()
            size = notes[-1].partition("\n")[2].partition("\n")[0]
            if not size.isdecimal() or len(size) > _DIGITS or int(size) < start:
                return
            start = int(size) + 1


@contextmanager
def called_log(address: str, access: ServiceAccess, *, roles: str) -> Iterator[tuple[LogServiceStub, Metadata]]:
    """Connect to a LogService for the block; end the command if it does not answer or refuses all but ``roles``."""
    metadata = (("authorization", f"Bearer {access.token}"),) if access.token else ()
    with _channel(address, access) as channel:
        try:
            yield LogServiceStub(channel), metadata
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.INVALID_ARGUMENT:
                fail(f"{address} refuses this: {error.details()}")
            advice = (
                roles if error.code() is grpc.StatusCode.PERMISSION_DENIED else _advice(address, error.code(), access)
            )
            fail(f"{address} does not answer: {error.code().name}, {error.details()}; {advice}")


@contextmanager
def served_log(address: str, access: ServiceAccess = NO_ACCESS) -> Iterator[ServedLog]:
    """Connect to a service for the block; end the command if it does not answer."""
    with called_log(address, access, roles="a token of role auditor may read the whole log") as (stub, metadata):
        keys = stub.GetKeys(log_pb2.GetKeysRequest(), timeout=CALL_SECONDS, metadata=metadata)
        newest = stub.GetCheckpoint(log_pb2.GetCheckpointRequest(), timeout=CALL_SECONDS, metadata=metadata)
        yield ServedLog(stub, metadata, keys, newest.checkpoint.encode())


def _channel(address: str, access: ServiceAccess) -> grpc.Channel:
    if not access.is_tls:
        return grpc.insecure_channel(address, direct_options(address))
    credentials = grpc.ssl_channel_credentials(
        root_certificates=access.authorities, private_key=access.key, certificate_chain=access.certificate
    )
    return grpc.secure_channel(address, credentials, direct_options(address))


def _advice(address: str, code: grpc.StatusCode, access: ServiceAccess) -> str:
    if code is grpc.StatusCode.UNAVAILABLE and (words := proxy_words(address)):
        return words
    if code is grpc.StatusCode.UNAVAILABLE and not access.is_tls:
        return "if it speaks TLS, give --tls, or --ca with its authority"
    if code is grpc.StatusCode.UNAVAILABLE:
        return "its certificate must be under --ca and for this host name; some services ask for --cert"
    if code is grpc.StatusCode.UNAUTHENTICATED:
        return f"give this caller's token (--token-file or {TOKEN_VARIABLE})"
    return "its data folder or its tiles can be audited too"
