"""Tiến Lên Miền Nam: plays and passes; the deal says who leads."""

from referee.v1 import advice_pb2, round_pb2, tien_len_pb2
from referee_client.cards import Cards, numbers_of
from referee_client.resuming import ResumableRound


class AsyncTienLenRound(ResumableRound[tien_len_pb2.TienLenRound, tien_len_pb2.TienLenOutcome]):
    """A round of Tiến Lên, for asyncio."""

    async def plays(self, *, grouped: bool = False) -> tien_len_pb2.ListPlaysResponse:
        """List every legal play of the seat on ``turn``, and whether it may pass.

        ``turn`` is absent once the game is over. ``grouped`` adds the plays by kind, for small screens.
        """
        request = tien_len_pb2.ListPlaysRequest(round=self.message, grouped=grouped)
        return await self._ask("ListPlays", request, tien_len_pb2.ListPlaysResponse)

    async def check(self, seat: int, cards: Cards) -> tien_len_pb2.CheckPlayResponse:
        """Check a play without making it: its ``violations``, empty for a legal one."""
        request = tien_len_pb2.CheckPlayRequest(round=self.message, event=_play(seat, cards))
        return await self._ask("CheckPlay", request, tien_len_pb2.CheckPlayResponse)

    async def suggest(self, *, count: int = 3, samples: int = 0) -> advice_pb2.SuggestPlayResponse:
        """Suggest up to ``count`` plays of the seat on turn, best first, from the cards that this seat may know.

        ``count`` is 1 to 10. With ``samples``, at most 200, the unseen cards are dealt and the round is played out so
        often; 0 is the quick answer without that.
        """
        request = advice_pb2.SuggestPlayRequest(round=self.message, count=count, samples=samples)
        return await self._advise("SuggestPlay", request, advice_pb2.SuggestPlayResponse)

    async def play(self, seat: int, cards: Cards) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """Play cards, by ``Card`` or as text such as ``"3S 3D"``; a play against the rules has ``violations``."""
        return await self._accept(_play(seat, cards))

    async def pass_turn(self, seat: int) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """Pass the turn; a pass against the rules has ``violations``."""
        return await self._accept(tien_len_pb2.TienLenEvent(seat=seat, pass_turn=tien_len_pb2.Pass()))

    async def time_out(self, seat: int) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """Report that the seat on turn has let its time run out; too early, the answer has ``violations``."""
        return await self._accept(tien_len_pb2.TienLenEvent(seat=seat, timeout=round_pb2.Timeout()))

    async def leave(self, seat: int) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """Report that a seat leaves the table; the rules say how its cards count."""
        return await self._accept(tien_len_pb2.TienLenEvent(seat=seat, leave=round_pb2.Leave()))

    async def _accept(self, event: tien_len_pb2.TienLenEvent) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        answer: tien_len_pb2.TienLenServiceAcceptEventResponse = await self.accept_event(event)
        return answer


def _play(seat: int, cards: Cards) -> tien_len_pb2.TienLenEvent:
    return tien_len_pb2.TienLenEvent(seat=seat, play=tien_len_pb2.Play(cards=numbers_of(cards)))
