"""Events of a round: a play, a pass, a seat that leaves, a seat whose time is up.

Events are numbered from 1; the deal is number 0. ``time`` is milliseconds since 1970 UTC and never
goes back. An event says nothing about whether it is lawful.

>>> from referee.cards import Seat, parse_cards
>>> Play(Seat(2), parse_cards("3S 3H"), time=0).seat
2
"""

from typing import Final

from referee.cards import Card
from referee.evidence.canonical import Natural
from referee.games.codec import EventRecord

MAX_EVENTS: Final = 200
"""The most events of a round. No round can have so many, so no event need be refused for their number.

A round takes about 60. Four seats play 49 singles at most, the last of which ends it, each of the others passes once a
trick, and three may leave: 196.
"""


class Play(EventRecord, frozen=True, tag="PLAY"):
    """A seat put cards on the table, given in any order."""

    cards: tuple[Card, ...]
    time: int = 0
    seen: Natural | None = None


class Pass(EventRecord, frozen=True, tag="PASS"):
    """A seat let the trick go."""

    time: int = 0
    seen: Natural | None = None


class Leave(EventRecord, frozen=True, tag="LEAVE"):
    """A seat left the table, in turn or not."""

    time: int = 0
    seen: Natural | None = None


class Timeout(EventRecord, frozen=True, tag="TIMEOUT"):
    """The time of the seat on turn was up; the ruleset says what that does."""

    time: int = 0
    seen: Natural | None = None

    @property
    def is_imposed(self) -> bool:
        """Whether others report the event; always."""
        return True


Event = Play | Pass | Leave | Timeout
