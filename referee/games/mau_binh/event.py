"""What a round is told after the deal: arrangements, and seats that leave. Times are milliseconds since 1970 UTC."""

from typing import Final, TypeAlias

import msgspec

from referee.cards import Card, Seat
from referee.games.mau_binh.arrangement import Arrangement

MAX_EVENTS: Final = 64
"""The most events of a round.

Each seat has an equal share of them, the last of which is kept for its leaving: so no seat that rearranges without end
can keep another from arranging, and leaving is never refused for lack of room.
"""


class Arrange(msgspec.Struct, frozen=True):
    """A seat submits an arrangement; until the showdown a later one takes its place."""

    seat: Seat
    back: tuple[Card, ...]
    middle: tuple[Card, ...]
    front: tuple[Card, ...]
    time: int

    @property
    def arrangement(self) -> Arrangement:
        """What is submitted."""
        return Arrangement(self.back, self.middle, self.front)


class Leave(msgspec.Struct, frozen=True):
    """A seat is gone from the round for good."""

    seat: Seat
    time: int


Event: TypeAlias = Arrange | Leave
