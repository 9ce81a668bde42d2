"""A round between two events: which street it is, and what each seat has done. No card is known here.

States are values: nothing changes one, an event makes another. Decisions need no cards, because a seat may decide as
it likes whatever it holds; cards come in at settlement. Each seat is alone against the house.

>>> from referee.cards import Seat
>>> Event(Seat(0), Decision.PLAY_4X, time=1_000).decision.multiple
4
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec

from referee.cards import Seat
from referee.games.ultimate_texas.code import Decision, Section, Street
from referee.games.ultimate_texas.rules import Order, UltimateTexasRules
from referee.games.ultimate_texas.stakes import Stake, check_stakes
from referee.verdict import Violation

MAX_EVENTS: Final = 23
"""The most events a round can have, so none need be refused for being too many.

Six seats decide on three streets and may leave; whose decision is the last cannot leave after it.
"""


class StakesError(ValueError):
    """Stakes that no round can start with; ``violations`` say why."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__(", ".join(violation.code for violation in violations))
        self.violations = violations


class Event(msgspec.Struct, frozen=True):
    """What happened: a seat decided, ran out of time or left. ``time`` is milliseconds since 1970 UTC.

    The rules name no clock, so TIMEOUT is the word of whoever runs the table.
    """

    seat: Seat
    decision: Decision
    time: int


class SeatState(msgspec.Struct, frozen=True):
    """What one seat has done: its play bet in Antes (0 for none), and whether it checked on this street, folded, left.

    At most one of ``multiple``, ``has_checked`` and ``has_folded`` says something.
    """

    multiple: int = 0
    has_checked: bool = False
    has_folded: bool = False
    has_left: bool = False

    @property
    def is_waiting(self) -> bool:
        """Whether the street cannot close before this seat decides."""
        return not (self.multiple or self.has_checked or self.has_folded)


class State(msgspec.Struct, frozen=True, kw_only=True):
    """A round after ``event_count`` events.

    ``stakes`` and ``seats`` stand by seat. ``last_time`` is when the last event was, before any the deal's time, in
    milliseconds since 1970 UTC.
    """

    rules: UltimateTexasRules
    stakes: tuple[Stake, ...]
    street: Street
    seats: tuple[SeatState, ...]
    event_count: int
    last_time: int

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to decide, so that the round can be settled."""
        return self.street is Street.SHOWDOWN

    @property
    def waiting(self) -> tuple[Seat, ...]:
        """The seats that have still to decide on this street, lowest first; none at the showdown."""
        return tuple([Seat(index) for index, seat in enumerate(self.seats) if seat.is_waiting])

    @property
    def turn(self) -> Seat | None:
        """The lowest seat that has still to decide; None at the showdown. Under ``Order.ANY`` others may go first."""
        return next((Seat(index) for index, seat in enumerate(self.seats) if seat.is_waiting), None)

    @property
    def may_decide(self) -> tuple[Seat, ...]:
        """The seats that may decide now, lowest first."""
        return self.waiting if self.rules.seats.order is Order.ANY else self.waiting[:1]

    @property
    def open_sections(self) -> tuple[Section, ...]:
        """The sections that lie open, in the order they opened."""
        return OPEN_SECTIONS[self.street]


OPEN_SECTIONS: Final[Mapping[Street, tuple[Section, ...]]] = MappingProxyType(
    {
        Street.PREFLOP: (),
        Street.FLOP: (Section.FLOP,),
        Street.RIVER: (Section.FLOP, Section.TURN_RIVER),
        Street.SHOWDOWN: (Section.FLOP, Section.TURN_RIVER, Section.HOUSE),
    }
)
"""The sections that lie open on each street, in the order they opened."""


def start(rules: UltimateTexasRules, stakes: Sequence[Stake], *, bet_unit: int, dealt_time: int) -> State:
    """The round as dealt, before the flop: one stake a seat, in multiples of the ruleset's bet unit.

    ``dealt_time`` is milliseconds since 1970 UTC. Raises StakesError where ``check_stakes`` finds a fault.
    """
    if violations := check_stakes(rules, stakes, bet_unit=bet_unit):
        raise StakesError(violations)
    return State(
        rules=rules,
        stakes=tuple(stakes),
        street=Street.PREFLOP,
        seats=(SeatState(),) * len(stakes),
        event_count=0,
        last_time=dealt_time,
    )
