"""Canonical JSON of a game's events: what the course of a round hashes."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec
from msgspec.structs import force_setattr

from referee.cards import UnknownCardError
from referee.evidence.canonical import CanonicalError, Natural, encode_record
from referee.games.game import Event, EventBytesError

EventT = TypeVar("EventT", bound=Event)


class EventJson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """Base of the records of all events; ``seen`` is left out for an event in no seat's chain."""

    seat: int
    seen: Natural | msgspec.UnsetType = msgspec.UNSET


class EventCodec(Generic[EventT]):
    """Events of one game as bytes, by way of records: kinds of ``EventJson`` with a ``kind``.

    ``seen`` is written and read here. ``write`` makes the record of an event, ``read`` the event of a record, time and
    round id; it may raise CanonicalError, UnknownCardError and ValueError. An event has one canonical text. One that is
    ``is_imposed`` has no ``seen``.
    """

    def __init__(
        self,
        game: str,
        records: Any,  # noqa: ANN401 - a union of structs has no type of its own
        *,
        write: Callable[[EventT], Any],
        read: Callable[[Any, int, bytes], EventT],
        is_imposed: Callable[[EventT], bool] = lambda _: False,
    ) -> None:
        self._game, self._write, self._read, self._is_imposed = game, write, read, is_imposed
        self._decoder = msgspec.json.Decoder(records, strict=True)

    def encode(self, event: EventT) -> bytes:
        """Encode an event, its time left out."""
        record = self._write(event)
        if event.seen is not None:
            force_setattr(record, "seen", event.seen)
        return encode_record(record)

    def decode(self, data: bytes, *, time: int, round_id: bytes) -> EventT:
        """Decode an event and give it a time; raise EventBytesError unless the bytes are canonical."""
        try:
            record = self._decoder.decode(data)
            event = self._read(record, time, round_id)
            is_canonical = encode_record(record) == data
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, UnknownCardError, CanonicalError) as error:
            msg = f"not an event of {self._game}: {error}"
            raise EventBytesError(msg) from None
        if not is_canonical:
            msg = f"an event of {self._game} that is not canonical"
            raise EventBytesError(msg)
        if record.seen is msgspec.UNSET:
            return event
        if self._is_imposed(event):
            msg = f"an event of {self._game} that others report of a seat, which had seen nothing before"
            raise EventBytesError(msg)
        return with_seen(event, record.seen)


def with_seen(event: EventT, seen: int | None) -> EventT:
    """Return an event, which nothing else holds yet, with what its player had seen."""
    if seen is not None:
        force_setattr(event, "seen", seen)  # type: ignore[arg-type] # a msgspec.Struct, as Event says
    return event
