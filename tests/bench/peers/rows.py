"""Rows of the comparison, and measuring in turns: ours, the peer's, ours, the peer's."""

import time
from collections.abc import Callable
from typing import Final

import msgspec

TURNS: Final = 5
TURN_SECONDS: Final = 0.15
"""The least length of one turn, by the clock that measures it."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One line: what was measured, who else does it, both costs in microseconds, and what each side does more."""

    what: str
    peer: str
    peer_us: float
    our_us: float
    theirs: str
    """What the peer does more; empty for nothing."""
    ours: str
    """What we do more; empty for nothing."""

    @property
    def ratio(self) -> float:
        """Peer's cost divided by ours; above 1 ours is faster."""
        return self.peer_us / self.our_us


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """A peer that could not be measured, and why."""

    peer: str
    reason: str


def compared(  # noqa: PLR0913 - the fields of a row
    what: str,
    peer: str,
    *,
    theirs: Callable[[], int],
    ours: Callable[[], int],
    theirs_more: str = "",
    ours_more: str = "",
    clock: Callable[[], float] = time.process_time,
) -> Row:
    """Measure two functions in turns, by default the processor time; return the row with the least turn of both.

    A function does some work and returns how much, such as the number of hands.
    """
    for side in (ours, theirs):  # the first call fills tables
        side()
    turns = [(_turn(ours, clock), _turn(theirs, clock)) for _ in range(TURNS)]
    return Row(
        what=what,
        peer=peer,
        peer_us=min(peer_us for _, peer_us in turns),
        our_us=min(our_us for our_us, _ in turns),
        theirs=theirs_more,
        ours=ours_more,
    )


def _turn(work: Callable[[], int], clock: Callable[[], float]) -> float:
    """Repeat some work for a while; return its microseconds a piece."""
    start, count = clock(), 0
    while (passed := clock() - start) < TURN_SECONDS:
        count += work()
    return passed / count * 1e6
