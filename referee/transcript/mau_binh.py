"""Mậu Binh in a transcript: its events as bytes, and what is found.

Event bytes are the canonical JSON of ``{"back","front","kind":"ARRANGE","middle","seat"}`` with card numbers in the
order submitted, or ``{"kind":"LEAVE","seat"}``. ``found`` is::

    {"events_hash": h_n, "ending": "SHOWDOWN" | "INSTANT_WIN",
     "seats": [{"arrangement": [back, middle, front], "hands": [category, category, category],
                "fouls": [code, ..], "instant_win": pattern, "chi_won": n, "net": n}, ..],
     "transfers": [{"amount","from","reason","subject","to"}, ..], "winners": [seat, ..],
     "showdown_time": ms}

where ``arrangement`` and ``hands`` are empty for a seat that left before the showdown and after an instant win,
``instant_win`` is empty for a seat without one, and ``showdown_time`` is left out after an instant win.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

import msgspec

from referee.cards import Card, Seat, UnknownCardError, cards_of
from referee.games.mau_binh.event import Arrange, Event, Leave
from referee.games.mau_binh.outcome import Outcome
from referee.games.mau_binh.rules import MauBinhRules
from referee.games.mau_binh.settle import settle
from referee.transcript.found import FoundValue, transfers_json
from referee.transcript.told import Told, TranscriptError


class ArrangeJson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="ARRANGE"):
    """A submission, by card numbers."""

    back: tuple[int, ...]
    front: tuple[int, ...]
    middle: tuple[int, ...]
    seat: int


class LeaveJson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="LEAVE"):
    """A departure."""

    seat: int


_EventJson: TypeAlias = ArrangeJson | LeaveJson
_encoder: Final = msgspec.json.Encoder(order="sorted")
_decoder: Final = msgspec.json.Decoder(_EventJson, strict=True)


def encode_event(event: Event) -> bytes:
    """The event's own bytes, as the chain hashes them."""
    if isinstance(event, Leave):
        return _encoder.encode(LeaveJson(seat=event.seat))
    return _encoder.encode(
        ArrangeJson(
            back=_numbers(event.back), front=_numbers(event.front), middle=_numbers(event.middle), seat=event.seat
        )
    )


def decode_event(data: bytes, *, time: int) -> Event:
    """The event that such bytes spell, at a time; TranscriptError where they spell none, or not in its one text."""
    try:
        told = _decoder.decode(data)
        event = _read(told, time)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, UnknownCardError) as error:
        msg = f"not an event of Mậu Binh: {error}"
        raise TranscriptError(msg) from None
    if _encoder.encode(told) != data:
        msg = "an event of Mậu Binh that is not canonical"
        raise TranscriptError(msg)
    return event


def judge(rules: MauBinhRules, told: Told, events: Sequence[Event]) -> Outcome:
    """The outcome that the rules give what was told; with violations where it cannot be settled."""
    return settle(
        rules,
        told.cards()[: len(told.header.seat_keys)],
        stake=told.header.stake,
        dealt_time=told.dealt_time,
        closed_time=told.closed_time,
        events=events,
    )


def found_json(outcome: Outcome, *, events_hash: bytes) -> dict[str, FoundValue]:
    """The outcome as it stands in a transcript."""
    seats: list[FoundValue] = []
    for seat, net in enumerate(outcome.net):
        standing = outcome.standings[seat] if outcome.standings else None
        shown = standing.arrangement if standing else None
        values = standing.values if standing else None
        win = outcome.instant_wins[seat] if outcome.instant_wins else None
        seats.append(
            {
                "arrangement": [_numbers(chi) for chi in shown.chi] if shown else [],
                "chi_won": outcome.chi_won[seat],
                "fouls": [foul.code for foul in standing.fouls] if standing else [],
                "hands": [value.category for value in values] if values else [],
                "instant_win": win.pattern if win else "",
                "net": net,
            }
        )
    found: dict[str, FoundValue] = {
        "ending": "INSTANT_WIN" if outcome.instant_wins else "SHOWDOWN",
        "events_hash": events_hash.hex(),
        "seats": seats,
        "transfers": transfers_json(outcome.transfers),
        "winners": list(outcome.winners),
    }
    if outcome.showdown_time is not None:
        found["showdown_time"] = outcome.showdown_time
    return found


def _read(event: _EventJson, time: int) -> Event:
    if isinstance(event, LeaveJson):
        return Leave(Seat(event.seat), time)
    return Arrange(Seat(event.seat), cards_of(event.back), cards_of(event.middle), cards_of(event.front), time)


def _numbers(cards: Sequence[Card]) -> tuple[int, ...]:
    return tuple([card.number for card in cards])
