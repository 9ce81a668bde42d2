"""The address that frontends are given: a relay before the server, whose connections can be broken.

Bytes pass unchanged, both ways. The address stays the same while the server behind it is started again; while
the relay is down, connections are closed as soon as they are made. Loopback alone.

"""

import contextlib
import socket
import threading
import time
from typing import Final

_LOOPBACK: Final = "127.0.0.1"
_CHUNK: Final = 65_536
_BACKLOG: Final = 128


class Relay:
    """Listens on a port of loopback, 0 for a free one, and passes each connection on to ``target``."""

    def __init__(self, *, port: int = 0) -> None:
        self._listener = socket.create_server((_LOOPBACK, port), backlog=_BACKLOG)
        self.port: int = self._listener.getsockname()[1]
        self.target = 0
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._down_until = 0.0
        self._closing = False
        self._thread = threading.Thread(target=self._accept, name="relay", daemon=True)

    def start(self) -> None:
        """Start accepting connections."""
        self._thread.start()

    def cut(self, down_ms: int = 0) -> None:
        """Every connection is broken, and none is taken for that long."""
        with self._lock:
            self._down_until = time.monotonic() + down_ms / 1000
            broken, self._open = self._open, set()
        for one in broken:
            _shut(one)

    def close(self) -> None:
        """Nothing listens any more."""
        self._closing = True
        _shut(self._listener)
        self.cut()

    def _accept(self) -> None:
        while not self._closing:
            try:
                caller, _ = self._listener.accept()
            except OSError:
                return
            try:
                if time.monotonic() < self._down_until:
                    raise ConnectionAbortedError
                server = socket.create_connection((_LOOPBACK, self.target))
                for one in (caller, server):  # before another thread can close them
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError:
                _shut(caller)
                continue
            with self._lock:
                self._open |= {caller, server}
            for source, sink in ((caller, server), (server, caller)):
                threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(_CHUNK):
                sink.sendall(data)
        for one in (source, sink):
            _shut(one)
        with self._lock:
            self._open -= {source, sink}


def _shut(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
