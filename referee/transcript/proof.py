"""Proof of a round's events: the faults of a proof, and the level of the least attested event.

``Round.play`` applies the same rules to requests, transcripts and audits:

- An event that a seat with a key makes has a ``seen``, not below the game's ``minimum_seen``, and the seat's newest
  signature covers it. An event that others report of a seat, and an event of a seat without a key, have no ``seen``.
- The referee's clock gives the time of an event that opens sections, of an event that ``needs_received``, and of an
  event that others report of a seat with a key or on a sealed table. For such a report it also gives the time of the
  event that started the seat's clock.
- After an event that opens sections, no event follows until they are open.
"""

import enum

from referee.transcript.inputs import TranscriptError


class EvidenceFault(enum.StrEnum):
    """Reasons why an event is not proved."""

    NOT_RECEIVED = "NOT_RECEIVED"
    """The referee's clock must give the time of this event, and it was only reported."""
    NOT_SEEN = "NOT_SEEN"
    """The event's ``seen`` is missing, too small or larger than the last event, or the event must not have one."""
    NOT_UNSEALED = "NOT_UNSEALED"
    """The sections that an event opened are not open yet."""
    OTHER_COURSE = "OTHER_COURSE"
    """The sections that an event opens were opened before the event, so after another course of the round."""
    SIGNATURE_MISSING = "SIGNATURE_MISSING"
    """A seat with a key has events and no signature over them."""
    BAD_SIGNATURE = "BAD_SIGNATURE"
    """The signature is not the seat's over its events, or the seat has no event to sign."""


class EvidenceError(TranscriptError):
    """An event that is not proved.

    ``number`` is the event's, 0 for a fault of a signature. ``seat`` is the seat of the event or signature, -1 where
    sections opened too early.
    """

    def __init__(  # noqa: PLR0913 - the facts of a fault
        self,
        fault: EvidenceFault,
        detail: str,
        *,
        number: int,
        seat: int,
        expected: int | None = None,
        found: int | None = None,
    ) -> None:
        super().__init__(f"event {number}: {detail}" if number else detail)
        self.fault = fault
        self.detail = detail
        self.number = number
        self.seat = seat
        self.expected = expected
        self.found = found

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self.fault, self.detail, self.number, self.seat, self.expected, self.found)


def _again(  # noqa: PLR0913, PLR0917 - the facts of a fault, as pickle has them
    fault: EvidenceFault, detail: str, number: int, seat: int, expected: int | None, found: int | None
) -> EvidenceError:
    return EvidenceError(fault, detail, number=number, seat=seat, expected=expected, found=found)


class EventLevel(enum.StrEnum):
    """How the least attested event of a round is attested, from the weakest to the strongest."""

    E0 = "E0"
    """Reported by the frontend, or signed by its seat and with the frontend's time."""
    E1 = "E1"
    """Received by the referee."""
    E2 = "E2"
    """Received, and either signed by its seat or reported by others of a seat with a key."""
    NONE = "NONE"
    """The round has no events."""
