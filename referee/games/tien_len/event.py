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

MAX_EVENTS: Final = 160
"""The most events of a round: the largest transcript with so many, each with a receipt, stays within a leaf.

A round takes about 60, and four seats that play nothing but singles and all pass every time could make 196. Past the
limit an event is refused when it is accepted, never at settlement; such a round can only be aborted.
"""


class Play(msgspec.Struct, frozen=True):
    """A seat put cards on the table, given in any order."""

    seat: Seat
    cards: tuple[Card, ...]
    time: int


class Pass(msgspec.Struct, frozen=True):
    """A seat let the trick go."""

    seat: Seat
    time: int


class Leave(msgspec.Struct, frozen=True):
    """A seat left the table, in turn or not."""

    seat: Seat
    time: int


class Timeout(msgspec.Struct, frozen=True):
    """The time of the seat on turn was up; the ruleset says what that does."""

    seat: Seat
    time: int


Event = Play | Pass | Leave | Timeout
