"""Events of a round: a play, a pass, a seat that leaves, a seat whose time is up.

Events are numbered from 1; the deal is number 0. ``time`` is milliseconds since 1970 UTC and never
goes back. An event says nothing about whether it is lawful.

As canonical JSON an event is ``{"cards","kind":"PLAY","seat"}`` with card numbers in the order played, or
``{"kind","seat"}`` with the kind ``PASS``, ``LEAVE`` or ``TIMEOUT``; all but TIMEOUT have ``seen`` too where the seat
has a key.

>>> from referee.cards import Seat, parse_cards
>>> Play(Seat(2), parse_cards("3S 3H"), time=0).seat
2
"""

from typing import Final

from referee.cards import Card
from referee.evidence.canonical import Natural
from referee.games.codec import BareEvent, EventRecord, ImposedEvent

MAX_EVENTS: Final = 200
"""The most events of a round. No round reaches this number, so no event is refused because of it.

A round takes about 60. Four seats play 49 singles at most, the last of which ends it, each of the others passes once a
trick, and three may leave: 196.
"""


class Play(EventRecord, frozen=True, tag="PLAY"):
    """A seat put cards on the table, given in any order."""

    cards: tuple[Card, ...]
    time: int = 0
    seen: Natural | None = None


class Pass(BareEvent, frozen=True, tag="PASS"):
    """A seat let the trick go."""


class Leave(BareEvent, frozen=True, tag="LEAVE"):
    """A seat left the table, in turn or not."""


class Timeout(ImposedEvent, frozen=True, tag="TIMEOUT"):
    """The time of the seat on turn was up; the ruleset says what that does."""


Event = Play | Pass | Leave | Timeout
