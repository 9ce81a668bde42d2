"""Events of a round: arrangements and departures. Times are milliseconds since 1970 UTC.

A sealed round has commitments before its arrangements, and timeouts of seats that did not commit or did not open.

As canonical JSON an event is ``{"back","front","kind":"ARRANGE","middle","seat"}`` with card numbers in the order
submitted, or ``{"kind":"LEAVE","seat"}``. On a sealed table an ARRANGE has a ``nonce`` too, 32 bytes in hex, and
``{"commitment","kind":"COMMIT","seat"}`` comes before it; ``{"kind":"TIMEOUT","seat"}`` is in place of either. All but
TIMEOUT have ``seen`` too where the seat has a key.
"""

from collections.abc import Sequence
from typing import Final, Self, TypeAlias

import msgspec
from msgspec.structs import force_setattr

from referee.cards import Card, Seat
from referee.evidence.canonical import Hex, Natural
from referee.evidence.encoding import HASH_SIZE, tagged_hash, u8
from referee.games.codec import BareEvent, EventRecord, ImposedEvent
from referee.games.mau_binh.arrangement import Arrangement, ChiCards

MAX_EVENTS: Final = 64
"""The most events of a round.

Each seat has an equal share of them, the last of which is kept for its leaving: so no seat that rearranges without end
can keep another from arranging, and leaving is never refused for lack of room.
"""


_LAST_SEAT: Final = 255
"""Largest seat number that fits into a hash. Whether the round has such a seat is checked by ``legality``."""


def arrangement_commitment(*, round_id: bytes, seat: Seat, cards: Sequence[Card], nonce: bytes) -> bytes:
    """Return a seat's commitment to its thirteen cards in order back, middle, front, under a nonce.

    Raise ValueError unless the nonce has 32 bytes.
    """
    if len(nonce) != HASH_SIZE:
        raise ValueError(f"a nonce has {HASH_SIZE} bytes, not {len(nonce)}")
    return tagged_hash("arrange", round_id, u8(seat), bytes([card.number for card in cards]), nonce)


class Arrange(EventRecord, frozen=True, tag="ARRANGE"):
    """A seat submits an arrangement; until the showdown a later one takes its place.

    In a sealed round it has a ``nonce``, and ``opens`` is the commitment to the cards under this nonce; ``in_round``
    computes it, and it is not in the record. In an open round both are empty.
    """

    back: tuple[Card, ...]
    middle: tuple[Card, ...]
    front: tuple[Card, ...]
    time: int = 0
    nonce: Hex | None = None
    opens: bytes = b""
    seen: Natural | None = None

    @property
    def chi(self) -> ChiCards:
        """Back, middle and front."""
        return self.back, self.middle, self.front

    @property
    def arrangement(self) -> Arrangement:
        """Cards submitted."""
        return Arrangement(self.back, self.middle, self.front)

    def record(self) -> Self:
        """Return a copy without the time and the commitment that it opens."""
        record = super().record()
        force_setattr(record, "opens", b"")
        return record

    def in_round(self, round_id: bytes) -> Self:
        """Return the event, with ``opens`` if it has a nonce and a seat number that fits into a hash."""
        if not self.nonce or not 0 <= self.seat <= _LAST_SEAT:
            return self
        cards = (*self.back, *self.middle, *self.front)
        opens = arrangement_commitment(round_id=round_id, seat=self.seat, cards=cards, nonce=self.nonce)
        return msgspec.structs.replace(self, opens=opens)


class Leave(BareEvent, frozen=True, tag="LEAVE"):
    """A seat is gone from the round for good."""


class Commit(EventRecord, frozen=True, tag="COMMIT"):
    """Commitment of a seat of a sealed round to its arrangement; until all have committed, a later one replaces it."""

    commitment: Hex
    time: int = 0
    seen: Natural | None = None

    @property
    def needs_received(self) -> bool:
        """Whether the referee's clock must give its time; always, so that a seat commits before it sees a hand."""
        return True


class Timeout(ImposedEvent, frozen=True, tag="TIMEOUT"):
    """A seat of a sealed round has not committed within the arranging time, or not opened within the opening time."""


Event: TypeAlias = Arrange | Leave | Commit | Timeout
