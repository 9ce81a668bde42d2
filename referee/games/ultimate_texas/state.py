"""A round between two events: which street it is, and what each seat has done, without its cards.

States are values: nothing changes one, an event makes another. Decisions need no cards, because a seat may decide as
it likes whatever it holds; cards come in at settlement. Each seat is alone against the house.

>>> from referee.cards import Seat
>>> Event(Seat(0), Decision.PLAY_4X, time=1_000).decision.multiple
4
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from referee.cards import Seat
from referee.evidence.canonical import Natural
from referee.games.codec import EventRecord
from referee.games.deal import DealtRound, check_deal
from referee.games.layout import Layout
from referee.games.stakes import require_stakes
from referee.games.ultimate_texas.code import Decision, Section, Street
from referee.games.ultimate_texas.rules import Order, UltimateTexasRules
from referee.games.ultimate_texas.stakes import Stake, check_stakes, stakes_of

MAX_EVENTS: Final = 23
"""The most events a round can have, so no event need be refused for their number.

Six seats decide on three streets (18) and may leave (6); the seat that decides last cannot leave after that.
"""


BOARD: Final = MappingProxyType({"house": 2, "flop": 3, "turn_river": 2})
"""Sizes of the sections beside the hands."""


def layout(seat_count: int) -> Layout:
    """Return the layout of a round: two cards a seat, the house's two, the flop's three, turn and river."""
    return Layout.of(
        seat_count, hand_size=2, board=BOARD, opening_order=("flop", "turn_river", "house"), needs_hands=False
    )


class Event(EventRecord, frozen=True, tag="DECIDE"):
    """Event of a round: a seat decided, ran out of time or left.

    As canonical JSON it is ``{"decision":"PLAY_4X","kind":"DECIDE","seat":n}``, decisions by their codes; all but
    TIMEOUT have ``seen`` too where the seat has a key.
    """

    decision: Decision
    time: int = 0
    seen: Natural | None = None

    @property
    def is_imposed(self) -> bool:
        """Whether others report the event; only a TIMEOUT."""
        return self.decision is Decision.TIMEOUT


class SeatState(msgspec.Struct, frozen=True):
    """State of one seat: its play bet in Antes (0 for none), and whether it checked on this street, folded, left.

    At most one of ``multiple``, ``has_checked`` and ``has_folded`` is set.
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

    ``seats`` go by seat. ``last_time`` is the time of the last event or opening. ``street_time`` is when the street's
    cards opened (the deal, before the flop), ``street_event`` the number of the event that opened them (0 for the
    deal); times in milliseconds since 1970 UTC.
    """

    rules: UltimateTexasRules
    deal: DealtRound
    street: Street
    seats: tuple[SeatState, ...]
    event_count: int
    last_time: int
    street_time: int
    street_event: int

    @property
    def stakes(self) -> tuple[Stake, ...]:
        """Stakes of the seats."""
        return stakes_of(self.deal.seat_stakes)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to decide, so that the round can be settled."""
        return self.street is Street.SHOWDOWN

    @property
    def waiting(self) -> tuple[Seat, ...]:
        """Seats that have still to decide on this street, lowest first; none at the showdown."""
        return tuple([Seat(index) for index, seat in enumerate(self.seats) if seat.is_waiting])

    @property
    def turn(self) -> Seat | None:
        """Lowest seat that has still to decide; None at the showdown. Under ``Order.ANY`` others may go first."""
        return next((Seat(index) for index, seat in enumerate(self.seats) if seat.is_waiting), None)

    @property
    def may_decide(self) -> tuple[Seat, ...]:
        """Seats that may decide now, lowest first."""
        return self.waiting if self.rules.seats.order is Order.ANY else self.waiting[:1]

    @property
    def deadline_time(self) -> int | None:
        """First moment that is too late to decide on this street; None at the showdown."""
        return None if self.is_over else self.street_time + 1000 * self.rules.clocks.street.seconds

    @property
    def open_sections(self) -> tuple[Section, ...]:
        """Open sections, in the order they opened."""
        return OPEN_SECTIONS[self.street]


OPEN_SECTIONS: Final[Mapping[Street, tuple[Section, ...]]] = MappingProxyType(
    {
        Street.PREFLOP: (),
        Street.FLOP: (Section.FLOP,),
        Street.RIVER: (Section.FLOP, Section.TURN_RIVER),
        Street.SHOWDOWN: (Section.FLOP, Section.TURN_RIVER, Section.HOUSE),
    }
)
"""Open sections on each street, in the order they opened."""


def begin(rules: UltimateTexasRules, deal: DealtRound) -> State:
    """Begin a round before the flop; raise StakesError for its stakes and DealError for its seats or open cards.

    No card need be open: decisions do not depend on them.
    """
    require_stakes(rules, deal, check_stakes)
    check_deal(deal, layout, seats=rules.seats)
    return State(
        rules=rules,
        deal=deal,
        street=Street.PREFLOP,
        seats=(SeatState(),) * deal.seat_count,
        event_count=0,
        last_time=deal.dealt_time,
        street_time=deal.dealt_time,
        street_event=0,
    )


def unseal(state: State, time: int) -> State:
    """Return the state once the street's cards are open; ``time`` is when they opened and its clock began."""
    return msgspec.structs.replace(state, street_time=time, last_time=time)
