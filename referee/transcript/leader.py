"""Who leads a table's round, where the winner of its last settled round does: proved by the leaves that ended them.

A header names the leaf that ended the table's round before it, by its RFC 6962 hash. That leaf is a SETTLE,
signed by the referee, whose ``results.winners`` names the winner, or an ABORT, signed by the shuffler, behind which the
header of the aborted round leads one round further back. Rounds are given newest first, back to the first SETTLE. The
winner leads from the seat it has now; a winner who has a key sits where that key does. Where nothing was settled
before, or the winner is gone, the leader is drawn from the deal's mix.

Whether a winner without a key is gone, and at which seat it sits otherwise, is the frontend's word. This module does
not know whether the leaves stand in a log: the header's hash of them does.
"""

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, NoReturn

import msgspec

from referee.cards import Seat
from referee.dealing.header import NO_KEY, NO_LEAF, Header
from referee.dealing.leaf import ABORT_TYPE, AbortLeaf
from referee.dealing.leaf import parse as parse_leaf
from referee.evidence.canonical import CanonicalError, Natural
from referee.evidence.dsse import Envelope, EnvelopeError, EnvelopeFault
from referee.evidence.merkle import leaf_hash
from referee.transcript.inputs import MEDIA_TYPE, TranscriptError, parse


class PreviousFault(enum.StrEnum):
    """Why the rounds given as the previous ones prove nothing."""

    MALFORMED = "MALFORMED"
    """A leaf that is neither a SETTLE nor an ABORT."""
    FORGED = "FORGED"
    """A leaf that neither the referee nor the shuffler signed, each its own kind."""
    FOREIGN = "FOREIGN"
    """Not the leaf that the round after it names, or a header of another round than the leaf's."""
    INCOMPLETE = "INCOMPLETE"
    """The rounds end before a settled one, though the table has more."""
    SURPLUS = "SURPLUS"
    """Rounds behind the one that names the winner, or before a table's first."""


class PreviousRoundError(ValueError):
    """Rounds that prove no winner: the fault, the place of the round at fault, and its member at fault, if any."""

    def __init__(self, fault: PreviousFault, detail: str, *, index: int, member: str = "") -> None:
        super().__init__(detail)
        self.fault = fault
        self.index = index
        self.member = member

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self.fault, str(self), self.index, self.member)


def _again(fault: PreviousFault, detail: str, index: int, member: str) -> PreviousRoundError:
    return PreviousRoundError(fault, detail, index=index, member=member)


@dataclass(frozen=True, slots=True)
class PreviousRound:
    """A round that has ended: the bytes of its SETTLE or ABORT leaf, and its header."""

    leaf: bytes
    header: Header


@dataclass(frozen=True, slots=True)
class LastWinner:
    """Who won a table's last settled round: the seat it had then and its public key, NO_KEY where it had none."""

    seat: Seat
    key: bytes

    def fits(self, header: Header, seat: Seat) -> bool:
        """Return whether this player can sit there in the round of a header: the keys agree, or the player has none."""
        return self.key in (NO_KEY, header.seat_keys[seat])

    def is_seated(self, header: Header) -> bool:
        """Return whether the round of a header has a seat with this player's key; False where the player has none."""
        return self.key != NO_KEY and self.key in header.seat_keys


class _Found(msgspec.Struct, frozen=True):
    winners: Annotated[tuple[Natural, ...], msgspec.Meta(min_length=1)]


_found_decoder: Final = msgspec.json.Decoder(_Found, strict=True)


def find_last_winner(
    header: Header,
    previous: Sequence[PreviousRound],
    *,
    game: str,
    referee_keys: Iterable[bytes],
    shuffler_keys: Iterable[bytes],
) -> LastWinner | None:
    """Find the winner of the table's last settled round before the one of this header.

    Return None where the table has settled none, or its last one was of another game. Raise PreviousRoundError where
    the rounds do not prove that.
    """
    named, number = header.previous_leaf, header.round_number
    for index, one in enumerate(previous):
        if named == NO_LEAF:
            _refuse(PreviousFault.SURPLUS, "the table has no round before that", index)
        if leaf_hash(one.leaf) != named:
            _refuse(PreviousFault.FOREIGN, f"round {number} follows another leaf", index, "terminal_leaf")
        envelope = _read_leaf(one.leaf, index)
        if envelope.payload_type == MEDIA_TYPE:
            found = _read_settled(envelope, one.header, index, keys=referee_keys)
            if index + 1 < len(previous):
                _refuse(PreviousFault.SURPLUS, "the round after this one names the winner", index + 1)
            return _winner(found, one.header, index) if _game_of(one.header) == game else None
        _check_aborted(envelope, one.header, index, keys=shuffler_keys)
        named, number = one.header.previous_leaf, one.header.round_number
    if named != NO_LEAF:
        _refuse(PreviousFault.INCOMPLETE, f"round {number} has one before it", len(previous))
    return None


def _read_leaf(leaf: bytes, index: int) -> Envelope:
    try:
        envelope = Envelope.parse(leaf)
    except EnvelopeError as error:
        _refuse(PreviousFault.MALFORMED, error.detail, index, "terminal_leaf")
    if envelope.payload_type not in (MEDIA_TYPE, ABORT_TYPE):
        _refuse(PreviousFault.MALFORMED, f"no round ends with {envelope.payload_type}", index, "terminal_leaf")
    return envelope


def _read_settled(envelope: Envelope, header: Header, index: int, *, keys: Iterable[bytes]) -> bytes:
    """Verify a SETTLE leaf and return its results as bytes, which each game writes its own way."""
    _check_signed(envelope, MEDIA_TYPE, index, keys)
    try:
        transcript = parse(envelope.payload)
    except TranscriptError as error:
        _refuse(PreviousFault.MALFORMED, str(error), index, "terminal_leaf")
    _check_round(transcript.round_id, header, index)
    return bytes(transcript.results)


def _winner(found: bytes, header: Header, index: int) -> LastWinner:
    try:
        winner = _found_decoder.decode(found).winners[0]
        return LastWinner(Seat(winner), header.seat_keys[winner])
    except (msgspec.DecodeError, IndexError, RecursionError) as error:
        _refuse(PreviousFault.MALFORMED, f"the leaf names no winner: {error}", index, "terminal_leaf")


def _check_aborted(envelope: Envelope, header: Header, index: int, *, keys: Iterable[bytes]) -> None:
    _check_signed(envelope, ABORT_TYPE, index, keys)
    try:
        aborted = parse_leaf(envelope.payload, AbortLeaf)
    except CanonicalError as error:
        _refuse(PreviousFault.MALFORMED, str(error), index, "terminal_leaf")
    _check_round(aborted.round_id, header, index)


def _check_signed(envelope: Envelope, payload_type: str, index: int, keys: Iterable[bytes]) -> None:
    try:
        envelope.verify_any(payload_type=payload_type, public_keys=keys)
    except EnvelopeError as error:
        fault = PreviousFault.FORGED if error.fault is EnvelopeFault.FORGED else PreviousFault.MALFORMED
        _refuse(fault, error.detail, index, "terminal_leaf")


def _check_round(round_id: str, header: Header, index: int) -> None:
    if round_id != header.round_id.hex():
        _refuse(PreviousFault.FOREIGN, "the header is of another round than the leaf", index, "header")


def _game_of(header: Header) -> str:
    return header.ruleset_id.partition(".")[0]


def _refuse(fault: PreviousFault, detail: str, index: int, member: str = "") -> NoReturn:
    raise PreviousRoundError(fault, detail, index=index, member=member)
