"""Events and results of Bài Cào as canonical JSON.

An event is ``{"kind":"SHOW","seat":n}`` or ``{"kind":"LEAVE","seat":n}``, with ``seen`` where the seat has a key. The
results are::

    {"events_hash": h_n, "seats": [{"hand": code, "net": n, "result": "DEALER" | "WON" | "LOST" | "TIED"}, ..],
     "transfers": [{"amount","from","reason","subject","to"}, ..], "winners": [seat, ..]}

>>> encode_event(Event(Seat(2), Act.SHOW, time=1_000))
b'{"kind":"SHOW","seat":2}'
"""

from collections.abc import Mapping
from typing import Final

from bai_cao.round import Act, Event, State
from bai_cao.settlement import Outcome
from referee.cards import Seat
from referee.games import ResultValue
from referee.games.codec import EventCodec, EventJson


class ActJson(EventJson, frozen=True):
    """An act of a seat."""

    kind: Act


def _write(event: Event) -> ActJson:
    return ActJson(kind=event.act, seat=event.seat)


def _read(record: ActJson, time: int, round_id: bytes) -> Event:
    del round_id
    return Event(Seat(record.seat), record.kind, time)


_CODEC: Final[EventCodec[Event]] = EventCodec("Bài Cào", ActJson, write=_write, read=_read)
encode_event = _CODEC.encode
encode_events = _CODEC.encode_all
decode_event = _CODEC.decode
decode_events = _CODEC.decode_all


def encode_results(state: State, outcome: Outcome) -> Mapping[str, ResultValue]:
    """Encode the settlement for a transcript."""
    del state
    seats: list[ResultValue] = [
        {"hand": hand, "net": net, "result": result}
        for hand, net, result in zip(outcome.hands, outcome.net, outcome.seats, strict=True)
    ]
    return {"seats": seats, "transfers": outcome.transfers, "winners": outcome.winners}
