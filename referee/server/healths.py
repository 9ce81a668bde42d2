"""Whether each service answers, told to whoever asks or watches; never in the way of the server's own thread.

The law: gRPC's thread, which hears that a watcher has left, waits for nobody. The standard servicer takes a lock there
that another thread holds while it tells the watchers something, and waits for gRPC's thread to have sent it: a server
that stops just as somebody leaves would then never stop.

>>> from grpc_health.v1 import health_pb2
>>> healths = Healths()
>>> healths.set("referee.v1.LogService", health_pb2.HealthCheckResponse.SERVING)
>>> healths.close()
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from grpc_health.v1 import health


class Healths(health.HealthServicer):  # type: ignore[misc] # the package ships no types
    """The standard servicer, whose watchers are let go on a thread of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._leaving = ThreadPoolExecutor(1, thread_name_prefix="health")

    @property
    def watchers(self) -> int:
        """How many calls watch."""
        return sum(map(len, self._send_response_callbacks.values()))

    def close(self) -> None:
        """Nobody is waited for any more; the server has stopped."""
        self._leaving.shutdown(wait=False)

    def _on_close_callback(self, send_response_callback: Callable[[Any], None], service: str) -> Callable[[], None]:
        let_go: Callable[[], None] = super()._on_close_callback(send_response_callback, service)

        def left() -> None:
            try:
                self._leaving.submit(let_go)
            except RuntimeError:  # the server has stopped, and with it every call
                return

        return left
