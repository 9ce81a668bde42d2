"""HTTP server on a port of its own: Prometheus' ``/metrics`` and the probes."""

import socket
from collections.abc import Callable, Iterable
from http import HTTPStatus
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import make_wsgi_app

from referee.server.process.metrics import Metrics
from referee.server.process.probes import LIVE, METHODS, READY, Health, ProbeAnswer, answer_of
from referee.threads import lasting

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

METRICS: Final = "/metrics"


class MetricsPort:
    """Running HTTP server; ``port`` is the one it listens on.

    ``health`` returns how the server is. Any other path gets status 404.
    """

    def __init__(self, metrics: Metrics, *, host: str, port: int, health: Callable[[], Health]) -> None:
        read: WSGIApplication = make_wsgi_app(metrics.registry)

        def answer(request: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
            path, method = request["PATH_INFO"], request["REQUEST_METHOD"]
            if path == METRICS:
                return read(request, start)
            headers = [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")]
            if path not in {LIVE, READY}:
                found = ProbeAnswer(404, f"Here are {METRICS}, {LIVE} and {READY}.\n")
            elif method not in METHODS:
                found = ProbeAnswer(405, "")
                headers.append(("Allow", ", ".join(METHODS)))
            else:
                found = answer_of(path, health())
            body = found.text.encode()
            headers.append(("Content-Length", str(len(body))))
            start(f"{found.status} {HTTPStatus(found.status).phrase}", headers)
            return [] if method == "HEAD" else [body]

        class Server(_Server):
            address_family = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[0][0]

        self._server = make_server(host, port, answer, server_class=Server, handler_class=_Handler)
        self._thread = lasting(self._server.serve_forever, name="metrics")
        self._thread.start()
        self.port = int(self._server.server_address[1])

    def close(self) -> None:
        """Free the port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Log nothing: probes and scrapes are frequent."""
