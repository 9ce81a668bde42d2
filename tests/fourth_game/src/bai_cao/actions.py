"""Bài Cào for environments: a seat shows its cards or leaves. Entry point ``referee.actions``."""

from collections.abc import Mapping
from typing import Any

from bai_cao.round import Leave, Show, State
from referee.cards import DECK, Seat
from referee.env import Actions
from referee.env.actions import plane
from referee.rulesets import Ruleset


class BaiCaoActions(Actions):
    """SHOW and LEAVE; the seats act from the dealer on."""

    name = "bai_cao"
    labels = ("SHOW", "LEAVE")

    def __init__(self, ruleset: Ruleset, seat_count: int) -> None:
        super().__init__(ruleset, seat_count)
        self.features = {"hand": len(DECK), "shown": seat_count * len(DECK)}

    def turn(self, state: State) -> Seat | None:
        """Return the lowest seat that has neither shown nor left."""
        return next(iter(state.waiting), None)

    def offers(self, state: State, seat: Seat, begun: tuple[int, ...]) -> Mapping[int, Show | Leave]:
        """Return both events of the seat."""
        del begun
        return {0: Show(seat, state.last_time), 1: Leave(seat, state.last_time)}

    def observe(self, state: State, seat: Seat, begun: tuple[int, ...]) -> bytes:
        """Return the seat's cards, then the cards of each seat that has shown."""
        del begun
        hands = state.deal.sections
        shown = [hands[place] or () if place in state.shown else () for place in self.places(seat)]
        return b"".join(map(plane, [hands[seat] or (), *shown]))

    def message(self, event: Any) -> Mapping[str, Any]:  # noqa: ANN401 - either event
        """Return the fields of the event's message."""
        return {"seat": event.seat, "act": "ACT_SHOW" if isinstance(event, Show) else "ACT_LEAVE"}
