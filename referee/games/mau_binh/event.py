"""Events of a round: arrangements and departures. Times are milliseconds since 1970 UTC.

A sealed round has commitments before its arrangements, and timeouts of seats that did not commit or did not open.
"""

from typing import Final, TypeAlias

import msgspec

from referee.cards import Card, Seat
from referee.games.mau_binh.arrangement import Arrangement, ChiCards

MAX_EVENTS: Final = 64
"""The most events of a round.

Each seat has an equal share of them, the last of which is kept for its leaving: so no seat that rearranges without end
can keep another from arranging, and leaving is never refused for lack of room.
"""


class Arrange(msgspec.Struct, frozen=True):
    """A seat submits an arrangement; until the showdown a later one takes its place.

    In a sealed round it has a ``nonce`` and says which commitment the two ``opens``; otherwise both are empty.
    """

    seat: Seat
    back: tuple[Card, ...]
    middle: tuple[Card, ...]
    front: tuple[Card, ...]
    time: int
    nonce: bytes = b""
    opens: bytes = b""
    seen: int | None = None

    @property
    def chi(self) -> ChiCards:
        """Back, middle and front."""
        return self.back, self.middle, self.front

    @property
    def arrangement(self) -> Arrangement:
        """Cards submitted."""
        return Arrangement(self.back, self.middle, self.front)


class Leave(msgspec.Struct, frozen=True):
    """A seat is gone from the round for good."""

    seat: Seat
    time: int
    seen: int | None = None


class Commit(msgspec.Struct, frozen=True):
    """Commitment of a seat of a sealed round to its arrangement; until all have committed, a later one replaces it."""

    seat: Seat
    commitment: bytes
    time: int
    seen: int | None = None


class Timeout(msgspec.Struct, frozen=True):
    """A seat of a sealed round has not committed within the arranging time, or not opened within the opening time."""

    seat: Seat
    time: int
    seen: int | None = None


Event: TypeAlias = Arrange | Leave | Commit | Timeout


def is_imposed(event: Event) -> bool:
    """Return whether others report the event of its seat."""
    return isinstance(event, Timeout)
