"""Mậu Binh: seats arrange thirteen cards in three chi; on a sealed table they commit to the arrangement first."""

from typing import NamedTuple

from referee.cards import Card
from referee.v1 import advice_pb2, mau_binh_pb2, round_pb2
from referee_client.cards import Cards, numbers_of, read_cards
from referee_client.resuming import ResumableRound


class Arrangement(NamedTuple):
    """Arrangement of a hand of thirteen cards in three chi, each as values of ``Card`` or as text: ``"AS KD TC"``.

    The order within a chi does not matter. An arrangement in which a chi beats the one before it is a foul.
    """

    back: Cards
    """The strongest chi, of five cards."""
    middle: Cards
    """The second chi, of five cards."""
    front: Cards
    """The weakest chi, of three cards."""

    def write(self) -> mau_binh_pb2.Arrangement:
        """Return the arrangement as a message."""
        return mau_binh_pb2.Arrangement(
            back=numbers_of(self.back), middle=numbers_of(self.middle), front=numbers_of(self.front)
        )


class AsyncMauBinhRound(ResumableRound[mau_binh_pb2.MauBinhRound, mau_binh_pb2.MauBinhOutcome]):
    """A round of Mậu Binh, for asyncio."""

    async def check(self, seat: int, arrangement: Arrangement) -> mau_binh_pb2.CheckArrangementResponse:
        """Check an arrangement without submitting it: its ``violations``, and the names of its hands."""
        request = mau_binh_pb2.CheckArrangementRequest(
            round=self._round_for(seat), seat=seat, arrangement=arrangement.write()
        )
        return await self._ask("CheckArrangement", request, mau_binh_pb2.CheckArrangementResponse)

    async def suggest(self, seat: int, *, count: int = 3) -> advice_pb2.SuggestArrangementResponse:
        """Suggest ``count`` arrangements with the highest value, best first, from the seat's own cards alone."""
        dealt = advice_pb2.DealtHand(round=self._round_for(seat), seat=seat)
        request = advice_pb2.SuggestArrangementRequest(dealt=dealt, count=count)
        return await self._advise("SuggestArrangement", request, advice_pb2.SuggestArrangementResponse)

    async def arrange(self, seat: int, arrangement: Arrangement) -> mau_binh_pb2.MauBinhServiceAcceptEventResponse:
        """Submit an arrangement; a seat's last arrangement counts. A foul is accepted, and listed in the answer.

        On a sealed table the arrangement must be the one that the seat committed to; this opens the commitment.
        """
        event = mau_binh_pb2.MauBinhEvent(seat=seat, arrange=arrangement.write())
        if self.is_sealed:
            event.nonce = self.secrets[seat].nonce
        return await self._accept(event)

    async def commit(self, seat: int, arrangement: Arrangement) -> mau_binh_pb2.MauBinhServiceAcceptEventResponse:
        """Commit to an arrangement on a sealed table; the commitment hides the arrangement."""
        cards = [card for chi in arrangement for card in read_cards(chi)]
        bound = self.secrets[seat].arrangement_commitment(self.round_id, cards=cards)
        self.state.arrangements[seat] = tuple([card.number for card in cards])
        event = mau_binh_pb2.MauBinhEvent(seat=seat, commit=mau_binh_pb2.Commit(commitment=bound))
        return await self._accept(event)

    def committed(self, seat: int) -> Arrangement | None:
        """Return the arrangement that a seat committed to through this client; None if it has not committed."""
        cards = [Card(number) for number in self.state.arrangements.get(seat, ())]
        return Arrangement(cards[:5], cards[5:10], cards[10:]) if cards else None

    async def time_out(self, seat: int) -> mau_binh_pb2.MauBinhServiceAcceptEventResponse:
        """Report that a seat of a sealed table has not committed, or not opened its commitment, in time.

        A commitment that is not opened is a foul, listed as NOT_OPENED. A round of a sealed table is over only when
        each seat has arranged, left or been reported.
        """
        event = mau_binh_pb2.MauBinhEvent(seat=seat, timeout=round_pb2.Timeout())
        return await self._accept(event)

    async def leave(self, seat: int) -> mau_binh_pb2.MauBinhServiceAcceptEventResponse:
        """Report that a seat leaves the table; the rules say how its hand counts."""
        return await self._accept(mau_binh_pb2.MauBinhEvent(seat=seat, leave=round_pb2.Leave()))

    async def _accept(self, event: mau_binh_pb2.MauBinhEvent) -> mau_binh_pb2.MauBinhServiceAcceptEventResponse:
        answer: mau_binh_pb2.MauBinhServiceAcceptEventResponse = await self.accept_event(event)
        return answer

    def _round_for(self, seat: int) -> mau_binh_pb2.MauBinhRound:
        """Return the round without its events, and with only the certificate of the seat's own hand if it has one."""
        is_own = seat in self.state.private and seat not in self.hands
        certificates = [self.state.private[seat][0]] if is_own else self.message.certificates
        return mau_binh_pb2.MauBinhRound(header=self.message.header, certificates=certificates)
