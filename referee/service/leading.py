"""Who leads a round of Tiến Lên, read from a question: the proved winner of the round before, or the seat drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from referee.cards import Seat
from referee.dealing.deal import drawn_leader
from referee.dealing.header import NO_LEAF, Header
from referee.service.rounds import VerifiedRound
from referee.transcript.leader import LastWinner, PreviousRoundError, find_last_winner
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.tien_len_pb2 import TienLenRound
from referee.wire.refusal import RefusedError
from referee.wire.tien_len import previous_refusal, read_previous_rounds

_GAME: Final = "tien_len"


@dataclass(frozen=True, slots=True)
class Lead:
    """The seat that leads; ``previous_winner_seat`` is the same where it leads as a winner, None where it was drawn."""

    leader: Seat
    previous_winner_seat: Seat | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaders:
    """Finds leaders, knowing the keys that may sign the leaves that rounds end with."""

    referee_keys: Sequence[bytes]
    shuffler_keys: Sequence[bytes]

    def find(self, verified: VerifiedRound, message: TienLenRound, *, field: str) -> Lead:
        """The leader of the round; refuses previous rounds that prove no winner, or a seat that is not the winner's."""
        header = verified.header
        winner = self._last_winner(header, message, field=field)
        if message.HasField("previous_winner_seat"):
            seat = _winner_seat(header, winner, message, field=field)
            return Lead(seat, seat)
        if winner is not None and winner.is_seated(header):
            raise RefusedError(
                ErrorReason.ERROR_REASON_MISSING_FIELD,
                "the winner of the last settled round is not gone: its key has a seat, so say which",
                field=f"{field}.previous_winner_seat",
            )
        drawn = drawn_leader(header, round_id=header.round_id, commitment=verified.commitment, mixed=verified.mixed)
        return Lead(drawn, None)

    def _last_winner(self, header: Header, message: TienLenRound, *, field: str) -> LastWinner | None:
        if not message.previous_rounds:
            return None
        path = f"{field}.previous_rounds"
        try:
            return find_last_winner(
                header,
                read_previous_rounds(message.previous_rounds, field=path),
                game=_GAME,
                referee_keys=self.referee_keys,
                shuffler_keys=self.shuffler_keys,
            )
        except PreviousRoundError as error:
            raise previous_refusal(error, field=path) from None


def _winner_seat(header: Header, winner: LastWinner | None, message: TienLenRound, *, field: str) -> Seat:
    seat = Seat(message.previous_winner_seat)
    path = f"{field}.previous_winner_seat"
    if seat >= header.seat_count:
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_SEAT,
            f"the round has {header.seat_count} seats, counted from 0",
            field=path,
            found=seat,
        )
    if winner is None:
        if not message.previous_rounds and header.previous_leaf != NO_LEAF:
            raise RefusedError(
                ErrorReason.ERROR_REASON_MISSING_FIELD,
                "prove the winner: send the rounds back to the last settled one, newest first",
                field=f"{field}.previous_rounds",
            )
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "the table's last settled round names no winner of this game; leave the seat out to have the leader drawn",
            field=path,
        )
    if not winner.fits(header, seat):
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            f"the winner of the last settled round has another key than seat {seat}",
            field=path,
            found=seat,
        )
    return seat
