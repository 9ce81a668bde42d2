"""A round of Mậu Binh at the table: arranging, on a sealed table committing and opening, then the show."""

from typing import Any

from referee_client import RefereeError

from referee.v1 import advice_pb2, mau_binh_pb2
from referee_table.bots import THOUGHT_MS
from referee_table.cards import texts
from referee_table.commands import InRound, Leave, Suggest
from referee_table.mau_binh.arrangements import (
    cards_of,
    sdk_arrangement,
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
        if self.awaits_hand_in(self.setup.clock.now()):
            times.append(self.hand_in_time)
        return min(times)

    @property
    def is_over(self) -> bool:
        """Whether the show is over."""
        return self.state.showdown is not None and self.wake <= self.setup.clock.now()

    async def begin(self) -> None:
        """Begin arranging with the cards that were dealt; end the round if a hand wins at once."""
        count, pace = len(self.round.seats), self.setup.pace
        self.state = MauBinhState(
            deadline=self.game.dealt_time + self.setup.law.clock_ms("arranging"),
            bot_time=self.setup.clock.now() + pace.bot_ms,
            drafts=[None] * count,
            finals=[False] * count,
            commitments=[b""] * count,
            planned=[[] for _ in range(count)],
            arranged=[[] for _ in range(count)],
            opened=[False] * count,
            gone=[False] * count,
        )
        await self.take_over()

    async def catch_up(self) -> None:
        """Take over the events that the journal has; a draft that became one is none any more. A bot makes only one."""
        if self.state.showdown is None:
            await self.take_over()
        for seat, draft in enumerate(self.state.drafts):
            given = self.state.arranged[seat], self.state.commitments[seat]
            is_made = draft is not None and (draft.cards, draft.commitment) == given
            if is_made or (self.is_bot(seat) and self.is_in(seat)):
                self.state.drafts[seat] = None

    async def command(self, seat: int, command: InRound) -> dict[str, Any]:
        """Carry out an arrangement, a commitment or its opening, or a question."""
        is_sealed = self.setup.is_sealed
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
                await self._open(seat, command)
                return self.receipt()
            case Check():
                return await self.check(seat, thirteen(command))
            case Suggest():
                suggestions = await self._suggest(seat, count=3)
                return {"suggestions": [shown_suggestion(one, self.setup.law) for one in suggestions]}
            case _:
                raise RefusedError(Code.WRONG_PHASE)

    async def leave(self, seat: int, move: Leave) -> None:
        """Record that the seat has left; it loses what is shown afterwards."""
        event = mau_binh_pb2.MauBinhEvent(seat=seat)
        event.leave.SetInParent()
        await self.submit(event, move)
        await self.take_over()

    async def advance(self) -> None:
        """Make a bot's move, or apply a passed deadline."""
        state, now = self.state, self.setup.clock.now()
        if state.showdown is not None:
            return
        if not state.is_opening and now < state.deadline and self.is_release_due():
            await self.hand_in()
        bots = self._bots()
        if state.showdown is not None:
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
                    "values": [shown_value(value, self.setup.law) for value in one.values],
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
        if self.setup.is_sealed and self.hands:
            shown["hands"] = [texts(hand) for hand in self.hands]
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
        done = (
            state.opened if state.is_opening else [bool(one) or self.is_in(at) for at, one in enumerate(state.planned)]
        )
        return [
            seat
            for seat, one in enumerate(self.round.seats)
            if one.is_bot and not done[seat] and not (state.is_opening and not state.commitments[seat])
        ]

    async def _move(self, seat: int) -> None:
        state = self.state
        if state.is_opening:
            self.accepted(await self.game.arrange(seat, self.game.committed(seat)))
            await self.take_over()
            return
        left_ms = state.deadline - self.setup.clock.now()
        longest_ms = max(THOUGHT_MS, left_ms // 2)  # people arrange for longer, and cards as dealt may be a foul
        if not self.thinking.is_over(seat, lambda: self._advice(seat), longest_ms=longest_ms):
            return
        state.bot_time = self.setup.clock.now() + self.setup.pace.bot_ms
        best = self.thinking.best  # none in time, or for a ruleset that nothing was learned for: as dealt
        cards = cards_of(best[0].arrangement) if best else await self._hand(seat)
        state.planned[seat] = cards
        await self.take(seat, Draft(cards=cards), is_final=True)

    async def _hand(self, seat: int) -> list[int]:
        """Return a bot's cards."""
        if self.setup.is_sealed:
            return [card.number for card in await self.game.open_hand(seat)]
        return self.hands[seat]

    async def _advice(self, seat: int) -> list[advice_pb2.SuggestedArrangement]:
        """Return the suggestion for a bot."""
        await self._hand(seat)
        return await self._suggest(seat, count=1)

    async def _open(self, seat: int, command: Open) -> None:
        event = mau_binh_pb2.MauBinhEvent(seat=seat, arrange=sdk_arrangement(thirteen(command)).write())
        event.nonce = bytes.fromhex(command.nonce)
        await self.submit(event, command)
        await self.take_over()

    async def _end_time(self) -> None:
        """Apply the deadline: report seats that did not commit, or did not open; otherwise let the show begin."""
        state = self.state
        if self.setup.is_sealed:
            was_opening = state.is_opening
            for seat in self._late():
                if state.is_opening != was_opening:
                    return
                event = mau_binh_pb2.MauBinhEvent(seat=seat)
                event.timeout.SetInParent()
                try:
                    await self.submit(event, is_timeout=True)
                    await self.take_over()
                except RefusedError:  # by the referee's clock it is not time yet
                    self.again = self.setup.clock.now() + RETRY_MS
                    return
            if state.is_opening != was_opening:
                return
        if state.showdown is None:
            await self.look()
        if state.showdown is None:
            self.again = self.setup.clock.now() + RETRY_MS

    def _late(self) -> list[int]:
        """Return the seats of a sealed table to report: without a commitment, or still shut once the hands are open."""
        state, reported = self.state, {one.seat for one in self.message.events if one.WhichOneof("choice") == "timeout"}
        owed = [
            bool(commitment) and not opened if state.is_opening else not commitment
            for commitment, opened in zip(state.commitments, state.opened, strict=True)
        ]
        return [seat for seat, is_late in enumerate(owed) if is_late and not state.gone[seat] and seat not in reported]

    async def _suggest(self, seat: int, *, count: int) -> list[advice_pb2.SuggestedArrangement]:
        """Suggest the best arrangements; refuse with NO_ADVICE if there are none."""
        try:
            answer = await self.game.suggest(seat, count=count)
        except RefereeError as error:
            raise RefusedError(Code.NO_ADVICE, reason=error.reason) from None
        if not answer.suggestions:
            raise RefusedError(Code.NO_ADVICE)
        return list(answer.suggestions)


def _draft(command: Arrange | Commit, *, cards: list[int] | None = None, commitment: bytes = b"") -> Draft:
    return Draft(cards=cards or [], commitment=commitment, seen=command.seen, signature=command.signature)
