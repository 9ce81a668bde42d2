"""Arrangements of Mậu Binh on their way to the referee: what is on a seat's screen is handed in as it changes.

The referee begins the show, or opens the hands of a sealed table, as soon as it has something of every seat. So that
nobody's arranging ends early, what would be the last is held back as a draft until every person is done, or until the
time is nearly up; bots wait for people.
"""

from typing import Any, Final

import msgspec

from referee.games.mau_binh.event import MAX_EVENTS
from referee_table.mau_binh.commands import Arrange, Commit
from referee_table.mau_binh.shown import cards_of, split, thirteen
from referee_table.play import Play
from referee_table.state import PlayState

HAND_IN_MS: Final = 1_000
"""How long before the deadline what is on seats' screens is handed in."""
KEPT_EVENTS: Final = 2
"""Events of a seat that drafts leave for its last arrangement."""


Draft = Arrange | Commit
"""An arrangement, or on a sealed table of a person a commitment, that is no event yet: the command that gave it."""


class MauBinhState(PlayState, kw_only=True):
    """What is kept of a round. Lists go by seat: the newest drafts that the referee does not have, and who is done."""

    drafts: list[Draft | None] = msgspec.field(default_factory=list)
    finals: list[bool] = msgspec.field(default_factory=list)
    showdown: dict[str, Any] | None = None


class Course(msgspec.Struct):
    """What the events so far say of one seat. ``is_late`` is a report that its time has run out."""

    cards: list[int] = []
    commitment: bytes = b""
    is_open: bool = False
    is_gone: bool = False
    is_late: bool = False
    count: int = 0

    @property
    def is_in(self) -> bool:
        """Whether the referee has an arrangement or a commitment of the seat."""
        return bool(self.cards or self.commitment)


class DraftedPlay(Play):
    """The part of a round of Mậu Binh that decides which drafts become events, and when."""

    state: MauBinhState
    state_type = MauBinhState

    @property
    def is_opening(self) -> bool:
        """Whether the hands of a sealed table are open, so that seats open their commitments."""
        return self.setup.is_sealed and bool(self.hands)

    @property
    def end_time(self) -> int:
        """Time in ms at which the time to arrange ends, or to open commitments."""
        start: int = self.game.unsealed_time if self.is_opening else self.game.dealt_time
        return start + self.setup.law.clock_ms("opening" if self.is_opening else "arranging")

    @property
    def hand_in_time(self) -> int:
        """Time in ms at which drafts become events, so that each seat's last one counts at the deadline."""
        return self.end_time - HAND_IN_MS

    def courses(self) -> list[Course]:
        """Return what the events so far say, by seat."""
        courses = [Course() for _ in self.round.seats]
        for event in self.message.events:
            course = courses[event.seat]
            course.count += 1
            match event.WhichOneof("choice"):
                case "arrange":
                    course.cards, course.is_open = cards_of(event.arrange), self.setup.is_sealed
                case "commit":
                    course.commitment = event.commit.commitment
                case "leave":
                    course.is_gone = True
                case _:
                    course.is_late = True
        return courses

    def is_release_due(self) -> bool:
        """Return whether drafts become events now: every person is done or has left, or the time is nearly up."""
        is_done = [
            one.is_bot or is_final or course.is_gone
            for one, is_final, course in zip(self.round.seats, self.state.finals, self.courses(), strict=True)
        ]
        return all(is_done) or self.setup.plan.clock.now() >= self.hand_in_time

    def may_go(self, seat: int) -> bool:
        """Return whether the seat's draft may be sent now: it must not end arranging for others, nor use up its events.

        Bots wait for people, and the draft of the last seat is held back until every person is done or the time is
        nearly up.
        """
        if self.is_release_due():
            return True
        courses = self.courses()
        is_last = all(course.is_in or course.is_gone for other, course in enumerate(courses) if other != seat)
        left = MAX_EVENTS // len(courses) - 1 - self.setup.is_sealed - courses[seat].count
        return not self.is_bot(seat) and not is_last and left > KEPT_EVENTS

    def is_signed(self, seat: int, draft: Draft) -> bool:
        """Return whether a draft needs no signature of the page, or has one."""
        return not self.needs_signature(seat) or draft.signature is not None

    def ready_drafts(self) -> list[tuple[int, Draft]]:
        """Return the seats whose drafts can be handed in for them, each with its draft."""
        return [
            (seat, draft)
            for seat, draft in enumerate(self.state.drafts)
            if draft is not None and self.is_signed(seat, draft)
        ]

    def own_view(self, seat: int) -> dict[str, Any]:
        """Return what a seat alone sees: its arrangement or commitment, and whether that may still change."""
        draft, course = self.state.drafts[seat], self.courses()[seat]
        cards = thirteen(draft) if isinstance(draft, Arrange) else course.cards
        commitment = draft.commitment if isinstance(draft, Commit) else course.commitment.hex()
        shown: dict[str, Any] = {"is_final": self.state.finals[seat]}
        if cards and not self.setup.is_sealed:
            shown["arrangement"] = split(cards)
        if commitment:
            shown["commitment"] = commitment
        if self.state.showdown is not None and (kept := self.kept(seat)) is not None:
            shown["kept"] = kept
        if self.phase == "PLAYING":
            shown["hand_in_time"] = self.hand_in_time
            shown["takes_signed"] = self.may_go(seat)
            shown["sign_now"] = draft is not None and not self.is_signed(seat, draft) and self.is_release_due()
        return shown
