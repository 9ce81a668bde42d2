"""How often a caller calls, and how many of its calls are under way: both bounded, in memory that is bounded too.

The law of a bucket: it holds up to ``burst`` calls, fills with ``rate`` a second, and each call takes one. Where there
are more callers than are remembered, the one that was silent longest is forgotten, whose bucket is the fullest.

>>> buckets = TokenBuckets(rate=2, burst=1, monotonic=iter([0.0, 0.1, 0.5]).__next__)
>>> [buckets.wait("an") for _ in range(3)]
[0.0, 0.4, 0.0]
"""

import ipaddress
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final
from urllib.parse import unquote

REMEMBERED: Final = 65_536
"""How many callers are remembered."""
_SITE: Final = 64
"""An IPv6 address is a caller by its first so many bits, for the rest is anybody's to choose."""


class TokenBuckets:
    """A bucket a caller."""

    def __init__(self, *, rate: float, burst: int = 0, monotonic: Callable[[], float] = time.monotonic) -> None:
        """A ``burst`` of 0 stands for twice the rate, and at least one call."""
        self._rate = rate
        self._burst = float(burst or max(1, round(2 * rate)))
        self._monotonic = monotonic
        self._held: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._taking = threading.Lock()

    def wait(self, caller: str) -> float:
        """0 where the caller may call now, which is counted; otherwise the seconds until it may."""
        now = self._monotonic()
        with self._taking:
            held, since = self._held.pop(caller, (self._burst, now))
            held = min(self._burst, held + (now - since) * self._rate)
            may = held >= 1
            self._held[caller] = (held - 1 if may else held), now
            if len(self._held) > REMEMBERED:
                self._held.popitem(last=False)
        return 0.0 if may else math.ceil((1 - held) / self._rate * 1e6) / 1e6


class ConcurrencyLimit:
    """How many calls of each caller are under way."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._under_way: dict[str, int] = {}
        self._counting = threading.Lock()

    def begin(self, caller: str) -> bool:
        """Whether the caller may begin one more, which is counted then."""
        with self._counting:
            found = self._under_way.get(caller, 0)
            if found >= self._most:
                return False
            self._under_way[caller] = found + 1
            return True

    def end(self, caller: str) -> None:
        """One that began is over."""
        with self._counting:
            found = self._under_way.pop(caller) - 1
            if found:
                self._under_way[caller] = found


def address_of(peer: str) -> str:
    """What stands for whoever calls from an address, without its port; the first 64 bits of an IPv6 address.

    >>> address_of("ipv4:10.0.0.7:4711"), address_of("ipv6:%5B2001:db8::7%5D:4711"), address_of("unix:/run/referee")
    ('10.0.0.7', '2001:db8::/64', 'unix:/run/referee')
    """
    host = unquote(peer).partition(":")[2].rpartition(":")[0].strip("[]")
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return peer
    if address.version == 4:  # noqa: PLR2004 - of the protocol
        return host
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped) if mapped else str(ipaddress.ip_network((address, _SITE), strict=False))
