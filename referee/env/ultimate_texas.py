"""Actions of Ultimate Texas Hold'em: a decision by its kind."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from referee.cards import DECK, Seat
from referee.env.actions import Actions, plane
from referee.games.ultimate_texas import Decision, Event, State, legal_decisions
from referee.games.ultimate_texas.code import Section, Street
from referee.games.ultimate_texas.state import layout
from referee.rulesets import Ruleset

DECISIONS: Final = tuple([decision for decision in Decision if decision not in {Decision.TIMEOUT, Decision.LEAVE}])
"""Decisions by action."""


class UltimateTexasActions(Actions):
    """The six decisions; the seats of a street decide from the lowest on."""

    name = "ultimate_texas"
    labels: ClassVar = tuple([decision.value for decision in DECISIONS])

    def __init__(self, ruleset: Ruleset, seat_count: int) -> None:
        super().__init__(ruleset, seat_count)
        self.features = {"hole": len(DECK), "board": len(DECK), "street": len(Street)}
        self.features |= {"multiple": seat_count, "folded": seat_count}

    def offers(self, state: State, seat: Seat, begun: tuple[int, ...]) -> Mapping[int, Event]:
        del begun
        lawful = legal_decisions(state, seat)
        return {
            number: Event(seat, decision, state.last_time)
            for number, decision in enumerate(DECISIONS)
            if decision in lawful
        }

    def observe(self, state: State, seat: Seat, begun: tuple[int, ...]) -> bytes:
        del begun
        places, sections = layout(self.seat_count), state.deal.sections
        opened = [section for section in state.open_sections if section is not Section.HOUSE]
        board = [card for section in opened for card in sections[places.board(section.lower())] or ()]
        seats = [state.seats[place] for place in self.places(seat)]
        counts = [*[one.multiple for one in seats], *[one.has_folded for one in seats]]
        return (
            plane(sections[seat] or ())
            + plane(board)
            + bytes([street is state.street for street in Street])
            + bytes(counts)
        )

    def message(self, event: Any) -> Mapping[str, Any]:
        return {"seat": event.seat, "decision": f"DECISION_{event.decision}"}
