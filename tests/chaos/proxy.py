"""Relays on loopback between two parties: what passes is up to them. Bytes are never changed, doubled or reordered."""

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
        threading.Thread(target=self._accept, daemon=True).start()

    def forward(self, data: bytes, pair: Pair, *, is_asking: bool) -> bytes | None:
        """Return what is passed on of a chunk that a client asks or is answered; None ends the connection."""
        del pair, is_asking
        return data

    def cut(self) -> None:
        """Reset every connection on both sides."""
        while self._pairs:
            for one in self._pairs.pop():
                with contextlib.suppress(OSError):
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let nothing pass any more."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    pair = client, socket.create_connection(("127.0.0.1", self._target))
                except OSError:
                    client.close()
                    continue
                self._pairs.append(pair)
                ways = threading.Semaphore(1)
                for is_asking in (True, False):
                    threading.Thread(target=self._relay, args=(pair, ways, is_asking), daemon=True).start()

    def _relay(self, pair: Pair, ways: threading.Semaphore, is_asking: bool) -> None:  # noqa: FBT001 - a thread's argument
        source, sink = pair if is_asking else pair[::-1]
        with contextlib.suppress(OSError):
            while data := source.recv(_CHUNK):
                passed = self.forward(data, pair, is_asking=is_asking)
                if passed is None:
                    break
                sink.sendall(passed)
        for one in pair:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        if not ways.acquire(blocking=False):  # the other way has ended before
            source.close()
            sink.close()


class RudeProxy(Relay):
    """A line that misbehaves: it delays, is silent for a while, half-closes and cuts."""

    def __init__(self, target: int, *, seed: int = 0) -> None:
        self._luck = random.Random(seed)  # noqa: S311 - which chunk waits
        self._delay = 0.0
        """Seconds that a chunk waits at most."""
        self._open = threading.Event()
        self._open.set()
        super().__init__(target)

    def forward(self, data: bytes, pair: Pair, *, is_asking: bool) -> bytes | None:
        """Pass a chunk on once nothing is held back."""
        time.sleep(self._luck.uniform(0, self._delay))
        self._open.wait()
        return super().forward(data, pair, is_asking=is_asking)

    def silence(self, seconds: float, *, is_cut: bool = False) -> None:
        """Hold everything back for a while; deliver it afterwards, or lose it together with its connections."""
        self._open.clear()
        time.sleep(seconds)
        if is_cut:
            self.cut()
        self._open.set()

    def slow(self, seconds: float) -> None:
        """Let each chunk wait by chance for a while."""
        self._delay = 0.2
        time.sleep(seconds)
        self._delay = 0.0

    def half_close(self) -> None:
        """End every connection in one direction, by chance which, and let it go on in the other."""
        while self._pairs:
            pair = self._pairs.pop()
            with contextlib.suppress(OSError):
                self._luck.choice(pair).shutdown(self._luck.choice((socket.SHUT_RD, socket.SHUT_WR)))

    def close(self) -> None:
        """Let nothing pass any more."""
        self._open.set()
        super().close()
