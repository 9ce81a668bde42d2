"""Events and results of Tiến Lên as canonical JSON.

An event is ``{"cards","kind":"PLAY","seat"}`` with card numbers in the order played, or ``{"kind","seat"}`` with the
kind ``PASS``, ``LEAVE`` or ``TIMEOUT``; all but TIMEOUT have ``seen`` too where the seat has a key. The results are::

    {"ending": code, "events_hash": h_n,
     "seats": [{"instant_win": pattern, "left": [card number, ..], "net": n}, ..],
     "transfers": [{"amount","from","reason","subject","to"}, ..], "winners": [seat], "house": {"net": n}}

where ``house`` is left out unless the ruleset has a commission, ``ending`` is an ``EndKind``, ``left`` are the cards
that the seat still held, weakest first, ``instant_win`` is empty for all but the seat that won at the deal, and
``winners`` holds the one seat that leads the table's next round.
"""

from collections.abc import Mapping
from typing import Final, TypeAlias

from referee.cards import Seat, cards_of
from referee.games.codec import EventCodec, EventJson
from referee.games.commission import house_result
from referee.games.game import ResultValue, RoundNotOverError
from referee.games.tien_len.event import Event, Leave, Pass, Play, Timeout, is_imposed
from referee.games.tien_len.settlement import Outcome
from referee.games.tien_len.state import State


class PlayJson(EventJson, frozen=True, tag_field="kind", tag="PLAY"):
    """Cards put on the table, by number."""

    cards: tuple[int, ...]


class PassJson(EventJson, frozen=True, tag_field="kind", tag="PASS"):
    """A pass."""


class LeaveJson(EventJson, frozen=True, tag_field="kind", tag="LEAVE"):
    """A departure."""


class TimeoutJson(EventJson, frozen=True, tag_field="kind", tag="TIMEOUT"):
    """A seat whose time is up."""


_EventJson: TypeAlias = PlayJson | PassJson | LeaveJson | TimeoutJson

_JSON_OF: Final[dict[type[Event], type[PassJson | LeaveJson | TimeoutJson]]] = {
    Pass: PassJson,
    Leave: LeaveJson,
    Timeout: TimeoutJson,
}


def _write(event: Event) -> _EventJson:
    if isinstance(event, Play):
        return PlayJson(cards=tuple([card.number for card in event.cards]), seat=event.seat)
    return _JSON_OF[type(event)](seat=event.seat)


def _read(record: _EventJson, time: int, round_id: bytes) -> Event:
    del round_id
    seat = Seat(record.seat)
    if isinstance(record, PlayJson):
        return Play(seat, cards_of(record.cards), time)
    if isinstance(record, PassJson):
        return Pass(seat, time)
    return Leave(seat, time) if isinstance(record, LeaveJson) else Timeout(seat, time)


_CODEC: Final[EventCodec[Event]] = EventCodec("Tiến Lên", _EventJson, write=_write, read=_read, is_imposed=is_imposed)
encode_event = _CODEC.encode
encode_events = _CODEC.encode_all
decode_event = _CODEC.decode
decode_events = _CODEC.decode_all


def encode_results(state: State, outcome: Outcome) -> Mapping[str, ResultValue]:
    """Encode the settlement for a transcript; raise RoundNotOverError before the round's end."""
    ending = state.ending
    if ending is None:
        msg = f"seat {state.turn} is on turn"
        raise RoundNotOverError(msg)
    win = ending.instant_win
    return {
        "ending": ending.kind,
        "seats": [
            {
                "instant_win": win.pattern if win is not None and win.seat == seat else "",
                "left": state.cards_of(Seat(seat)),
                "net": net,
            }
            for seat, net in enumerate(outcome.net)
        ],
        "transfers": outcome.transfers,
        "winners": outcome.winners,
        **house_result(state.rules.commission, outcome.transfers),
    }
