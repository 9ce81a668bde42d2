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
from collections.abc import Sequence

from referee.games import AnyGame, Event
from referee.games.game import State
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
    """Level of proof of a round's events: that of its least attested event, from the weakest to the strongest."""

    E0 = "E0"
    """Reported by the frontend, or signed by its seat and with the frontend's time."""
    E1 = "E1"
    """Received by the referee."""
    E2 = "E2"
    """Received, and either signed by its seat or reported by others of a seat with a key."""
    NONE = "NONE"
    """The round has no events."""


def check_proof(  # noqa: PLR0913 - the facts that decide
    game: AnyGame,
    state: State,
    event: Event,
    *,
    received: bool,
    has_key: bool,
    opens_sections: bool,
    earlier: Sequence[bool],
) -> None:
    """Raise EvidenceError unless the next event of a round is proved.

    ``state`` is the game's before the event. ``received``: whether the referee's clock gave the event's time;
    ``earlier``: the same for each event before it. ``has_key``: whether the event's seat has a key.
    ``opens_sections``: whether the event opens sections.
    """
    if has_key or event.seen is not None:
        _check_seen(game, state, event, number=len(earlier) + 1, has_key=has_key)
    is_report = event.is_imposed and (has_key or state.deal.is_sealed)
    if not received and (is_report or opens_sections or event.needs_received):
        raise _unreceived(len(earlier) + 1, event.seat, "; ask AcceptEvent")
    if is_report:
        clock = game.clock(state)
        if clock is not None and clock.number and not earlier[clock.number - 1]:
            raise _unreceived(clock.number, event.seat, f", which starts the clock of seat {event.seat}")


def _check_seen(game: AnyGame, state: State, event: Event, *, number: int, has_key: bool) -> None:
    """Raise EvidenceError unless event ``number`` has the ``seen`` that it must have, or none where it must not."""
    seat, seen = event.seat, event.seen
    least: int | None = None
    if has_key and not event.is_imposed:
        least = game.minimum_seen(state, event)
        if seen is None:
            detail = f"seat {seat} has a key and must say the newest event that it had seen, {least} or later"
        elif least <= seen < number:
            return
        else:
            detail = f"seat {seat} must have seen event {least} and at most {number - 1}, not {seen}"
    elif seen is None:
        return
    else:
        detail = f"seat {seat} signs no such event, so it says nothing of what it had seen"
    raise EvidenceError(EvidenceFault.NOT_SEEN, detail, number=number, seat=seat, expected=least, found=seen)


def _unreceived(number: int, seat: int, why: str) -> EvidenceError:
    detail = f"the referee's clock must give the time of this event{why}"
    return EvidenceError(EvidenceFault.NOT_RECEIVED, detail, number=number, seat=seat)
