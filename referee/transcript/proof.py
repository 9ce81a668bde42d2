"""What proves the events of a round: faults of the proof, and the level of the least attested event.

Requests, transcripts and audits are judged alike by ``Round.play``:

- An event of a seat with a key, other than one that others report of it, says what the seat had seen, at least what the
  game needs, and the seat's newest signature covers it. No other event says what was seen.
- The referee's clock gives the time of an event that opens sections, of one whose game needs that, and of one that
  others report of a seat with a key or on a sealed table, and the time at which that seat's clock started.
- No event follows one that opens sections until they are open.
"""

import enum

from referee.transcript.inputs import TranscriptError


class EvidenceFault(enum.StrEnum):
    """What is missing to prove an event."""

    NOT_RECEIVED = "NOT_RECEIVED"
    """The referee's clock must give the time of this event, and it was only reported."""
    NOT_SEEN = "NOT_SEEN"
    """What the seat had seen is missing, too little, not there yet, or said without a key."""
    NOT_UNSEALED = "NOT_UNSEALED"
    """The sections that an event opened are not open yet."""
    OTHER_COURSE = "OTHER_COURSE"
    """The sections that an event opened were opened before it: after another course of the round."""
    SIGNATURE_MISSING = "SIGNATURE_MISSING"
    """A seat with a key has signed none of its events."""
    BAD_SIGNATURE = "BAD_SIGNATURE"
    """The signature is not the seat's over its own events, or there is nothing to sign."""


class EvidenceError(TranscriptError):
    """An event that is not proved. ``number`` is the event's, 0 for a signature; ``seat`` is whose it is."""

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
    """Received, and signed by its seat, or a lawful report of a seat with a key."""
    NONE = "NONE"
    """The round has no events."""
