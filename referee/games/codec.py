"""Events as records: canonical JSON of a seat's act, which the course of a round hashes."""

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any, Generic, Protocol, Self, TypeVar

import msgspec
from msgspec.structs import force_setattr, replace

from referee.cards import Seat
from referee.evidence.canonical import CanonicalError, Hex, Natural, encode_record, encode_records, unhex
from referee.games.law_error import LawError


class EventBytesError(ValueError):
    """Bytes that are not the canonical text of an event of the game."""


class Event(Protocol):
    """Something that happens in a round: a kind of ``EventRecord``."""

    @property
    def seat(self) -> Seat:
        """Seat that acts."""

    @property
    def time(self) -> int:
        """Time of the event, in milliseconds since 1970 UTC."""

    @property
    def seen(self) -> int | None:
        """Number of the newest event that the player had been shown; None for an event in no seat's chain."""

    @property
    def is_imposed(self) -> bool:
        """Whether others report the event of its seat, so that the seat does not sign it and it has no ``seen``."""

    @property
    def needs_received(self) -> bool:
        """Whether the referee's clock must give the event's time."""

    def record(self) -> Self:
        """Return a copy as it is encoded: without the time and without the members that ``in_round`` adds."""

    def in_round(self, round_id: bytes) -> Self:
        """Return the event with the members that its kind derives from the round; may raise CanonicalError."""


class EventRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="kind"):
    """Base of all events. A kind is a subclass with a ``tag``; its members are those of its record.

    Every kind ends with ``time``, which is no part of the record, and ``seen``, which is left out where it is None::

        class Play(EventRecord, frozen=True, tag="PLAY"):
            cards: tuple[Card, ...]
            time: int = 0
            seen: Natural | None = None
    """

    seat: Seat

    @property
    def is_imposed(self) -> bool:
        """Whether others report the event of its seat; no event of most kinds."""
        return False

    @property
    def needs_received(self) -> bool:
        """Whether the referee's clock must give the event's time; not for most kinds."""
        return False

    def record(self) -> Self:
        """Return a copy without the time."""
        return replace(self, time=0)

    def in_round(self, round_id: bytes) -> Self:
        """Return the event itself: most kinds derive nothing from the round."""
        del round_id
        return self


class BareEvent(EventRecord, frozen=True):
    """Base of the kinds of events that have no members of their own, such as a pass."""

    time: int = 0
    seen: Natural | None = None


class ImposedEvent(BareEvent, frozen=True):
    """Base of the kinds of events that others report of a seat, such as a timeout."""

    @property
    def is_imposed(self) -> bool:
        """Whether others report the event; always."""
        return True


EventT = TypeVar("EventT", bound=Event)


class EventCodec(Generic[EventT]):
    """Events of one game as bytes. An event has one canonical text; an event that ``is_imposed`` has no ``seen``."""

    def __init__(self, event_type: Any, *, game: str, title: str) -> None:  # noqa: ANN401 - a union has no type
        self._game, self._title = game, title
        self._decoder = msgspec.json.Decoder(event_type, strict=True, dec_hook=_read_hex)
        self._list_decoder = msgspec.json.Decoder(list[event_type], strict=True, dec_hook=_read_hex)

    def encode(self, event: EventT) -> bytes:
        """Encode an event, its time left out."""
        return encode_record(event.record())

    def encode_all(self, events: Iterable[EventT]) -> Sequence[bytes]:
        """Encode events, each as ``encode`` does."""
        return encode_records([event.record() for event in events])

    def decode(self, data: bytes, *, time: int, round_id: bytes) -> EventT:
        """Decode an event and give it a time; raise EventBytesError unless the bytes are canonical."""
        try:
            event: EventT = self._decoder.decode(data)
            is_canonical = encode_record(event.record()) == data
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, CanonicalError) as error:
            raise EventBytesError(f"not an event of {self._title}: {error}") from None
        if not is_canonical:
            raise EventBytesError(f"an event of {self._title} that is not canonical")
        return self._placed(event, time, round_id)

    def decode_all(self, texts: Sequence[bytes], times: Sequence[int], *, round_id: bytes) -> Iterable[EventT]:
        """Decode events as ``decode`` does: all at once, or, if one is invalid, one by one as the caller iterates."""
        with contextlib.suppress(msgspec.DecodeError, RecursionError, ValueError, LawError):
            events = self._list_decoder.decode(b"[%b]" % b",".join(texts))
            if encode_records([event.record() for event in events]) == texts:
                return [self._placed(event, time, round_id) for event, time in zip(events, times, strict=True)]
        return (self.decode(text, time=time, round_id=round_id) for text, time in zip(texts, times, strict=True))

    def _placed(self, event: EventT, time: int, round_id: bytes) -> EventT:
        """Set the time of a new event in place; return it with the members that its kind derives from the round."""
        if event.seen is not None and event.is_imposed:
            msg = f"an event of {self._title} that others report of a seat must have no seen, and has {event.seen}"
            raise EventBytesError(msg)
        force_setattr(event, "time", time)  # type: ignore[arg-type] # as below
        try:
            return event.in_round(round_id)
        except CanonicalError:
            raise
        except Exception as error:  # the law of an installed package may raise anything; LawError names its game
            raise LawError(self._game, "in_round", event=0, fault=type(error).__name__) from error


def with_seen(event: EventT, seen: int | None) -> EventT:
    """Return a new event after setting its ``seen`` in place, unless that is None. Nothing else may hold the event."""
    if seen is not None:
        force_setattr(event, "seen", seen)  # type: ignore[arg-type] # a kind of EventRecord, which is a msgspec.Struct
    return event


def _read_hex(kind: type, text: object) -> Hex:
    """Read a member that is written as hex; msgspec reports the ValueError of any other text."""
    if kind is not Hex or not isinstance(text, str):
        raise CanonicalError(f"{text!r:.160} is not the lowercase hex of 32 bytes")
    return Hex(unhex(text))
