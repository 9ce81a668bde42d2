"""Health of a server: ``Check`` reads a value, ``Watch`` keeps each watcher's newest status until its peer has room.

No thread waits for a watcher. The standard servicer sends under a lock that ``Check`` needs, and waits there until the
peer has room, so that one peer without room takes health away from all.
"""

import threading
from collections import Counter
from collections.abc import Iterable
from typing import Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.service.transport import can_send, send

SERVING: Final = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING: Final = health_pb2.HealthCheckResponse.NOT_SERVING
UNKNOWN: Final = health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
WATCHERS: Final = 4096
"""Watching calls of one process; each takes memory, and no thread."""
CONNECTION_WATCHERS: Final = 16
"""Watching calls of one connection: a client has one, a balancer one for each service."""
_LOCAL: Final = "unix:"
"""Peer of every connection of the gateway, which bounds its own callers."""


class HealthService(health_pb2_grpc.HealthServicer):  # type: ignore[misc] # the package ships no types
    """Health of the server, named ``""``, and of its services.

    A watcher beyond the bounds is refused with UNIMPLEMENTED, and so are all where gRPC cannot send without waiting. By
    the protocol of health such a client calls as if it had not asked: nobody loses the service by others' watchers.

    >>> service = HealthService()
    >>> service.problem
    'NOT_SERVING: the server is starting'
    >>> service.serve(["referee.v1.LogService"])
    >>> service.problem
    ''
    """

    def __init__(self) -> None:
        self._statuses = {"": NOT_SERVING}
        self._why = "the server is starting"
        self._has_stopped = self._is_ending = False
        self._changing = threading.Lock()
        """Held to change or copy what is below and above, and never while anything is sent."""
        self._watches: dict[_Watch, str] = {}
        self._of_peer: Counter[str] = Counter()

    @property
    def problem(self) -> str:
        """Status and reason of a server that takes no calls; empty while it reports SERVING."""
        status = self._statuses[""]
        return "" if status == SERVING else f"{health_pb2.HealthCheckResponse.ServingStatus.Name(status)}: {self._why}"

    @property
    def watchers(self) -> int:
        """Number of watching calls."""
        return len(self._watches)

    def serve(self, names: Iterable[str]) -> None:
        """Report SERVING for the server and the services of these names."""
        self._set(("", *names), SERVING)

    def pause(self, names: Iterable[str], why: str) -> None:
        """Report NOT_SERVING for the server and the services of these names, until ``serve`` reports otherwise."""
        self._set(("", *names), NOT_SERVING, why)

    def report(self, name: str, *, is_serving: bool) -> None:
        """Report a name's own status, which is not that of the server."""
        self._set((name,), SERVING if is_serving else NOT_SERVING)

    def stop_serving(self, why: str) -> None:
        """Report NOT_SERVING for the server and all its services for good; the first reason is kept."""
        self._set(tuple(self._statuses), NOT_SERVING, why)
        self._has_stopped = True

    def end_watches(self) -> None:
        """Cancel every watching call, so that a server that stops does not wait for them; refuse further ones."""
        with self._changing:
            self._is_ending = True
            watches = tuple(self._watches)
        for watch in watches:
            watch.context.cancel()

    def Check(  # noqa: N802 - named by the protocol
        self, request: health_pb2.HealthCheckRequest, context: grpc.ServicerContext
    ) -> health_pb2.HealthCheckResponse:
        """Return the status of a service; NOT_FOUND for a name that this server does not have."""
        status = self._statuses.get(request.service)
        if status is None:
            context.set_code(grpc.StatusCode.NOT_FOUND)
            return health_pb2.HealthCheckResponse()
        return health_pb2.HealthCheckResponse(status=status)

    def Watch(  # noqa: N802 - named by the protocol
        self, request: health_pb2.HealthCheckRequest, context: grpc.ServicerContext, _send: object = None
    ) -> None:
        """Send a service's status now and whenever it changes, until the call ends."""
        watch = _Watch(request.service, context)
        peer = context.peer()
        with self._changing:
            is_refused = (
                self._is_ending
                or not can_send()
                or len(self._watches) >= WATCHERS
                or (not peer.startswith(_LOCAL) and self._of_peer[peer] >= CONNECTION_WATCHERS)
            )
            if not is_refused:
                self._watches[watch] = peer
                self._of_peer[peer] += 1
            status = self._statuses.get(watch.service, UNKNOWN)
        if is_refused:
            text = (
                f"at most {CONNECTION_WATCHERS} calls of a connection, and {WATCHERS} of all, watch; call Check instead"
            )
            context.abort(grpc.StatusCode.UNIMPLEMENTED, text)
        watch.report(status)
        if not context.add_callback(lambda: self._forget(watch)):
            self._forget(watch)  # it has ended already

    Watch.experimental_non_blocking = True  # type: ignore[attr-defined] # gRPC looks for it: Watch returns at once

    def _forget(self, watch: "_Watch") -> None:
        with self._changing:
            peer = self._watches.pop(watch, None)
            if peer is not None:
                self._of_peer -= Counter((peer,))

    def _set(self, names: Iterable[str], status: int, why: str = "") -> None:
        with self._changing:
            if self._has_stopped:
                return
            self._why = why or self._why
            self._statuses |= dict.fromkeys(names, status)
            watches = [(watch, self._statuses.get(watch.service, UNKNOWN)) for watch in self._watches]
        for watch, newest in watches:
            watch.report(newest)


class _Watch:
    """Watching call: the newest status of its service, and whether a message with a status is on its way."""

    def __init__(self, service: str, context: grpc.ServicerContext) -> None:
        self.service, self.context = service, context
        self._changing = threading.Lock()
        self._newest = self._sent = -1
        self._is_sending = False

    def report(self, status: int) -> None:
        """Send a status, at once or when the peer has taken the message before; a newer status replaces it."""
        with self._changing:
            self._newest = status
            if self._is_sending or status == self._sent:
                return
            self._is_sending, self._sent = True, status
        self._send(status)

    def _send(self, status: int) -> None:
        message = health_pb2.HealthCheckResponse(status=status).SerializeToString()
        send(self.context, message, self._go_on)

    def _go_on(self) -> None:
        """Send the newest status, unless the peer has it."""
        with self._changing:
            self._is_sending = self._newest != self._sent
            status = self._sent = self._newest
            if not self._is_sending:
                return
        self._send(status)
