"""A round played event by event by the law of its game, with what must prove each event.

Requests, transcripts and audits are judged here alike:

- An event of a seat with a key, other than one that others report of it, says what the seat had seen, at least what the
  game needs, and the seat's newest signature covers it. No other event says what was seen.
- The referee's clock gives the time of an event that opens sections, of one whose game needs that, and of one that
  others report of a seat with a key or on a sealed table, and the time at which that seat's clock started.
- No event follows one that opens sections until they are open.
"""

import enum
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from referee.dealing.header import NO_KEY
from referee.evidence.ed25519 import is_signature
from referee.games import AnyGame, Event
from referee.transcript.chain import Course, EventReceipt
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


_ORDER: Final = tuple(EventLevel)
_RECEIVED: Final = {False: EventLevel.E1, True: EventLevel.E2}
"""The level of a received event, by whether its seat has a key."""


class Opening(NamedTuple):
    """Sections that an event opened, in opening order, and when the shuffler opened them; None until then."""

    number: int
    sections: tuple[int, ...]
    time: int | None = None


class PlayedCourse(msgspec.Struct, frozen=True, kw_only=True):
    """A round played so far: its state by the law of its game, its course, its openings and its lowest level.

    ``seat_keys`` are the header's. ``opened`` is the last opening where the shuffler has not made it yet. An event more
    makes another value.
    """

    game: AnyGame
    seat_keys: tuple[bytes, ...]
    state: Any
    course: Course
    openings: tuple[Opening, ...] = ()
    opened: Opening | None = None
    level: EventLevel = EventLevel.NONE

    @property
    def received(self) -> tuple[int, int | msgspec.UnsetType] | None:
        """Number of the newest event that was received and the section it opens, UNSET for none; None without one."""
        number = self.course.received
        opened = [opening.sections[-1] for opening in self.openings if opening.number == number]
        return (number, opened[0] if opened else msgspec.UNSET) if number else None

    @property
    def receipt(self) -> EventReceipt | None:
        """What the newest receipt must say; None where no event was received."""
        if self.received is None:
            return None
        number, opened = self.received
        return self.course.receipt(number, opens_section=opened if isinstance(opened, int) else None)

    def unseal(self, time: int) -> "PlayedCourse":
        """Return the round after the shuffler opened, at that time, what the last event opened.

        Raise EvidenceError for a time before the event.
        """
        playing = Playing(self)
        playing.unseal(time)
        return playing.played()

    def play(self, event: Event, *, received: bool) -> "PlayedCourse":
        """Return the round after an event; raise UnlawfulEventError for the game's law, EvidenceError for its proof."""
        playing = Playing(self)
        playing.play(event, received=received)
        return playing.played()

    def check_signatures(
        self, signatures: Sequence[bytes], holds: Callable[[bytes, bytes, bytes], bool] = is_signature
    ) -> None:
        """Verify each seat's newest signature, by seat and empty for none; raise EvidenceError unless all hold."""
        for seat, (signature, key) in enumerate(zip(signatures, self.seat_keys, strict=True)):
            move = self.course.moves.get(seat)
            if move is None and not signature:
                continue
            if move is None:
                fault, detail = EvidenceFault.BAD_SIGNATURE, f"seat {seat} has no event to sign"
            elif not signature:
                fault, detail = EvidenceFault.SIGNATURE_MISSING, f"seat {seat} has a key and signs all its events"
            elif not holds(signature, move, key):
                fault, detail = EvidenceFault.BAD_SIGNATURE, f"this is not the signature of seat {seat} over its events"
            else:
                continue
            raise EvidenceError(fault, detail, number=0, seat=seat)


class Playing:
    """A round that is played on in place, for reading many events; ``played()`` is its value so far.

    ``state`` and ``opened`` are those of ``PlayedCourse``. What raises changes nothing.
    """

    __slots__ = ("_added", "_begun", "_game", "_has_key", "_level", "_openings", "opened", "state")

    def __init__(self, begun: PlayedCourse) -> None:
        self._begun, self._game, self._has_key = begun, begun.game, [key != NO_KEY for key in begun.seat_keys]
        self._added: list[tuple[Event, bool]] = []
        self._openings, self._level = begun.openings, begun.level
        self.state, self.opened = begun.state, begun.opened

    def played(self, texts: Sequence[bytes] | None = None) -> PlayedCourse:
        """Return the round after all its events; ``texts`` are the canonical bytes of those added, where known."""
        if texts is None:
            texts = self._game.events.encode_all([event for event, _ in self._added])
        added = zip(self._added, texts, strict=True)
        steps = [(text, event.time, received, event.seat, event.seen) for (event, received), text in added]
        return PlayedCourse(
            game=self._game,
            seat_keys=self._begun.seat_keys,
            state=self.state,
            course=self._begun.course.extend(steps),
            openings=self._openings,
            opened=self.opened,
            level=self._level,
        )

    def unseal(self, time: int) -> None:
        """Open what the last event opened, as ``PlayedCourse.unseal`` does."""
        last = self._added[-1][0].time if self._added else self._begun.course.links[-1].time
        if time < last:
            detail = f"its sections opened at {time}, before it at {last}, and so after other events than these"
            fault, number = EvidenceFault.OTHER_COURSE, self._number
            raise EvidenceError(fault, detail, number=number, seat=-1, expected=last, found=time)
        self.state = self._game.later.unseal(self.state, time)
        self._openings = (*self._openings[:-1], self._openings[-1]._replace(time=time))
        self.opened = None

    def play(self, event: Event, *, received: bool) -> None:
        """Play an event, as ``PlayedCourse.play`` does."""
        game, state, seat, seen = self._game, self.state, event.seat, event.seen
        if self.opened is not None:
            detail = f"event {self.opened.number} opens sections that are not open yet"
            raise EvidenceError(EvidenceFault.NOT_UNSEALED, detail, number=self._number + 1, seat=seat)
        after = game.apply(state, event)
        opened = game.later.opens(state, after)
        has_key, is_imposed = self._has_key[seat], event.is_imposed
        if has_key and not is_imposed:
            least = game.minimum_seen(state, event)
            if seen is None or not least <= seen <= self._number:
                raise self._unseen(event, least)
        elif seen is not None:
            raise self._unseen(event, None)
        if is_imposed or not received:
            self._check_received(event, received=received, is_opening=bool(opened))
        self._added.append((event, received))
        level = _RECEIVED[has_key] if received else EventLevel.E0
        if level is not self._level:
            self._level = min(level, self._level, key=_ORDER.index)
        if opened:
            self.opened = Opening(self._number, opened)
            self._openings = (*self._openings, self.opened)
        self.state = after

    @property
    def _number(self) -> int:
        return len(self._begun.course.links) + len(self._added)

    def _unseen(self, event: Event, least: int | None) -> EvidenceError:
        """Return what is wrong with what a seat says that it had seen; ``least`` is None for an event in no chain."""
        number, seen = self._number + 1, event.seen
        if least is None:
            detail = f"seat {event.seat} signs no such event, so it says nothing of what it had seen"
        elif seen is None:
            detail = f"seat {event.seat} has a key and must say the newest event that it had seen, {least} or later"
        else:
            detail = f"seat {event.seat} must have seen event {least} and at most {number - 1}, not {seen}"
        fault = EvidenceFault.NOT_SEEN
        return EvidenceError(fault, detail, number=number, seat=event.seat, expected=least, found=seen)

    def _check_received(self, event: Event, *, received: bool, is_opening: bool) -> None:
        seat, number = event.seat, self._number + 1
        is_report = event.is_imposed and (self.state.deal.is_sealed or self._has_key[seat])
        if not received and (is_report or is_opening or event.needs_received):
            detail = "the referee's clock must give the time of this event; ask AcceptEvent"
            raise EvidenceError(EvidenceFault.NOT_RECEIVED, detail, number=number, seat=seat)
        clock = self._game.clock(self.state) if is_report else None
        if clock is not None and clock.number and not self._is_received(clock.number):
            detail = f"the referee's clock must give the time of this event, which starts that of seat {seat}"
            raise EvidenceError(EvidenceFault.NOT_RECEIVED, detail, number=clock.number, seat=seat)

    def _is_received(self, number: int) -> bool:
        links = self._begun.course.links
        return links[number - 1].received if number <= len(links) else self._added[number - 1 - len(links)][1]
