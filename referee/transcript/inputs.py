"""The inputs of a transcript, the same for every game.

A transcript is the canonical JSON object ``{"format", "inputs", "results", "round_id"}``; ``inputs`` has the members
of ``Inputs``. Hands and board are ``sections``: lists of card numbers by section index of the header's layout, from
section 0 on without gaps. The results of each game are documented in its codec.
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
    """Bytes that are not a transcript, or inputs that no round of the game can have."""


class InputEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One event: its own canonical bytes, when it happened (ms since 1970 UTC) and how that is attested.

    ``receipt`` is the referee's signature over the event receipt (64 bytes, hex), ``signature`` the seat's over h_k. An
    event that its seat signed is attested by that, and may have a receipt too, which then attests its time.
    ``opens_section`` is the section that the receipt names, if it names one.
    """

    event: msgspec.Raw
    time: int
    attested: Attested
    receipt: str = ""
    signature: str = ""
    opens_section: int | msgspec.UnsetType = msgspec.UNSET


def fitted(events: Sequence[InputEvent]) -> tuple[InputEvent, ...]:
    """Return the events with as many attestations as there is room for.

    In a long round the last of those that their seats signed lose their receipts, so their times are only reported.
    """
    fewer = sum(bool(event.receipt) + bool(event.signature) for event in events) - MAX_ATTESTATIONS
    kept = list(events)
    for place in range(len(kept) - 1, -1, -1):
        event = kept[place]
        if fewer > 0 and event.receipt and event.signature and event.opens_section is msgspec.UNSET:
            kept[place] = msgspec.structs.replace(event, receipt="")
            fewer -= 1
    return tuple(kept)


class Inputs(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Inputs of a round. ``leader`` is the seat that led, where the game has one."""

    header: HeaderJson
    deck_root: str
    dealt_time: int
    closed_time: int
    sections: tuple[tuple[int, ...], ...]
    events: tuple[InputEvent, ...]
    leader: int | msgspec.UnsetType = msgspec.UNSET
    previous_winner_seat: int | msgspec.UnsetType = msgspec.UNSET
    sealed: Literal[1] | msgspec.UnsetType = msgspec.UNSET

    @property
    def is_sealed(self) -> bool:
        """Whether the table was sealed."""
        return self.sealed is not msgspec.UNSET

    def cards(self) -> tuple[tuple[Card, ...], ...]:
        """Return the sections as cards; raise TranscriptError for a number that names none."""
        try:
            return tuple([cards_of(section) for section in self.sections])
        except UnknownCardError as error:
            raise TranscriptError(str(error)) from None

    def read_header(self) -> Header:
        """Return the header of the round; raise TranscriptError where it breaks the protocol."""
        try:
            return self.header.to_header()
        except HeaderError as error:
            msg = f"inputs.header.{error.field}: {error}"
            raise TranscriptError(msg) from None


class Transcript(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole transcript; ``results`` stays raw because only its game can say what it must be."""

    format: int
    inputs: Inputs
    results: msgspec.Raw
    round_id: str


_decoder = msgspec.json.Decoder(Transcript, strict=True)


def parse(payload: bytes) -> Transcript:
    """Parse a payload; raise TranscriptError unless it has the members of a transcript.

    That it is canonical is not checked here: ``replay`` writes it again and the bytes must be equal.
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


def check_openings(inputs: Inputs, openings: Sequence[int | None]) -> None:
    """Verify that each receipt names the section that its event opens; raise TranscriptError otherwise.

    ``openings`` go by event, None for an event that opens none; an event without a receipt names none.
    """
    for number, (event, opening) in enumerate(zip(inputs.events, openings, strict=True), 1):
        due = msgspec.UNSET if opening is None or not event.receipt else opening
        if event.opens_section != due:
            msg = f"event {number} opens section {opening}, and its receipt says {event.opens_section}"
            raise TranscriptError(msg)
