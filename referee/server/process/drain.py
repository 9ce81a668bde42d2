"""Health reports and the graceful shutdown of a server.

Health reports NOT_SERVING first; ``drain_lead`` seconds later, when load balancers have noticed, no new call is
accepted. Accepted calls are answered for up to ``drain_grace`` seconds; those still unanswered then are cancelled.
"""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2

from referee.server.settings.configuration import ServeSettings


class HealthService(health.HealthServicer):  # type: ignore[misc] # the package ships no types
    """The standard health service, except for how watchers leave.

    They are removed on a thread of its own: the standard service removes them on gRPC's thread and waits there for a
    lock whose holder waits for gRPC's thread, so that a server that stops while a watcher leaves would never stop. A
    watcher that left before the service asked to be called back is removed too; the standard service keeps it.

    >>> service = HealthService()
    >>> service.problem
    'NOT_SERVING: the server is starting'
    >>> service.serve(["referee.v1.LogService"])
    >>> service.problem
    ''
    >>> service.close()
    """

    def __init__(self) -> None:
        super().__init__()
        self._removing = ThreadPoolExecutor(1, thread_name_prefix="health")
        self._why = "the server is starting"
        self.set("", health_pb2.HealthCheckResponse.NOT_SERVING)

    @property
    def problem(self) -> str:
        """Status and reason of a server that takes no calls; empty while it reports SERVING."""
        status = self.Check(health_pb2.HealthCheckRequest(), None).status
        if status == health_pb2.HealthCheckResponse.SERVING:
            return ""
        return f"{health_pb2.HealthCheckResponse.ServingStatus.Name(status)}: {self._why}"

    def serve(self, names: Iterable[str]) -> None:
        """Report SERVING for the server and the services of these names."""
        for name in ("", *names):
            self.set(name, health_pb2.HealthCheckResponse.SERVING)

    def pause(self, names: Iterable[str], why: str) -> None:
        """Report NOT_SERVING for the server and the services of these names, until ``serve`` reports otherwise."""
        if not self._gracefully_shutting_down:
            self._why = why
        for name in ("", *names):
            self.set(name, health_pb2.HealthCheckResponse.NOT_SERVING)

    def report(self, name: str, *, is_serving: bool) -> None:
        """Report a name's own status, which is not that of the server."""
        status = health_pb2.HealthCheckResponse
        self.set(name, status.SERVING if is_serving else status.NOT_SERVING)

    def stop_serving(self, why: str) -> None:
        """Report NOT_SERVING for good; the first reason is kept."""
        if not self._gracefully_shutting_down:
            self._why = why
        self.enter_graceful_shutdown()

    @property
    def watchers(self) -> int:
        """Number of watching calls."""
        return sum(map(len, self._send_response_callbacks.values()))

    def close(self) -> None:
        """Stop the thread; call this once the server has stopped."""
        self._removing.shutdown(wait=False)

    def Watch(  # noqa: N802 - named by the protocol
        self,
        request: Any,  # noqa: ANN401 - as the package takes it
        context: Any,  # noqa: ANN401 - as above
        send_response_callback: Callable[[Any], None] | None = None,
    ) -> Any:  # noqa: ANN401 - as above
        """Watch a service's health until the call ends."""
        return super().Watch(request, _Watched(context), send_response_callback)

    def _on_close_callback(self, send_response_callback: Callable[[Any], None], service: str) -> Callable[[], None]:
        remove: Callable[[], None] = super()._on_close_callback(send_response_callback, service)

        def on_close() -> None:
            try:
                self._removing.submit(remove)
            except RuntimeError:  # the server has stopped, and with it every call
                return

        return on_close


class _Watched:
    """Context of a watching call that calls back at once if the call has ended already."""

    def __init__(self, context: Any) -> None:  # noqa: ANN401 - gRPC's own
        self._context = context

    def add_callback(self, callback: Callable[[], None]) -> bool:
        """Call back when the call ends, or now if it has ended."""
        if not self._context.add_callback(callback):
            callback()
        return True


def drain(
    server: grpc.Server, service: HealthService, serving: ServeSettings, *, gateways: Sequence[Callable[[], None]] = ()
) -> threading.Event:
    """Stop accepting calls; the event is set once each accepted call is answered or, after the grace, cancelled.

    ``gateways`` close other ways in and return when their calls are answered.
    """
    service.stop_serving("the server is stopping")
    if serving.drain_lead > 0:
        time.sleep(serving.drain_lead)
    for close in gateways:
        close()
    return server.stop(serving.drain_grace)
