"""Limits by caller of the gateway: the number of connections, and the bytes that the gateway keeps for the caller.

A caller is an IPv4 address, or the first 64 bits of an IPv6 address. Everything here runs on the gateway's event loop.

>>> budget = ByteBudget(caller=3, total=4)
>>> [budget.take("a", 3), budget.take("a", 1), budget.take("b", 2), budget.take("b", 1)]
[True, False, False, True]
>>> budget.give("a", 3)
>>> budget.take("b", 2)
True
"""

from collections import Counter
from dataclasses import dataclass, field

from referee.server.limits.rate_limit import ConcurrencyLimit, TokenBuckets, address_of


class ByteBudget:
    """Bytes that are kept for callers: of requests that have not arrived whole, and of answers that lie unread."""

    def __init__(self, *, caller: int, total: int) -> None:
        self._caller = caller
        self._total = total
        self._taken: Counter[str] = Counter()
        self.size = 0

    def take(self, caller: str, size: int) -> bool:
        """Count bytes of a caller and return True if there is room for them."""
        if self._taken[caller] + size > self._caller or self.size + size > self._total:
            if not self._taken[caller]:
                del self._taken[caller]
            return False
        self._taken[caller] += size
        self.size += size
        return True

    def give(self, caller: str, size: int) -> None:
        """Count bytes of a caller no longer."""
        self.size -= size
        self._taken[caller] -= size
        if not self._taken[caller]:
            del self._taken[caller]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebBounds:
    """Bounds of the gateway's callers; times in seconds."""

    body_bytes: int
    """Largest body of a request."""
    request_seconds: float
    """Time for a request's head to arrive, and for its body."""
    answer_seconds: float
    """Time for which an answer may lie unread."""
    connections: ConcurrencyLimit
    """Limit on each caller's connections."""
    arrivals: TokenBuckets
    """Limit on the rate of each caller's new connections."""
    budget: ByteBudget = field(repr=False)


def caller_of(client: tuple[str, int] | None) -> str:
    """Return what a client's requests are counted by.

    >>> caller_of(("10.0.0.7", 4711)), caller_of(("2001:db8::7", 4711)), caller_of(None)
    ('10.0.0.7', '2001:db8::/64', 'unknown')
    """
    return address_of(peer_of(client))


def peer_of(client: tuple[str, int] | None) -> str:
    """Format a client's address as a gRPC peer.

    >>> peer_of(("127.0.0.1", 40112)), peer_of(("::1", 40112)), peer_of(None)
    ('ipv4:127.0.0.1:40112', 'ipv6:[::1]:40112', 'unknown')
    """
    if client is None:
        return "unknown"
    host, port = client
    return f"ipv6:[{host}]:{port}" if ":" in host else f"ipv4:{host}:{port}"
