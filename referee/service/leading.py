"""The seat that leads a round, in games that have a leader: proved to have won the round before, or drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from referee.cards import Seat
from referee.dealing.deal import drawn_leader
from referee.dealing.header import NO_LEAF, Header
from referee.service.verifying import VerifiedRound
from referee.transcript.leader import LastWinner, PreviousFault, PreviousRound, PreviousRoundError, find_last_winner
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError
from referee.wire.round import read_header

MAX_PREVIOUS_ROUNDS: Final = 256

_REASONS: Final = {
    PreviousFault.MALFORMED: ErrorReason.ERROR_REASON_MALFORMED,
    PreviousFault.FORGED: ErrorReason.ERROR_REASON_FORGED,
    PreviousFault.FOREIGN: ErrorReason.ERROR_REASON_FOREIGN,
    PreviousFault.INCOMPLETE: ErrorReason.ERROR_REASON_MISSING_FIELD,
    PreviousFault.SURPLUS: ErrorReason.ERROR_REASON_INVALID_FIELD,
}


class Lead(msgspec.Struct, frozen=True):
    """Seat that leads, and the same seat again if it leads as the previous winner; None for both without a leader."""

    leader: Seat | None
    winner_seat: Seat | None


NO_LEAD: Final = Lead(None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderFinder:
    """Finds leaders, by the keys that may sign the leaves that end rounds."""

    referee_keys: Sequence[bytes]
    shuffler_keys: Sequence[bytes]

    def key_of(self, message: Any) -> tuple[bytes, ...]:
        """Return the bytes of everything in a round's message that decides who leads."""
        winner = b"%d" % message.previous_winner_seat if message.HasField("previous_winner_seat") else b""
        return winner, *[one.SerializeToString(deterministic=True) for one in message.previous_rounds]

    def find(self, verified: VerifiedRound, message: Any, *, game: str) -> Lead:
        """Find the leader; refuse previous rounds that prove no winner, and a seat that is not the winner's."""
        header = verified.header
        winner = self._last_winner(header, message.previous_rounds, game=game)
        if message.HasField("previous_winner_seat"):
            has_proof = bool(message.previous_rounds)
            seat = _check_winner(header, winner, Seat(message.previous_winner_seat), has_proof=has_proof)
            return Lead(seat, seat)
        if winner is not None and winner.is_seated(header):
            raise RefusedError(
                ErrorReason.ERROR_REASON_MISSING_FIELD,
                "the winner of the last settled round is not gone: its key has a seat, so say which",
                field="round.previous_winner_seat",
            )
        drawn = drawn_leader(header, round_id=header.round_id, commitment=verified.commitment, mixed=verified.mixed)
        return Lead(drawn, None)

    def _last_winner(self, header: Header, messages: Sequence[Any], *, game: str) -> LastWinner | None:
        if not messages:
            return None
        field = "round.previous_rounds"
        try:
            return find_last_winner(
                header,
                _read_previous_rounds(messages, field=field),
                game=game,
                referee_keys=self.referee_keys,
                shuffler_keys=self.shuffler_keys,
            )
        except PreviousRoundError as error:
            path = f"{field}[{error.index}]"
            raise RefusedError(
                _REASONS[error.fault], str(error), field=f"{path}.{error.member}" if error.member else path
            ) from None


def _read_previous_rounds(messages: Sequence[Any], *, field: str) -> list[PreviousRound]:
    if len(messages) > MAX_PREVIOUS_ROUNDS:
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            f"at most {MAX_PREVIOUS_ROUNDS} previous rounds are read, not {len(messages)}",
            field=field,
            limit=MAX_PREVIOUS_ROUNDS,
            found=len(messages),
        )
    return [
        PreviousRound(message.terminal_leaf, read_header(message.header, field=f"{field}[{index}].header"))
        for index, message in enumerate(messages)
    ]


def _check_winner(header: Header, winner: LastWinner | None, seat: Seat, *, has_proof: bool) -> Seat:
    """Return the previous winner's seat; refuse one that the round does not have or nothing proves."""
    field = "round.previous_winner_seat"
    if seat >= header.seat_count:
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_SEAT,
            f"the round has {header.seat_count} seats, counted from 0",
            field=field,
            found=seat,
        )
    if winner is None:
        if not has_proof and header.previous_leaf != NO_LEAF:
            raise RefusedError(
                ErrorReason.ERROR_REASON_MISSING_FIELD,
                "prove the winner: send the rounds back to the last settled one, newest first",
                field="round.previous_rounds",
            )
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "the table's last settled round names no winner of this game; leave the seat out to have the leader drawn",
            field=field,
        )
    if not winner.fits(header, seat):
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            f"the winner of the last settled round has another key than seat {seat}",
            field=field,
            found=seat,
        )
    return seat
