"""The door for browsers: a web server on a thread of its own, before the service of this process.

The law: it holds no key, opens no log and decides nothing; what it is asked it asks the service by a socket that only
this process's user can reach. It speaks gRPC-Web, Connect, and plain JSON over HTTP. Stopping, it takes no new request
and answers those that it has.
"""

import asyncio
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, Self

import uvicorn

from referee.server.tls import TlsSettings
from referee.server.web_settings import WebSettings
from referee.web.application import WebApplication
from referee.web.certificate import WebCertificate
from referee.web.forwarder import Forwarder, Upstream

CONNECTIONS: Final = 10
"""To the service: together they carry as many calls as it lets wait, so that the refusals are its own."""
_BACKLOG: Final = 256
_KEEP_ALIVE_SECONDS: Final = 75


class Gateway:
    """A running door; ``port`` is where it listens.

    With ``tls`` it speaks HTTPS. OSError where the address cannot be had, TlsFileError where the certificate cannot.
    Several processes may listen together where ``is_port_shared``.
    """

    def __init__(
        self,
        settings: WebSettings,
        behind: Upstream,
        *,
        tls: TlsSettings | None = None,
        is_port_shared: bool = False,
        grace: float = 10.0,
    ) -> None:
        self._settings = settings
        self._certificate = WebCertificate(tls) if tls is not None and tls.is_on else None
        self._behind = behind
        self._socket = _listening(settings.address, is_port_shared=is_port_shared)
        self.port: int = self._socket.getsockname()[1]
        self._grace = grace
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: Callable[[], None] = self._socket.close
        self._is_up: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name="web", daemon=True)

    def start(self) -> Self:
        """Requests are answered."""
        self._thread.start()
        self._is_up.result()
        return self

    def close(self) -> None:
        """Requests that were accepted are answered; those that still are not after the grace are cut off."""
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
            WebApplication(forward, self._settings, message_bytes=self._behind.message_bytes),
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


def _listening(address: tuple[str, int], *, is_port_shared: bool) -> socket.socket:
    family, kind, proto, _, place = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)[0]
    found = socket.socket(family, kind, proto)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if is_port_shared:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        found.bind(place)
        found.listen(_BACKLOG)
    except OSError:
        found.close()
        raise
    return found
