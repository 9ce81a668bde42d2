"""The order of leaves' times, in ms since 1970 UTC: how far one may be from a clock and from other leaves.

Within a table no leaf is dated before the leaf before it. Elsewhere the slack is allowed: clocks differ. A server
refuses to append a leaf beyond these bounds, and an audit reports one.
"""

from typing import Final

SLACK_MS: Final = 10_000
"""Time by which a leaf may be dated away from the appending process's clock, and behind the log's newest leaf."""


def is_behind(time: int, *, newest: int) -> bool:
    """Return whether a time is more than the slack before ``newest``, the time of the log's newest leaf or of a clock.

    >>> is_behind(90_000, newest=100_000), is_behind(89_999, newest=100_000)
    (False, True)
    """
    return time < newest - SLACK_MS


def is_ahead(time: int, *, clock: int) -> bool:
    """Return whether a leaf's time is more than the slack after ``clock``, a time when the leaf already existed.

    >>> is_ahead(110_000, clock=100_000), is_ahead(110_001, clock=100_000)
    (False, True)
    """
    return time > clock + SLACK_MS


def is_between(cosigned: int, *, opened: int, dealt: int) -> bool:
    """Return whether a cosignature's time fits, within the slack: not before the round's OPEN, not after its DEAL.

    The cosigned tree contains the OPEN, and the DEAL quotes the cosignature.
    """
    return not is_ahead(opened, clock=cosigned) and not is_behind(dealt, newest=cosigned)
