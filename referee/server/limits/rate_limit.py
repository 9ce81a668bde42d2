"""Limits of each caller: calls a second by token bucket, and concurrent calls. Memory is bounded.

A bucket holds up to ``burst`` calls, gains ``rate`` a second, and each call takes one. Beyond ``REMEMBERED`` callers
the one that was silent longest is forgotten.

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

import grpc

from referee.service.call import Call
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

REMEMBERED: Final = 65_536
"""Number of callers remembered."""
_SITE: Final = 64
"""Bits of an IPv6 address that identify a caller; one site chooses the others freely."""


class TokenBuckets:
    """A token bucket for each caller."""

    def __init__(self, *, rate: float, burst: int = 0, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Set the rate; a ``burst`` of 0 means twice the rate, and at least one call."""
        self._rate = rate
        self._burst = float(burst or max(1, round(2 * rate)))
        self._monotonic = monotonic
        self._held: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._taking = threading.Lock()

    def wait(self, caller: str, *, calls: int = 1, counted: int = 0) -> float:
        """Count calls of a caller and return 0; if they are not allowed now, return the seconds until they are.

        Of a batch ``counted`` calls are counted already. One of more calls than a full bucket holds is allowed when the
        bucket is full; what that does not hold is then owed.
        """
        needed = min(calls, self._burst - counted)
        now = self._monotonic()
        with self._taking:
            held, since = self._held.pop(caller, (self._burst, now))
            held = min(self._burst, held + (now - since) * self._rate)
            may = held >= needed
            self._held[caller] = (held - calls if may else held), now
            if len(self._held) > REMEMBERED:
                self._held.popitem(last=False)
        return 0.0 if may else math.ceil((needed - held) / self._rate * 1e6) / 1e6


class ConcurrencyLimit:
    """Limit on the concurrent calls of each caller."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._under_way: dict[str, int] = {}
        self._counting = threading.Lock()

    def admit(self, call: Call, context: grpc.ServicerContext) -> None:
        """Count a call until its answer is read and its work has ended; refuse a caller with too many.

        The work of a call that the caller has cancelled may end later than the call.
        """
        caller = account_of(call)
        if not self.begin(caller):
            raise RefusedError(
                ErrorReason.ERROR_REASON_TOO_MANY_CALLS,
                f"the caller has {self._most} concurrent calls and may have no more",
                limit=self._most,
            )
        is_last = iter((False, True)).__next__  # called twice, on two threads: by the transport and by the work

        def end() -> None:
            if is_last():
                self.end(caller)

        call.leave = end
        if not context.add_callback(end):
            end()

    def begin(self, caller: str) -> bool:
        """Count one more call unless the caller has too many; return whether it was counted."""
        with self._counting:
            found = self._under_way.get(caller, 0)
            if found >= self._most:
                return False
            self._under_way[caller] = found + 1
            return True

    def end(self, caller: str) -> None:
        """Count a call as ended."""
        with self._counting:
            found = self._under_way.pop(caller) - 1
            if found:
                self._under_way[caller] = found


def account_of(call: Call) -> str:
    """Return what a call's caller is counted by: its proved name and tenant, or else its address."""
    return call.account or address_of(call.peer)


def address_of(peer: str) -> str:
    """Return the address that identifies a peer, without its port; of an IPv6 address the first 64 bits.

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
