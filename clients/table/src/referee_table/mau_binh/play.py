"""A round of Mậu Binh at the table: arranging, on a sealed table committing and opening, then the show."""

from typing import Any

from referee.v1 import advice_pb2, mau_binh_pb2
from referee_table.commands import InRound, Leave, Move, Suggest
from referee_table.mau_binh.commands import Arrange, Check, Commit, Open
from referee_table.mau_binh.drafts import Draft, DraftedPlay
from referee_table.mau_binh.shown import arranged, cards_of, compared, shown_showdown, split, thirteen, value_names
from referee_table.play import RETRY_MS
from referee_table.shown import fields, texts
from referee_table.thinking import THOUGHT_MS
from referee_table.words import RefusedError


class MauBinhPlay(DraftedPlay):
    """One round, from its deal to its settlement."""

    name = "mau_binh"
    can_seal = is_seated_by_referee = True

    @property
    def phase(self) -> str:
        """Phase of the round for pages: the show, opening commitments, or arranging."""
        if self.state.showdown is not None:
            return "SHOWDOWN"
        return "OPENING" if self.is_opening else "PLAYING"

    @property
    def deadline(self) -> int | None:
        """End of the time to arrange or to open commitments, then of the show; in ms."""
        return self.end_time if self.state.showdown is None else self.state.show_end_time

    @property
    def is_decided(self) -> bool:
        """Whether the show has begun."""
        return self.state.showdown is not None

    @property
    def wake(self) -> int:
        """Time in ms of the next thing to do, as in every game, or of handing in what is held back."""
        now, drafts = self.setup.plan.clock.now(), self.state.drafts
        has_drafts = any(drafts) if now < self.hand_in_time else now < self.end_time and self.ready_drafts()
        return min(super().wake, self.hand_in_time) if has_drafts and not self.is_decided else super().wake

    @property
    def is_public(self) -> bool:
        """Whether every seat may see all events: not while an open table arranges."""
        return self.setup.is_sealed or self.state.showdown is not None

    async def begin(self) -> None:
        """Begin arranging with the cards that were dealt; end the round if a hand wins at once."""
        count = len(self.round.seats)
        self.state.drafts, self.state.finals = [None] * count, [False] * count
        self.state.bot_time = self.setup.plan.clock.now() + self.setup.plan.pace.bot_ms
        await self._take_over()

    async def catch_up(self) -> None:
        """Take over the events that the journal has; a draft that became one is none any more. A bot makes only one."""
        if self.state.showdown is None:
            await self._take_over()
        for seat, course in enumerate(self.courses()):
            draft = self.state.drafts[seat]
            is_made = (
                thirteen(draft) == course.cards
                if isinstance(draft, Arrange)
                else draft is not None and draft.commitment == course.commitment.hex()
            )
            if is_made or (self.is_bot(seat) and course.is_in):
                self.state.drafts[seat] = None

    async def command(self, seat: int, command: InRound) -> dict[str, Any]:
        """Carry out an arrangement, a commitment or its opening, or a question."""
        is_sealed = self.setup.is_sealed
        match command:
            case Arrange() | Check() | Suggest() if is_sealed:
                raise RefusedError("SEALED")
            case Commit() | Open() if not is_sealed or self.is_opening != isinstance(command, Open):
                raise RefusedError("WRONG_PHASE")
            case Arrange() | Commit() | Open() if self.state.showdown is not None:
                raise RefusedError("TOO_LATE")
            case Arrange() | Commit():
                return await self._draft(seat, command)
            case Open():
                arrangement, nonce = arranged(thirteen(command)).write(), bytes.fromhex(command.nonce)
                await self.take(self.game.event(seat=seat, arrange=arrangement, nonce=nonce), command)
                return self.receipt()
            case Check():
                checked = await self.game.check(seat, arranged(thirteen(command)))
                names = value_names(checked.values, self.setup.law)
                return {"violations": self.violations(checked.violations), "value_names": names}
            case Suggest():
                return {"suggestions": [self._shown(one) for one in await self._suggest(seat, count=3)]}
            case _:
                raise RefusedError("WRONG_PHASE")

    async def advance(self) -> None:
        """Hand in what is held back, then do what is due in every game."""
        is_arranging = not self.is_decided and not self.is_opening and self.setup.plan.clock.now() < self.end_time
        if is_arranging and self.is_release_due():
            await self._hand_in()
        await super().advance()

    async def take(self, event: Any, move: Move | Leave | None = None, *, is_timeout: bool = False) -> None:  # noqa: ANN401 - the game's own
        """Have the referee accept an event; begin the show, or opening, if it leads there."""
        await self.submit(event, move, is_timeout=is_timeout)
        await self._take_over()

    def shown_outcome(self, outcome: mau_binh_pb2.MauBinhOutcome) -> dict[str, Any]:
        """Return each seat's arrangement with the names of its hands, and hands that won at the deal."""
        seats = []
        for one in outcome.seats:
            seat = fields(one, "fouled defaulted net_minor winner") | self.named_instant_win(one.instant_win)
            seats.append(seat | self._shown(one))
        return {"seats": seats, "instant_wins": self.state.instant_wins}

    def view(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat sees: who is done, its own arrangement, and everything once it is shown."""
        state, courses = self.state, self.courses()
        shown: dict[str, Any] = {"submitted": list(state.finals), "gone": [course.is_gone for course in courses]}
        if seat is not None:
            shown |= self.own_view(seat)
        if self.is_opening:
            shown["opened"] = [course.is_open for course in courses]
            shown["hands"] = [texts(hand) for hand in self.hands]
        if state.showdown is not None:
            shown["showdown"] = state.showdown
        if state.instant_wins:
            shown["instant_wins"] = state.instant_wins
        return {"mau_binh": shown}

    def replay(self) -> dict[str, Any]:
        """Return arrangements, commitments and how they were opened, departures; then chi by chi."""
        given: list[dict[str, Any]] = []
        for event in self.message.events:
            choice = event.WhichOneof("choice") or ""
            one = {"seat": event.seat, "action": choice.upper()}
            if choice == "arrange":
                one["arrangement"] = split(cards_of(event.arrange))
            if choice == "commit":
                one["commitment"] = event.commit.commitment.hex()
            given.append(one)
        return {"events": given, "chi": compared(self.state.showdown or {"chi": []})}

    async def _draft(self, seat: int, draft: Draft) -> dict[str, Any]:
        """Send a seat's draft to the referee, or hold it back."""
        state, is_signed = self.state, self.is_signed(seat, draft)
        cards = thirteen(draft) if isinstance(draft, Arrange) else []
        if draft.is_final and not is_signed and self.may_go(seat):  # as the seat's view says by ``takes_signed``
            raise RefusedError("UNSIGNED")
        was_final, state.finals[seat] = state.finals[seat], draft.is_final
        try:
            if is_signed and self.may_go(seat):
                return await self._give(seat, draft)
            if not self.is_bot(seat) and cards:
                await self._require_acceptable(seat, cards)
        except RefusedError:
            state.finals[seat] = was_final
            raise
        state.drafts[seat] = draft
        return {"is_held": True}

    def _shown(self, one: advice_pb2.SuggestedArrangement | mau_binh_pb2.MauBinhSeatResult) -> dict[str, Any]:
        names = value_names(one.values, self.setup.law)
        return {"arrangement": split(cards_of(one.arrangement)), "value_names": names}

    async def _require_acceptable(self, seat: int, cards: list[int]) -> None:
        checked = await self.game.check(seat, arranged(cards))
        if not checked.acceptable:
            raise RefusedError("UNLAWFUL", violations=self.violations(checked.violations))

    async def _give(self, seat: int, draft: Draft) -> dict[str, Any]:
        """Give the referee an arrangement or a commitment."""
        if isinstance(draft, Commit):
            commitment = {"commitment": bytes.fromhex(draft.commitment)}
            answer = await self.submit(self.game.event(seat=seat, commit=commitment), draft)
        elif self.is_bot(seat) and self.setup.is_sealed:
            answer = self.accepted(await self.game.commit(seat, arranged(thirteen(draft))))
        else:
            arrangement = arranged(thirteen(draft)).write()
            answer = await self.submit(self.game.event(seat=seat, arrange=arrangement), draft)
        self.state.drafts[seat] = None
        await self._take_over()
        return {"violations": self.violations(answer.violations)} | self.receipt()

    async def _hand_in(self) -> None:
        """Hand in what is held back; of a seat that has to sign and did not, the last that it signed counts."""
        for seat, draft in self.ready_drafts():
            if self.state.showdown is None and not self.is_opening:
                try:
                    await self._give(seat, draft)
                except RefusedError:  # too late by the referee's clock, or no event of the seat is left
                    self.state.drafts[seat] = None

    async def _take_over(self) -> None:
        """Begin the show, or opening, if the newest event led there."""
        if self.is_opening:
            self.again, self.state.bot_time, self.state.drafts = 0, 0, [None] * len(self.round.seats)
        if self.hands:
            await self._look()

    async def _look(self) -> None:
        """Begin the show if the referee finds the round over; hands that win at the deal are seen as long as it."""
        preview = await self.game.preview()
        if preview.violations:
            return
        pace, state, found = self.setup.plan.pace, self.state, preview.showdown
        self.again, state.showdown = 0, shown_showdown(found, self.setup.law)
        state.show_end_time = found.summary_time + pace.sums_ms
        for line in found.summary:
            if line.instant_win:
                self.show_instant_win(line.seat, line.instant_win)
        if state.instant_wins:
            state.show_end_time = max(found.summary_time, self.game.dealt_time + pace.scene_ms)
        if pace.is_brisk:
            state.show_end_time = 0

    @property
    def bots(self) -> list[int]:
        """Return the seats of bots that have to arrange, or to open their commitment."""
        return [
            seat
            for seat, course in enumerate(self.courses())
            if self.is_bot(seat)
            and (course.commitment and not course.is_open if self.is_opening else not self.state.finals[seat])
            and (self.is_opening or not course.is_in)
        ]

    async def move_bot(self, seat: int) -> None:
        """Arrange for a bot, by its advice or as dealt without any; or open what it has committed to."""
        if self.is_opening:
            self.accepted(await self.game.arrange(seat, self.game.committed(seat)))
            await self._take_over()
            return
        left_ms = self.end_time - self.setup.plan.clock.now()
        longest_ms = max(THOUGHT_MS, left_ms // 2)  # people arrange for longer, and cards as dealt may be a foul
        if not self.thinking.is_over(seat, lambda: self._advice(seat), longest_ms=longest_ms):
            return
        self.state.bot_time = self.setup.plan.clock.now() + self.setup.plan.pace.bot_ms
        best = self.thinking.best  # none in time, or for a ruleset that nothing was learned for
        cards = cards_of(best[0].arrangement) if best else await self._hand(seat)
        rows: Any = split(cards)
        await self._draft(seat, Arrange(id="bot", round_id=self.round.round_id.hex(), **rows))

    async def _hand(self, seat: int) -> list[int]:
        """Return a bot's cards."""
        if self.setup.is_sealed:
            return [card.number for card in await self.game.open_hand(seat)]
        return self.hands[seat]

    async def _advice(self, seat: int) -> list[advice_pb2.SuggestedArrangement]:
        """Return the suggestion for a bot."""
        await self._hand(seat)
        return await self._suggest(seat, count=1)

    async def _suggest(self, seat: int, *, count: int) -> list[advice_pb2.SuggestedArrangement]:
        """Return the best arrangements; refuse with NO_ADVICE if there are none."""
        answer = await self.advice(seat=seat, count=count)
        if not answer.suggestions:
            raise RefusedError("NO_ADVICE")
        return list(answer.suggestions)

    async def run_out(self) -> None:
        """Apply the deadline: report seats that did not commit, or did not open; otherwise let the show begin."""
        was_opening = self.is_opening
        for seat in self._late() if self.setup.is_sealed else ():
            if not await self.time_out(self.game.event(seat=seat, timeout={})):
                return
            if self.is_opening != was_opening:
                return
        if self.state.showdown is None:
            await self._look()
        if self.state.showdown is None:
            self.again = self.setup.plan.clock.now() + RETRY_MS

    def _late(self) -> list[int]:
        """Return the seats of a sealed table to report: without a commitment, or still shut once the hands are open."""
        return [
            seat
            for seat, course in enumerate(self.courses())
            if (bool(course.commitment) and not course.is_open if self.is_opening else not course.commitment)
            and not course.is_gone
            and not course.is_late
        ]
