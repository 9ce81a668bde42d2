"""Tables that the ruleset files of every game are made of: sources, seats, clocks and the bounds of a round.

None has a default: a house variant is another file, and a key that is missing or unknown is refused. Only a field that
a later schema adds has one, ``Annotated[int, since(2)] = 30``: a file of an earlier schema must not have the field and
means the default; a file of that schema or a later one must spell the field out.
"""

from typing import Annotated, Final, TypeAlias

import msgspec

from referee.games.game import RoundBounds

SINCE: Final = "since"
"""Name of the note that ``since`` leaves on a field's type."""


def since(schema: int) -> msgspec.Meta:
    """Mark a field, which has a default, as one that files have from this schema on."""
    return msgspec.Meta(extra={SINCE: schema}, extra_json_schema={"x-since": schema})


Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]

Seconds: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=86_400, description="A length of time in seconds.")]


class Sourced(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Table of a file with the text that it is taken from, and the sentence in that text's own words."""

    source: Text
    quote: Text


class TextClock(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Time within which a seat acts."""

    seconds: Seconds


class HouseClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Time within which a seat acts, where the texts name none: ``reason`` says why it is this long."""

    seconds: Seconds
    reason: Text


class RoundLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Bounds of the time from the deal's deadline to the round's, whatever the frontend asks for."""

    shortest_seconds: Annotated[
        int, msgspec.Meta(ge=1, le=86_400, description="A round may not be cut shorter: all its clocks fit in it.")
    ]
    longest_seconds: Annotated[
        int, msgspec.Meta(ge=1, le=86_400, description="A round that nobody settles is aborted after this time.")
    ]

    @property
    def bounds(self) -> RoundBounds:
        """These bounds in milliseconds."""
        return RoundBounds(1000 * self.shortest_seconds, 1000 * self.longest_seconds)

    def fault(self, needed: int) -> str:
        """Return the fault of these bounds if the round's clocks need ``needed`` seconds; empty if there is none."""
        if needed <= self.shortest_seconds <= self.longest_seconds:
            return ""
        bounds = f"{self.shortest_seconds} to {self.longest_seconds}"
        return (
            f"round lasts from {bounds} seconds, but its clocks need {needed}; write {needed} or more, the longer last"
        )


def seat_fault(minimum: int, maximum: int) -> str:
    """Return the fault of a smallest number of seats above the largest; empty if there is none."""
    return f"seats.minimum {minimum} is more than seats.maximum {maximum}" if minimum > maximum else ""


def refuse(*faults: str) -> None:
    """Raise ValueError with all faults that are not empty, if any."""
    if named := [fault for fault in faults if fault]:
        raise ValueError("; ".join(named))
