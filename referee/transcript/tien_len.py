"""Tiến Lên in a transcript: its events as bytes, and what is found.

Event bytes are the canonical JSON of ``{"cards","kind":"PLAY","seat"}`` with card numbers in the order played, or of
``{"kind","seat"}`` with the kind ``PASS``, ``LEAVE`` or ``TIMEOUT``. ``found`` is::

    {"ending": code, "events_hash": h_n,
     "seats": [{"instant_win": pattern, "left": [card number, ..], "net": n}, ..],
     "transfers": [{"amount","from","reason","subject","to"}, ..], "winners": [seat]}

where ``ending`` is OUT_OF_CARDS, LAST_SEAT, LAST_THREE_OF_SPADES, STOPPED_THREE_OF_SPADES or INSTANT_WIN, ``left`` are
the cards that the seat still held, weakest first, ``instant_win`` is empty for all but the seat that won at the deal,
and ``winners`` holds the one seat that leads the table's next round.

``told.leader`` is the seat that led. It is ``told.previous_winner_seat`` where that stands; otherwise it was drawn from
the deal's mix, which stands in the DEAL leaf and not here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import msgspec

from referee.cards import Card, Seat, UnknownCardError
from referee.games.tien_len import (
    DealError,
    Event,
    Leave,
    Pass,
    Play,
    RoundNotOverError,
    State,
    TienLenRules,
    Timeout,
    check_settlement,
    max_units,
    replay,
    settle,
)
from referee.money import MAX_AMOUNT, Amount, Transfer, net_amounts
from referee.transcript.found import FoundValue
from referee.transcript.told import Told, TranscriptError
from referee.verdict import Violation


class PlayJson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="PLAY"):
    """Cards put on the table, by number."""

    cards: tuple[int, ...]
    seat: int


class PassJson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="PASS"):
    """A trick let go."""

    seat: int


class LeaveJson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="LEAVE"):
    """A departure."""

    seat: int


class TimeoutJson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="TIMEOUT"):
    """A seat whose time was up."""

    seat: int


_EventJson: TypeAlias = PlayJson | PassJson | LeaveJson | TimeoutJson
_encoder: Final = msgspec.json.Encoder(order="sorted")
_decoder: Final = msgspec.json.Decoder(_EventJson, strict=True)

_JSON_OF: Final[dict[type[Event], type[PassJson | LeaveJson | TimeoutJson]]] = {
    Pass: PassJson,
    Leave: LeaveJson,
    Timeout: TimeoutJson,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A round as judged: its last lawful state, what is paid, and what is wrong with it; then nothing is paid.

    ``refused_event`` is the number, from 1, of the event that is unlawful; 0 where the closing is.
    """

    state: State
    transfers: tuple[Transfer, ...] = ()
    violations: tuple[Violation, ...] = ()
    refused_event: int = 0


def encode_event(event: Event) -> bytes:
    """The event's own bytes, as the chain hashes them."""
    if isinstance(event, Play):
        return _encoder.encode(PlayJson(cards=_numbers(event.cards), seat=event.seat))
    return _encoder.encode(_JSON_OF[type(event)](seat=event.seat))


def decode_event(data: bytes, *, time: int) -> Event:
    """The event that such bytes spell, at a time; TranscriptError where they spell none, or not in its one text."""
    try:
        event = _read(_decoder.decode(data), time)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, UnknownCardError) as error:
        msg = f"not an event of Tiến Lên: {error}"
        raise TranscriptError(msg) from None
    if encode_event(event) != data:
        msg = "an event of Tiến Lên that is not canonical"
        raise TranscriptError(msg)
    return event


def judge(rules: TienLenRules, told: Told, events: Sequence[Event]) -> Judged:
    """The round that the rules make of what was told; with violations where it cannot be settled.

    TranscriptError where the deal or the stake is none of the ruleset, or the leader is not the one told.
    """
    seat_count, stake = len(told.header.seat_keys), told.header.stake
    if not 0 < stake <= MAX_AMOUNT // max(1, max_units(rules, seat_count=seat_count)):
        msg = f"{stake} is no stake for {seat_count} seats"
        raise TranscriptError(msg)
    try:
        played = replay(rules, told.cards()[:seat_count], events, leader=_leader(told), dealt_time=told.dealt_time)
    except DealError as error:
        raise TranscriptError(str(error)) from None
    state = played.state
    if played.violations:
        return Judged(state=state, violations=played.violations, refused_event=state.event_count + 1)
    return close(state, stake=stake, closed_time=told.closed_time)


def close(state: State, *, stake: int, closed_time: int) -> Judged:
    """The round settled at a time, or why it cannot be; the stake is not looked at."""
    if violations := check_settlement(state, closed_time=closed_time):
        return Judged(state=state, violations=violations)
    return Judged(state=state, transfers=settle(state, stake=Amount(stake)))


def found_json(judged: Judged, *, events_hash: bytes) -> dict[str, FoundValue]:
    """A settled round as it stands in a transcript; RoundNotOverError before its end."""
    state, ending = judged.state, judged.state.ending
    if ending is None:
        msg = f"seat {state.turn} is on turn"
        raise RoundNotOverError(msg)
    win = ending.instant_win
    return {
        "ending": ending.kind,
        "events_hash": events_hash.hex(),
        "seats": [
            {
                "instant_win": win.pattern if win is not None and win.seat == seat else "",
                "left": state.cards_of(Seat(seat)),
                "net": net,
            }
            for seat, net in enumerate(net_amounts(judged.transfers, state.seat_count))
        ],
        "transfers": judged.transfers,
        "winners": [ending.winner],
    }


def _leader(told: Told) -> Seat:
    if not isinstance(told.leader, int):
        msg = "told.leader is missing: somebody leads a round of Tiến Lên"
        raise TranscriptError(msg)
    if isinstance(told.previous_winner_seat, int) and told.previous_winner_seat != told.leader:
        msg = f"seat {told.leader} led, but the previous winner sits at {told.previous_winner_seat}"
        raise TranscriptError(msg)
    return Seat(told.leader)


def _read(event: _EventJson, time: int) -> Event:
    seat = Seat(event.seat)
    match event:
        case PlayJson():
            return Play(seat, tuple([Card(number) for number in event.cards]), time)
        case PassJson():
            return Pass(seat, time)
        case LeaveJson():
            return Leave(seat, time)
        case TimeoutJson():
            return Timeout(seat, time)


def _numbers(cards: Sequence[Card]) -> tuple[int, ...]:
    return tuple([card.number for card in cards])
