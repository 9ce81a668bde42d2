"""The clock that rounds are timed by: whether it goes at an even pace, agrees with the log, and is set by others.

The law: a deal's deadline is a wall clock's time, so a wall clock that jumps or stands behind the log makes honest
players late. The kernel itself says whether something keeps its clock right; nothing is asked of the network.
"""

import ctypes
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final

from referee.server.clock import Clock, system_clock
from referee.server.doctor.check_result import CheckResult

_SECOND: Final = 1.0
_UNEVEN_MS: Final = 20.0
"""More than a wall clock is turned within a second by whatever keeps it right."""
_BEHIND_MS: Final = 1_000
_UNSYNCHRONIZED: Final = 0x0040
_LARGE_ERROR_MS: Final = 1_000.0


class _Timex(ctypes.Structure):
    """``struct timex`` as ``adjtimex(2)`` has it, as far as it is read; the rest is room."""

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
    kernel: "Callable[[], tuple[int, int] | None]" = lambda: kernel_clock(),  # noqa: PLW0108 - it stands below
) -> Iterator[CheckResult]:
    """What there is to say of the clock; ``newest_leaf_time`` is in ms since 1970 UTC, 0 for none."""
    before, began = wall(), monotonic()
    sleep(_SECOND)
    off = (wall() - before) - (monotonic() - began) * 1000
    pace = f"{abs(off):.1f} ms apart after a second"
    if abs(off) > _UNEVEN_MS:
        yield CheckResult.fail(
            "pace", f"wall and monotonic clock are {pace}", "find out what sets the clock, and let it slew"
        )
    else:
        yield CheckResult.ok("pace", f"wall and monotonic clock are {pace}")
    now = wall()
    if newest_leaf_time and now < newest_leaf_time - _BEHIND_MS:
        late = (newest_leaf_time - now) / 1000
        yield CheckResult.fail("log", f"the clock is {late:,.1f} s behind the log's newest leaf", "set the clock right")
    elif newest_leaf_time:
        yield CheckResult.ok("log", f"ahead of the newest leaf by {(now - newest_leaf_time) / 1000:,.0f} s")
    else:
        yield CheckResult.ok("log", "no leaf tells a time yet")
    yield _synchronized(kernel())


def _synchronized(told: tuple[int, int] | None) -> CheckResult:
    """What the kernel's status and largest error, in microseconds, amount to."""
    if told is None:
        return CheckResult.warn(
            "synchronized", "this system does not say", "see to it that NTP or PTP keeps the clock within a second"
        )
    status, largest = told
    if status & _UNSYNCHRONIZED:
        return CheckResult.warn(
            "synchronized", "the kernel's clock is kept right by nobody", "run chrony, ntpd or systemd-timesyncd"
        )
    error = largest / 1000
    if error > _LARGE_ERROR_MS:
        return CheckResult.warn(
            "synchronized", f"but up to {error:,.0f} ms off", "see why the time servers are far or away"
        )
    return CheckResult.ok("synchronized", f"within {error:,.1f} ms, as the kernel says")


def kernel_clock() -> tuple[int, int] | None:
    """The status and the largest error, in microseconds, that the kernel has of its clock; None where it tells none."""
    if not sys.platform.startswith("linux"):
        return None
    state = _Timex()
    try:
        if ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(state)) < 0:
            return None
    except (OSError, AttributeError):
        return None
    return state.status, state.maxerror
