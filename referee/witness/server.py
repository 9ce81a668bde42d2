"""HTTP server of a witness: ``POST /add-checkpoint`` and ``GET /<SHA-256 of the origin>/checkpoint``.

A request is read whole, at most 64 KiB within ten seconds; connections are kept alive and at most 64. When it stops,
the server answers requests whose first line it has read. TLS and rate limits belong to a proxy in front of it.
"""

import re
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Self

import structlog

from referee.log.submission import MAX_SUBMISSION
from referee.threads import lasting
from referee.witness.state import WitnessStateError
from referee.witness.witness import Witness, WitnessAnswer

_READ_SECONDS: Final = 10.0
_CONNECTIONS: Final = 64
_MONITORED: Final = re.compile(r"/([0-9a-f]{64})/checkpoint")

_log = structlog.get_logger("referee.witness")


class WitnessServer:
    """HTTP server of a witness. Port 0 asks for a free one; the attribute ``port`` is the port in use."""

    def __init__(self, witness: Witness, *, host: str, port: int) -> None:
        self._server = _Server((host, port), witness)
        self.port: int = self._server.server_address[1]
        self._thread = lasting(self._server.serve_forever, 0.1, name="listener")

    def start(self) -> Self:
        """Start to answer requests, on a thread of its own; return the server."""
        self._thread.start()
        return self

    def close(self) -> None:
        """Accept no more connections; return once the requests in progress are answered."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.drain()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # server_close waits for the threads
    request_queue_size = 32

    def __init__(self, address: tuple[str, int], witness: Witness) -> None:
        self.witness = witness
        self.is_draining = False
        self._lock = threading.Lock()
        self._idle: set[socket.socket] = set()
        self._room = threading.BoundedSemaphore(_CONNECTIONS)
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as the base has it
        """Serve a connection on a thread of its own, or close it if there are too many."""
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as the base has it
        """Serve a connection to its end."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as the base has it
        """Log an exception in a handler."""
        del request, client_address
        _log.warning("connection ended", exc_info=True)

    def mark_idle(self, connection: socket.socket, *, idle: bool) -> None:
        """Record whether the connection waits for a request; while draining, end one that does."""
        with self._lock:
            if not idle:
                self._idle.discard(connection)
            elif not self.is_draining:
                self._idle.add(connection)
            else:
                _stop_reading(connection)

    def drain(self) -> None:
        """End the connections that wait for a request, and each other one once it would wait."""
        with self._lock:
            self.is_draining = True
            for connection in self._idle:
                _stop_reading(connection)
            self._idle.clear()


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version = "referee-witness"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = _READ_SECONDS
    disable_nagle_algorithm = True

    def handle_one_request(self) -> None:
        """Answer the connection's next request, or end the connection."""
        self.server.mark_idle(self.connection, idle=True)
        try:
            super().handle_one_request()
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        finally:
            self.server.mark_idle(self.connection, idle=False)

    def parse_request(self) -> bool:
        """Parse request line and headers; the connection is busy from here on."""
        self.server.mark_idle(self.connection, idle=False)
        return super().parse_request()

    def do_POST(self) -> None:
        """Answer a submission."""
        if self.path != "/add-checkpoint":
            self._answer(WitnessAnswer(404, b"post to /add-checkpoint\n"), close=True)
            return
        body = self._body()
        if body is None:
            return
        try:
            answer = self.server.witness.add_checkpoint(body)
        except WitnessStateError as error:
            _log.exception("state failed")
            answer = WitnessAnswer(503, f"{error}\n".encode())
        _log.info("answered", origin=_first_line(body), status=answer.status)
        self._answer(answer)

    def do_GET(self) -> None:
        """Answer with the checkpoint that was cosigned last."""
        match = _MONITORED.fullmatch(self.path)
        if match is None:
            self._answer(WitnessAnswer(404, b"there is /<sha256 of an origin in hex>/checkpoint\n"))
        else:
            self._answer(self.server.witness.checkpoint(match[1]))

    def date_time_string(self, timestamp: float | None = None) -> str:
        """Return the Date of an answer, by the clock that dates cosignatures."""
        return super().date_time_string(self.server.witness.now if timestamp is None else timestamp)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Do nothing; submissions have log lines of their own."""

    def _body(self) -> bytes | None:
        """Read the request's body; return None after rejecting it."""
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdecimal() or "Transfer-Encoding" in self.headers:
            self._answer(WitnessAnswer(411, b"send the length of the body\n"), close=True)
            return None
        if len(length) > len(str(MAX_SUBMISSION)) or int(length) > MAX_SUBMISSION:
            self._answer(WitnessAnswer(413, f"a submission has at most {MAX_SUBMISSION} bytes\n".encode()), close=True)
            return None
        left, end, parts = int(length), time.monotonic() + _READ_SECONDS, []
        while left:
            part = self.rfile.read1(left)
            if not part or time.monotonic() > end:
                self._answer(WitnessAnswer(408, b"the body did not arrive in time\n"), close=True)
                return None
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def _answer(self, answer: WitnessAnswer, *, close: bool = False) -> None:
        if close or self.server.is_draining:
            self.close_connection = True
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.media_type)
        self.send_header("Content-Length", str(len(answer.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(answer.body)


def _stop_reading(connection: socket.socket) -> None:
    with suppress(OSError):  # already closed
        connection.shutdown(socket.SHUT_RD)


def _first_line(submission: bytes) -> str:
    """Return the origin in a submission, for the log."""
    checkpoint = submission.partition(b"\n\n")[2]
    return checkpoint.partition(b"\n")[0][:255].decode("ascii", "replace")
