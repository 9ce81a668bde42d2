"""The order of leaves' times, in ms since 1970 UTC: how far one may be from a clock and from other leaves.

Within a table no leaf is dated before the leaf before it. Elsewhere the slack is allowed: clocks differ. A server
refuses to append a leaf beyond these bounds, and an audit reports one.
"""

from typing import Final

SLACK_MS: Final = 10_000
"""Time by which a leaf may be dated away from the appending process's clock, and behind the log's newest leaf."""


def is_behind(time: int, *, newest: int) -> bool:
    """Return whether a leaf, or a clock, is too far behind another time: the log's newest leaf, or a clock.

    >>> is_behind(90_000, newest=100_000), is_behind(89_999, newest=100_000)
    (False, True)
    """
    return time < newest - SLACK_MS


def is_ahead(time: int, *, clock: int) -> bool:
    """Return whether a leaf is dated too far after a moment by a clock at which it was there already.

    >>> is_ahead(110_000, clock=100_000), is_ahead(110_001, clock=100_000)
    (False, True)
    """
    return time > clock + SLACK_MS


def is_between(cosigned: int, *, opened: int, dealt: int) -> bool:
    """Return whether a witness can have cosigned at this time a tree that has an OPEN and that its DEAL carries."""
    return not is_ahead(opened, clock=cosigned) and not is_behind(dealt, newest=cosigned)
