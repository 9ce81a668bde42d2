"""Calls of browsers made again as calls of the service, over connections that never leave this machine.

The law: a call is the caller's own. Its credentials, request id and trace go along; so do its deadline, its
cancelling, and where it came from. Other headers stay here: what a browser sends by itself is not the service's, and
nobody but this gateway can vouch for an address. What the service sends back comes back: metadata, trailers, messages
and the error with its details. Nothing is repeated and nothing is remembered here: interceptors, access and limits hold
once, at the service, for every way in.
"""

import asyncio
import base64
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import grpc.aio
from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.request import Headers, RequestContext

from referee.web.codec import EncodedAnswer
from referee.web.errors import DETAILS, fault_of

Context: TypeAlias = "RequestContext[bytes, EncodedAnswer]"
Metadata: TypeAlias = tuple[tuple[str, str], ...]

FORWARDED: Final = ("authorization", "traceparent", "tracestate", "x-request-id")
"""What a browser may tell the service beside its question."""
FORWARDED_FOR: Final = "x-referee-forwarded-for"
"""Where the caller is, in words of gRPC's peers such as ``ipv4:127.0.0.1:40112``."""
GATEWAY: Final = "x-referee-gateway"
"""What shows the service that the line above is the gateway's own."""

_OPTIONS: Final = (
    ("grpc.use_local_subchannel_pool", 1),  # each channel a connection of its own
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The service that calls are forwarded to: where it is, in gRPC's words, and what it knows this gateway by."""

    target: str
    gateway_pass: str = field(repr=False)
    message_bytes: int = 1024 * 1024
    """The largest question that it takes."""


class Forwarder:
    """The connections to the service. Lives in the event loop that it was made in.

    ``connections`` is how many; each call takes the one with the fewest under way, so that calls that last, such as
    watches, do not hold the others up.
    """

    def __init__(self, behind: Upstream, *, connections: int) -> None:
        self._channels = [grpc.aio.insecure_channel(behind.target, options=_OPTIONS) for _ in range(connections)]
        self._under_way = [0] * connections
        self._pass = behind.gateway_pass
        self._streams: set[grpc.aio.UnaryStreamCall[bytes, bytes]] = set()
        self._is_ending = False

    def end_streams(self) -> None:
        """Streams end with UNAVAILABLE, so that their readers ask elsewhere; other calls are still answered."""
        self._is_ending = True
        for call in tuple(self._streams):
            call.cancel()

    async def close(self) -> None:
        """Calls under way are cut off."""
        for channel in self._channels:
            await channel.close()

    async def unary(self, path: str, question: bytes, context: Context, *, kind: type[Any]) -> EncodedAnswer:
        """The service's answer to one question; ConnectError where it refuses."""
        with self._channel() as channel:
            method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(path)
            call = method(question, metadata=self._metadata_of(context), timeout=_seconds(context))
            try:
                answer = await call
            except grpc.aio.AioRpcError as error:
                _tell(context.response_headers, error.initial_metadata())
                _tell(context.response_trailers, error.trailing_metadata())
                raise fault_of(error) from None
            _tell(context.response_headers, await call.initial_metadata())
            _tell(context.response_trailers, await call.trailing_metadata())
            return EncodedAnswer(answer, kind)

    async def stream(
        self, path: str, question: bytes, context: Context, *, kind: type[Any]
    ) -> AsyncIterator[EncodedAnswer]:
        """The service's answers as they come; ConnectError where it ends with an error."""
        with self._channel() as channel:
            method: grpc.aio.UnaryStreamMultiCallable[bytes, bytes] = channel.unary_stream(path)
            call = method(question, metadata=self._metadata_of(context), timeout=_seconds(context))
            self._streams.add(call)
            try:
                _tell(context.response_headers, await call.initial_metadata())
                async for answer in call:
                    yield EncodedAnswer(answer, kind)
                _tell(context.response_trailers, await call.trailing_metadata())
            except grpc.aio.AioRpcError as error:
                _tell(context.response_trailers, error.trailing_metadata())
                raise fault_of(error) from None
            except asyncio.CancelledError:
                if self._is_ending and call.cancelled():
                    raise ConnectError(Code.UNAVAILABLE, "the server stops; ask again") from None
                raise
            finally:
                self._streams.discard(call)
                call.cancel()

    @contextmanager
    def _channel(self) -> Iterator[grpc.aio.Channel]:
        index = min(range(len(self._channels)), key=self._under_way.__getitem__)
        self._under_way[index] += 1
        try:
            yield self._channels[index]
        finally:
            self._under_way[index] -= 1

    def _metadata_of(self, context: Context) -> Metadata:
        headers = context.request_headers
        told = [(name, value) for name in FORWARDED for value in headers.getall(name) if _is_sendable(value)]
        return (*told, (FORWARDED_FOR, _peer(context.client_address)), (GATEWAY, self._pass))


def _is_sendable(value: str) -> bool:
    """Whether gRPC can carry it; a header of HTTP may hold more."""
    return value.isascii() and value.isprintable()


def _tell(headers: Headers, metadata: "Iterable[tuple[str, str | bytes]] | None") -> None:
    """What the service said about its answer, said on; the error's details have a place of their own."""
    for key, value in metadata or ():
        if key == DETAILS:
            continue
        headers.add(key, value if isinstance(value, str) else base64.b64encode(value).decode().rstrip("="))


def _seconds(context: Context) -> float | None:
    """What is left of the caller's deadline."""
    left = context.timeout_ms
    return None if left is None else max(0.0, left / 1000)


def _peer(address: str | None) -> str:
    """The caller's address as gRPC writes one.

    >>> _peer("127.0.0.1:40112"), _peer("::1:40112"), _peer(None)
    ('ipv4:127.0.0.1:40112', 'ipv6:[::1]:40112', 'unknown')
    """
    if address is None:
        return "unknown"
    host, _, port = address.rpartition(":")
    return f"ipv6:[{host}]:{port}" if ":" in host else f"ipv4:{host}:{port}"
