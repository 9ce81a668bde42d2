"""Retries of a frontend: calls that may be repeated are, at growing intervals, for a limited time.

Retried are calls that the server or the network reports as safe to repeat: UNAVAILABLE and OVERLOADED.
The ledger counts each attempt. A call's deadline is far beyond every wait that a server allows itself, so that one
which reaches it hung.
"""

import random
import threading
import time
from typing import Any, Final

import grpc

from tests.chaos.ledger import HANG_SECONDS, Ledger, status_of

CHANNEL: Final = [
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.enable_retries", 0),
]
"""Each channel has a connection of its own and looks for a server that is away every second."""
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 1.0
AGAIN: Final = ("UNAVAILABLE", "RESOURCE_EXHAUSTED/OVERLOADED")


class Retrying(grpc.UnaryUnaryClientInterceptor):
    """Calls again for up to ``seconds``, unless ``stop`` is set."""

    def __init__(self, ledger: Ledger, *, seconds: float, stop: threading.Event, seed: int = 0) -> None:
        self._ledger = ledger
        self._seconds = seconds
        self._stop = stop
        self._luck = random.Random(seed)  # noqa: S311 - spreads callers

    def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:  # noqa: ANN401 - gRPC's own types are private
        """Return the final outcome of the call."""
        details = client_call_details._replace(timeout=HANG_SECONDS)
        method = details.method.rpartition(".")[2]
        end, pause = time.monotonic() + self._seconds, _FIRST_PAUSE
        while True:
            begun = time.monotonic()
            call = continuation(details, request)
            is_well = call.code() is grpc.StatusCode.OK
            status = "OK" if is_well else status_of(call)
            now = time.monotonic()
            self._ledger.ended(method, status, seconds=now - begun)
            if is_well or not status.startswith(AGAIN) or now + pause > end or self._stop.wait(0):
                return call
            self._stop.wait(pause * self._luck.uniform(0.5, 1))
            pause = min(2 * pause, _LONGEST_PAUSE)
            self._ledger.again()
