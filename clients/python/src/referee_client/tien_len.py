"""Tiến Lên Miền Nam: plays, passes, and who leads, proved by the table's last settled round."""

from typing import Final

import msgspec

from referee.dealing.header import NO_KEY
from referee.dealing.leaf import ABORT_TYPE
from referee.evidence.dsse import Envelope
from referee.transcript.inputs import MEDIA_TYPE
from referee.v1 import log_pb2, round_pb2, tien_len_pb2
from referee_client.cards import Cards, numbers_of
from referee_client.errors import VerificationError
from referee_client.resuming import ResumableRound
from referee_client.terms import read_header
from referee_client.verified import Messages

MESSAGES: Final = Messages(
    service="TienLenService",
    round=tien_len_pb2.TienLenRound,
    accept_request=tien_len_pb2.TienLenServiceAcceptEventRequest,
    accept_answer=tien_len_pb2.TienLenServiceAcceptEventResponse,
    preview_request=tien_len_pb2.TienLenServicePreviewRoundRequest,
    preview_answer=tien_len_pb2.TienLenServicePreviewRoundResponse,
    settle_request=tien_len_pb2.TienLenServiceSettleRoundRequest,
    settle_answer=tien_len_pb2.TienLenServiceSettleRoundResponse,
)
_GAME: Final = "tien_len"
_ENDED: Final = (MEDIA_TYPE, ABORT_TYPE)


class _Winners(msgspec.Struct):
    winners: tuple[int, ...]


class _Settled(msgspec.Struct):
    results: _Winners


class AsyncTienLenRound(ResumableRound[tien_len_pb2.TienLenRound, tien_len_pb2.TienLenOutcome]):
    """A round of Tiến Lên, for asyncio."""

    messages = MESSAGES

    async def look_back(self, *, winner_seat: int | None = None, winner_gone: bool = False) -> int | None:
        """Find the seat that leads as the winner of the table's last settled round; None if the leader is random.

        To be asked after the deal; once a seat has played, what was found before is returned again. The winner sits
        where its key does; one without a key at the seat it had, or at ``winner_seat``. A winner without a key who left
        the table is ``winner_gone``.
        """
        given = self.message
        if given.events:
            return given.previous_winner_seat if given.HasField("previous_winner_seat") else None
        previous, winner = await self._previous()
        del given.previous_rounds[:]
        given.ClearField("previous_winner_seat")
        if winner is None:
            return None
        seat, key = winner
        keys = self.header.seat_keys
        if key != NO_KEY:
            found = keys.index(key) if key in keys else None
        else:
            found = None if winner_gone else seat if winner_seat is None else winner_seat
        if found is None or found >= self.header.seat_count:
            return None
        given.previous_rounds.extend(previous)
        given.previous_winner_seat = found
        return found

    async def plays(self, *, grouped: bool = False) -> tien_len_pb2.ListPlaysResponse:
        """Every legal play of the seat whose turn it is, and whether it may pass."""
        request = tien_len_pb2.ListPlaysRequest(round=self.message, grouped=grouped)
        return await self._ask("ListPlays", request, tien_len_pb2.ListPlaysResponse)

    async def check(self, seat: int, cards: Cards) -> tien_len_pb2.CheckPlayResponse:
        """Everything wrong with a play; nothing is played."""
        request = tien_len_pb2.CheckPlayRequest(round=self.message, event=_play(seat, cards))
        return await self._ask("CheckPlay", request, tien_len_pb2.CheckPlayResponse)

    async def suggest(self, *, count: int = 3, samples: int = 0) -> tien_len_pb2.SuggestPlayResponse:
        """Suggest the best plays of the seat on turn, with reasons, from what that seat may know."""
        request = tien_len_pb2.SuggestPlayRequest(round=self.message, count=count, samples=samples)
        return await self._ask("SuggestPlay", request, tien_len_pb2.SuggestPlayResponse)

    async def play(self, seat: int, cards: Cards) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """Play cards."""
        return await self._accept(_play(seat, cards))

    async def pass_turn(self, seat: int) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """Pass."""
        return await self._accept(tien_len_pb2.TienLenEvent(seat=seat, pass_turn=tien_len_pb2.Pass()))

    async def time_out(self, seat: int) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """Report that a seat's time has run out."""
        return await self._accept(tien_len_pb2.TienLenEvent(seat=seat, timeout=tien_len_pb2.Timeout()))

    async def leave(self, seat: int) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """Report that a seat leaves."""
        return await self._accept(tien_len_pb2.TienLenEvent(seat=seat, leave=round_pb2.Leave()))

    async def _accept(self, event: tien_len_pb2.TienLenEvent) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        answer: tien_len_pb2.TienLenServiceAcceptEventResponse = await self.accept_event(event)
        return answer

    async def _previous(self) -> tuple[list[tien_len_pb2.PreviousRound], tuple[int, bytes] | None]:
        """Read the table's rounds back to its last settled one; return the winner's seat then, and its key."""
        rounds: list[tien_len_pb2.PreviousRound] = []
        for number in range(self.number - 1, 0, -1):
            request = log_pb2.GetTableRoundRequest(table_id=self.table, round_number=number)
            found = await self._session.line.ask("LogService/GetTableRound", request, log_pb2.GetTableRoundResponse)
            ends = [(leaf, Envelope.parse(leaf.leaf)) for leaf in found.leaves]
            ended = [(leaf, envelope) for leaf, envelope in ends if envelope.payload_type in _ENDED]
            if len(ended) != 1:
                msg = f"round {number} of table {self.table} has no single end"
                raise VerificationError(msg)
            leaf, envelope = ended[0]
            rounds.append(tien_len_pb2.PreviousRound(terminal_leaf=leaf.leaf, header=found.header))
            if envelope.payload_type == ABORT_TYPE:
                await self._proved(leaf, ABORT_TYPE, role="shuffler")
                continue
            proved = await self._proved(leaf, MEDIA_TYPE, role="referee")
            header = read_header(found.header)
            if header.ruleset_id.partition(".")[0] != _GAME:
                return [], None
            (seat,) = msgspec.json.decode(proved.payload, type=_Settled).results.winners
            return rounds, (seat, header.seat_keys[seat])
        return [], None


def _play(seat: int, cards: Cards) -> tien_len_pb2.TienLenEvent:
    return tien_len_pb2.TienLenEvent(seat=seat, play=tien_len_pb2.Play(cards=numbers_of(cards)))
