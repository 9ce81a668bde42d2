"""A round of Ultimate Texas Hold'em at the table: street by street, each seat for itself against the house."""

import base64
from typing import Any, Final

from google.protobuf.json_format import MessageToDict
from referee_client import RefereeError

from referee.v1 import advice_pb2, ultimate_texas_pb2
from referee.v1.ultimate_texas_pb2 import Decision
from referee_table.cards import texts
from referee_table.commands import InRound, Leave, Suggest
from referee_table.play import RETRY_MS, Play, Setup
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
    """One round. ``found`` is its state as the referee computed it."""

    state: UltimateTexasState

    def __init__(self, setup: Setup, made: Round, game: Any) -> None:  # noqa: ANN401 - the SDK's round
        super().__init__(setup, made, game)
        self.state = self.own(UltimateTexasState)
        self.found = ultimate_texas_pb2.UltimateTexasState.FromString(self.state.state)
        self.stakes = self.message.header.seat_stakes

    @property
    def deadline(self) -> int | None:
        """End of the time for decisions on this street, None while no seat decides."""
        return self._street_end if self._deciding() else None

    @property
    def wake(self) -> int:
        """Time in ms of the next thing to do: a bot's decision, or the end of the street."""
        deciding = self._deciding()
        if not deciding:
            return self.again
        has_bots = any(self.is_bot(seat) for seat in deciding)
        late = max(self._street_end, self.again)
        return min(self.thinking.wake(self.state.bot_time), late) if has_bots else late

    @property
    def is_over(self) -> bool:
        """Whether the house's cards are open."""
        return "house" in self.game.board and self.again <= self.setup.clock.now()

    async def begin(self) -> None:
        """Begin the round with the cards that were dealt, and the clock of the first street."""
        self.state = UltimateTexasState()
        await self._look()

    async def catch_up(self) -> None:
        """Take over the decision that the journal has, and the cards that it opened."""
        missing = len(self.message.events) - len(self.state.streets)
        self.state.streets += [self.found.street] * missing
        await self._look()

    @property
    def _street_end(self) -> int:
        """Time in ms at which the clock of the street ends, which began with the cards opened last."""
        opened: int = max(self.game.dealt_time, self.game.unsealed_time)
        return opened + self.setup.law.clock_ms("street")

    async def command(self, seat: int, command: InRound) -> dict[str, Any]:
        """Carry out a decision, or a question."""
        match command:
            case Decide():
                if command.decision not in _MADE:
                    raise RefusedError(Code.BAD_COMMAND, detail=f"{command.decision} is no decision")
                await self._accept(seat, _MADE[command.decision], command)
                return self.receipt()
            case Suggest() if self.setup.is_sealed:
                raise RefusedError(Code.SEALED)
            case Suggest():
                return _advice(await self._advise(seat))
            case _:
                raise RefusedError(Code.WRONG_PHASE)

    async def leave(self, seat: int, move: Leave) -> None:
        """Record that a seat leaves: it checks from now on, and folds where it cannot."""
        await self._accept(seat, Decision.DECISION_LEAVE, move)

    async def advance(self) -> None:
        """Decide for a bot, or for the seats whose time has run out."""
        deciding, now = self._deciding(), self.setup.clock.now()
        if now >= max(self._street_end, self.again):
            opened = len(self.game.board)
            for seat in deciding:
                if len(self.game.board) != opened:  # the next street has begun
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

    def view(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat sees: board, bets and what it may decide; the hands with the house's."""
        board, stakes, deciding = self.game.board, self.stakes, self._deciding()
        shown: dict[str, Any] = {
            "street": self.found.street,
            "board": [card.text for name, cards in board.items() if name != "house" for card in cards],
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
        if "house" in board:
            shown |= {"house": [card.text for card in board["house"]], "hands": [texts(hand) for hand in self.hands]}
        if seat is not None and self.found.seats[seat].HasField("value") and not self.setup.is_sealed:
            shown["value"] = self._value(self.found.seats[seat].value.category)
        if seat is not None and seat in deciding:
            shown["legal"] = [_name(one) for one in self.found.seats[seat].legal_decisions if one not in _IMPOSED]
        given: dict[str, Any] = {"ultimate_texas": shown}
        if self.setup.is_sealed:
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
        return {"category": category, "name": self.setup.law.name("category", category) if category else {}}

    def _deciding(self) -> list[int]:
        """Return the seats that have a decision to make."""
        return [one.seat for one in self.found.seats if any(each not in _IMPOSED for each in one.legal_decisions)]

    async def _accept(self, seat: int, decision: Decision, move: Signed | None = None) -> None:
        event = ultimate_texas_pb2.UltimateTexasEvent(seat=seat, decision=decision)
        street, opened = self.found.street, len(self.game.board)
        answer = await self.submit(event, move, is_timeout=decision == Decision.DECISION_TIMEOUT)
        self.state.streets.append(street)
        if answer.HasField("state") and len(self.game.board) == opened:
            self._stand(answer.state)
        else:
            await self._look()

    async def _look(self) -> None:
        """Ask for the state with the cards that are open now; bots begin to think."""
        self._stand((await self.game.preview()).state)
        self.state.bot_time = self.setup.clock.now() + self.setup.pace.bot_ms

    def _stand(self, found: ultimate_texas_pb2.UltimateTexasState) -> None:
        self.found, self.state.state = found, found.SerializeToString()

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
        self.state.bot_time = self.setup.clock.now() + self.setup.pace.bot_ms

    async def _advice(self, seat: int) -> list[advice_pb2.DecisionValue]:
        """Return the decisions that a bot may make, best first."""
        if self.setup.is_sealed:
            await self.game.open_hand(seat)
        return _ranked(await self._advise(seat))

    async def _advise(self, seat: int) -> advice_pb2.SuggestDecisionResponse:
        """Return the worth of each decision; refuse with NO_ADVICE if there is none."""
        try:
            answer: advice_pb2.SuggestDecisionResponse = await self.game.suggest(seat)
        except RefereeError as error:
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
