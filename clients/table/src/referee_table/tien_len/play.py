"""A round of Tiến Lên at the table: turn by turn, each play judged by the referee before any page sees it."""

from typing import Annotated, Any, Final

import msgspec

from referee.v1 import advice_pb2, money_pb2, tien_len_pb2
from referee_table.commands import Cards, InRound, Leave, Move, Suggest
from referee_table.play import Play
from referee_table.shown import fields, numbers, texts
from referee_table.state import PlayState
from referee_table.words import RefusedError, Text

_ACTIONS: Final = {"play": "PLAY", "pass_turn": "PASS", "timeout": "TIMEOUT", "leave": "LEAVE"}


class PlayCards(Move, frozen=True, kw_only=True, tag="play"):
    """Command to play cards."""

    cards: Annotated[Cards, msgspec.Meta(min_length=1)]


class Pass(Move, frozen=True, kw_only=True, tag="pass"):
    """Command to pass."""


class TienLenState(PlayState, kw_only=True):
    """What is kept of a round. ``legal`` is what the referee has listed for the seat on turn.

    ``plays`` is what seats did, ``trick`` and ``last_trick`` the same of the newest tricks; ``played`` are all cards.
    """

    legal: dict[str, Any] | None = None
    played: list[int] = msgspec.field(default_factory=list)
    trick: list[dict[str, Any]] = msgspec.field(default_factory=list)
    last_trick: list[dict[str, Any]] = msgspec.field(default_factory=list)
    plays: list[dict[str, Any]] = msgspec.field(default_factory=list)


class TienLenPlay(Play):
    """One round. ``found`` is its state as the referee computed it."""

    name = "tien_len"
    round_ms = 3_600_000  # four who think for half a minute each take longer than the usual quarter of an hour
    state: TienLenState
    state_type = TienLenState

    found = tien_len_pb2.TienLenState()

    @property
    def phase(self) -> str:
        """Phase of the round for pages: playing, or the show of a hand that won at the deal."""
        return "SHOWDOWN" if self.state.instant_wins else "PLAYING"

    @property
    def deadline(self) -> int | None:
        """End of the turn, or of the show; in ms."""
        if self.state.instant_wins:
            return self.state.show_end_time
        return None if self.found.over else self.found.deadline_time

    @property
    def is_decided(self) -> bool:
        """Whether a seat has no cards left, or has won at the deal."""
        return self.found.over

    @property
    def bots(self) -> list[int]:
        """The seat on turn, if a bot has it."""
        return [self.found.turn] if self.is_bot(self.found.turn) else []

    async def begin(self) -> None:
        """Begin the round with the cards that were dealt, and the leader's turn."""
        preview = await self.game.preview()
        await self._stand(preview.state)
        for seat, one in enumerate(preview.outcome.seats):
            if one.instant_win:
                self.show_instant_win(seat, one.instant_win)
        if self.state.instant_wins and not self.setup.plan.pace.is_brisk:
            self.state.show_end_time = self.game.dealt_time + self.setup.plan.pace.scene_ms

    async def catch_up(self) -> None:
        """Lay the event that the journal has and the trick lacks: the kept state is written after each event."""
        self.found = (await self.game.preview()).state
        for event in self.message.events[len(self.state.plays) :]:
            await self._stand(self.found, event)

    async def command(self, seat: int, command: InRound) -> dict[str, Any]:
        """Carry out a play, a pass, or a question."""
        match command:
            case PlayCards():
                await self.take(self.game.event(seat=seat, play={"cards": numbers(command.cards)}), command)
            case Pass():
                await self.take(self.game.event(seat=seat, pass_turn={}), command)
            case Suggest():
                if self.found.over or self.found.turn != seat:
                    raise RefusedError("NO_ADVICE")
                answer = await self.advice(count=3)
                return {"suggestions": [self._suggestion(one) for one in answer.suggestions]}
            case _:
                raise RefusedError("WRONG_PHASE")
        return self.receipt()

    async def run_out(self) -> None:
        """Report that the time of the seat on turn has run out."""
        await self.time_out(self.game.event(seat=self.found.turn, timeout={}))

    async def move_bot(self, seat: int) -> None:
        """Play or pass for the bot on turn."""
        if self.thinking.is_over(len(self.message.events), lambda: self.advice(count=1)):
            cards = await self._bot_cards()
            choice: dict[str, Any] = {"play": {"cards": cards}} if cards else {"pass_turn": {}}
            await self.take(self.game.event(seat=seat, **choice))

    async def _bot_cards(self) -> list[int]:
        """Return what the bot on turn plays, nothing for a pass: by its advice, or the first legal play without any."""
        if self.thinking.best and self.thinking.best.suggestions:
            return list(self.thinking.best.suggestions[0].play.cards)
        legal = self.state.legal or await self._legal()
        return numbers(legal["plays"][0]["cards"]) if legal["plays"] else []

    def shown_outcome(self, outcome: tien_len_pb2.TienLenOutcome) -> dict[str, Any]:
        """Return the cards that each seat has left, how the round ended and its last trick."""
        return {
            "seats": [
                fields(one, "left net_minor winner") | self.named_instant_win(one.instant_win) for one in outcome.seats
            ],
            "ending": outcome.ending,
            "ending_name": self.setup.law.name("ending", outcome.ending),
            "trick": self.state.trick,
            "instant_wins": self.state.instant_wins,
        }

    def view(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat sees: its own cards, how many the others hold, the trick, and what it may play."""
        found, state = self.found, self.state
        shown: dict[str, Any] = fields(found, "cards_left passed gone turn?") | {
            "to_beat": None,
            "trick": list(state.trick),  # a view is kept, and the trick grows
            "last_trick": list(state.last_trick),
            "played": texts(state.played),
        }
        if found.HasField("to_beat"):
            shown["to_beat"] = self._combination(found.to_beat)["name"]
        if state.instant_wins:
            shown["instant_wins"] = state.instant_wins
        if seat is None:
            return {"tien_len": shown}
        if state.legal is not None and found.HasField("turn") and found.turn == seat:
            plays = [{"name": one["name"], "cards": one["cards"]} for one in state.legal["plays"]]
            shown["legal"] = {"plays": plays, "may_pass": state.legal["may_pass"]}
        return {"tien_len": shown, "hand": texts(self._held(seat))}

    def replay(self) -> dict[str, Any]:
        """Return plays and the combinations they are, passes, timeouts, departures."""
        return {"events": self.state.plays}

    async def take(self, event: Any, move: Move | Leave | None = None, *, is_timeout: bool = False) -> None:  # noqa: ANN401 - the game's own
        """Have the referee accept an event, and lay it."""
        answer = await self.submit(event, move, is_timeout=is_timeout)
        found = answer.state if answer.HasField("state") else (await self.game.preview()).state
        await self._stand(found, answer.event)

    def reason_name(self, transfer: money_pb2.Transfer) -> Text:
        """Return what players call the reason of a payment: only twos and what chops them are *thối*."""
        is_thoi = transfer.reason == "LEFTOVER" and transfer.subject not in {"", "CARD"}
        return dict(self.setup.law.words["leftover"]["THOI"]) if is_thoi else super().reason_name(transfer)

    async def _stand(self, found: tien_len_pb2.TienLenState, event: tien_len_pb2.TienLenEvent | None = None) -> None:
        """Take over the referee's state after an event."""
        self.found, state = found, self.state
        if event is not None:
            self._lay(event)
        self.again, state.legal = 0, None
        state.bot_time = self.setup.plan.clock.now() + self.setup.plan.pace.bot_ms
        if not found.over and (found.HasField("to_beat") or not self.is_bot(found.turn)):
            state.legal = await self._legal()

    def _lay(self, event: tien_len_pb2.TienLenEvent) -> None:
        """Add what a seat did to the trick; begin a new trick if nothing is left to beat."""
        state, seat = self.state, event.seat
        beaten = next((one for one in reversed(state.trick) if "cards" in one), None)
        one: dict[str, Any] = {"seat": seat, "action": _ACTIONS[event.WhichOneof("choice") or "pass_turn"]}
        cards: list[int] = sorted(event.play.cards, key=_order)
        if event.HasField("timeout") and self.found.cards_left[seat] < len(self._held(seat)):
            cards = self._held(seat)[:1]  # who leads and is out of time leads the lowest single
        if cards:
            one["cards"] = texts(cards)
            state.played += cards
        if cards and self.found.HasField("to_beat") and self.found.to_beat_seat == seat:
            one |= {"name": self._combination(self.found.to_beat)["name"]} | self._chop(beaten, cards)
        state.trick.append(one)
        state.plays.append(one | ({"leads": True} if cards and beaten is None else {}))
        if not self.found.over and not self.found.HasField("to_beat"):
            state.last_trick, state.trick = state.trick, []

    def _chop(self, beaten: dict[str, Any] | None, cards: list[int]) -> dict[str, Any]:
        """Return whose play a play has chopped and what that costs, as the referee listed it; nothing for no chop."""
        listed = (self.state.legal or {}).get("plays", [])
        chops = [one["chops"] for one in listed if "chops" in one and sorted(one["cards"]) == sorted(texts(cards))]
        if beaten is None or not chops:
            return {}
        return {"chops": {"seat": beaten["seat"], "cards": beaten["cards"], **chops[0]}}

    def _held(self, seat: int) -> list[int]:
        """Return the cards that a seat still holds, weak to strong."""
        played = set(self.state.played)
        return sorted([card for card in self.hands[seat] if card not in played], key=_order)

    async def _legal(self) -> dict[str, Any]:
        listed = await self.game.plays(grouped=True)
        plays = [self._combination(one) for one in listed.plays]
        for group in listed.groups:
            if group.HasField("chops"):
                name = self.setup.law.name("price", group.chops)
                for place in group.plays:
                    plays[place]["chops"] = {"name": name, "amount_minor": group.chop_minor}
        return {"plays": plays, "may_pass": listed.may_pass}

    def _combination(self, one: tien_len_pb2.Combination) -> dict[str, Any]:
        return fields(one, "cards") | {"name": self.setup.law.name("kind", one.kind)}

    def _suggestion(self, one: advice_pb2.SuggestedPlay) -> dict[str, Any]:
        chosen = {"action": "PLAY"} | self._combination(one.play) if one.HasField("play") else {"action": "PASS"}
        return chosen | {"reasons": [{"text": self.text(reason.text)} for reason in one.reasons]}


def _order(card: int) -> tuple[int, int]:
    """Return the place of a card in a hand that is shown: 3 to 2, then spade, club, diamond, heart."""
    rank, suit = divmod(card - 1, 4)
    return (rank - 1) % 13, suit
