r"""HTTP probes of a server: ``/healthz`` says that it answers a call, ``/readyz`` that its gRPC health is SERVING.

Each asks by a call that goes through the threads that answer all calls, so that neither says well of a process whose
calls wait for ever. The metrics' port and the gateway give the same answers.

>>> answer_of(READY, Health("", is_answered=True))
ProbeAnswer(status=200, text='ready\n')
>>> answer_of(READY, Health("NOT_SERVING: the server is stopping", is_answered=True))
ProbeAnswer(status=503, text='not ready: NOT_SERVING: the server is stopping\n')
>>> answer_of(LIVE, Health("DEADLINE_EXCEEDED: no call is answered", is_answered=False))
ProbeAnswer(status=503, text='not alive: DEADLINE_EXCEEDED: no call is answered\n')
"""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.reach import direct_options

LIVE: Final = "/healthz"
READY: Final = "/readyz"
METHODS: Final = ("GET", "HEAD")
"""HTTP methods of a probe; others get status 405."""
PROBE_SECONDS: Final = 5.0
"""Time that a probe's call may take."""


class ProbeAnswer(NamedTuple):
    """HTTP status and plain text of an answer."""

    status: int
    text: str


class Health(NamedTuple):
    """Why a server takes no calls, empty if it does; and whether it answered a call."""

    problem: str
    is_answered: bool


def answer_of(path: str, health: Health) -> ProbeAnswer:
    """Return the answer of a path, LIVE or READY."""
    if path == LIVE:
        return ProbeAnswer(200, "alive\n") if health.is_answered else ProbeAnswer(503, f"not alive: {health.problem}\n")
    return ProbeAnswer(503, f"not ready: {health.problem}\n") if health.problem else ProbeAnswer(200, "ready\n")


def unanswered(code: grpc.StatusCode) -> Health:
    """Return what a call that ended with this code says."""
    return Health(f"{code.name}: the service does not answer", is_answered=False)


class OwnLine:
    """Connection of a server to itself, by a socket that only this user can connect to, without TLS.

    ``problem`` returns what the server knows of itself. While it starts and stops it takes no calls, and that is
    believed; between ``open`` and ``shut`` a call asks. The socket is below the system's folder for temporary files or,
    where nothing can be written there, below ``data``.
    """

    def __init__(self, server: grpc.Server, problem: Callable[[], str], *, data: Path) -> None:
        self._problem = problem
        self._folder = _private_folder(data)
        address = f"unix:{self._folder}/probe"
        server.add_insecure_port(address)
        self._channel = grpc.insecure_channel(
            address, [("grpc.max_reconnect_backoff_ms", 1000), *direct_options(address)]
        )
        self._check = health_pb2_grpc.HealthStub(self._channel).Check
        self._is_open = False

    def open(self) -> None:
        """Ask by a call from now on."""
        self._is_open = True

    def shut(self) -> None:
        """Ask by a call no more."""
        self._is_open = False

    def health(self) -> Health:
        """Return how this server is."""
        if self._is_open:
            try:
                self._check(health_pb2.HealthCheckRequest(), timeout=PROBE_SECONDS, wait_for_ready=True)
            except grpc.RpcError as error:
                if self._is_open:  # and has not begun to stop meanwhile
                    return unanswered(error.code())
        return Health(self._problem(), is_answered=True)

    def close(self) -> None:
        """Close the connection and remove the socket."""
        self._channel.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _private_folder(data: Path) -> str:
    """Make a folder of mode 0700."""
    try:
        return tempfile.mkdtemp(prefix="referee-")
    except OSError:  # as in a container whose root is read-only
        return tempfile.mkdtemp(prefix="probe-", dir=data)
