"""A round of Mậu Binh at the table: arranging, on a sealed table committing and opening, then the show."""

from typing import Any

from referee.cards import Card, Seat
from referee.games.mau_binh import arrangement_commitment
from referee.v1 import advice_pb2, mau_binh_pb2, shuffler_pb2
from referee_table.bots import THOUGHT_MS
from referee_table.cards import texts
from referee_table.commands import InRound, Leave, Move, Suggest
from referee_table.judge import RefereeRefusedError
from referee_table.mau_binh.arrangements import (
    arrangement_of,
    cards_of,
    shown_suggestion,
    shown_value,
    split,
    thirteen,
)
from referee_table.mau_binh.commands import Arrange, Check, Commit, Open
from referee_table.mau_binh.handing_in import HandingIn
from referee_table.mau_binh.state import Draft, MauBinhState
from referee_table.play import RETRY_MS
from referee_table.wording import Code, RefusedError


class MauBinhPlay(HandingIn):
    """One round, from its deal to its settlement."""

    @property
    def phase(self) -> str:
        """Phase of the round for pages: the show, opening commitments, or arranging."""
        if self.state.showdown is not None:
            return "SHOWDOWN"
        return "OPENING" if self.state.is_opening else "PLAYING"

    @property
    def deadline(self) -> int | None:
        """End of the time to arrange or to open commitments, then of the show; in ms."""
        return self.state.deadline if self.state.showdown is None else self.state.show_end_time

    @property
    def wake(self) -> int:
        """Time in ms of the next thing to do: a bot's move, a deadline, or the end of the show."""
        state = self.state
        if state.showdown is not None:
            return max(state.show_end_time, self.again)
        times = [max(state.deadline, self.again)]
        if self._bots():
            times.append(0 if state.is_opening else self.thinking.wake(state.bot_time))
        if self.awaits_hand_in(self.bench.clock.now()):
            times.append(self.hand_in_time)
        return min(times)

    @property
    def is_over(self) -> bool:
        """Whether the show is over."""
        return self.state.showdown is not None and self.wake <= self.bench.clock.now()

    async def begin(self, dealt: shuffler_pb2.DealRoundResponse) -> None:
        """Begin arranging with the cards that were dealt; end the round if a hand wins at once."""
        count, now = len(self.round.seats), self.bench.clock.now()
        self.message = mau_binh_pb2.MauBinhRound(header=self.header, certificates=[dealt.certificate])
        self.round.hands = [list(hand.cards) for hand in dealt.hands]
        self.state = MauBinhState(
            deadline=dealt.dealt_time + self.bench.law.clock_ms("arranging"),
            bot_time=now + self.bench.pace.bot_ms,
            drafts=[None] * count,
            finals=[False] * count,
            commitments=[b""] * count,
            planned=[[] for _ in range(count)],
            nonces=[b""] * count,
            arranged=[[] for _ in range(count)],
            opened=[False] * count,
            gone=[False] * count,
        )
        if dealt.hands:
            await self.look()

    async def command(self, seat: int, command: InRound) -> dict[str, Any]:
        """Carry out an arrangement, a commitment or its opening, or a question."""
        is_sealed = self.bench.is_sealed
        match command:
            case Arrange() | Check() | Suggest() if is_sealed:
                raise RefusedError(Code.SEALED)
            case Commit() | Open() if not is_sealed or self.state.is_opening != isinstance(command, Open):
                raise RefusedError(Code.WRONG_PHASE)
            case Arrange() | Commit() | Open() if self.state.showdown is not None:
                raise RefusedError(Code.TOO_LATE)
            case Arrange():
                return await self.take(seat, _draft(command, cards=thirteen(command)), is_final=command.is_final)
            case Commit():
                draft = _draft(command, commitment=bytes.fromhex(command.commitment))
                return await self.take(seat, draft, is_final=command.is_final)
            case Open():
                await self._open(seat, thirteen(command), bytes.fromhex(command.nonce), command)
                return self.receipt()
            case Check():
                return await self.check(seat, thirteen(command))
            case Suggest():
                suggestions = await self._suggest(seat, list(self.message.certificates), count=3)
                return {"suggestions": [shown_suggestion(one, self.bench.law) for one in suggestions]}
            case _:
                raise RefusedError(Code.WRONG_PHASE)

    async def leave(self, seat: int, move: Leave) -> None:
        """Record that the seat has left; it loses what is shown afterwards."""
        event = mau_binh_pb2.MauBinhEvent(seat=seat)
        event.leave.SetInParent()
        await self.submit(event, move)
        self.keep_receipt(seat)
        self.state.gone[seat] = True
        if self.round.hands:
            await self.look()

    async def advance(self) -> None:
        """Make a bot's move, or apply a passed deadline."""
        state, now = self.state, self.bench.clock.now()
        if state.showdown is not None:
            return
        if not state.is_opening and now < state.deadline and self.is_release_due():
            await self.hand_in()
        bots = self._bots()
        if state.showdown is not None or self.round.is_opening_due:
            return
        if now >= max(state.deadline, self.again) and not (state.is_opening and bots):
            await self._end_time()
        elif bots and (state.is_opening or now >= state.bot_time):
            await self._move(bots[0])

    def shown_outcome(self, outcome: mau_binh_pb2.MauBinhOutcome) -> dict[str, Any]:
        """Return each seat's arrangement with its values, the transfers and the show."""
        shown: dict[str, Any] = {
            "seats": [
                {
                    "cards": texts(cards_of(one.arrangement)),
                    "arrangement": split(cards_of(one.arrangement)),
                    "values": [shown_value(value, self.bench.law) for value in one.values],
                    "fouled": one.fouled,
                    "defaulted": one.defaulted,
                    "net_minor": one.net_minor,
                    "winner": one.winner,
                }
                | self.shown_instant_win(one.instant_win)
                for one in outcome.seats
            ],
            "transfers": self.transfers(outcome.transfers),
            "showdown": self.state.showdown,
            "instant_wins": self.state.instant_wins,
        }
        if outcome.HasField("house_net_minor"):
            shown["house_net_minor"] = outcome.house_net_minor
        return shown

    def view(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat sees: who is done, its own arrangement, and everything once it is shown."""
        state = self.state
        shown: dict[str, Any] = {
            "submitted": list(state.finals),
            "gone": list(state.gone),
        }
        if seat is not None:
            shown |= self.own_view(seat)
        if state.is_opening:
            shown["opened"] = list(state.opened)
        if self.bench.is_sealed and self.round.hands:
            shown["hands"] = [texts(hand) for hand in self.round.hands]
        if state.showdown is not None:
            shown["showdown"] = state.showdown
        if state.instant_wins:
            shown["instant_wins"] = state.instant_wins
        return {"mau_binh": shown}

    def events(self) -> list[dict[str, Any]]:
        """Return the round's events for the page: arrangements, commitments and how they were opened, departures."""
        given: list[dict[str, Any]] = []
        for event in self.message.events:
            choice = event.WhichOneof("choice") or ""
            one: dict[str, Any] = {"time": event.time, "seat": event.seat, "action": choice.upper()}
            if choice == "arrange":
                one["arrangement"] = split(cards_of(event.arrange))
            if choice == "commit":
                one["commitment"] = event.commit.commitment.hex()
            given.append(one)
        return given

    def _bots(self) -> list[int]:
        """Return the seats of bots that have to arrange, or to open their commitment."""
        state = self.state
        done = state.opened if state.is_opening else [bool(cards) for cards in state.planned]
        return [
            seat
            for seat, one in enumerate(self.round.seats)
            if one.is_bot and not done[seat] and not (state.is_opening and not state.commitments[seat])
        ]

    async def _move(self, seat: int) -> None:
        state = self.state
        if state.is_opening:
            await self._open(seat, state.planned[seat], state.nonces[seat])
            return
        left_ms = state.deadline - self.bench.clock.now()
        longest_ms = max(THOUGHT_MS, left_ms // 2)  # people arrange for longer, and cards as dealt may be a foul
        if not self.thinking.is_over(seat, lambda: self._advice(seat), longest_ms=longest_ms):
            return
        state.bot_time = self.bench.clock.now() + self.bench.pace.bot_ms
        best = self.thinking.best  # none in time, or for a ruleset that nothing was learned for: as dealt
        cards = cards_of(best[0].arrangement) if best else (await self._hand(seat))[1]
        state.planned[seat] = cards
        draft = Draft(cards=cards)
        if self.bench.is_sealed:
            state.nonces[seat] = self.bench.entropy(32)
            draft.commitment = arrangement_commitment(
                round_id=self.round.round_id,
                seat=Seat(seat),
                cards=[Card(card) for card in cards],
                nonce=state.nonces[seat],
            )
        await self.take(seat, draft, is_final=True)

    async def _hand(self, seat: int) -> tuple[list[bytes], list[int]]:
        """Return a bot's certificates and cards."""
        if self.bench.is_sealed:
            certificate, cards = await self.hand_certificate(seat)
            return [certificate], cards
        return list(self.message.certificates), self.round.hands[seat]

    async def _advice(self, seat: int) -> list[advice_pb2.SuggestedArrangement]:
        """Return the suggestion for a bot."""
        certificates, _ = await self._hand(seat)
        return await self._suggest(seat, certificates, count=1)

    async def _open(self, seat: int, cards: list[int], nonce: bytes, move: Move | None = None) -> None:
        event = mau_binh_pb2.MauBinhEvent(seat=seat, arrange=arrangement_of(cards), nonce=nonce)
        await self.submit(event, move)
        self.state.arranged[seat] = cards
        self.state.opened[seat] = True
        await self.look()

    async def _end_time(self) -> None:
        """Apply the deadline: report seats that did not commit, or did not open; otherwise let the show begin."""
        state = self.state
        if self.bench.is_sealed:
            for seat in self._late():
                if self.round.is_opening_due:
                    break
                event = mau_binh_pb2.MauBinhEvent(seat=seat)
                event.timeout.SetInParent()
                try:
                    await self.submit(event, is_timeout=True)
                except RefusedError:  # by the referee's clock it is not time yet
                    self.again = self.bench.clock.now() + RETRY_MS
                    return
            if self.round.is_opening_due:
                return
        await self.look()
        if state.showdown is None:
            self.again = self.bench.clock.now() + RETRY_MS

    def _late(self) -> list[int]:
        """Return the seats of a sealed table to report: without a commitment, or still shut once the hands are open."""
        state, reported = self.state, {one.seat for one in self.message.events if one.WhichOneof("choice") == "timeout"}
        owed = [
            bool(commitment) and not opened if state.is_opening else not commitment
            for commitment, opened in zip(state.commitments, state.opened, strict=True)
        ]
        return [seat for seat, is_late in enumerate(owed) if is_late and not state.gone[seat] and seat not in reported]

    async def opened(self, opened: shuffler_pb2.OpenSectionResponse) -> None:
        """Begin opening: all hands of a sealed table are known."""
        self.state.is_opening = True
        self.state.drafts = [None] * len(self.round.seats)
        self.state.deadline = opened.unsealed_time + self.bench.law.clock_ms("opening")
        self.again = 0
        await self.look()

    async def _suggest(
        self, seat: int, certificates: list[bytes], *, count: int
    ) -> list[advice_pb2.SuggestedArrangement]:
        """Suggest the best arrangements; refuse with NO_ADVICE if there are none."""
        given = mau_binh_pb2.MauBinhRound(header=self.header, certificates=certificates)
        dealt = advice_pb2.DealtHand(round=given, seat=seat)
        request = advice_pb2.SuggestArrangementRequest(dealt=dealt, count=count)
        try:
            answer = await self.ask(self.bench.judge.advice.SuggestArrangement, request)
        except RefereeRefusedError as error:
            raise RefusedError(Code.NO_ADVICE, reason=error.reason) from None
        if not answer.suggestions:
            raise RefusedError(Code.NO_ADVICE)
        return list(answer.suggestions)


def _draft(command: Arrange | Commit, *, cards: list[int] | None = None, commitment: bytes = b"") -> Draft:
    return Draft(cards=cards or [], commitment=commitment, seen=command.seen, signature=command.signature)
