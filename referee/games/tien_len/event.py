"""Events of a round: a play, a pass, a seat that leaves, a seat whose time is up.

Events are numbered from 1; the deal is number 0. ``time`` is milliseconds since 1970 UTC and never
goes back. An event says nothing about whether it is lawful.

>>> from referee.cards import Seat, parse_cards
>>> Play(Seat(2), parse_cards("3S 3H"), time=0).seat
2
"""

from typing import Final

import msgspec

from referee.cards import Card, Seat

MAX_EVENTS: Final = 200
"""The most events of a round, beyond what any can have, so none need be refused for being too many.

A round takes about 60. Four seats play 49 singles at most, the last of which ends it, each of the others passes once a
trick, and three may leave: 196.
"""


class Play(msgspec.Struct, frozen=True):
    """A seat put cards on the table, given in any order."""

    seat: Seat
    cards: tuple[Card, ...]
    time: int
    seen: int | None = None


class Pass(msgspec.Struct, frozen=True):
    """A seat let the trick go."""

    seat: Seat
    time: int
    seen: int | None = None


class Leave(msgspec.Struct, frozen=True):
    """A seat left the table, in turn or not."""

    seat: Seat
    time: int
    seen: int | None = None


class Timeout(msgspec.Struct, frozen=True):
    """The time of the seat on turn was up; the ruleset says what that does."""

    seat: Seat
    time: int
    seen: int | None = None


Event = Play | Pass | Leave | Timeout


def is_imposed(event: Event) -> bool:
    """Return whether others report the event of its seat."""
    return isinstance(event, Timeout)
