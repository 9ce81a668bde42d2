"""Checks of the clock: its pace, the log's newest time and the kernel's synchronization state.

Deadlines are wall clock times, so a clock that jumps or is behind the log makes honest players late.
"""

import ctypes
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final

from referee.log.times import SLACK_MS
from referee.server.clock import Clock, system_clock
from referee.server.doctor.check_result import CheckResult
from referee.server.process.opened_log import NOTED_MS
from referee.storage import clock_error

_SECOND: Final = 1.0
_UNEVEN_MS: Final = 20.0
"""More than time synchronization adjusts a wall clock in one second."""
_UNSYNCHRONIZED: Final = 0x0040
_LARGE_ERROR_MS: Final = 1_000.0


class _Timex(ctypes.Structure):
    """The fields of ``struct timex`` (``adjtimex(2)``) that are read, and room for the rest."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_byte * 256),
    )


def check_clock(
    newest_leaf_time: int,
    *,
    wall: Clock = system_clock,
    monotonic: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    kernel: "Callable[[], tuple[int, int] | None]" = lambda: kernel_clock(),  # noqa: PLW0108 - defined below
) -> Iterator[CheckResult]:
    """Check the clock; ``newest_leaf_time`` is in ms since 1970 UTC, 0 for none."""
    before, began = wall(), monotonic()
    sleep(_SECOND)
    off = (wall() - before) - (monotonic() - began) * 1000
    pace = f"{abs(off):.1f} ms apart after a second"
    if abs(off) > _UNEVEN_MS:
        yield CheckResult.fail(
            "pace", f"wall and monotonic clock are {pace}", "find what sets the clock, and make it slew"
        )
    else:
        yield CheckResult.ok("pace", f"wall and monotonic clock are {pace}")
    now = wall()
    error = clock_error(newest_leaf_time, now=now)
    if error is not None:
        what, _, remedy = str(error).partition(". ")
        yield CheckResult.fail("log", what, remedy)
    elif newest_leaf_time and now < newest_leaf_time - NOTED_MS:
        late = (newest_leaf_time - now) / 1000
        yield CheckResult.warn(
            "log",
            f"the clock is {late:,.1f} s behind the log's newest leaf; {SLACK_MS // 1000} s are allowed",
            "set the clock right, or that of the server that wrote the leaf",
        )
    elif newest_leaf_time:
        yield CheckResult.ok("log", f"ahead of the newest leaf by {(now - newest_leaf_time) / 1000:,.0f} s")
    else:
        yield CheckResult.ok("log", "no leaf has a time yet")
    yield _synchronized(kernel())


def _synchronized(state: tuple[int, int] | None) -> CheckResult:
    """Judge the kernel's status and its maximum error in microseconds."""
    if state is None:
        return CheckResult.warn(
            "synchronized", "unknown on this system", "keep the clock within a second by NTP or PTP"
        )
    status, largest = state
    if status & _UNSYNCHRONIZED:
        return CheckResult.warn(
            "synchronized", "the kernel's clock is not synchronized", "run chrony, ntpd or systemd-timesyncd"
        )
    error = largest / 1000
    if error > _LARGE_ERROR_MS:
        return CheckResult.warn(
            "synchronized", f"but up to {error:,.0f} ms off", "check the connection to the time servers"
        )
    return CheckResult.ok("synchronized", f"within {error:,.1f} ms, according to the kernel")


def kernel_clock() -> tuple[int, int] | None:
    """Return the kernel's clock status and maximum error in microseconds; None where it has none."""
    if not sys.platform.startswith("linux"):
        return None
    state = _Timex()
    try:
        if ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(state)) < 0:
            return None
    except (OSError, AttributeError):
        return None
    return state.status, state.maxerror
