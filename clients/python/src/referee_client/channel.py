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
import json
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final

import grpc
import grpc.aio
from google.protobuf.descriptor_pb2 import MethodOptions

from referee.reach import direct_options
from referee.wire.registry import GAME_MESSAGES
from referee_client.errors import RefereeError
from referee_client.token import EXPIRED, AsyncHeldToken, AsyncToken, HeldToken, Token

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

_UNKNOWN: Final = MethodOptions.IDEMPOTENCY_UNKNOWN
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
    """Return the gRPC service config as JSON: methods to retry, and how often.

    For the services of ``referee.v1`` it was generated from the protos; those of installed games are added likewise.
    """
    config = json.loads(resources.files("referee.v1").joinpath("service_config.json").read_text(encoding="utf-8"))
    names = {"retryPolicy" in entry: entry["name"] for entry in config["methodConfig"]}
    known = {one["service"] for entry in names.values() for one in entry}
    for messages in GAME_MESSAGES.values():
        if messages.full_name not in known:
            for method in messages.descriptor.methods:
                may_repeat = method.GetOptions().idempotency_level != _UNKNOWN
                names[may_repeat].append({"service": messages.full_name, "method": method.name})
    return json.dumps(config)


def tls_credentials(
    *, authorities: bytes | None = None, certificate: bytes | None = None, key: bytes | None = None
) -> grpc.ChannelCredentials:
    """Return credentials for TLS; each argument is a PEM file's content.

    ``authorities`` are the certificates to trust, those of the system by default. ``certificate`` and its private
    ``key`` are for a server that asks for a client's certificate. Raise ValueError if only one of the two is given.
    """
    given = {"certificate": certificate, "key": key}
    missing = [name for name, pem in given.items() if not pem]
    if len(missing) == 1:
        msg = f"a client's certificate is used with its private key: give {missing[0]} too, or neither of the two"
        raise ValueError(msg)
    return grpc.ssl_channel_credentials(authorities, key, certificate)


def open_channel(
    address: str,
    *,
    credentials: grpc.ChannelCredentials | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    token: Token = "",
    options: Sequence[tuple[str, Any]] = (),
) -> grpc.Channel:
    """Open a channel for the generated stubs; without credentials plain text, for loopback and private networks.

    ``token`` is sent with every call as ``authorization: Bearer``. If it is a function, it is asked at the first call,
    and again when the server says that the token has expired; that call is then made once more. ``timeout`` is in
    seconds, for calls without one.
    """
    settings = [*_options(address), *options]
    plain = (
        grpc.secure_channel(address, credentials, settings) if credentials else grpc.insecure_channel(address, settings)
    )
    return grpc.intercept_channel(plain, _Caller(timeout, token, address))


def open_aio_channel(
    address: str,
    *,
    credentials: grpc.ChannelCredentials | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    token: AsyncToken = "",
    options: Sequence[tuple[str, Any]] = (),
) -> grpc.aio.Channel:
    """Open a channel for asyncio; arguments as of ``open_channel``, but ``token`` may be a coroutine function."""
    settings, callers = [*_options(address), *options], [_AioCaller(timeout, token, address)]
    if credentials:
        return grpc.aio.secure_channel(address, credentials, settings, interceptors=callers)
    return grpc.aio.insecure_channel(address, settings, interceptors=callers)


def _options(address: str) -> list[tuple[str, Any]]:
    retrying = ("grpc.enable_retries", 1), ("grpc.service_config", service_config())
    return [*retrying, *RECONNECTING, *direct_options(address)]


class _Details(grpc.ClientCallDetails):
    """Details of one attempt of a call: its token, and the seconds that are left."""

    def __init__(self, details: grpc.ClientCallDetails, timeout: float | None, token: str) -> None:
        self.method = details.method
        self.timeout = timeout
        self.metadata = (*(details.metadata or ()), *_authorization(token)) or None
        self.credentials = details.credentials
        self.wait_for_ready = details.wait_for_ready
        self.compression = details.compression


class _Caller(grpc.UnaryUnaryClientInterceptor):
    def __init__(self, timeout: float, token: Token, address: str) -> None:
        self._timeout, self._token, self._address = timeout, HeldToken(token), address

    def intercept_unary_unary(
        self, continuation: Callable[..., Any], client_call_details: grpc.ClientCallDetails, request: object
    ) -> Any:  # noqa: ANN401 - grpc's own call object
        timeout = client_call_details.timeout
        pauses, is_renewed = _Pauses(self._timeout if timeout is None else timeout), False
        while True:
            token = self._token.text()
            details = _Details(client_call_details, pauses.seconds_left, token)
            call = continuation(details, request)
            if call.code() is grpc.StatusCode.OK:
                return call
            refused = RefereeError.of(call, method=_text(details.method), seconds=pauses.timeout, address=self._address)
            if refused.reason == EXPIRED and not is_renewed and self._token.renew(token):
                is_renewed = True
                continue
            pause = pauses.after(refused)
            if pause is None:
                raise refused
            time.sleep(pause)


class _AioCaller(grpc.aio.UnaryUnaryClientInterceptor):
    def __init__(self, timeout: float, token: AsyncToken, address: str) -> None:
        self._timeout, self._token, self._address = timeout, AsyncHeldToken(token), address

    async def intercept_unary_unary(
        self,
        continuation: Callable[[grpc.aio.ClientCallDetails, Any], Awaitable[Any]],
        client_call_details: grpc.aio.ClientCallDetails,
        request: Any,  # noqa: ANN401 - any message
    ) -> Any:  # noqa: ANN401 - grpc's own call object
        timeout = client_call_details.timeout
        pauses, is_renewed = _Pauses(self._timeout if timeout is None else timeout), False
        while True:
            token = await self._token.text()
            filled = grpc.aio.ClientCallDetails(
                client_call_details.method,
                pauses.seconds_left,
                grpc.aio.Metadata(*(client_call_details.metadata or ()), *_authorization(token)),
                client_call_details.credentials,
                client_call_details.wait_for_ready,
            )
            call = await continuation(filled, request)
            if await call.code() is grpc.StatusCode.OK:
                return call
            refused = await _refused(call, filled, pauses.timeout, self._address)
            if refused.reason == EXPIRED and not is_renewed and await self._token.renew(token):
                is_renewed = True
                continue
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


async def _refused(
    call: Any,  # noqa: ANN401 - grpc's own call
    details: grpc.aio.ClientCallDetails,
    seconds: float | None,
    address: str,
) -> RefereeError:
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return RefereeError.of(error, method=_text(details.method), seconds=seconds, address=address)
    raise AssertionError("a call that was not OK has no error")
