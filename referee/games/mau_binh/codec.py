"""Events and results of Mậu Binh as canonical JSON.

An event is ``{"back","front","kind":"ARRANGE","middle","seat"}`` with card numbers in the order submitted, or
``{"kind":"LEAVE","seat"}``. On a sealed table an ARRANGE has a ``nonce`` too, 32 bytes in hex, and
``{"commitment","kind":"COMMIT","seat"}`` comes before it; ``{"kind":"TIMEOUT","seat"}`` is in place of either. All but
TIMEOUT have ``seen`` too where the seat has a key. The results are::

    {"events_hash": h_n, "ending": "SHOWDOWN" | "INSTANT_WIN",
     "seats": [{"arrangement": [back, middle, front], "hands": [category, category, category],
                "fouls": [code, ..], "instant_win": pattern, "chi_won": n, "net": n}, ..],
     "transfers": [{"amount","from","reason","subject","to"}, ..], "winners": [seat, ..],
     "house": {"net": n}, "showdown_time": ms}

where ``house`` is left out unless the ruleset has a commission, ``arrangement`` and ``hands`` are empty after an
instant win, ``instant_win`` is empty for a seat without one, and ``showdown_time`` is left out after an instant win.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, assert_never

import msgspec

from referee.cards import Card, Seat, cards_of
from referee.evidence.canonical import Hex32, unhex
from referee.games.codec import EventCodec, EventJson
from referee.games.commission import house_result
from referee.games.game import ResultValue
from referee.games.mau_binh.event import Arrange, Commit, Event, Leave, Timeout, is_imposed
from referee.games.mau_binh.sealing import arrangement_commitment
from referee.games.mau_binh.settlement import Outcome
from referee.games.mau_binh.state import State


class ArrangeJson(EventJson, frozen=True, tag_field="kind", tag="ARRANGE"):
    """A submission, by card numbers; with a nonce where it opens a commitment."""

    back: tuple[int, ...]
    front: tuple[int, ...]
    middle: tuple[int, ...]
    nonce: str = ""


class LeaveJson(EventJson, frozen=True, tag_field="kind", tag="LEAVE"):
    """A departure."""


class CommitJson(EventJson, frozen=True, tag_field="kind", tag="COMMIT"):
    """A commitment to an arrangement."""

    commitment: Hex32


class TimeoutJson(EventJson, frozen=True, tag_field="kind", tag="TIMEOUT"):
    """A seat that did not commit, or did not open, in time."""


_EventJson: TypeAlias = ArrangeJson | LeaveJson | CommitJson | TimeoutJson
_LAST_SEAT: Final = 255
"""The last seat that a hash can name; whether there is such a seat is for the rules to judge."""


def bound(event: Event, *, round_id: bytes) -> Event:
    """Return the event; if it is an arrangement with a nonce, with the commitment of the round that it opens."""
    if not isinstance(event, Arrange) or not event.nonce or not 0 <= event.seat <= _LAST_SEAT:
        return event
    cards = (*event.back, *event.middle, *event.front)
    opens = arrangement_commitment(round_id=round_id, seat=event.seat, cards=cards, nonce=event.nonce)
    return msgspec.structs.replace(event, opens=opens)


def _write(event: Event) -> _EventJson:
    match event:
        case Arrange():
            return ArrangeJson(
                back=_numbers(event.back),
                front=_numbers(event.front),
                middle=_numbers(event.middle),
                seat=event.seat,
                nonce=event.nonce.hex(),
            )
        case Leave():
            return LeaveJson(seat=event.seat)
        case Commit():
            return CommitJson(commitment=event.commitment.hex(), seat=event.seat)
        case Timeout():
            return TimeoutJson(seat=event.seat)
        case _:
            assert_never(event)


def _read(record: _EventJson, time: int, round_id: bytes) -> Event:
    seat = Seat(record.seat)
    match record:
        case ArrangeJson():
            nonce = unhex(record.nonce) if record.nonce else b""
            chi = (cards_of(record.back), cards_of(record.middle), cards_of(record.front))
            return bound(Arrange(seat, *chi, time, nonce), round_id=round_id)
        case LeaveJson():
            return Leave(seat, time)
        case CommitJson():
            return Commit(seat, unhex(record.commitment), time)
        case TimeoutJson():
            return Timeout(seat, time)
        case _:
            assert_never(record)


def _numbers(cards: Sequence[Card]) -> tuple[int, ...]:
    return tuple([card.number for card in cards])


_CODEC: Final[EventCodec[Event]] = EventCodec("Mậu Binh", _EventJson, write=_write, read=_read, is_imposed=is_imposed)
encode_event = _CODEC.encode
encode_events = _CODEC.encode_all
decode_event = _CODEC.decode
decode_events = _CODEC.decode_all


def encode_results(state: State, outcome: Outcome) -> Mapping[str, ResultValue]:
    """Encode the settlement for a transcript."""
    seats: list[ResultValue] = []
    for seat, net in enumerate(outcome.net):
        showing = outcome.showings[seat] if outcome.showings else None
        win = outcome.instant_wins[seat] if outcome.instant_wins else None
        seats.append(
            {
                "arrangement": showing.arrangement.chi if showing else [],
                "chi_won": outcome.chi_won[seat],
                "fouls": [foul.code for foul in showing.fouls] if showing else [],
                "hands": [value.category for value in showing.values] if showing else [],
                "instant_win": win.pattern if win else "",
                "net": net,
            }
        )
    results: dict[str, ResultValue] = {
        "ending": "INSTANT_WIN" if outcome.instant_wins else "SHOWDOWN",
        "seats": seats,
        "transfers": outcome.transfers,
        "winners": outcome.winners,
        **house_result(state.rules.commission, outcome.transfers),
    }
    if outcome.showdown_time is not None:
        results["showdown_time"] = outcome.showdown_time
    return results
