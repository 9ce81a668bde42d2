"""Channels to a Referee server: deadlines by default, retries where a call may be repeated, refusals as exceptions.

A method is retried on UNAVAILABLE, by gRPC itself, where the protos say that it writes nothing or is
idempotent, and nowhere else; ``AcceptEvent`` is not among them. A call without a timeout gets the channel's. Every
status but OK becomes a ``RefereeError``. Servers that say they are stopping are passed over.


>>> import json
>>> tried_again = [one for one in json.loads(service_config())["methodConfig"] if "retryPolicy" in one]
>>> [word in str(tried_again) for word in ("SettleRound", "AcceptEvent")]
[True, False]
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final

import grpc
import grpc.aio

from referee_client.errors import RefereeError

DEFAULT_TIMEOUT: Final = 10.0
"""Seconds for a call that names none, its retries included."""


@cache
def service_config() -> str:
    """Return the gRPC service config generated from the protos, as JSON: which methods are retried and how often."""
    return resources.files("referee.v1").joinpath("service_config.json").read_text(encoding="utf-8")


def open_channel(
    address: str,
    *,
    credentials: grpc.ChannelCredentials | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    token: str = "",
    options: Sequence[tuple[str, Any]] = (),
) -> grpc.Channel:
    """Open a channel for the generated stubs; without credentials plain text, for loopback and private networks.

    ``token`` goes with every call, as ``authorization: Bearer``.
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
    """Open the same channel for asyncio."""
    settings, callers = [*_options(), *options], [_AioCaller(timeout, token)]
    if credentials:
        return grpc.aio.secure_channel(address, credentials, settings, interceptors=callers)
    return grpc.aio.insecure_channel(address, settings, interceptors=callers)


def _options() -> list[tuple[str, Any]]:
    return [("grpc.enable_retries", 1), ("grpc.service_config", service_config())]


class _Details(grpc.ClientCallDetails):
    """Details of a call, with the channel's timeout if it has none, and the token."""

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
        call = continuation(details, request)
        if call.code() is not grpc.StatusCode.OK:
            raise RefereeError.of(call, method=_text(details.method), seconds=details.timeout)
        return call


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
        filled = grpc.aio.ClientCallDetails(
            client_call_details.method,
            self._timeout if timeout is None else timeout,
            metadata,
            client_call_details.credentials,
            client_call_details.wait_for_ready,
        )
        call = await continuation(filled, request)
        if await call.code() is not grpc.StatusCode.OK:
            raise await _refused(call, filled)
        return call


def _authorization(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),) if token else ()


def _text(method: str | bytes) -> str:
    return method.decode() if isinstance(method, bytes) else method


async def _refused(call: Any, details: grpc.aio.ClientCallDetails) -> RefereeError:  # noqa: ANN401 - grpc's own call
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return RefereeError.of(error, method=_text(details.method), seconds=details.timeout)
    msg = "a call that was not OK has no error"
    raise AssertionError(msg)
