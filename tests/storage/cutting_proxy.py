"""A connection that is cut in the middle of a commit: a relay on loopback between a store and its database.

``cut`` says what befalls the next COMMIT that passes: ``BEFORE``, the server never gets it; ``AFTER``, the server
answers it and the answer never arrives; ``MUTE``, the server never gets it and no one is notified. Each befalls one
COMMIT, and everything else passes.
"""

import contextlib
import socket
import threading
from typing import Literal

Cut = Literal["", "BEFORE", "AFTER", "MUTE"]


class CuttingProxy:
    """The relay, listening at ``port`` until it is closed."""

    def __init__(self, target: int) -> None:
        self.cut: Cut = ""
        self.has_cut = threading.Event()
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = []
        self._changing = threading.Lock()
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def sever(self) -> None:
        """Every connection is cut now; new ones pass."""
        with self._changing:
            sockets, self._sockets = self._sockets, []
        for each in sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def close(self) -> None:
        """Nothing passes any more."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()
        self.sever()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    server = socket.create_connection(("127.0.0.1", self._target))
                except OSError:
                    client.close()
                    continue
                with self._changing:
                    self._sockets += [client, server]
                ours = threading.Event()
                for source, sink, is_asking in ((client, server, True), (server, client, False)):
                    threading.Thread(target=self._relay, args=(source, sink, is_asking, ours), daemon=True).start()

    def _relay(self, source: socket.socket, sink: socket.socket, is_asking: bool, ours: threading.Event) -> None:  # noqa: FBT001
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if is_asking and b"COMMIT\0" in data and self.cut:
                    cut, self.cut = self.cut, ""
                    if cut == "AFTER":
                        ours.set()
                    else:
                        self.has_cut.set()
                        if cut == "BEFORE":
                            break
                        continue
                elif not is_asking and ours.is_set():
                    self.has_cut.set()
                    break
                sink.sendall(data)
        for each in (source, sink):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
