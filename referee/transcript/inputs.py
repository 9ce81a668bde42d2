"""The inputs of a transcript, the same for every game.

A transcript is the canonical JSON object ``{"format", "inputs", "results", "round_id"}``; ``inputs`` has the members
of ``Inputs``. Hands and board are ``sections``: lists of card numbers by section index of the header's layout, from
section 0 on without gaps. The results of each game are documented at its ``encode_results``.
"""

from typing import Final, Literal

import msgspec

from referee.cards import Card, UnknownCardError, cards_of
from referee.dealing.header import Header, HeaderError
from referee.evidence import canonical
from referee.evidence.canonical import CanonicalError, Natural, check_hex
from referee.games import LeaderBy

FORMAT: Final = 1
MEDIA_TYPE: Final = "application/vnd.referee.settle.v1+json"

Flag = Literal[0, 1]


class TranscriptError(ValueError):
    """Bytes that are not a transcript, or inputs that no round of the game can have."""


class InputEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One event: its canonical bytes, its time (ms since 1970 UTC), and whether the referee's clock gave the time."""

    event: msgspec.Raw
    received: Flag
    time: Natural


class InputReceipt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The receipt of the last received event, without the members that follow from the other inputs.

    ``signature`` is the referee's, 64 bytes in hex; ``opens_section`` is the last section that the event opens, if any.
    """

    number: Natural
    signature: str
    opens_section: Natural | msgspec.UnsetType = msgspec.UNSET


class Unsealed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sections that opened after event ``number``, ascending, and the time at which the shuffler opened them."""

    number: Natural
    sections: tuple[Natural, ...]
    time: Natural


class Inputs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Inputs of a round.

    ``signatures`` has each seat's newest signature by seat, 64 bytes in hex, empty for a seat without one. ``receipt``
    is left out if no event was received. ``unsealed`` is in the order of event numbers. ``leader`` is the seat that led
    and ``leader_by`` the reason, as in DEAL; both are left out in a game without a leader.
    """

    header: Header
    deck_root: str
    dealt_time: int
    closed_time: int
    sections: tuple[tuple[int, ...], ...]
    events: tuple[InputEvent, ...]
    signatures: tuple[str, ...]
    unsealed: tuple[Unsealed, ...]
    receipt: InputReceipt | msgspec.UnsetType = msgspec.UNSET
    leader: int | msgspec.UnsetType = msgspec.UNSET
    leader_by: LeaderBy | msgspec.UnsetType = msgspec.UNSET
    sealed: Literal[1] | msgspec.UnsetType = msgspec.UNSET

    @property
    def is_sealed(self) -> bool:
        """Whether the table was sealed."""
        return self.sealed is not msgspec.UNSET

    def cards(self) -> tuple[tuple[Card, ...], ...]:
        """Return the sections as cards; raise TranscriptError for a number that is no card."""
        try:
            return tuple([cards_of(section) for section in self.sections])
        except UnknownCardError as error:
            raise TranscriptError(str(error)) from None

    def read_header(self) -> Header:
        """Return the header of the round; raise TranscriptError if it breaks the protocol."""
        try:
            return self.header.checked()
        except HeaderError as error:
            raise TranscriptError(f"inputs.header.{error.field}: {error}") from None


class Transcript(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole transcript; ``results`` stays raw because its members depend on the game."""

    format: int
    inputs: Inputs
    results: msgspec.Raw
    round_id: str


_decoder = msgspec.json.Decoder(Transcript, strict=True)


def parse(payload: bytes) -> Transcript:
    """Parse a payload; raise TranscriptError unless it is the canonical text of a transcript.

    This is the one check of its form, for all readers: members, spelling and the hex of the round id and deck root.
    What the game makes of it, only ``replay`` says.
    """
    try:
        transcript = _decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TranscriptError(f"not a transcript: {error}") from None
    if transcript.format != FORMAT:
        raise TranscriptError(f"the transcript has format {transcript.format}; this code reads format {FORMAT}")
    try:
        canonical.decode(payload)
        check_hex((transcript.round_id, transcript.inputs.deck_root))
    except CanonicalError as error:
        raise TranscriptError(f"not a transcript: {error}") from None
    return transcript
