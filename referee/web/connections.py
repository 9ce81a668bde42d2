"""Connections of the gateway, bounded where the web server leaves them unbounded.

One more than its caller may have is answered 503. Closed at once are one that comes too soon after its caller's others,
one whose request's head is late or too long, one that asks on and on before it is answered, and one whose answer lies
unread too long or beyond its caller's bytes.
"""

import asyncio
import socket
import struct
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from referee.web.callers import WebBounds, caller_of

HEAD_BYTES: Final = 64 * 1024
"""Longest head of a request."""
PIPELINED: Final = 4
"""Requests that may follow one which is not answered yet; browsers send none."""
SENT_AHEAD: Final = 128 * 1024
"""Bytes of answers that the system keeps for a caller who does not read; it doubles them."""
_FULL: Final = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\nretry-after: 1\r\n\r\n"


def connection_type(bounds: WebBounds) -> type[HttpToolsProtocol]:
    """Return the class of connections with these bounds."""

    class BoundedConnection(_BoundedConnection):
        _bounds = bounds

    return BoundedConnection


class _BoundedConnection(HttpToolsProtocol):
    _bounds: WebBounds

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - the web server's own
        super().__init__(*args, **options)
        self._caller = ""
        """Set while the connection counts."""
        self._head: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._unread: asyncio.TimerHandle | None = None
        self._unread_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as the base class has it
        """Count the connection; answer one too many that there is no room."""
        super().connection_made(transport)
        caller = caller_of(self.client)
        if self._bounds.arrivals.wait(caller):
            self._abort()
        elif self._bounds.connections.begin(caller):
            self._caller = caller
            self._await_head()
            connection = transport.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SENT_AHEAD)
        else:
            transport.write(_FULL)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection no longer."""
        self._forget_head()
        self._forget_unread()
        if self._caller:
            self._bounds.connections.end(self._caller)
            self._caller = ""
        super().connection_lost(exc)
        self.parser = None  # type: ignore[assignment] # a cycle, which would keep what was read until it is collected
        self.pipeline.clear()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        if not self._caller:
            return
        super().data_received(data)
        if len(self.pipeline) > PIPELINED:
            self._abort()
            return
        if self.cycle is not None and not self.cycle.response_complete:
            self._forget_head()  # which has arrived
            return
        self._head_bytes += len(data)
        self._await_head()
        if self._head_bytes > HEAD_BYTES:
            self._abort()

    def pause_writing(self) -> None:
        """Begin to count what the caller does not read."""
        super().pause_writing()
        size = self.transport.get_write_buffer_size()
        if not self._bounds.budget.take(self._caller, size):
            self._abort()
            return
        self._unread_bytes = size
        self._unread = self.loop.call_later(self._bounds.answer_seconds, self._abort)

    def resume_writing(self) -> None:
        """Count it no longer."""
        self._forget_unread()
        super().resume_writing()

    def _abort(self) -> None:
        """Close the connection at once; bytes that the system has not sent are lost too."""
        connection = self.transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def _await_head(self) -> None:
        if self._head is None:
            self._head = self.loop.call_later(self._bounds.request_seconds, self._abort)

    def _forget_head(self) -> None:
        self._head_bytes = 0
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _forget_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
            self._bounds.budget.give(self._caller, self._unread_bytes)
