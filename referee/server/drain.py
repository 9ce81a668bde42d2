"""How a server stops so that nobody's call is lost: first it says so, then it takes no more, then it lets go.

The law: health says NOT_SERVING before anything else happens, and ``lead`` seconds later, when balancers have looked
and gone elsewhere, no new call is taken. Calls that were accepted are answered for up to ``grace`` seconds; those that
are still not answered then are cut off. A call that was not accepted was not begun, and its caller may ask elsewhere.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import grpc
from grpc_health.v1 import health


@dataclass(frozen=True, slots=True, kw_only=True)
class Drain:
    """Seconds that stopping may take."""

    lead: float = 0.0
    """Between saying so and taking no more calls: longer than a balancer needs between two looks at health."""
    grace: float = 10.0
    """For the calls that were accepted."""


def drain(
    server: grpc.Server, healths: health.HealthServicer, limits: Drain, *, fronts: Sequence[Callable[[], None]] = ()
) -> threading.Event:
    """The server takes no more calls; set once every call that it accepted is answered or, after the grace, cut off.

    ``fronts`` close what else lets calls in, and return when its calls are answered.
    """
    healths.enter_graceful_shutdown()
    if limits.lead > 0:
        time.sleep(limits.lead)
    for close in fronts:
        close()
    return server.stop(limits.grace)
