"""Settings of advice: how many processes compute it, how many calls may ask for it at once, and for how long.

>>> AdviceSettings(processes=8).share(3).count
2
>>> AdviceSettings(processes=1).share(3).count
1
"""

import os
from typing import Annotated, Final

import msgspec
from msgspec import Meta

_MOST_PROCESSES: Final = 8
"""Processes at most, unless the setting names a number."""


class AdviceSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Section ``[advice]``: the bounds of AdviceService in one server process."""

    processes: Annotated[int, Meta(ge=0, le=256)] = 0
    """Processes that compute what AdviceService is asked at a lower priority, shared out among the
    workers with at least one each; 0 for half of the cores, at most 8. They start when they are first needed."""
    queue: Annotated[int, Meta(ge=0, le=128)] = 32
    """Calls for advice that may wait for one of a worker's processes; further ones are rejected as ADVICE_BUSY."""
    calls_at_once: Annotated[int, Meta(ge=1, le=384)] = 8
    """Calls for advice that one caller may have under way in a worker. An abandoned one counts until its process is
    free again."""
    seconds: Annotated[float, Meta(ge=0.1, le=3600)] = 20
    """Seconds that a call for advice may take, waiting included; then its computation is stopped."""

    def share(self, workers: int) -> "AdviceSettings":
        """Return the settings of each of several workers, which share out the processes; at least one each."""
        return msgspec.structs.replace(self, processes=max(1, self.processes // workers)) if self.processes else self

    @property
    def count(self) -> int:
        """Number of processes: as set, or else half of the cores that this process may use."""
        return self.processes or min(_MOST_PROCESSES, max(1, len(os.sched_getaffinity(0)) // 2))
