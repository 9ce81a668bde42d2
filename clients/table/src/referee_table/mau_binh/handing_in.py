"""Arrangements of Mậu Binh on their way to the referee: what is on a seat's screen is handed in as it changes.

The referee begins the show, or opens the hands of a sealed table, as soon as it has something of every seat. So that
nobody's arranging ends early, what would be the last is held back as a draft until every person is done, or until the
time is nearly up; bots wait for people.
"""

from typing import Any, Final

from referee.games.mau_binh.event import MAX_EVENTS
from referee.v1 import mau_binh_pb2
from referee_table.cards import texts
from referee_table.instant import groups_of
from referee_table.mau_binh.arrangements import cards_of, sdk_arrangement, shown_showdown, shown_value, split
from referee_table.mau_binh.state import Draft, MauBinhState
from referee_table.play import Play, Setup
from referee_table.state import Round
from referee_table.wording import Code, RefusedError

HAND_IN_MS: Final = 1_000
"""How long before the deadline what is on seats' screens is handed in."""
KEPT_EVENTS: Final = 2
"""Events of a seat that drafts leave for its last arrangement."""


class HandingIn(Play):
    """The part of a round of Mậu Binh that hands arrangements to the referee."""

    state: MauBinhState

    def __init__(self, setup: Setup, made: Round, game: Any) -> None:  # noqa: ANN401 - the SDK's round
        super().__init__(setup, made, game)
        self.state = self.own(MauBinhState)

    @property
    def is_public(self) -> bool:
        """Whether every seat may see all events: not while an open table arranges."""
        return self.setup.is_sealed or self.state.showdown is not None

    def own_view(self, seat: int) -> dict[str, Any]:
        """Return what a seat alone sees: its own arrangement or commitment, and whether that may still change."""
        state, draft = self.state, self.state.drafts[seat]
        cards = state.arranged[seat] if draft is None else draft.cards
        commitment = state.commitments[seat] if draft is None else draft.commitment
        shown: dict[str, Any] = {"is_final": state.finals[seat]}
        if cards and not self.setup.is_sealed:
            shown["arrangement"] = split(cards)
        if commitment:
            shown["commitment"] = commitment.hex()
        if state.showdown is not None and (kept := self.kept(seat)) is not None:
            shown["kept"] = kept
        if self.phase == "PLAYING":
            shown["hand_in_time"] = self.hand_in_time
            shown["takes_signed"] = self._may_go(seat)
            shown["sign_now"] = draft is not None and not self.can_go(seat) and self.is_release_due()
        return shown

    @property
    def hand_in_time(self) -> int:
        """Time in ms at which drafts become events, so that each seat's last one counts at the deadline."""
        return self.state.deadline - HAND_IN_MS

    def is_in(self, seat: int) -> bool:
        """Return whether the referee has an arrangement or a commitment of the seat."""
        return bool(self.state.arranged[seat] or self.state.commitments[seat])

    def _events_left(self, seat: int) -> int:
        """Return the number of arrangements or commitments that the referee still accepts of a seat."""
        most = MAX_EVENTS // len(self.round.seats) - 1 - int(self.setup.is_sealed)
        return most - [event.seat for event in self.message.events].count(seat)

    def is_everybody_done(self) -> bool:
        """Return whether every person has finished arranging or left."""
        state = self.state
        return all(
            one.is_bot or done or gone
            for one, done, gone in zip(self.round.seats, state.finals, state.gone, strict=True)
        )

    def is_release_due(self) -> bool:
        """Return whether drafts become events now: every person is done, or the time is nearly up."""
        return self.is_everybody_done() or self.setup.clock.now() >= self.hand_in_time

    def _may_go(self, seat: int) -> bool:
        """Return whether the seat's draft may be sent now: it must not end arranging for others, nor use up its events.

        The show begins, or hands open, as soon as the referee has a draft of every seat. So bots wait for people, and
        the draft of the last seat is held back until every person is done or the time is nearly up.
        """
        if self.is_release_due():
            return True
        others = [one for one in range(len(self.round.seats)) if one != seat and not self.state.gone[one]]
        is_last = all(self.is_in(one) for one in others)
        return not self.is_bot(seat) and not is_last and self._events_left(seat) > KEPT_EVENTS

    def can_go(self, seat: int) -> bool:
        """Return whether a seat's draft can be handed in for it: it needs no signature of the page, or has one."""
        draft, one = self.state.drafts[seat], self.round.seats[seat]
        return draft is not None and (not one.key or seat in self.game.secrets or draft.signature is not None)

    def awaits_hand_in(self, now: int) -> bool:
        """Return whether a draft remains to be handed in, be it now or later."""
        if now < self.hand_in_time:
            return any(self.state.drafts)
        return now < self.state.deadline and any(map(self.can_go, range(len(self.round.seats))))

    async def take(self, seat: int, draft: Draft, *, is_final: bool) -> dict[str, Any]:
        """Send a seat's draft to the referee, or hold it back."""
        state, one = self.state, self.round.seats[seat]
        is_signed = not one.key or seat in self.game.secrets or draft.signature is not None
        if is_final and not is_signed and self._may_go(seat):  # as the seat's view says by ``takes_signed``
            raise RefusedError(Code.UNSIGNED)
        was_final, state.finals[seat] = state.finals[seat], is_final
        try:
            if is_signed and self._may_go(seat):
                return await self._give(seat, draft)
            if not one.is_bot and draft.cards:
                await self._require_acceptable(seat, draft.cards)
        except RefusedError:
            state.finals[seat] = was_final
            raise
        state.drafts[seat] = draft
        return {"is_held": True}

    async def _require_acceptable(self, seat: int, cards: list[int]) -> None:
        checked = await self._checked(seat, cards)
        if not checked.acceptable:
            raise RefusedError(Code.UNLAWFUL, violations=self.violations(checked.violations))

    async def _give(self, seat: int, draft: Draft) -> dict[str, Any]:
        """Give the referee an arrangement or a commitment."""
        if self.is_bot(seat) and self.setup.is_sealed:
            answer = self.accepted(await self.game.commit(seat, sdk_arrangement(draft.cards)))
        else:
            event = mau_binh_pb2.MauBinhEvent(seat=seat)
            if draft.commitment:
                event.commit.commitment = draft.commitment
            else:
                event.arrange.CopyFrom(sdk_arrangement(draft.cards).write())
            answer = await self.submit(event, draft)
        self.state.drafts[seat] = None
        await self.take_over()
        return {"violations": self.violations(answer.violations)} | self.receipt()

    async def take_over(self) -> None:
        """Take over what the events say of each seat; begin the show, or opening, if they lead there."""
        state, count = self.state, len(self.round.seats)
        state.gone = [False] * count
        for event in self.message.events:
            match event.WhichOneof("choice"):
                case "arrange":
                    state.arranged[event.seat] = cards_of(event.arrange)
                    state.opened[event.seat] = self.setup.is_sealed
                case "commit":
                    state.commitments[event.seat] = event.commit.commitment
                case "leave":
                    state.gone[event.seat] = True
        if self.setup.is_sealed and self.hands and not state.is_opening:
            state.is_opening, state.drafts = True, [None] * count
            state.deadline = self.game.unsealed_time + self.setup.law.clock_ms("opening")
            self.again = 0
        if self.hands:
            await self.look()

    async def hand_in(self) -> None:
        """Hand in what is held back; of a seat that has to sign and did not, the last that it signed counts."""
        for seat in range(len(self.round.seats)):
            draft = self.state.drafts[seat]
            if draft is None or not self.can_go(seat) or self.state.showdown is not None or self.state.is_opening:
                continue
            try:
                await self._give(seat, draft)
            except RefusedError:  # too late by the referee's clock, or no event of the seat is left
                self.state.drafts[seat] = None

    async def check(self, seat: int, cards: list[int]) -> dict[str, Any]:
        """Have the referee check thirteen cards as an arrangement of the seat's."""
        answer = await self._checked(seat, cards)
        return {
            "violations": self.violations(answer.violations),
            "values": [shown_value(value, self.setup.law) for value in answer.values],
        }

    async def _checked(self, seat: int, cards: list[int]) -> mau_binh_pb2.CheckArrangementResponse:
        """Return the referee's judgement of thirteen cards as an arrangement of the seat's."""
        answer: mau_binh_pb2.CheckArrangementResponse = await self.game.check(seat, sdk_arrangement(cards))
        return answer

    async def look(self) -> None:
        """Start the showing if the referee finds the round over."""
        preview = await self.game.preview()
        if not preview.violations:
            self._show(preview.showdown)
            self.again = 0

    def skip(self) -> None:
        """End the show now."""
        self.state.show_end_time = self.setup.clock.now()

    def _show(self, found: mau_binh_pb2.Showdown) -> None:
        """Begin the show, which ends some time after the sums are seen; hands that win at the deal are seen as long."""
        pace, law, state = self.setup.pace, self.setup.law, self.state
        state.showdown = shown_showdown(found, law)
        state.show_end_time = found.summary_time + pace.sums_ms
        for line in found.summary:
            if line.instant_win:
                name, cards = law.name("pattern", line.instant_win), texts(self.hands[line.seat])
                groups = groups_of(line.instant_win, cards)
                state.instant_wins.append({"seat": line.seat, "name": name, "groups": groups})
        if state.instant_wins:
            state.show_end_time = max(found.summary_time, self.game.dealt_time + pace.scene_ms)
        if pace.is_brisk:
            state.show_end_time = 0
