"""The told part of a transcript, the same for every game.

A transcript is the canonical JSON object ``{"format", "found", "round_id", "told"}``; ``told`` has the members of
``Told`` below. Hands and board stand as ``sections``: lists of card numbers by section index of the header's layout,
from section 0 on without gaps. The game's own part of ``found`` is written by the module of that game beside this one.

A round of a sealed table is told as ``sealed``. Its hands stand there all the same: they were open when it was settled.

Format 1 is what this code writes. A later format adds a number here and keeps reading this one.
"""

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from referee.cards import Card, UnknownCardError, cards_of
from referee.dealing.header import Header, HeaderError, HeaderJson

MAX_ATTESTATIONS: Final = 160
"""Receipts and seats' signatures together that a transcript has room for."""

FORMAT: Final = 1
MEDIA_TYPE: Final = "application/vnd.referee.settle.v1+json"

Attested = Literal["FRONTEND", "RECEIPT", "SEAT"]


class TranscriptError(ValueError):
    """Bytes that are no transcript, or events that are none of the game."""


class ToldEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One event: its own canonical bytes, when it happened (ms since 1970 UTC) and how that is attested.

    ``receipt`` is the referee's signature over the event receipt (64 bytes, hex), ``signature`` the seat's over h_k. An
    event that its seat signed is attested by that, and may have a receipt too, which then attests its time.
    ``opens_section`` is the section that the receipt names; left out where it names none, and without a receipt.
    """

    event: msgspec.Raw
    time: int
    attested: Attested
    receipt: str = ""
    signature: str = ""
    opens_section: int | msgspec.UnsetType = msgspec.UNSET


def fitted(events: Sequence[ToldEvent]) -> tuple[ToldEvent, ...]:
    """The events with as many attestations as there is room for.

    In a long round the last of those that their seats signed have no receipts: their times are the frontend's word.
    """
    fewer = sum(bool(event.receipt) + bool(event.signature) for event in events) - MAX_ATTESTATIONS
    kept = list(events)
    for place in range(len(kept) - 1, -1, -1):
        event = kept[place]
        if fewer > 0 and event.receipt and event.signature and event.opens_section is msgspec.UNSET:
            kept[place] = msgspec.structs.replace(event, receipt="")
            fewer -= 1
    return tuple(kept)


class Told(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What was told of a round. ``leader`` is the seat that led, where the game has one."""

    header: HeaderJson
    deck_root: str
    dealt_time: int
    closed_time: int
    sections: tuple[tuple[int, ...], ...]
    events: tuple[ToldEvent, ...]
    leader: int | msgspec.UnsetType = msgspec.UNSET
    previous_winner_seat: int | msgspec.UnsetType = msgspec.UNSET
    sealed: Literal[1] | msgspec.UnsetType = msgspec.UNSET

    @property
    def is_sealed(self) -> bool:
        """Whether the round was one of a sealed table."""
        return self.sealed is not msgspec.UNSET

    def cards(self) -> tuple[tuple[Card, ...], ...]:
        """The sections as cards; TranscriptError where a number names none."""
        try:
            return tuple([cards_of(section) for section in self.sections])
        except UnknownCardError as error:
            raise TranscriptError(str(error)) from None

    def read_header(self) -> Header:
        """The header that the round was played under; TranscriptError where it breaks the protocol."""
        try:
            return self.header.to_header()
        except HeaderError as error:
            msg = f"told.header.{error.field}: {error}"
            raise TranscriptError(msg) from None


class Transcript(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole transcript; ``found`` stays raw because only its game can say what it must be."""

    format: int
    found: msgspec.Raw
    round_id: str
    told: Told


_decoder = msgspec.json.Decoder(Transcript, strict=True)


def parse(payload: bytes) -> Transcript:
    """The transcript in a payload; TranscriptError where it has not the members it must have.

    Whether the payload is canonical is not looked at here: ``replay`` writes it again and the bytes must be equal.
    """
    try:
        transcript = _decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = f"not a transcript: {error}"
        raise TranscriptError(msg) from None
    if transcript.format != FORMAT:
        msg = f"the transcript has format {transcript.format}; this code reads format {FORMAT}"
        raise TranscriptError(msg)
    return transcript


def check_openings(told: Told, openings: Sequence[int | None]) -> None:
    """Nothing, where each receipt names the section that its event opens, by event, None for none.

    TranscriptError otherwise. An event without a receipt names none.
    """
    for number, (event, opening) in enumerate(zip(told.events, openings, strict=True), 1):
        due = msgspec.UNSET if opening is None or not event.receipt else opening
        if event.opens_section != due:
            msg = f"event {number} opens section {opening}, and what is told of its receipt says {event.opens_section}"
            raise TranscriptError(msg)
