"""The graceful shutdown of a server.

Health reports NOT_SERVING first; ``drain_lead`` seconds later, when load balancers have noticed, no new call is
accepted. Accepted calls are answered for up to ``drain_grace`` seconds; those still unanswered then are cancelled.
"""

import threading
import time
from collections.abc import Callable, Sequence

import grpc

from referee.server.process.health import HealthService
from referee.server.settings.configuration import ServeSettings


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
    stopped = server.stop(serving.drain_grace)
    service.end_watches()
    return stopped
