"""Canonical JSON of a game's events: what the course of a round hashes."""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from msgspec.structs import force_setattr

from referee.cards import UnknownCardError
from referee.evidence.canonical import CanonicalError, Natural, encode_record, encode_records
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
        self._list_decoder = msgspec.json.Decoder(list[records], strict=True)

    def encode(self, event: EventT) -> bytes:
        """Encode an event, its time left out."""
        return encode_record(self._record(event))

    def encode_all(self, events: Iterable[EventT]) -> Sequence[bytes]:
        """Encode events, each as ``encode`` does."""
        return encode_records([self._record(event) for event in events])

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
        return self._seen(event, record.seen)

    def decode_all(self, texts: Sequence[bytes], times: Sequence[int], *, round_id: bytes) -> Iterable[EventT]:
        """Decode events as ``decode`` does: together, or each when it is asked for where one is refused."""
        with contextlib.suppress(msgspec.DecodeError, RecursionError, ValueError):
            records = self._list_decoder.decode(b"[%b]" % b",".join(texts))
            if encode_records(records) == texts:
                pairs = zip(records, times, strict=True)
                return [self._seen(self._read(record, time, round_id), record.seen) for record, time in pairs]
        return (self.decode(text, time=time, round_id=round_id) for text, time in zip(texts, times, strict=True))

    def _record(self, event: EventT) -> Any:  # noqa: ANN401 - a record of the game
        record = self._write(event)
        if event.seen is not None:
            force_setattr(record, "seen", event.seen)
        return record

    def _seen(self, event: EventT, seen: int | msgspec.UnsetType) -> EventT:
        """Return a decoded event with what its player had seen; raise EventBytesError where it cannot have seen it."""
        if isinstance(seen, msgspec.UnsetType):
            return event
        if self._is_imposed(event):
            msg = f"an event of {self._game} that others report of a seat, which had seen nothing before"
            raise EventBytesError(msg)
        return with_seen(event, seen)


def with_seen(event: EventT, seen: int | None) -> EventT:
    """Return an event, which nothing else holds yet, with what its player had seen."""
    if seen is not None:
        force_setattr(event, "seen", seen)  # type: ignore[arg-type] # a msgspec.Struct, as Event says
    return event
