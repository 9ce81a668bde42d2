"""A round of Mậu Binh at the table: arranging, on a sealed table committing and opening, then the show."""

from typing import Any

from referee.cards import Card, Seat
from referee.games.mau_binh import arrangement_commitment
from referee.v1 import mau_binh_pb2, shuffler_pb2
from referee_table.arrangements import (
    arrangement_of,
    cards_of,
    shown_showdown,
    shown_suggestion,
    shown_value,
    split,
    thirteen,
)
from referee_table.cards import texts
from referee_table.commands import Arrange, Check, Commit, InRound, Open, Suggest
from referee_table.judge import RefereeRefusedError
from referee_table.play import RETRY_MS, Bench, Play, Previous, Settled, refusal_of, violations_of
from referee_table.state import MauBinhState, Round
from referee_table.wording import Code, RefusedError


class MauBinhPlay(Play):
    """One round. ``message`` is the round so far."""

    def __init__(self, bench: Bench, played: Round) -> None:
        super().__init__(bench, played)
        self.message = mau_binh_pb2.MauBinhRound.FromString(played.message)
        self.state = played.mau_binh or MauBinhState()

    @property
    def phase(self) -> str:
        """Showing, opening or arranging."""
        if self.state.showdown is not None:
            return "SHOWDOWN"
        return "OPENING" if self.state.is_opening else "PLAYING"

    @property
    def deadline(self) -> int | None:
        """Of arranging or opening; in the show its end."""
        shown = self.state.showdown
        return self.state.deadline if shown is None else int(shown["summary_time"])

    @property
    def wake(self) -> int:
        """The next bot's move, a deadline, or the end of the show."""
        state = self.state
        if state.showdown is not None:
            is_shown = bool(state.showdown["chi"]) and not self.bench.pace.is_brisk
            return max(int(state.showdown["summary_time"]) if is_shown else 0, self.again)
        if self._bots():
            return 0 if state.is_opening else min(state.bot_time, state.deadline)
        return max(state.deadline, self.again)

    @property
    def is_over(self) -> bool:
        """Whether the show is over."""
        return self.state.showdown is not None and self.wake <= self.bench.clock.now()

    async def begin(self, dealt: shuffler_pb2.DealRoundResponse, previous: Previous) -> None:
        """Seats have their cards; a hand that wins at once ends the round here."""
        del previous
        count, now = len(self.round.seats), self.bench.clock.now()
        self.message = mau_binh_pb2.MauBinhRound(header=self.header, certificates=[dealt.certificate])
        self.round.hands = [list(hand.cards) for hand in dealt.hands]
        self.state = MauBinhState(
            deadline=dealt.dealt_time + self.bench.law.clock_ms("arranging"),
            bot_time=now + self.bench.pace.bot_ms,
            commitments=[b""] * count,
            planned=[[] for _ in range(count)],
            nonces=[b""] * count,
            arranged=[[] for _ in range(count)],
            opened=[False] * count,
            gone=[False] * count,
        )
        if dealt.hands:
            await self._look()

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
                cards = thirteen(command)
                answer = await self._accept(mau_binh_pb2.MauBinhEvent(seat=seat, arrange=arrangement_of(cards)))
                self.state.arranged[seat] = cards
                await self._look()
                return {"violations": violations_of(answer.violations)}
            case Commit():
                await self._commit(seat, bytes.fromhex(command.commitment))
                return {}
            case Open():
                await self._open(seat, thirteen(command), bytes.fromhex(command.nonce))
                return {}
            case Check():
                return await self._check(seat, thirteen(command))
            case Suggest():
                suggestions = await self._suggest(seat, list(self.message.certificates), count=3)
                return {"suggestions": [shown_suggestion(one) for one in suggestions]}
            case _:
                raise RefusedError(Code.WRONG_PHASE)

    async def leave(self, seat: int) -> None:
        """Record that the seat has left; it loses what is shown afterwards."""
        event = mau_binh_pb2.MauBinhEvent(seat=seat)
        event.leave.SetInParent()
        await self._accept(event)
        self.state.gone[seat] = True
        if self.round.hands:
            await self._look()

    async def advance(self) -> None:
        """Make a bot's move, or apply a passed deadline."""
        state, now = self.state, self.bench.clock.now()
        if state.showdown is not None:
            return
        bots = self._bots()
        if now >= max(state.deadline, self.again) and not (state.is_opening and bots):
            await self._end_time()
        elif bots and (state.is_opening or now >= state.bot_time):
            state.bot_time = now + self.bench.pace.bot_ms
            await self._move(bots[0])

    async def settle(self) -> Settled | None:
        """Settle the round."""
        judge = self.bench.judge
        request = mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=self.message)
        kind = mau_binh_pb2.MauBinhServiceSettleRoundResponse
        settled = await judge.ask(judge.mau_binh.SettleRound, request, kind)
        if settled.violations:
            self.again = self.bench.clock.now() + RETRY_MS
            return None
        outcome = settled.outcome
        names = self.bench.law.word
        shown = {
            "seats": [
                {
                    "cards": texts(cards_of(one.arrangement)),
                    "arrangement": split(cards_of(one.arrangement)),
                    "values": [shown_value(value) for value in one.values],
                    "fouled": one.fouled,
                    "defaulted": one.defaulted,
                    "net_minor": one.net_minor,
                    "winner": one.winner,
                }
                | ({"left_at": one.left_at} if one.left_at else {})
                | (
                    {"instant_win": one.instant_win, "instant_win_name": names(one.instant_win)}
                    if one.instant_win
                    else {}
                )
                for one in outcome.seats
            ],
            "transfers": self.transfers(outcome.transfers),
            "showdown": self.state.showdown,
        }
        nets = [int(one.net_minor) for one in outcome.seats]
        winner = next((one.seat for one in outcome.seats if one.winner), None)
        return Settled(shown, nets, winner, settled.log_receipt)

    def freeze(self) -> None:
        """Copy the events into the round's state."""
        self.round.message = self.message.SerializeToString()
        self.round.mau_binh = self.state

    def view(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat sees: who is done, its own arrangement, and everything once it is shown."""
        state = self.state
        shown: dict[str, Any] = {
            "submitted": [bool(state.commitments[one] or state.arranged[one]) for one in range(len(self.round.seats))],
            "gone": list(state.gone),
        }
        if seat is not None and state.arranged[seat] and not self.bench.is_sealed:
            shown["arrangement"] = split(state.arranged[seat])
        if seat is not None and state.commitments[seat]:
            shown["commitment"] = state.commitments[seat].hex()
        if state.is_opening:
            shown["opened"] = list(state.opened)
        if self.bench.is_sealed and self.round.hands:
            shown["hands"] = [texts(hand) for hand in self.round.hands]
        if state.showdown is not None:
            shown["showdown"] = state.showdown
        return {"mau_binh": shown}

    def events(self) -> list[dict[str, Any]]:
        """Arrangements, commitments, openings, departures."""
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
        """Bots that have something to do."""
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
        certificates, cards = list(self.message.certificates), self.round.hands[seat] if self.round.hands else []
        if self.bench.is_sealed:
            certificate, cards = await self.hand_certificate(seat)
            certificates = [certificate]
        try:
            suggested = await self._suggest(seat, certificates, count=1)
            cards = cards_of(suggested[0].arrangement)
        except RefusedError:
            pass  # a ruleset that nothing was learned for: the cards stand as dealt
        state.planned[seat] = cards
        if self.bench.is_sealed:
            state.nonces[seat] = self.bench.entropy(32)
            commitment = arrangement_commitment(
                round_id=self.round.round_id,
                seat=Seat(seat),
                cards=[Card(card) for card in cards],
                nonce=state.nonces[seat],
            )
            await self._commit(seat, commitment)
        else:
            await self._accept(mau_binh_pb2.MauBinhEvent(seat=seat, arrange=arrangement_of(cards)))
            state.arranged[seat] = cards
            await self._look()

    async def _commit(self, seat: int, commitment: bytes) -> None:
        event = mau_binh_pb2.MauBinhEvent(seat=seat, commit=mau_binh_pb2.Commit(commitment=commitment))
        await self._accept(event)
        self.state.commitments[seat] = commitment

    async def _open(self, seat: int, cards: list[int], nonce: bytes) -> None:
        event = mau_binh_pb2.MauBinhEvent(seat=seat, arrange=arrangement_of(cards), nonce=nonce)
        await self._accept(event)
        self.state.arranged[seat] = cards
        self.state.opened[seat] = True
        await self._look()

    async def _end_time(self) -> None:
        """Apply the deadline: report seats that did not commit; otherwise let the show begin."""
        state = self.state
        if self.bench.is_sealed and not state.is_opening:
            for seat, commitment in enumerate(state.commitments):
                if commitment or state.gone[seat] or self.round.is_opening_due:
                    continue
                event = mau_binh_pb2.MauBinhEvent(seat=seat)
                event.timeout.SetInParent()
                try:
                    await self._accept(event)
                except RefusedError:  # by the referee's clock it is not time yet
                    self.again = self.bench.clock.now() + RETRY_MS
                    return
            if self.round.is_opening_due:
                return
        await self._look()
        if state.showdown is None:
            self.again = self.bench.clock.now() + RETRY_MS

    async def _accept(self, event: mau_binh_pb2.MauBinhEvent) -> mau_binh_pb2.MauBinhServiceAcceptEventResponse:
        judge = self.bench.judge
        request = mau_binh_pb2.MauBinhServiceAcceptEventRequest(round=self.message, event=event)
        kind = mau_binh_pb2.MauBinhServiceAcceptEventResponse
        answer = await judge.ask(judge.mau_binh.AcceptEvent, request, kind)
        if not answer.event_number:
            raise refusal_of(answer.violations)
        self.keep(answer)
        return answer

    async def opened(self, opened: shuffler_pb2.OpenSectionResponse) -> None:
        """Begin opening: all hands of a sealed table are known."""
        self.state.is_opening = True
        self.state.deadline = opened.unsealed_time + self.bench.law.clock_ms("opening")
        self.again = 0
        await self._look()

    async def _look(self) -> None:
        """Start the showing if the referee finds the round over."""
        if self.bench.is_sealed and not self.round.hands:
            return
        judge = self.bench.judge
        request = mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=self.message)
        kind = mau_binh_pb2.MauBinhServicePreviewRoundResponse
        preview = await judge.ask(judge.mau_binh.PreviewRound, request, kind)
        if not preview.violations:
            self.state.showdown = shown_showdown(preview.showdown)
            self.again = 0

    async def _check(self, seat: int, cards: list[int]) -> dict[str, Any]:
        judge = self.bench.judge
        given = mau_binh_pb2.MauBinhRound(header=self.message.header, certificates=self.message.certificates)
        request = mau_binh_pb2.CheckArrangementRequest(round=given, seat=seat, arrangement=arrangement_of(cards))
        answer = await judge.ask(judge.mau_binh.CheckArrangement, request, mau_binh_pb2.CheckArrangementResponse)
        return {
            "violations": violations_of(answer.violations),
            "is_acceptable": answer.acceptable,
            "values": [shown_value(value) for value in answer.values],
        }

    async def _suggest(
        self, seat: int, certificates: list[bytes], *, count: int
    ) -> list[mau_binh_pb2.SuggestedArrangement]:
        """Suggest the best arrangements; refuse with NO_ADVICE if there are none."""
        judge = self.bench.judge
        given = mau_binh_pb2.MauBinhRound(header=self.header, certificates=certificates)
        dealt = mau_binh_pb2.DealtHand(round=given, seat=seat)
        request = mau_binh_pb2.SuggestArrangementRequest(dealt=dealt, count=count)
        kind = mau_binh_pb2.SuggestArrangementResponse
        try:
            answer = await judge.ask(judge.mau_binh.SuggestArrangement, request, kind)
        except RefereeRefusedError as error:
            raise RefusedError(Code.NO_ADVICE, reason=error.reason) from None
        if not answer.suggestions:
            raise RefusedError(Code.NO_ADVICE)
        return list(answer.suggestions)
