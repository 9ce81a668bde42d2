"""A round of Ultimate Texas Hold'em at the table: street by street, each seat for itself against the house."""

import base64
from typing import Any, Final

from google.protobuf.json_format import MessageToDict

from referee.v1 import advice_pb2, shuffler_pb2, ultimate_texas_pb2, ultimate_texas_pb2_grpc
from referee.v1.ultimate_texas_pb2 import Decision
from referee_table.cards import texts
from referee_table.commands import InRound, Leave, Suggest
from referee_table.judge import RefereeRefusedError
from referee_table.play import RETRY_MS, Bench, Play
from referee_table.signing import Signed
from referee_table.state import Round
from referee_table.ultimate_texas.commands import Decide
from referee_table.ultimate_texas.state import UltimateTexasState
from referee_table.wording import Code, RefusedError

_PREFIX: Final = "DECISION_"
_IMPOSED: Final = frozenset({Decision.DECISION_LEAVE, Decision.DECISION_TIMEOUT})
_MADE: Final = {
    "CHECK": Decision.DECISION_CHECK,
    "PLAY_4X": Decision.DECISION_PLAY_4X,
    "PLAY_3X": Decision.DECISION_PLAY_3X,
    "PLAY_2X": Decision.DECISION_PLAY_2X,
    "PLAY_1X": Decision.DECISION_PLAY_1X,
    "FOLD": Decision.DECISION_FOLD,
}


class UltimateTexasPlay(Play):
    """One round. ``message`` is the round so far, ``found`` its state as the referee computed it."""

    state: UltimateTexasState
    service: ultimate_texas_pb2_grpc.UltimateTexasServiceStub
    accept_request = ultimate_texas_pb2.UltimateTexasServiceAcceptEventRequest
    settle_request = ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest

    def __init__(self, bench: Bench, played: Round) -> None:
        super().__init__(bench, played)
        self.message = ultimate_texas_pb2.UltimateTexasRound.FromString(played.message)
        self.state = self.own(UltimateTexasState)
        self.service = bench.judge.stub(ultimate_texas_pb2_grpc.UltimateTexasServiceStub)
        self.found = ultimate_texas_pb2.UltimateTexasState.FromString(self.state.state)

    @property
    def deadline(self) -> int | None:
        """End of the time for decisions on this street, None while no seat decides."""
        return self.state.deadline if self._deciding() else None

    @property
    def wake(self) -> int:
        """Time in ms of the next thing to do: a bot's decision, or the end of the street."""
        deciding = self._deciding()
        if not deciding:
            return self.again
        has_bots = any(self.is_bot(seat) for seat in deciding)
        late = max(self.state.deadline, self.again)
        return min(self.thinking.wake(self.state.bot_time), late) if has_bots else late

    @property
    def is_over(self) -> bool:
        """Whether the house's cards are open."""
        return bool(self.state.house) and self.again <= self.bench.clock.now()

    async def begin(self, dealt: shuffler_pb2.DealRoundResponse) -> None:
        """Begin the round with the cards that were dealt, and the clock of the first street."""
        self.message = ultimate_texas_pb2.UltimateTexasRound(header=self.header, certificates=[dealt.certificate])
        self.round.hands = [list(hand.cards) for hand in dealt.hands]
        self.state = UltimateTexasState()
        await self._look()
        self._start_street(dealt.dealt_time)

    async def command(self, seat: int, command: InRound) -> dict[str, Any]:
        """Carry out a decision, or a question."""
        match command:
            case Decide():
                if command.decision not in _MADE:
                    raise RefusedError(Code.BAD_COMMAND, detail=f"{command.decision} is no decision")
                await self._accept(seat, _MADE[command.decision], command)
                return self.receipt()
            case Suggest() if self.bench.is_sealed:
                raise RefusedError(Code.SEALED)
            case Suggest():
                return _advice(await self._advise(seat, list(self.message.certificates)))
            case _:
                raise RefusedError(Code.WRONG_PHASE)

    async def leave(self, seat: int, move: Leave) -> None:
        """Record that a seat leaves: it checks from now on, and folds where it cannot."""
        await self._accept(seat, Decision.DECISION_LEAVE, move)

    async def advance(self) -> None:
        """Decide for a bot, or for the seats whose time has run out."""
        deciding, now = self._deciding(), self.bench.clock.now()
        if now >= max(self.state.deadline, self.again):
            for seat in deciding:
                if self.round.is_opening_due:
                    return
                try:
                    await self._accept(seat, Decision.DECISION_TIMEOUT)
                except RefusedError:  # by the referee's clock it is not time yet
                    self.again = now + RETRY_MS
                    return
            return
        bots = [seat for seat in deciding if self.is_bot(seat)]
        if bots and now >= self.state.bot_time:
            await self._move(bots[0])

    def shown_outcome(self, outcome: ultimate_texas_pb2.UltimateTexasOutcome) -> dict[str, Any]:
        """Return each seat's hand, bets and result, the transfers, the board and the house's cards."""
        return {
            "seats": [
                {
                    "hole": texts(one.hole),
                    "cards": texts(one.hole),
                    "value": self._value(one.value.category),
                    "result": one.result,
                    "play_multiple": one.play_multiple,
                    "net_minor": one.net_minor,
                    "winner": one.result == "WON",
                }
                for one in outcome.seats
            ],
            "transfers": self.transfers(outcome.transfers),
            "board": texts(outcome.board),
            "house": texts(outcome.house_hole),
            "house_value": self._value(outcome.house_value.category),
            "house_qualified": outcome.house_qualified,
            "house_net_minor": outcome.house_net_minor,
        }

    def winner_of(self, outcome: ultimate_texas_pb2.UltimateTexasOutcome) -> None:
        """Return None: every seat plays the house."""

    def freeze(self) -> None:
        """Copy the events and the referee's state into the round's state."""
        self.state.state = self.found.SerializeToString()
        super().freeze()

    def view(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat sees: board, bets and what it may decide; the hands with the house's."""
        state, stakes = self.state, self.header.seat_stakes
        deciding = self._deciding()
        shown: dict[str, Any] = {
            "street": self.found.street,
            "board": texts(state.board),
            "seats": [
                {
                    "ante_minor": stakes[one.seat].bet_minor,
                    "blind_minor": stakes[one.seat].bet_minor,
                    "trips_minor": stakes[one.seat].side_bet_minor,
                    "play_multiple": one.play_multiple,
                    "folded": one.folded,
                    "gone": one.gone,
                    "checked": one.checked,
                    "is_deciding": one.seat in deciding,
                }
                for one in self.found.seats
            ],
        }
        if state.house:
            shown |= {"house": texts(state.house), "hands": [texts(hand) for hand in self.round.hands]}
        if seat is not None and self.found.seats[seat].HasField("value") and not self.bench.is_sealed:
            shown["value"] = self._value(self.found.seats[seat].value.category)
        if seat is not None and seat in deciding:
            shown["legal"] = [_name(one) for one in self.found.seats[seat].legal_decisions if one not in _IMPOSED]
        given: dict[str, Any] = {"ultimate_texas": shown}
        if self.bench.is_sealed:
            given["events"] = [MessageToDict(event) for event in self.message.events]
            given["receipt"] = base64.b64encode(self.message.receipt).decode()
            given["signatures"] = [base64.b64encode(one).decode() for one in self.message.signatures]
        return given

    def events(self) -> list[dict[str, Any]]:
        """Return the decisions for the page, each with its street."""
        return [
            {"time": event.time, "seat": event.seat, "action": "DECIDE", "decision": _name(event.decision)}
            | {"street": street}
            for event, street in zip(self.message.events, self.state.streets, strict=True)
        ]

    def _value(self, category: str) -> dict[str, Any]:
        return {"category": category, "name": self.bench.law.name("category", category) if category else {}}

    def _deciding(self) -> list[int]:
        """Return the seats that have a decision to make."""
        return [one.seat for one in self.found.seats if any(each not in _IMPOSED for each in one.legal_decisions)]

    def _start_street(self, time: int) -> None:
        self.state.deadline = time + self.bench.law.clock_ms("street")
        self.state.bot_time = self.bench.clock.now() + self.bench.pace.bot_ms

    async def _accept(self, seat: int, decision: Decision, move: Signed | None = None) -> None:
        street = self.found.street
        event = ultimate_texas_pb2.UltimateTexasEvent(seat=seat, decision=decision)
        answer = await self.submit(event, move, is_timeout=decision == Decision.DECISION_TIMEOUT)
        self.state.streets.append(street)
        self.found = answer.state

    async def opened(self, opened: shuffler_pb2.OpenSectionResponse) -> None:
        """Show the cards of a street; its clock starts."""
        for section in opened.opened:
            if section.name == "house":
                self.state.house = list(section.cards)
        self.state.board = [card for one in opened.opened if one.name != "house" for card in one.cards]
        await self._look()
        self._start_street(opened.unsealed_time)

    async def _look(self) -> None:
        """Ask for the state with the cards that the certificates show now."""
        request = ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest(round=self.message)
        self.found = (await self.ask(self.service.PreviewRound, request)).state

    async def _move(self, seat: int) -> None:
        """Decide for a bot: by its advice, or without any the cheapest decision that keeps its hand."""
        if not self.thinking.is_over((seat, self.found.street), lambda: self._advice(seat)):
            return
        if self.thinking.best:
            decision = self.thinking.best[0].decision
        else:
            may_check = Decision.DECISION_CHECK in self.found.seats[seat].legal_decisions
            decision = Decision.DECISION_CHECK if may_check else Decision.DECISION_PLAY_1X
        await self._accept(seat, decision)
        self.state.bot_time = self.bench.clock.now() + self.bench.pace.bot_ms

    async def _advice(self, seat: int) -> list[advice_pb2.DecisionValue]:
        """Return the decisions that a bot may make, best first."""
        certificates = list(self.message.certificates)
        if self.bench.is_sealed:
            certificate, _ = await self.hand_certificate(seat)
            certificates = [certificate, *certificates]
        return _ranked(await self._advise(seat, certificates))

    async def _advise(self, seat: int, certificates: list[bytes]) -> advice_pb2.SuggestDecisionResponse:
        """Return the worth of each decision; refuse with NO_ADVICE if there is none."""
        given = ultimate_texas_pb2.UltimateTexasRound(
            header=self.header,
            certificates=certificates,
            events=self.message.events,
            receipt=self.message.receipt,
            signatures=self.message.signatures,
        )
        request = advice_pb2.SuggestDecisionRequest(round=given, seat=seat)
        try:
            answer = await self.ask(self.bench.judge.advice.SuggestDecision, request)
        except RefereeRefusedError as error:
            raise RefusedError(Code.NO_ADVICE, reason=error.reason) from None
        if not answer.HasField("best"):
            raise RefusedError(Code.NO_ADVICE)
        return answer


def _name(decision: Decision) -> str:
    return Decision.Name(decision).removeprefix(_PREFIX)


def _ranked(answer: advice_pb2.SuggestDecisionResponse) -> list[advice_pb2.DecisionValue]:
    """Return the decisions that a seat may make, best first."""
    return sorted(answer.options, key=lambda one: (one.decision != answer.best, -one.value_minor))


def _advice(answer: advice_pb2.SuggestDecisionResponse) -> dict[str, Any]:
    ranked = _ranked(answer)
    return {"suggestions": [{"decision": _name(one.decision), "value_minor": one.value_minor} for one in ranked]}
