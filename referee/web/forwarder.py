"""Browsers' calls forwarded to the service over local connections.

Credentials, request id, trace, deadline, cancellation and the caller's address are forwarded, other headers are not.
Metadata, trailers, messages and errors are returned. Access and limits are checked by the service only.
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
from referee.web.errors import DETAILS, connect_error

Context: TypeAlias = "RequestContext[bytes, EncodedAnswer]"
Metadata: TypeAlias = tuple[tuple[str, str], ...]

FORWARDED: Final = ("authorization", "traceparent", "tracestate", "x-request-id")
"""Request headers that are forwarded."""
FORWARDED_FOR: Final = "x-referee-forwarded-for"
"""Header with the caller's address as a gRPC peer, such as ``ipv4:127.0.0.1:40112``."""
GATEWAY: Final = "x-referee-gateway"
"""Header with the secret that proves the address to be the gateway's own."""

_OPTIONS: Final = (
    ("grpc.use_local_subchannel_pool", 1),  # each channel a connection of its own
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The service: its gRPC target and the secret shared with it."""

    target: str
    gateway_pass: str = field(repr=False)
    message_bytes: int = 1024 * 1024
    """Largest request that the service accepts."""


class Forwarder:
    """Connections to the service, for the event loop they were made in; a call uses the one with the fewest calls."""

    def __init__(self, behind: Upstream, *, connections: int) -> None:
        self._channels = [grpc.aio.insecure_channel(behind.target, options=_OPTIONS) for _ in range(connections)]
        self._under_way = [0] * connections
        self._pass = behind.gateway_pass
        self._streams: set[grpc.aio.UnaryStreamCall[bytes, bytes]] = set()
        self._is_ending = False

    def end_streams(self) -> None:
        """End streams with UNAVAILABLE so that readers reconnect elsewhere; other calls are still answered."""
        self._is_ending = True
        for call in tuple(self._streams):
            call.cancel()

    async def close(self) -> None:
        """Cancel calls and close the connections."""
        for channel in self._channels:
            await channel.close()

    async def unary(self, path: str, question: bytes, context: Context, *, kind: type[Any]) -> EncodedAnswer:
        """Forward a request and return the answer; raise ConnectError where the service refuses."""
        with self._channel() as channel:
            method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(path)
            call = method(question, metadata=self._metadata_of(context), timeout=_seconds(context))
            try:
                answer = await call
            except grpc.aio.AioRpcError as error:
                _copy(context.response_headers, error.initial_metadata())
                _copy(context.response_trailers, error.trailing_metadata())
                raise connect_error(error) from None
            _copy(context.response_headers, await call.initial_metadata())
            _copy(context.response_trailers, await call.trailing_metadata())
            return EncodedAnswer(answer, kind)

    async def stream(
        self, path: str, question: bytes, context: Context, *, kind: type[Any]
    ) -> AsyncIterator[EncodedAnswer]:
        """Forward a request and yield the answers; raise ConnectError where the service refuses."""
        with self._channel() as channel:
            method: grpc.aio.UnaryStreamMultiCallable[bytes, bytes] = channel.unary_stream(path)
            call = method(question, metadata=self._metadata_of(context), timeout=_seconds(context))
            self._streams.add(call)
            try:
                _copy(context.response_headers, await call.initial_metadata())
                async for answer in call:
                    yield EncodedAnswer(answer, kind)
                _copy(context.response_trailers, await call.trailing_metadata())
            except grpc.aio.AioRpcError as error:
                _copy(context.response_trailers, error.trailing_metadata())
                raise connect_error(error) from None
            except asyncio.CancelledError:
                if self._is_ending and call.cancelled():
                    raise ConnectError(Code.UNAVAILABLE, "the server stops; try again") from None
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
        forwarded = [(name, value) for name in FORWARDED for value in headers.getall(name) if _is_sendable(value)]
        return (*forwarded, (FORWARDED_FOR, _peer(context.client_address)), (GATEWAY, self._pass))


def _is_sendable(value: str) -> bool:
    """Return whether gRPC can carry the header value."""
    return value.isascii() and value.isprintable()


def _copy(headers: Headers, metadata: "Iterable[tuple[str, str | bytes]] | None") -> None:
    """Copy metadata of an answer into headers, except the error details."""
    for key, value in metadata or ():
        if key == DETAILS:
            continue
        headers.add(key, value if isinstance(value, str) else base64.b64encode(value).decode().rstrip("="))


def _seconds(context: Context) -> float | None:
    """Return the rest of the caller's deadline."""
    left = context.timeout_ms
    return None if left is None else max(0.0, left / 1000)


def _peer(address: str | None) -> str:
    """Format the caller's address as a gRPC peer.

    >>> _peer("127.0.0.1:40112"), _peer("::1:40112"), _peer(None)
    ('ipv4:127.0.0.1:40112', 'ipv6:[::1]:40112', 'unknown')
    """
    if address is None:
        return "unknown"
    host, _, port = address.rpartition(":")
    return f"ipv6:[{host}]:{port}" if ":" in host else f"ipv4:{host}:{port}"
