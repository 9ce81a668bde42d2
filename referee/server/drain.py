"""Health reports and the graceful shutdown of a server.

Health reports NOT_SERVING first; ``lead`` seconds later, when load balancers have noticed, no new call is accepted.
Accepted calls are answered for up to ``grace`` seconds; those still unanswered then are cancelled.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import grpc
from grpc_health.v1 import health


@dataclass(frozen=True, slots=True, kw_only=True)
class Drain:
    """Durations of a shutdown, in seconds."""

    lead: float = 0.0
    """From NOT_SERVING to the last accepted call: longer than a load balancer's health check interval."""
    grace: float = 10.0
    """For the calls that were accepted."""


class HealthService(health.HealthServicer):  # type: ignore[misc] # the package ships no types
    """The standard health service, except that watchers are removed on a thread of its own.

    The standard one removes them on gRPC's thread and waits there for a lock whose holder waits for gRPC's thread: a
    server that stops while a watcher leaves would never stop.

    >>> from grpc_health.v1 import health_pb2
    >>> service = HealthService()
    >>> service.set("referee.v1.LogService", health_pb2.HealthCheckResponse.SERVING)
    >>> service.close()
    """

    def __init__(self) -> None:
        super().__init__()
        self._removing = ThreadPoolExecutor(1, thread_name_prefix="health")

    @property
    def watchers(self) -> int:
        """Number of watching calls."""
        return sum(map(len, self._send_response_callbacks.values()))

    def close(self) -> None:
        """Stop the thread; call this once the server has stopped."""
        self._removing.shutdown(wait=False)

    def _on_close_callback(self, send_response_callback: Callable[[Any], None], service: str) -> Callable[[], None]:
        remove: Callable[[], None] = super()._on_close_callback(send_response_callback, service)

        def on_close() -> None:
            try:
                self._removing.submit(remove)
            except RuntimeError:  # the server has stopped, and with it every call
                return

        return on_close


def drain(
    server: grpc.Server, service: health.HealthServicer, limits: Drain, *, gateways: Sequence[Callable[[], None]] = ()
) -> threading.Event:
    """Stop accepting calls; the event is set once each accepted call is answered or, after the grace, cancelled.

    ``gateways`` close other ways in and return when their calls are answered.
    """
    service.enter_graceful_shutdown()
    if limits.lead > 0:
        time.sleep(limits.lead)
    for close in gateways:
        close()
    return server.stop(limits.grace)
