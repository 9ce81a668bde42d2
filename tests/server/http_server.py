"""A web server on loopback, for tests in which a program asks one."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Answering(BaseHTTPRequestHandler):
    """Handler that prints nothing and has a short way to answer."""

    def answer(self, body: bytes, *, status: int = 200, kind: str = "application/json") -> None:
        """Send an answer with this body."""
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def sent(self) -> bytes:
        """Read the request's body."""
        return self.rfile.read(int(self.headers["Content-Length"]))

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def http_server(handler: Callable[..., Any]) -> Iterator[str]:
    """Serve with a handler for the block; yield the address, such as ``http://127.0.0.1:8080``."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join(60)
