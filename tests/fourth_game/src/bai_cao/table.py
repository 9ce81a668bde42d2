"""Bài Cào at the table server: every seat turns its cards up, bots by themselves. Entry point ``referee.tables``."""

from typing import Any, Final

import msgspec
from referee_table.cards import texts
from referee_table.commands import InRound, Move
from referee_table.commands import Leave as LeaveRoom
from referee_table.play import Bench, Choice, Play
from referee_table.state import Round
from referee_table.table_game import TableGame
from referee_table.wording import Code, RefusedError

from bai_cao.round import Event, Leave, Show
from bai_cao.v1 import bai_cao_pb2, bai_cao_pb2_grpc
from referee.cards import Seat
from referee.evidence.canonical import encode_record
from referee.v1 import shuffler_pb2

_EVENTS: Final[dict[int, type[Event]]] = {bai_cao_pb2.ACT_SHOW: Show, bai_cao_pb2.ACT_LEAVE: Leave}


class ShowCards(Move, frozen=True, kw_only=True, tag="show"):
    """A seat turns its cards up."""


class BaiCaoKept(msgspec.Struct, kw_only=True):
    """What a table keeps of a round: who has left, until when seats may show, and when the next bot does."""

    gone: list[int] = []
    deadline: int = 0
    bot_time: int = 0


class BaiCaoPlay(Play):
    """One round. ``message`` is the round so far."""

    state: BaiCaoKept
    service: bai_cao_pb2_grpc.BaiCaoServiceStub
    accept_request = bai_cao_pb2.AcceptEventRequest
    settle_request = bai_cao_pb2.SettleRoundRequest

    def __init__(self, bench: Bench, played: Round) -> None:
        super().__init__(bench, played)
        self.message = bai_cao_pb2.BaiCaoRound.FromString(played.message)
        self.state = self.own(BaiCaoKept)
        self.service = bench.judge.stub(bai_cao_pb2_grpc.BaiCaoServiceStub)

    @property
    def _waiting(self) -> list[int]:
        """Seats that have neither shown nor left."""
        done = {event.seat for event in self.message.events}
        return [seat for seat in range(len(self.round.seats)) if seat not in done]

    @property
    def deadline(self) -> int | None:
        """Until when seats may show."""
        return self.state.deadline if self._waiting else None

    @property
    def wake(self) -> int:
        """When the next bot shows, or the time is up."""
        if not self._waiting:
            return self.again
        has_bots = any(self.is_bot(seat) for seat in self._waiting)
        return self.state.bot_time if has_bots else max(self.state.deadline, self.again)

    @property
    def is_over(self) -> bool:
        """Whether every seat has shown or left, or the time is up."""
        now = self.bench.clock.now()
        return (not self._waiting or now >= self.state.deadline) and now >= self.again

    async def begin(self, dealt: shuffler_pb2.DealRoundResponse) -> None:
        """Seats have their cards."""
        self.message = bai_cao_pb2.BaiCaoRound(header=self.header, certificates=[dealt.certificate])
        self.round.hands = [list(hand.cards) for hand in dealt.hands]
        deadline = dealt.dealt_time + self.bench.law.clock_ms("showing")
        self.state = BaiCaoKept(deadline=deadline, bot_time=self.bench.clock.now() + self.bench.pace.bot_ms)

    async def command(self, seat: int, command: InRound) -> dict[str, Any]:
        """Turn a seat's cards up."""
        if not isinstance(command, ShowCards):
            raise RefusedError(Code.WRONG_PHASE)
        await self.submit(bai_cao_pb2.BaiCaoEvent(seat=seat, act=bai_cao_pb2.ACT_SHOW), command)
        return self.receipt()

    async def leave(self, seat: int, move: LeaveRoom) -> None:
        """Record that the seat has left; its cards count all the same."""
        await self.submit(bai_cao_pb2.BaiCaoEvent(seat=seat, act=bai_cao_pb2.ACT_LEAVE), move)
        self.state.gone.append(seat)

    async def advance(self) -> None:
        """Turn up the cards of the next bot."""
        now = self.bench.clock.now()
        bots = [seat for seat in self._waiting if self.is_bot(seat)]
        if bots and self.state.bot_time <= now < self.state.deadline:
            await self.submit(bai_cao_pb2.BaiCaoEvent(seat=bots[0], act=bai_cao_pb2.ACT_SHOW))
            self.state.bot_time = now + self.bench.pace.bot_ms

    def shown_outcome(self, outcome: bai_cao_pb2.BaiCaoOutcome) -> dict[str, Any]:
        """Return each seat's cards and result, and the transfers."""
        return {
            "seats": [
                {
                    "cards": texts(one.cards),
                    "value": {"category": one.hand, "name": self.bench.law.name("hand", one.hand)},
                    "against_dealer": one.result,
                    "net_minor": one.net_minor,
                    "winner": one.net_minor > 0,
                }
                for one in outcome.seats
            ],
            "transfers": self.transfers(outcome.transfers),
        }

    def winner_of(self, outcome: bai_cao_pb2.BaiCaoOutcome) -> None:
        """Return None: every seat plays the dealer."""

    def view(self, seat: int | None) -> dict[str, Any]:
        """Return who has shown, and their cards; a seat's own are beside it."""
        del seat
        waiting = self._waiting
        hands = [None if seat in waiting else texts(hand) for seat, hand in enumerate(self.round.hands)]
        return {"bai_cao": {"hands": hands, "gone": self.state.gone}}

    def events(self) -> list[dict[str, Any]]:
        """Shown hands and departures."""
        names = {bai_cao_pb2.ACT_SHOW: "SHOW", bai_cao_pb2.ACT_LEAVE: "LEAVE"}
        return [
            {"time": one.time, "seat": one.seat, "action": names[one.act], "cards": texts(self.round.hands[one.seat])}
            for one in self.message.events
        ]

    async def review(self, seat: int) -> list[Choice]:
        """Refuse: a seat of Bài Cào has nothing to choose."""
        del seat
        raise RefusedError(Code.NO_ADVICE)

    def event_bytes(self, event: Any) -> bytes:  # noqa: ANN401 - as a play of any game
        """Return the canonical bytes of an event, as the law has them."""
        seen = event.seen if event.HasField("seen") else None
        return encode_record(_EVENTS[event.act](Seat(event.seat), seen=seen))


_THREE_FACES: Final = {
    "vi": "ba tiên",
    "en": "three faces",
    "means": {
        "vi": "ba lá J, Q, K: hơn mọi tay bài khác",
        "en": "three of J, Q and K, which beat every other hand",
    },
}

GAME: Final = TableGame(
    name="bai_cao", play=BaiCaoPlay, commands=(ShowCards,), glossary={"terms": {"BA_TIEN": _THREE_FACES}}
)
