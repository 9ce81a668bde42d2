"""Channels to a Referee server with default timeouts, retries of calls that may be repeated, and errors as exceptions.

On UNAVAILABLE, gRPC itself retries the methods that write nothing or are idempotent, as the protos say; ``AcceptEvent``
is not among them. Any method is retried if the server has certainly not begun the call, for example because it has too
many calls. A call without a timeout gets the channel's. Every status but OK becomes a ``RefereeError``. New calls avoid
servers that are stopping.

>>> import json
>>> tried_again = [one for one in json.loads(service_config())["methodConfig"] if "retryPolicy" in one]
>>> [word in str(tried_again) for word in ("SettleRound", "AcceptEvent")]
[True, False]
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final

import grpc
import grpc.aio

from referee_client.errors import RefereeError

DEFAULT_TIMEOUT: Final = 10.0
"""Timeout in seconds of a call that has none of its own, its retries included."""

RECONNECTING: Final = (
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.min_reconnect_backoff_ms", 5_000),
)
"""Channel options that bound how late a channel finds a server that is back.

The pause between attempts to connect grows to 2 s and not, as without them, to 2 min; an attempt that is not answered
is given up after 5 s and not after 20 s. gRPC makes each pause up to a fifth longer.
"""

_NOT_BEGUN: Final = frozenset({"OVERLOADED", "TOO_MANY_CALLS"})
"""Reasons with which a server refuses a call before it has begun any work for it."""
_RESET: Final = "RST_STREAM with error code 7"
"""Text by which gRPC reports REFUSED_STREAM: nothing of the call was processed (RFC 9113, section 8.7).

The connection had too many calls. gRPC gives no other sign; if the text changes, such a call fails without a retry.
"""
_PAUSES: Final = (0.1, 0.2, 0.4, 0.8)
"""Longest pause in seconds before each further attempt; the actual pause is a random part of it, at least half."""


@cache
def service_config() -> str:
    """Return the gRPC service config as JSON, which was generated from the protos: methods to retry, and how often."""
    return resources.files("referee.v1").joinpath("service_config.json").read_text(encoding="utf-8")


def tls_credentials(
    *, authorities: bytes | None = None, certificate: bytes | None = None, key: bytes | None = None
) -> grpc.ChannelCredentials:
    """Return credentials for TLS; each argument is a PEM file's content.

    ``authorities`` are the certificates to trust, those of the system by default. ``certificate`` and its private
    ``key`` are for a server that asks for a client's certificate.
    """
    return grpc.ssl_channel_credentials(authorities, key, certificate)


def open_channel(
    address: str,
    *,
    credentials: grpc.ChannelCredentials | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    token: str = "",
    options: Sequence[tuple[str, Any]] = (),
) -> grpc.Channel:
    """Open a channel for the generated stubs; without credentials plain text, for loopback and private networks.

    ``token`` is sent with every call as ``authorization: Bearer``. ``timeout`` is in seconds, for calls without one.
    """
    settings = [*_options(), *options]
    plain = (
        grpc.secure_channel(address, credentials, settings) if credentials else grpc.insecure_channel(address, settings)
    )
    return grpc.intercept_channel(plain, _Caller(timeout, token))


def open_aio_channel(
    address: str,
    *,
    credentials: grpc.ChannelCredentials | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    token: str = "",
    options: Sequence[tuple[str, Any]] = (),
) -> grpc.aio.Channel:
    """Open a channel for asyncio; the arguments are those of ``open_channel``."""
    settings, callers = [*_options(), *options], [_AioCaller(timeout, token)]
    if credentials:
        return grpc.aio.secure_channel(address, credentials, settings, interceptors=callers)
    return grpc.aio.insecure_channel(address, settings, interceptors=callers)


def _options() -> list[tuple[str, Any]]:
    return [("grpc.enable_retries", 1), ("grpc.service_config", service_config()), *RECONNECTING]


class _Details(grpc.ClientCallDetails):
    """Details of a call, with the token, and with the channel's timeout if the call has none."""

    def __init__(self, details: grpc.ClientCallDetails, timeout: float, token: str) -> None:
        self.method = details.method
        self.timeout = timeout if details.timeout is None else details.timeout
        self.metadata = (*(details.metadata or ()), *_authorization(token)) or None
        self.credentials = details.credentials
        self.wait_for_ready = details.wait_for_ready
        self.compression = details.compression


class _Caller(grpc.UnaryUnaryClientInterceptor):
    def __init__(self, timeout: float, token: str) -> None:
        self._timeout, self._token = timeout, token

    def intercept_unary_unary(
        self, continuation: Callable[..., Any], client_call_details: grpc.ClientCallDetails, request: object
    ) -> Any:  # noqa: ANN401 - grpc's own call object
        details = _Details(client_call_details, self._timeout, self._token)
        pauses = _Pauses(details.timeout)
        while True:
            call = continuation(details, request)
            if call.code() is grpc.StatusCode.OK:
                return call
            refused = RefereeError.of(call, method=_text(details.method), seconds=pauses.timeout)
            pause = pauses.after(refused)
            if pause is None:
                raise refused
            time.sleep(pause)
            details.timeout = pauses.seconds_left


class _AioCaller(grpc.aio.UnaryUnaryClientInterceptor):
    def __init__(self, timeout: float, token: str) -> None:
        self._timeout, self._token = timeout, token

    async def intercept_unary_unary(
        self,
        continuation: Callable[[grpc.aio.ClientCallDetails, Any], Awaitable[Any]],
        client_call_details: grpc.aio.ClientCallDetails,
        request: Any,  # noqa: ANN401 - any message
    ) -> Any:  # noqa: ANN401 - grpc's own call object
        metadata = client_call_details.metadata or grpc.aio.Metadata()
        for name, value in _authorization(self._token):
            metadata.add(name, value)
        timeout = client_call_details.timeout
        pauses = _Pauses(self._timeout if timeout is None else timeout)
        while True:
            filled = grpc.aio.ClientCallDetails(
                client_call_details.method,
                pauses.seconds_left,
                metadata,
                client_call_details.credentials,
                client_call_details.wait_for_ready,
            )
            call = await continuation(filled, request)
            if await call.code() is grpc.StatusCode.OK:
                return call
            refused = await _refused(call, filled, pauses.timeout)
            pause = pauses.after(refused)
            if pause is None:
                raise refused
            await asyncio.sleep(pause)


class _Pauses:
    """Pauses before further attempts of a call that the server did not begin, within the call's timeout."""

    def __init__(self, timeout: float | None) -> None:
        self.timeout = timeout
        self._ends = None if timeout is None else time.monotonic() + timeout
        self._longest: Iterator[float] = iter(_PAUSES)

    @property
    def seconds_left(self) -> float | None:
        """Seconds that are left of the timeout; None without a timeout."""
        return None if self._ends is None else max(0.0, self._ends - time.monotonic())

    def after(self, refused: RefereeError) -> float | None:
        """Return the seconds to wait before the next attempt; None if the call must not be tried again."""
        is_reset = not refused.reason and refused.code is grpc.StatusCode.UNAVAILABLE and _RESET in str(refused)
        longest = next(self._longest, None) if is_reset or refused.reason in _NOT_BEGUN else None
        if longest is None:
            return None
        pause = random.uniform(longest / 2, longest)  # noqa: S311 - spreads callers over time
        return pause if self._ends is None or time.monotonic() + pause < self._ends else None


def _authorization(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),) if token else ()


def _text(method: str | bytes) -> str:
    return method.decode() if isinstance(method, bytes) else method


async def _refused(call: Any, details: grpc.aio.ClientCallDetails, seconds: float | None) -> RefereeError:  # noqa: ANN401 - grpc's own call
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return RefereeError.of(error, method=_text(details.method), seconds=seconds)
    raise AssertionError("a call that was not OK has no error")
