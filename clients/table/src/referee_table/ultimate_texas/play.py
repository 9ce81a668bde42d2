"""A round of Ultimate Texas Hold'em at the table: street by street, each seat for itself against the house."""

import base64
from types import MappingProxyType
from typing import Any, Final, Literal

import msgspec
from google.protobuf.json_format import MessageToDict

from referee.v1 import advice_pb2, ultimate_texas_pb2
from referee.v1.ultimate_texas_pb2 import Decision
from referee_table.commands import InRound, Leave, Move, Suggest
from referee_table.play import Play
from referee_table.shown import fields, texts
from referee_table.state import PlayState
from referee_table.words import RefusedError, Text

_PREFIX: Final = "DECISION_"
_IMPOSED: Final = frozenset({Decision.DECISION_LEAVE, Decision.DECISION_TIMEOUT})


class Decide(Move, frozen=True, kw_only=True, tag="decide"):
    """Command with a decision."""

    decision: Literal["CHECK", "PLAY_4X", "PLAY_3X", "PLAY_2X", "PLAY_1X", "FOLD"]


class UltimateTexasState(PlayState, kw_only=True):
    """What is kept of a round: the street that is played, and those of the events so far."""

    street: str = ""
    streets: list[str] = msgspec.field(default_factory=list)


class UltimateTexasPlay(Play):
    """One round. ``found`` is its state as the referee computed it."""

    name = "ultimate_texas"
    can_seal = has_bets = True
    leaving = MappingProxyType({"decision": "DECISION_LEAVE"})
    state: UltimateTexasState
    state_type = UltimateTexasState

    found = ultimate_texas_pb2.UltimateTexasState()

    @property
    def deadline(self) -> int | None:
        """End of the time for decisions on this street, None while no seat decides."""
        opened: int = max(self.game.dealt_time, self.game.unsealed_time)  # from which on the street's clock runs
        return None if self.is_decided else opened + self.setup.law.clock_ms("street")

    @property
    def is_decided(self) -> bool:
        """Whether no seat has a decision to make: the house's cards are open."""
        return not self._deciding()

    @property
    def bots(self) -> list[int]:
        """Seats of bots that have a decision to make."""
        return [seat for seat in self._deciding() if self.is_bot(seat)]

    async def begin(self) -> None:
        """Begin the round with the cards that were dealt, and the clock of the first street."""
        await self._look()

    async def catch_up(self) -> None:
        """Take over the decision that the journal has, and the cards that it opened."""
        missing = len(self.message.events) - len(self.state.streets)
        self.state.streets += [self.state.street] * missing
        await self._look()

    async def command(self, seat: int, command: InRound) -> dict[str, Any]:
        """Carry out a decision, or a question."""
        match command:
            case Decide():
                await self.take(self._event(seat, command.decision), command)
                return self.receipt()
            case Suggest() if self.setup.is_sealed:
                raise RefusedError("SEALED")
            case Suggest():
                ranked = await self._ranked(seat)
                suggestions = [{"decision": _name(one.decision), "value_minor": one.value_minor} for one in ranked]
                return {"suggestions": suggestions}
            case _:
                raise RefusedError("WRONG_PHASE")

    async def run_out(self) -> None:
        """Report that the time of the seats that have not decided has run out, until the next street begins."""
        opened = len(self.game.board)
        for seat in self._deciding():
            if len(self.game.board) != opened or not await self.time_out(self._event(seat, "TIMEOUT")):
                return

    async def take(self, event: Any, move: Move | Leave | None = None, *, is_timeout: bool = False) -> None:  # noqa: ANN401 - the game's own
        """Have the referee accept a decision; ask for the state with the cards that it opened."""
        street, opened = self.state.street, len(self.game.board)
        answer = await self.submit(event, move, is_timeout=is_timeout)
        self.state.streets.append(street)
        if answer.HasField("state") and len(self.game.board) == opened:
            self.found, self.state.street = answer.state, answer.state.street
        else:
            await self._look()

    def shown_outcome(self, outcome: ultimate_texas_pb2.UltimateTexasOutcome) -> dict[str, Any]:
        """Return each seat's hand, bets and result, the board and the house's cards."""
        return fields(outcome, "board house_qualified house_net_minor") | {
            "seats": [
                fields(one, "hole result net_minor")
                | {"value_name": self._named(one.value.category), "winner": one.result == "WON"}
                for one in outcome.seats
            ],
            "house": texts(outcome.house_hole),
            "house_value_name": self._named(outcome.house_value.category),
        }

    def view(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat sees: board, bets and what it may decide; the hands with the house's."""
        board, stakes, deciding = self.game.board, self.message.header.seat_stakes, self._deciding()
        shown: dict[str, Any] = {
            "street": self.found.street,
            "board": [card.text for name, cards in board.items() if name != "house" for card in cards],
            "seats": [
                fields(one, "play_multiple folded gone checked")
                | {
                    "ante_minor": stakes[one.seat].bet_minor,
                    "blind_minor": stakes[one.seat].bet_minor,
                    "trips_minor": stakes[one.seat].side_bet_minor,
                    "is_deciding": one.seat in deciding,
                }
                for one in self.found.seats
            ],
        }
        if "house" in board:
            shown |= {"house": [card.text for card in board["house"]], "hands": [texts(hand) for hand in self.hands]}
        if seat is not None and self.found.seats[seat].HasField("value") and not self.setup.is_sealed:
            category = self.found.seats[seat].value.category
            shown["value"] = {"category": category, "name": self._named(category)}
        if seat is not None and seat in deciding:
            shown["legal"] = [_name(one) for one in self.found.seats[seat].legal_decisions if one not in _IMPOSED]
        given: dict[str, Any] = {"ultimate_texas": shown}
        if self.setup.is_sealed:
            given["events"] = [MessageToDict(event) for event in self.message.events]
            given["receipt"] = base64.b64encode(self.message.receipt).decode()
            given["signatures"] = [base64.b64encode(one).decode() for one in self.message.signatures]
        return given

    def replay(self) -> dict[str, Any]:
        """Return the decisions for the page, each with its street."""
        made = zip(self.message.events, self.state.streets, strict=True)
        return {
            "events": [
                {"seat": event.seat, "action": "DECIDE", "decision": _name(event.decision), "street": street}
                for event, street in made
            ]
        }

    def _named(self, category: str) -> Text:
        return self.setup.law.name("category", category)

    def _event(self, seat: int, decision: str) -> Any:  # noqa: ANN401 - the game's own
        return self.game.event(seat=seat, decision=f"{_PREFIX}{decision}")

    def _deciding(self) -> list[int]:
        """Return the seats that have a decision to make."""
        return [one.seat for one in self.found.seats if any(each not in _IMPOSED for each in one.legal_decisions)]

    async def _look(self) -> None:
        """Ask for the state with the cards that are open now; bots begin to think."""
        self.found = (await self.game.preview()).state
        self.state.street = self.found.street
        self.state.bot_time = self.setup.plan.clock.now() + self.setup.plan.pace.bot_ms

    async def move_bot(self, seat: int) -> None:
        """Decide for a bot: by its advice, or without any the cheapest decision that keeps its hand."""
        if not self.thinking.is_over((seat, self.found.street), lambda: self._ranked(seat)):
            return
        if self.thinking.best:
            decision = _name(self.thinking.best[0].decision)
        else:
            may_check = Decision.DECISION_CHECK in self.found.seats[seat].legal_decisions
            decision = "CHECK" if may_check else "PLAY_1X"
        await self.take(self._event(seat, decision))
        self.state.bot_time = self.setup.plan.clock.now() + self.setup.plan.pace.bot_ms

    async def _ranked(self, seat: int) -> list[advice_pb2.DecisionValue]:
        """Return the decisions that a seat may make, best first; refuse with NO_ADVICE if there is none."""
        if self.setup.is_sealed:
            await self.game.open_hand(seat)
        answer = await self.advice(seat=seat)
        if not answer.HasField("best"):
            raise RefusedError("NO_ADVICE")
        return sorted(answer.options, key=lambda one: (one.decision != answer.best, -one.value_minor))


def _name(decision: Decision) -> str:
    return Decision.Name(decision).removeprefix(_PREFIX)
