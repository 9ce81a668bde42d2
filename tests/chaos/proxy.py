"""A way to a database that misbehaves: a relay on loopback that delays, swallows for a while, half-closes and cuts.

Bytes are never changed, doubled or reordered; what is swallowed for a while is held back and delivered later,
or lost together with its connection.
"""

import contextlib
import random
import socket
import struct
import threading
import time
from typing import Final

_CHUNK: Final = 65_536


class RudeProxy:
    """The relay, listening at ``port`` until it is closed; ``target`` is a port on loopback."""

    def __init__(self, target: int, *, seed: int = 0) -> None:
        self._target = target
        self._luck = random.Random(seed)  # noqa: S311 - which chunk waits
        self.delay = 0.0
        """Seconds that a chunk waits at most."""
        self._open = threading.Event()
        self._open.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self) -> None:
        """Hold everything back silently."""
        self._open.clear()

    def go_on(self) -> None:
        """Deliver what was held back, and everything after it."""
        self._open.set()

    def cut(self) -> int:
        """Every connection is reset on both sides; how many there were."""
        pairs = self._taken()
        for one in [each for pair in pairs for each in pair]:
            with contextlib.suppress(OSError):
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                one.shutdown(socket.SHUT_RDWR)
        return len(pairs)

    def half_close(self) -> int:
        """Every connection has ended in one direction, by chance which, and goes on in the other; how many."""
        pairs = self._taken()
        for pair in pairs:
            with contextlib.suppress(OSError):
                self._luck.choice(pair).shutdown(self._luck.choice((socket.SHUT_RD, socket.SHUT_WR)))
        return len(pairs)

    def close(self) -> None:
        """Nothing passes any more."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._open.set()
        self.cut()

    def _taken(self) -> list[tuple[socket.socket, socket.socket]]:
        with self._lock:
            pairs, self._pairs = self._pairs, []
        return pairs

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    server = socket.create_connection(("127.0.0.1", self._target))
                except OSError:
                    client.close()
                    continue
                with self._lock:
                    self._pairs.append((client, server))
                ways = threading.Semaphore(1)
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self._relay, args=(source, sink, ways), daemon=True).start()

    def _relay(self, source: socket.socket, sink: socket.socket, ways: threading.Semaphore) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(_CHUNK):
                if self.delay:
                    time.sleep(self._luck.uniform(0, self.delay))
                self._open.wait()
                sink.sendall(data)
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        if not ways.acquire(blocking=False):  # the other way has ended before
            source.close()
            sink.close()
