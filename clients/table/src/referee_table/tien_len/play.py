"""A round of Tiến Lên at the table: turn by turn, each play judged by the referee before any page sees it."""

from typing import Any

from referee.v1 import advice_pb2, tien_len_pb2
from referee_table.cards import numbers, texts
from referee_table.commands import InRound, Leave, Suggest
from referee_table.instant import groups_of
from referee_table.play import RETRY_MS, Play, Setup
from referee_table.signing import Signed
from referee_table.state import Round
from referee_table.tien_len.commands import Pass, PlayCards
from referee_table.tien_len.state import TienLenState
from referee_table.wording import Code, RefusedError


class TienLenPlay(Play):
    """One round. ``found`` is its state as the referee computed it."""

    state: TienLenState

    def __init__(self, setup: Setup, made: Round, game: Any) -> None:  # noqa: ANN401 - the SDK's round
        super().__init__(setup, made, game)
        self.state = self.own(TienLenState)
        self.found = tien_len_pb2.TienLenState.FromString(self.state.state)

    @property
    def phase(self) -> str:
        """Phase of the round for pages: playing, or the show of a hand that won at the deal."""
        return "SHOWDOWN" if self.state.instant_wins else "PLAYING"

    @property
    def deadline(self) -> int | None:
        """End of the turn, or of the show; in ms."""
        if self.state.instant_wins:
            return self.state.show_end_time
        return None if self.found.over else self.state.deadline

    @property
    def wake(self) -> int:
        """Time in ms of the next thing to do: a bot's move, the end of the turn, or the end of the show."""
        if self.found.over:
            return max(self.again, self.state.show_end_time)
        if self.is_bot(self.found.turn):
            return self.thinking.wake(self.state.bot_time)
        return max(self.state.deadline, self.again)

    @property
    def is_over(self) -> bool:
        """Whether the round is over and a show, if there is one, has ended."""
        return self.found.over and self.wake <= self.setup.clock.now()

    def skip(self) -> None:
        """End the show of a hand that won at the deal now."""
        self.state.show_end_time = self.setup.clock.now()

    async def begin(self) -> None:
        """Begin the round with the cards that were dealt, and the leader's turn."""
        self.state = TienLenState()
        preview = await self.game.preview()
        await self._stand(preview.state)
        for seat, one in enumerate(preview.outcome.seats):
            if one.instant_win:
                name = self.setup.law.name("pattern", one.instant_win)
                groups = groups_of(one.instant_win, texts(self.hands[seat]))
                self.state.instant_wins.append({"seat": seat, "name": name, "groups": groups})
        if self.state.instant_wins and not self.setup.pace.is_brisk:
            self.state.show_end_time = self.game.dealt_time + self.setup.pace.scene_ms

    async def catch_up(self) -> None:
        """Lay the event that the journal has and the trick lacks: the kept state is written after each event."""
        for event in self.message.events[len(self.state.plays) :]:
            await self._stand((await self.game.preview()).state, event)

    async def command(self, seat: int, command: InRound) -> dict[str, Any]:
        """Carry out a play, a pass, or a question."""
        match command:
            case PlayCards():
                event = tien_len_pb2.TienLenEvent(seat=seat)
                event.play.cards.extend(numbers(command.cards))  # type: ignore[arg-type] # numbers of cards
                await self._accept(event, command)
            case Pass():
                event = tien_len_pb2.TienLenEvent(seat=seat)
                event.pass_turn.SetInParent()
                await self._accept(event, command)
            case Suggest():
                if self.found.over or self.found.turn != seat:
                    raise RefusedError(Code.NO_ADVICE)
                return {"suggestions": [self._shown(one) for one in await self._suggest(count=3)]}
            case _:
                raise RefusedError(Code.WRONG_PHASE)
        return self.receipt()

    async def leave(self, seat: int, move: Leave) -> None:
        """Record that the seat passes from now on, and loses."""
        event = tien_len_pb2.TienLenEvent(seat=seat)
        event.leave.SetInParent()
        await self._accept(event, move)

    async def advance(self) -> None:
        """Move for the bot on turn, or for a seat whose time has run out."""
        if self.found.over:
            return
        turn, now = self.found.turn, self.setup.clock.now()
        event = tien_len_pb2.TienLenEvent(seat=turn)
        if self.is_bot(turn):
            if now < self.state.bot_time or not self.thinking.is_over(
                len(self.message.events), lambda: self._suggest(count=1)
            ):
                return
            cards = await self._bot_cards()
            if cards:
                event.play.cards.extend(cards)  # type: ignore[arg-type] # numbers of cards
            else:
                event.pass_turn.SetInParent()
        elif now >= max(self.state.deadline, self.again):
            event.timeout.SetInParent()
        else:
            return
        try:
            await self._accept(event)
        except RefusedError:  # by the referee's clock it is not time yet
            if event.WhichOneof("choice") != "timeout":
                raise
            self.again = now + RETRY_MS

    async def _bot_cards(self) -> list[int]:
        """Return what the bot on turn plays, nothing for a pass: by its advice, or the first legal play without any."""
        if self.thinking.best:
            return list(self.thinking.best[0].play.cards)
        legal = self.state.legal or await self._legal()
        return numbers(legal["plays"][0]["cards"]) if legal["plays"] else []

    def shown_outcome(self, outcome: tien_len_pb2.TienLenOutcome) -> dict[str, Any]:
        """Return the cards that each seat has left, the transfers, how the round ended and its last trick."""
        shown: dict[str, Any] = {
            "seats": [
                {
                    "left": texts(one.left),
                    "cards": texts(one.left),
                    "net_minor": one.net_minor,
                    "winner": one.winner,
                }
                | self.shown_instant_win(one.instant_win)
                for one in outcome.seats
            ],
            "transfers": self.transfers(outcome.transfers),
            "ending": outcome.ending,
            "ending_name": self.setup.law.name("ending", outcome.ending),
            "trick": self.state.trick,
            "instant_wins": self.state.instant_wins,
        }
        if outcome.HasField("house_net_minor"):
            shown["house_net_minor"] = outcome.house_net_minor
        return shown

    def view(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat sees: its own cards, how many the others hold, the trick, and what it may play."""
        found, state = self.found, self.state
        shown: dict[str, Any] = {
            "to_beat": None,
            "cards_left": list(found.cards_left),
            "passed": list(found.passed),
            "gone": list(found.gone),
            "trick": list(state.trick),  # a view is kept, and the trick grows
            "last_trick": list(state.last_trick),
            "played": texts(state.played),
        }
        if found.HasField("turn"):
            shown["turn"] = found.turn
        if found.HasField("to_beat"):
            beaten = self._combination(found.to_beat)
            shown["to_beat"] = {"seat": found.to_beat_seat, "name": beaten["name"], "cards": beaten["cards"]}
        if state.instant_wins:
            shown["instant_wins"] = state.instant_wins
        if seat is None:
            return {"tien_len": shown}
        if state.legal is not None and found.HasField("turn") and found.turn == seat:
            plays = [{name: one[name] for name in ("kind", "name", "cards")} for one in state.legal["plays"]]
            shown["legal"] = {"plays": plays, "may_pass": state.legal["may_pass"]}
        return {"tien_len": shown, "hand": texts(self._held(seat))}

    def events(self) -> list[dict[str, Any]]:
        """Return the round's events for the page: plays and the combinations they are, passes, timeouts, departures."""
        return [{"time": event.time} | one for event, one in zip(self.message.events, self.state.plays, strict=True)]

    async def _accept(self, event: tien_len_pb2.TienLenEvent, move: Signed | None = None) -> None:
        answer = await self.submit(event, move, is_timeout=event.HasField("timeout"))
        found = answer.state if answer.HasField("state") else (await self.game.preview()).state
        await self._stand(found, answer.event)

    async def _stand(self, found: tien_len_pb2.TienLenState, event: tien_len_pb2.TienLenEvent | None = None) -> None:
        """Take over the referee's state after an event."""
        before, now = self.found, self.setup.clock.now()
        self.found, self.state.state = found, found.SerializeToString()
        if event is not None:
            self._lay(before, event)
        self.again = 0
        self.state.bot_time = now + self.setup.pace.bot_ms
        self.state.deadline = found.deadline_time
        self.state.legal = None
        if not found.over and (found.HasField("to_beat") or not self.is_bot(found.turn)):
            self.state.legal = await self._legal()

    def _lay(self, before: tien_len_pb2.TienLenState, event: tien_len_pb2.TienLenEvent) -> None:
        """Add what a seat did to the trick; begin a new trick if nothing is left to beat."""
        state, seat = self.state, event.seat
        names = {"play": "PLAY", "pass_turn": "PASS", "timeout": "TIMEOUT", "leave": "LEAVE"}
        one: dict[str, Any] = {"seat": seat, "action": names[event.WhichOneof("choice") or "pass_turn"]}
        cards: list[int] = sorted(event.play.cards, key=_order)
        if event.HasField("timeout") and self.found.cards_left[seat] < before.cards_left[seat]:
            cards = self._held(seat)[:1]  # who leads and is out of time leads the lowest single
        if cards:
            one["cards"] = texts(cards)
            state.played += cards
        if cards and self.found.HasField("to_beat") and self.found.to_beat_seat == seat:
            kind = self.found.to_beat.kind
            one |= {"kind": kind, "name": self.setup.law.name("kind", kind)} | self._chop(before, cards)
        state.trick.append(one)
        state.plays.append(one | ({"leads": True} if cards and not before.HasField("to_beat") else {}))
        if not self.found.over and not self.found.HasField("to_beat"):
            state.last_trick, state.trick = state.trick, []

    def _chop(self, before: tien_len_pb2.TienLenState, cards: list[int]) -> dict[str, Any]:
        """Return whose play a play has chopped and what that costs, as the referee listed it; nothing for no chop."""
        listed = (self.state.legal or {}).get("plays", [])
        chops = [one["chops"] for one in listed if "chops" in one and sorted(one["cards"]) == sorted(texts(cards))]
        victim = {"seat": before.to_beat_seat, "cards": texts(before.to_beat.cards)}
        return {"chops": victim | chops[0]} if chops else {}

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

    async def _suggest(self, *, count: int) -> list[advice_pb2.SuggestedPlay]:
        return list((await self.game.suggest(count=count)).suggestions)

    def _combination(self, one: tien_len_pb2.Combination) -> dict[str, Any]:
        return {"kind": one.kind, "name": self.setup.law.name("kind", one.kind), "cards": texts(one.cards)}

    def _shown(self, one: advice_pb2.SuggestedPlay) -> dict[str, Any]:
        chosen = {"action": "PLAY"} | self._combination(one.play) if one.HasField("play") else {"action": "PASS"}
        reasons = [{"text": self.text(reason.text)} for reason in one.reasons]
        return chosen | {"reasons": reasons}


def _order(card: int) -> tuple[int, int]:
    """Return the place of a card in a hand that is shown: 3 to 2, then spade, club, diamond, heart."""
    rank, suit = divmod(card - 1, 4)
    return (rank - 1) % 13, suit
