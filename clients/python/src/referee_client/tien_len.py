"""Tiến Lên Miền Nam: plays and passes; the deal says who leads."""

from referee.v1 import advice_pb2, round_pb2, tien_len_pb2
from referee_client.cards import Cards, numbers_of
from referee_client.resuming import ResumableRound


class AsyncTienLenRound(ResumableRound[tien_len_pb2.TienLenRound, tien_len_pb2.TienLenOutcome]):
    """A round of Tiến Lên, for asyncio."""

    async def plays(self, *, grouped: bool = False) -> tien_len_pb2.ListPlaysResponse:
        """List every legal play of the seat on turn, and whether it may pass."""
        request = tien_len_pb2.ListPlaysRequest(round=self.message, grouped=grouped)
        return await self._ask("ListPlays", request, tien_len_pb2.ListPlaysResponse)

    async def check(self, seat: int, cards: Cards) -> tien_len_pb2.CheckPlayResponse:
        """Check a play without making it: its violations."""
        request = tien_len_pb2.CheckPlayRequest(round=self.message, event=_play(seat, cards))
        return await self._ask("CheckPlay", request, tien_len_pb2.CheckPlayResponse)

    async def suggest(self, *, count: int = 3, samples: int = 0) -> advice_pb2.SuggestPlayResponse:
        """Suggest the best plays of the seat on turn, with reasons, from the cards that this seat may know."""
        request = advice_pb2.SuggestPlayRequest(round=self.message, count=count, samples=samples)
        return await self._advise("SuggestPlay", request, advice_pb2.SuggestPlayResponse)

    async def play(self, seat: int, cards: Cards) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """Play cards."""
        return await self._accept(_play(seat, cards))

    async def pass_turn(self, seat: int) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """Pass."""
        return await self._accept(tien_len_pb2.TienLenEvent(seat=seat, pass_turn=tien_len_pb2.Pass()))

    async def time_out(self, seat: int) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """Report that a seat's time has run out."""
        return await self._accept(tien_len_pb2.TienLenEvent(seat=seat, timeout=round_pb2.Timeout()))

    async def leave(self, seat: int) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """Report that a seat leaves."""
        return await self._accept(tien_len_pb2.TienLenEvent(seat=seat, leave=round_pb2.Leave()))

    async def _accept(self, event: tien_len_pb2.TienLenEvent) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        answer: tien_len_pb2.TienLenServiceAcceptEventResponse = await self.accept_event(event)
        return answer


def _play(seat: int, cards: Cards) -> tien_len_pb2.TienLenEvent:
    return tien_len_pb2.TienLenEvent(seat=seat, play=tien_len_pb2.Play(cards=numbers_of(cards)))
