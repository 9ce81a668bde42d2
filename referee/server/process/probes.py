r"""HTTP probes of a server: ``/healthz`` says that the process answers, ``/readyz`` that its gRPC health is SERVING.

The metrics' port and the gateway give the same answers.

>>> readiness("")
ProbeAnswer(status=200, text='ready\n')
>>> readiness("NOT_SERVING: the server is stopping")
ProbeAnswer(status=503, text='not ready: NOT_SERVING: the server is stopping\n')
"""

from typing import Final, NamedTuple

LIVE: Final = "/healthz"
READY: Final = "/readyz"
METHODS: Final = ("GET", "HEAD")
"""HTTP methods of a probe; others get status 405."""


class ProbeAnswer(NamedTuple):
    """HTTP status and plain text of an answer."""

    status: int
    text: str


ALIVE: Final = ProbeAnswer(200, "alive\n")


def readiness(problem: str) -> ProbeAnswer:
    """Return the answer of ``/readyz``; ``problem`` is why the server takes no calls, empty if it does."""
    return ProbeAnswer(503, f"not ready: {problem}\n") if problem else ProbeAnswer(200, "ready\n")
