"""Numbers that a caller gives: whole, in range, and in the unit of their field, or refused by that name.

>>> check_time("deal_deadline", 1_800_000_000)
Traceback (most recent call last):
ValueError: deal_deadline is 1800000000, long before 2001; give milliseconds since 1970 UTC, not seconds: 1800000000000
"""

import operator
from typing import Final, SupportsIndex

LARGEST: Final = 2**53 - 1
"""Largest amount or time of the protocol."""
EARLIEST_TIME: Final = 10**12
"""Earliest time that is taken, in September 2001; a smaller one is a time in seconds."""


def check_whole(field: str, value: SupportsIndex, *, unit: str) -> None:
    """Raise ValueError, which names the field and its unit, unless the value is whole and from 0 to 2^53-1."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= LARGEST:
        msg = f"{field} is {value!r}; give {unit}, a whole number from 0 to 2^53-1"
        raise ValueError(msg)


def check_time(field: str, value: SupportsIndex | None) -> None:
    """Raise ValueError unless the value is a time in ms since 1970 UTC, or 0 or None for no time."""
    if value is None:
        return
    check_whole(field, value, unit="milliseconds since 1970 UTC")
    if 0 < operator.index(value) < EARLIEST_TIME:
        number = operator.index(value)
        msg = f"{field} is {number}, long before 2001; give milliseconds since 1970 UTC, not seconds: {number * 1000}"
        raise ValueError(msg)
