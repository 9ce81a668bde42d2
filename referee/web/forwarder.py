"""Browsers' calls forwarded to the service over local connections.

Credentials, request id, trace, deadline, cancellation and the caller's address are forwarded, other headers are not.
Metadata, trailers, messages and errors are returned. Access and limits are checked by the service only.
"""

import asyncio
import base64
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import grpc.aio
from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.request import Headers, RequestContext
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.reach import direct_options
from referee.server.process.probes import PROBE_SECONDS, Health, unanswered
from referee.service.interceptor import FORWARDED_FOR, GATEWAY
from referee.web.callers import peer_of
from referee.web.codec import EncodedAnswer
from referee.web.errors import DETAILS, connect_error

Context: TypeAlias = "RequestContext[bytes, EncodedAnswer]"
Metadata: TypeAlias = tuple[tuple[str, str], ...]

FORWARDED: Final = ("authorization", "traceparent", "tracestate", "x-request-id")
"""Request headers that are forwarded."""
_RESET: Final = "RST_STREAM with error code 7"
"""REFUSED_STREAM in gRPC's words: nothing of the call was processed (RFC 9113, section 8.7)."""
_OPTIONS: Final = (
    ("grpc.use_local_subchannel_pool", 1),  # each channel a connection of its own
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
)
_LONGEST_SECONDS: Final = 604_800.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The service: its gRPC target and the secret shared with it."""

    target: str
    gateway_pass: str = field(repr=False)


class _Line:
    """A connection to the service, and the number of its calls."""

    def __init__(self, target: str) -> None:
        self.channel = grpc.aio.insecure_channel(target, options=[*_OPTIONS, *direct_options(target)])
        self.calls = 0


class Forwarder:
    """Connections to the service, for the event loop they were made in; a call uses the one with the fewest calls.

    One that fails a call without the service's word is replaced; its other calls are still answered.
    """

    def __init__(self, behind: Upstream, *, connections: int) -> None:
        self._target = behind.target
        self._lines = [_Line(behind.target) for _ in range(connections)]
        self._replaced: set[_Line] = set()
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
        for line in (*self._lines, *self._replaced):
            await line.channel.close()

    async def health(self) -> Health:
        """Return how the service is, by its gRPC health."""
        async with self._line() as line:
            check = health_pb2_grpc.HealthStub(line.channel).Check
            try:
                answer = await check(health_pb2.HealthCheckRequest(), timeout=PROBE_SECONDS)
            except grpc.aio.AioRpcError as error:
                if _is_lost(error):
                    self._replace(line)
                return unanswered(error.code())
        if answer.status == health_pb2.HealthCheckResponse.SERVING:
            return Health("", is_answered=True)
        name = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
        return Health(f"{name}: the service starts or stops, or its log cannot be written", is_answered=True)

    async def unary(self, path: str, question: bytes, context: Context, *, kind: type[Any]) -> EncodedAnswer:
        """Forward a request and return the answer; raise ConnectError where the service refuses."""
        for is_last in (False, True):
            async with self._line() as line:
                method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = line.channel.unary_unary(path)
                call = method(question, metadata=self._metadata_of(context), timeout=_seconds(context))
                try:
                    answer = await call
                except grpc.aio.AioRpcError as error:
                    if _is_lost(error):
                        self._replace(line)
                        if not is_last and _RESET in (error.details() or ""):
                            continue
                    _copy(context.response_headers, error.initial_metadata())
                    _copy(context.response_trailers, error.trailing_metadata())
                    raise connect_error(error) from None
                _copy(context.response_headers, await call.initial_metadata())
                _copy(context.response_trailers, await call.trailing_metadata())
                return EncodedAnswer(answer, kind)
        raise AssertionError  # the last attempt returns or raises

    async def stream(
        self, path: str, question: bytes, context: Context, *, kind: type[Any]
    ) -> AsyncIterator[EncodedAnswer]:
        """Forward a request and yield the answers; raise ConnectError where the service refuses."""
        async with self._line() as line:
            method: grpc.aio.UnaryStreamMultiCallable[bytes, bytes] = line.channel.unary_stream(path)
            call = method(question, metadata=self._metadata_of(context), timeout=_seconds(context))
            self._streams.add(call)
            try:
                _copy(context.response_headers, await call.initial_metadata())
                async for answer in call:
                    yield EncodedAnswer(answer, kind)
                _copy(context.response_trailers, await call.trailing_metadata())
            except grpc.aio.AioRpcError as error:
                if _is_lost(error):
                    self._replace(line)
                _copy(context.response_trailers, error.trailing_metadata())
                raise connect_error(error) from None
            except asyncio.CancelledError:
                if self._is_ending and call.cancelled():
                    raise ConnectError(Code.UNAVAILABLE, "the server stops; try again") from None
                raise
            finally:
                self._streams.discard(call)
                call.cancel()

    @asynccontextmanager
    async def _line(self) -> AsyncIterator[_Line]:
        line = min(self._lines, key=lambda one: one.calls)
        line.calls += 1
        try:
            yield line
        finally:
            line.calls -= 1
            if line in self._replaced and not line.calls:
                self._replaced.remove(line)
                await line.channel.close()

    def _replace(self, line: _Line) -> None:
        """Use a new connection instead of this one, which closes with the last of its calls."""
        if line in self._lines:
            self._lines[self._lines.index(line)] = _Line(self._target)
            self._replaced.add(line)

    def _metadata_of(self, context: Context) -> Metadata:
        headers = context.request_headers
        given = [(name, value) for name in FORWARDED for value in headers.getall(name)]
        forwarded = [(name, value) for name, value in given if value.isascii() and value.isprintable()]  # as gRPC can
        return (*forwarded, (FORWARDED_FOR, _peer(context.client_address)), (GATEWAY, self._pass))


def _is_lost(error: grpc.aio.AioRpcError) -> bool:
    """Return whether a call failed by its connection: the service's own refusals have details."""
    is_refused = any(key == DETAILS for key, _ in error.trailing_metadata() or ())
    return error.code() is grpc.StatusCode.UNAVAILABLE and not is_refused


def _copy(headers: Headers, metadata: "Iterable[tuple[str, str | bytes]] | None") -> None:
    """Copy metadata of an answer into headers, except the error details."""
    for key, value in metadata or ():
        if key == DETAILS:
            continue
        headers.add(key, value if isinstance(value, str) else base64.b64encode(value).decode().rstrip("="))


def _seconds(context: Context) -> float | None:
    """Return the rest of the caller's deadline, at most a week: gRPC takes a time that its clock lacks for 0."""
    left = context.timeout_ms
    return None if left is None else min(max(0.0, left / 1000), _LONGEST_SECONDS)


def _peer(address: str | None) -> str:
    """Format the caller's address as a gRPC peer.

    >>> _peer("127.0.0.1:40112"), _peer("::1:40112"), _peer(None)
    ('ipv4:127.0.0.1:40112', 'ipv6:[::1]:40112', 'unknown')
    """
    if address is None:
        return peer_of(None)
    host, _, port = address.rpartition(":")
    return peer_of((host, int(port)))
