"""Relays on loopback between a server and its database: what passes is up to them.

Bytes are never changed, doubled or reordered.
"""

import contextlib
import random
import socket
import struct
import threading
import time
from typing import Final

_CHUNK: Final = 65_536
Pair = tuple[socket.socket, socket.socket]
"""The connection of a client and the one to the target."""


class Relay:
    """A relay, listening at ``port`` until it is closed; ``target`` is a port on loopback."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._pairs: list[Pair] = []
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def forward(self, data: bytes, pair: Pair, *, is_asking: bool) -> bytes | None:
        """Return what is passed on of a chunk that a client asks or is answered; None ends the connection."""
        del pair, is_asking
        return data

    def cut(self) -> int:
        """Every connection is reset on both sides; how many there were."""
        pairs = self._taken()
        for one in [each for pair in pairs for each in pair]:
            with contextlib.suppress(OSError):
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                one.shutdown(socket.SHUT_RDWR)
        return len(pairs)

    def close(self) -> None:
        """Nothing passes any more."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _taken(self) -> list[Pair]:
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
                pair = client, server
                with self._lock:
                    self._pairs.append(pair)
                ways = threading.Semaphore(1)
                for is_asking in (True, False):
                    threading.Thread(
                        target=self._relay, args=(pair, ways), kwargs={"is_asking": is_asking}, daemon=True
                    ).start()

    def _relay(self, pair: Pair, ways: threading.Semaphore, *, is_asking: bool) -> None:
        source, sink = pair if is_asking else pair[::-1]
        with contextlib.suppress(OSError):
            while data := source.recv(_CHUNK):
                passed = self.forward(data, pair, is_asking=is_asking)
                if passed is None:
                    break
                sink.sendall(passed)
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        if not ways.acquire(blocking=False):  # the other way has ended before
            source.close()
            sink.close()


class RudeProxy(Relay):
    """A way to a database that misbehaves: it delays, swallows for a while, half-closes and cuts.

    What is swallowed for a while is held back and delivered later, or lost together with its connection.
    """

    def __init__(self, target: int, *, seed: int = 0) -> None:
        self._luck = random.Random(seed)  # noqa: S311 - which chunk waits
        self.delay = 0.0
        """Seconds that a chunk waits at most."""
        self._open = threading.Event()
        self._open.set()
        super().__init__(target)

    def forward(self, data: bytes, pair: Pair, *, is_asking: bool) -> bytes | None:
        """Pass a chunk on once nothing is held back."""
        if self.delay:
            time.sleep(self._luck.uniform(0, self.delay))
        self._open.wait()
        return super().forward(data, pair, is_asking=is_asking)

    def hold(self) -> None:
        """Hold everything back silently."""
        self._open.clear()

    def go_on(self) -> None:
        """Deliver what was held back, and everything after it."""
        self._open.set()

    def half_close(self) -> int:
        """Every connection has ended in one direction, by chance which, and goes on in the other; how many."""
        pairs = self._taken()
        for pair in pairs:
            with contextlib.suppress(OSError):
                self._luck.choice(pair).shutdown(self._luck.choice((socket.SHUT_RD, socket.SHUT_WR)))
        return len(pairs)

    def close(self) -> None:
        """Nothing passes any more."""
        self._open.set()
        super().close()
