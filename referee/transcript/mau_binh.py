"""Mậu Binh in a transcript: its events as bytes, and what is found.

Event bytes are the canonical JSON of ``{"back","front","kind":"ARRANGE","middle","seat"}`` with card numbers in the
order submitted, or ``{"kind":"LEAVE","seat"}``. On a sealed table an ARRANGE has a ``nonce`` too, 32 bytes in hex, and
``{"commitment","kind":"COMMIT","seat"}`` and ``{"kind":"TIMEOUT","seat"}`` come before it; the receipt of the event
that ends committing names the section of the last hand, with which all hands open. ``found`` is::

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
from referee.dealing.commitment import SEED_SIZE, arrangement_commitment
from referee.evidence.canonical import CanonicalError, Hex32, unhex
from referee.games.mau_binh.event import Arrange, Commit, CommitTimeout, Event, Leave
from referee.games.mau_binh.outcome import Outcome
from referee.games.mau_binh.round import Hands, Round, applied, begin
from referee.games.mau_binh.rules import MauBinhRules
from referee.games.mau_binh.settle import settle
from referee.transcript.found import FoundValue
from referee.transcript.told import Told, TranscriptError, check_openings


class ArrangeJson(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="kind", tag="ARRANGE"
):
    """A submission, by card numbers; with a nonce where it opens a commitment."""

    back: tuple[int, ...]
    front: tuple[int, ...]
    middle: tuple[int, ...]
    seat: int
    nonce: str = ""


class LeaveJson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="LEAVE"):
    """A departure."""

    seat: int


class CommitJson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="COMMIT"):
    """A commitment to an arrangement."""

    commitment: Hex32
    seat: int


class TimeoutJson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="TIMEOUT"):
    """A seat that did not commit in time."""

    seat: int


_EventJson: TypeAlias = ArrangeJson | LeaveJson | CommitJson | TimeoutJson
_encoder: Final = msgspec.json.Encoder(order="sorted")
_decoder: Final = msgspec.json.Decoder(_EventJson, strict=True)
_LAST_SEAT: Final = 255
"""The last seat that a hash can name; who sits where is the rules' to say."""


def encode_event(event: Event) -> bytes:
    """The event's own bytes, as the chain hashes them."""
    match event:
        case Arrange():
            return _encoder.encode(
                ArrangeJson(
                    back=_numbers(event.back),
                    front=_numbers(event.front),
                    middle=_numbers(event.middle),
                    seat=event.seat,
                    nonce=event.nonce.hex(),
                )
            )
        case Leave():
            return _encoder.encode(LeaveJson(seat=event.seat))
        case Commit():
            return _encoder.encode(CommitJson(commitment=event.commitment.hex(), seat=event.seat))
        case CommitTimeout():
            return _encoder.encode(TimeoutJson(seat=event.seat))


def decode_event(data: bytes, *, time: int, round_id: bytes) -> Event:
    """The event that such bytes spell, at a time; TranscriptError where they spell none, or not in its one text.

    An arrangement with a nonce says which commitment of the round it opens.
    """
    try:
        told = _decoder.decode(data)
        event = bound(_read(told, time), round_id=round_id)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, UnknownCardError, CanonicalError) as error:
        msg = f"not an event of Mậu Binh: {error}"
        raise TranscriptError(msg) from None
    if _encoder.encode(told) != data:
        msg = "an event of Mậu Binh that is not canonical"
        raise TranscriptError(msg)
    return event


def bound(event: Event, *, round_id: bytes) -> Event:
    """The event; an arrangement with a nonce says which commitment of the round it opens."""
    if not isinstance(event, Arrange) or not event.nonce or not 0 <= event.seat <= _LAST_SEAT:
        return event
    cards = (*event.back, *event.middle, *event.front)
    opens = arrangement_commitment(round_id=round_id, seat=event.seat, cards=cards, nonce=event.nonce)
    return msgspec.structs.replace(event, opens=opens)


def judge(rules: MauBinhRules, told: Told, events: Sequence[Event]) -> Outcome:
    """The outcome that the rules give what was told; with violations where it cannot be settled.

    TranscriptError where an event's receipt opens another section than the event does.
    """
    hands = told.cards()[: len(told.header.seat_keys)]
    outcome = settle(
        rules,
        hands,
        stake=told.header.stake,
        dealt_time=told.dealt_time,
        closed_time=told.closed_time,
        events=events,
        is_sealed=told.is_sealed,
    )
    if not outcome.violations:
        openings = openings_of(rules, hands, events, dealt_time=told.dealt_time) if told.is_sealed else ()
        check_openings(told, openings or (None,) * len(events))
    return outcome


def openings_of(rules: MauBinhRules, hands: Hands, events: Sequence[Event], *, dealt_time: int) -> list[int | None]:
    """For each lawful event of a sealed round the section that its receipt names, None where it opens no hands."""
    told, openings = begin(rules, hands, dealt_time=dealt_time, is_sealed=True), list[int | None]()
    for event in events:
        after = applied(rules, told, event)
        openings.append(opening_between(told, after))
        told = after
    return openings


def opening_between(before: Round, after: Round) -> int | None:
    """The section with which all hands open, the last hand's, where an event between these opened them; or None."""
    if before.sealing is None or after.sealing is None or before.sealing.opened_time is not None:
        return None
    return None if after.sealing.opened_time is None else len(after.hands) - 1


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
                "arrangement": shown.chi if shown else [],
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
        "transfers": outcome.transfers,
        "winners": outcome.winners,
    }
    if outcome.showdown_time is not None:
        found["showdown_time"] = outcome.showdown_time
    return found


def _read(event: _EventJson, time: int) -> Event:
    seat = Seat(event.seat)
    match event:
        case ArrangeJson():
            nonce = unhex(event.nonce, SEED_SIZE) if event.nonce else b""
            return Arrange(seat, cards_of(event.back), cards_of(event.middle), cards_of(event.front), time, nonce)
        case LeaveJson():
            return Leave(seat, time)
        case CommitJson():
            return Commit(seat, unhex(event.commitment), time)
        case TimeoutJson():
            return CommitTimeout(seat, time)


def _numbers(cards: Sequence[Card]) -> tuple[int, ...]:
    return tuple([card.number for card in cards])
