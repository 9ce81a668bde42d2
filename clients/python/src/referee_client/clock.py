"""Times of a round that differ from this machine's clock, kept as evidence against a server whose clock is wrong."""

import time
from typing import Final, Literal

import msgspec

from referee.log.times import SLACK_MS

ALLOWED_MS: Final = SLACK_MS
"""Largest difference in milliseconds that is not kept."""


class ClockDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A time of a round that differs from this machine's clock by more than ten seconds; times in ms since 1970 UTC."""

    what: Literal["OPEN", "DEAL", "UNSEAL", "EVENT"]
    """Part of the round with this time: the OPEN or DEAL leaf, the UNSEAL after an event, or the event."""
    number: int
    """Number of that event, from 1; 0 for OPEN and DEAL."""
    time: int
    """The server's time."""
    earliest: int
    """Earliest time at which it was written, by this machine's clock; 0 if unknown."""
    latest: int
    """Latest time at which it was written, by this machine's clock."""

    @property
    def seconds(self) -> float:
        """Seconds by which the time is ahead of this machine's clock; negative if it is behind."""
        nearest = self.latest if self.time > self.latest else self.earliest
        return (self.time - nearest) / 1000

    @property
    def is_large(self) -> bool:
        """Whether the difference is more than ``ALLOWED_MS``."""
        is_behind = bool(self.earliest) and self.time < self.earliest - ALLOWED_MS
        return is_behind or self.time > self.latest + ALLOWED_MS


def now() -> int:
    """Return the time of this machine's clock in ms since 1970 UTC."""
    return time.time_ns() // 1_000_000
