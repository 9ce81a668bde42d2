"""The gateway: a web server on a thread of its own, in front of this process's service.

It calls the service through a socket that only this user can connect to. When it stops, it takes no new requests and
answers those it has.
"""

import asyncio
import socket
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, Self

import uvicorn

from referee.server.limits.rate_limit import ConcurrencyLimit, TokenBuckets
from referee.server.process.address import bound_socket
from referee.server.settings.limits import LimitSettings
from referee.server.settings.tls import TlsSettings
from referee.server.settings.web import WebSettings
from referee.threads import lasting
from referee.web.application import WebApplication
from referee.web.callers import ByteBudget, WebBounds
from referee.web.certificate import WebCertificate
from referee.web.connections import connection_type
from referee.web.forwarder import Forwarder, Upstream

CONNECTIONS: Final = 10
"""Connections to the service, enough for all calls that it queues, so that it does the rejecting."""
_BACKLOG: Final = 256
_KEEP_ALIVE_SECONDS: Final = 75
_SLACK: Final = 4
"""Requests this many times as large as the service accepts are rejected here, smaller ones by the service."""


class Gateway:
    """A running gateway; ``port`` is the one it listens on.

    With ``tls`` it serves HTTPS. Raises OSError for an address in use, unless ``is_port_shared``, and TlsFileError for
    an invalid certificate.
    """

    def __init__(  # noqa: PLR0913 - what it serves, for whom and how
        self,
        settings: WebSettings,
        behind: Upstream,
        *,
        limits: LimitSettings,
        tls: TlsSettings | None = None,
        is_port_shared: bool = False,
        grace: float = 10.0,
    ) -> None:
        self._settings = settings
        self._certificate = WebCertificate(tls) if tls is not None and tls.is_on else None
        self._behind = behind
        self._bounds = WebBounds(
            body_bytes=_SLACK * limits.message_bytes,
            request_seconds=limits.request_seconds,
            answer_seconds=limits.answer_seconds,
            connections=ConcurrencyLimit(most=settings.caller_connections),
            arrivals=TokenBuckets(rate=settings.caller_connects, burst=2 * settings.caller_connections),
            budget=ByteBudget(caller=settings.caller_bytes, total=settings.total_bytes),
        )
        self._socket = bound_socket(
            "{}:{}".format(*settings.address),
            (socket.SO_REUSEADDR, socket.SO_REUSEPORT) if is_port_shared else (socket.SO_REUSEADDR,),
        )
        self._socket.listen(_BACKLOG)
        self.port: int = self._socket.getsockname()[1]
        self._grace = grace
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: Callable[[], None] = self._socket.close
        self._is_up: Future[None] = Future()
        self._thread = lasting(self._run, name="web")

    def start(self) -> Self:
        """Answer requests."""
        self._thread.start()
        self._is_up.result()
        return self

    def close(self) -> None:
        """Answer accepted requests and stop; cancel those unanswered after the grace."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._stop)
        if self._thread.is_alive():
            self._thread.join()
        self._socket.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            if self._is_up.done():
                raise
            self._is_up.set_exception(error)

    async def _serve(self) -> None:
        forward = Forwarder(self._behind, connections=CONNECTIONS)
        certificate = self._certificate
        config = uvicorn.Config(
            WebApplication(forward, self._settings, self._bounds),
            http=connection_type(self._bounds),
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            proxy_headers=False,
            limit_concurrency=self._settings.connections,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=max(1, round(self._grace)),
            ws="none",
            ssl_context_factory=None if certificate is None else lambda *_: certificate.context(),
        )
        server = uvicorn.Server(config)

        def stop() -> None:
            forward.end_streams()
            server.should_exit = True

        self._stop, self._loop = stop, asyncio.get_running_loop()
        self._is_up.set_result(None)
        try:
            await server.serve(sockets=[self._socket])
        finally:
            await forward.close()
