"""Events and results of Ultimate Texas Hold'em as canonical JSON.

An event is ``{"decision":"PLAY_4X","kind":"DECIDE","seat":n}``, decisions by their codes; all but TIMEOUT have ``seen``
too where the seat has a key. The results are::

    {"events_hash": h_n,
     "house": {"best": [card, ..], "category": code, "net": n, "qualifies": 1 | 0},
     "seats": [{"best": [card, ..], "category": code, "net": n, "play_multiple": 0 | 1 | 2 | 3 | 4,
                "result": "WON" | "LOST" | "TIED" | "FOLDED"}, ..],
     "transfers": [{"amount","from","reason","subject","to"}, ..]}

where ``best`` are the five cards that count, hole cards first, then the board's in the order dealt. A seat that folded
has them too, without effect. ``net`` of the house and the seats together is zero.

>>> encode_event(Event(Seat(0), Decision.PLAY_4X, time=1_000))
b'{"decision":"PLAY_4X","kind":"DECIDE","seat":0}'
"""

from collections.abc import Mapping

from referee.cards import Seat
from referee.games.codec import EventCodec, EventJson
from referee.games.game import ResultValue
from referee.games.ultimate_texas.code import Decision
from referee.games.ultimate_texas.settlement import Outcome
from referee.games.ultimate_texas.state import Event, State, is_imposed
from referee.money import house_net


class DecideJson(EventJson, frozen=True, tag_field="kind", tag="DECIDE"):
    """A decision."""

    decision: Decision


def _write(event: Event) -> DecideJson:
    return DecideJson(decision=event.decision, seat=event.seat)


def _read(record: DecideJson, time: int, round_id: bytes) -> Event:
    del round_id
    return Event(Seat(record.seat), record.decision, time)


_CODEC = EventCodec("Ultimate Texas Hold'em", DecideJson, write=_write, read=_read, is_imposed=is_imposed)
encode_event = _CODEC.encode
encode_events = _CODEC.encode_all
decode_event = _CODEC.decode
decode_events = _CODEC.decode_all


def encode_results(state: State, outcome: Outcome) -> Mapping[str, ResultValue]:
    """Encode the settlement for a transcript."""
    seats: list[ResultValue] = [
        {
            "best": seat.best,
            "category": seat.value.category,
            "net": net,
            "play_multiple": decided.multiple,
            "result": seat.result,
        }
        for seat, decided, net in zip(outcome.seats, state.seats, outcome.net, strict=True)
    ]
    return {
        "house": {
            "best": outcome.house_best,
            "category": outcome.house_value.category,
            "net": house_net(outcome.transfers),
            "qualifies": 1 if outcome.house_qualifies else 0,
        },
        "seats": seats,
        "transfers": outcome.transfers,
    }
