"""The interface of a game's law: each game is one value of ``Game``, with the same functions and lifecycle.

A round is ``begin``, then ``apply`` for each lawful event, then ``settle`` once ``check_closing`` returns no violation.
States are frozen and hold their rules and deal; the same inputs always give the same results. A broken rule is returned
(``check`` returns violations), an impossible deal is raised as an error.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from referee.cards import Card, Seat
from referee.evidence.canonical import CanonicalError
from referee.games.codec import Event, EventBytesError, EventCodec
from referee.games.deal import DealError, DealtRound, SeatLimits
from referee.games.fault import FaultKind, rule_fault
from referee.games.groups import Groups, no_groups
from referee.games.law_error import guarded
from referee.games.layout import Layout
from referee.games.lead import Leading
from referee.games.questions import Questions
from referee.money import Transfer
from referee.verdict import Violation

ResultValue: TypeAlias = "str | int | Card | Transfer | Sequence[ResultValue] | Mapping[str, ResultValue]"
"""A member of a transcript's results; a card is written as its number, a transfer with its seats as from and to."""


class RoundBounds(NamedTuple):
    """The shortest and longest time in milliseconds from the deal's deadline to the round's."""

    shortest: int
    longest: int


class Bounds(Protocol):
    """Bounds of a round's length."""

    @property
    def bounds(self) -> RoundBounds:
        """Shortest and longest time from the deal's deadline to the round's."""


class GameRules(Protocol):
    """Rules of one ruleset: a frozen msgspec.Struct without defaults; rules that contradict themselves: ValueError."""

    @property
    def seats(self) -> SeatLimits:
        """Number of seats a round may have."""

    @property
    def round(self) -> Bounds:
        """Bounds of a round's length."""

    @property
    def payouts(self) -> Sequence[Fraction]:
        """All payouts, in stakes; each must be whole when multiplied by the bet unit."""

    @property
    def named_codes(self) -> Mapping[str, Sequence[str]]:
        """Codes that results can show, by the table of ``[names]`` that names them."""


class Clock(NamedTuple):
    """A running clock: the time of its owner is up at ``start + limit``, in milliseconds.

    The owner is ``seat``, or, if that is None, every seat that must act. ``number`` is the event that started the
    clock, 0 if the shuffler started it by the deal or by opening sections.
    """

    start: int
    limit: int
    seat: Seat | None
    number: int = 0

    @property
    def end(self) -> int:
        """First moment at which the owner is too late and may be reported out of time."""
        return self.start + self.limit


class State(Protocol):
    """A round after some events: a frozen struct of the game's own."""

    @property
    def deal(self) -> DealtRound:
        """Deal that the round started from."""

    @property
    def event_count(self) -> int:
        """Number of events so far."""

    @property
    def last_time(self) -> int:
        """Time of the last event or of the sections opened after it; before any event, time of the deal."""

    @property
    def is_over(self) -> bool:
        """Whether no seat has anything left to decide."""


class Outcome(Protocol):
    """The settlement of a round."""

    @property
    def transfers(self) -> tuple[Transfer, ...]:
        """All payments, each with its reason."""

    @property
    def winners(self) -> tuple[Seat, ...]:
        """Winning seats."""

    @property
    def net(self) -> tuple[int, ...]:
        """Amount won (positive) or lost by each seat."""


class UnlawfulEventError(ValueError):
    """An event that breaks a rule was applied; ``violations`` are all faults that refuse it."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__(", ".join(violation.code for violation in violations))
        self.violations = violations


class StakesError(ValueError):
    """Stakes that no round can start with; ``violations`` say why."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__(", ".join(violation.code for violation in violations))
        self.violations = violations


class RoundNotOverError(ValueError):
    """A settlement was asked for before the round has ended."""


RulesT = TypeVar("RulesT", bound=GameRules)
StateT = TypeVar("StateT", bound=State)
EventT = TypeVar("EventT", bound=Event)
OutcomeT = TypeVar("OutcomeT", bound=Outcome)


def _nothing(*_: object) -> tuple[int, ...]:
    return ()


def _never(*_: object) -> bool:
    return False


def _the_deal(*_: object) -> int:
    return 0


def _keep(state: StateT, time: int) -> StateT:
    del time
    return state


@dataclass(frozen=True, kw_only=True)
class LaterCards:
    """Functions of a game with cards that open after the deal; by default all cards are open from the deal on.

    ``opens(before, after)`` returns the sections that the event between these states opened, in opening order; the
    event's receipt names the last. ``unseal(state, time)`` returns the state after the shuffler opened them at that
    time; no event comes in between. ``needs(state, event)`` returns the sections that must be open to check the event.
    If tables ``can_be_sealed``, ``opens_at_deal(rules, hands)`` returns whether the hands of a sealed table end the
    round at once, so that all of them open.
    """

    opens: Callable[[Any, Any], tuple[int, ...]] = _nothing
    unseal: Callable[[Any, int], Any] = _keep
    needs: Callable[[Any, Any], tuple[int, ...]] = _nothing
    opens_at_deal: Callable[[Any, Sequence[Sequence[Card]]], bool] = _never
    can_be_sealed: bool = False


ALL_OPEN: Final = LaterCards()
"""No card opens after the deal, and no table can be sealed."""
_LAWFUL: Final = (CanonicalError, DealError, EventBytesError, RoundNotOverError, StakesError, UnlawfulEventError)
"""Errors that a law may raise; the interface says where."""
GUARDED: Final = (
    *("check_stakes", "begin", "check", "apply", "clock", "check_closing", "settle", "minimum_seen"),
    *("fault_kind", "groups", "encode_results"),
)
"""Functions of a law that raise LawError for a defect; so do those of ``lead`` and ``later``."""
GroupT = TypeVar("GroupT", LaterCards, Leading)


@dataclass(frozen=True, kw_only=True)
class Game(Generic[RulesT, StateT, EventT, OutcomeT]):
    """The law of one game. Fields with a default are for games with a leader, later cards or stakes of each seat.

    A function may raise the errors named here and CanonicalError. Any other exception is a defect, which callers get as
    a LawError.

    - ``name`` begins the ids of its rulesets, ``title`` is its name for people; the package ``data`` has the ruleset
      files ``<name>.*.toml`` and the words for codes in ``texts/<name>.toml``.
    - ``event_type`` is the union of its events, ``max_events`` the largest number of events that a round can have.
    - ``layout(seat_count)`` is the layout of a round (ValueError for a number that the deck does not allow).
    - ``check_stakes(rules, *, seat_count, stake, seat_stakes, bet_unit)`` returns all faults; ``begin`` raises
      StakesError for them and DealError for the deal. ``seat_stake_names`` names the bet and the side bet of a seat;
      empty where all play for the table's stake.
    - ``check`` returns all faults at once, warnings included; ``apply`` raises UnlawfulEventError if any of them is not
      a warning. ``fault_kind(code)`` is the kind of a fault.
    - ``clock(state)`` is the clock by which a TIMEOUT is judged, None if no clock runs. ``minimum_seen(state, event)``
      is the number of the newest event that the acting player must have seen, 0 for the deal.
    - ``check_closing(state, time)`` returns the faults that keep the round from being settled at a time. ``settle``
      needs that there are none and that every card is open (DealError otherwise). ``encode_results`` returns the
      transcript's results without ``events_hash``.
    - ``lead`` is set in a game with a leader: its ``begin`` needs ``DealtRound.leader``. ``later`` is about cards that
      open after the deal.
    - ``groups(record)`` are the groups of cards in the record of an event or of a seat's results; ``questions`` are
      the measures of hands for an audit's statistics.
    """

    name: str
    title: str
    rules_type: type[RulesT]
    event_type: Any
    max_events: int
    layout: Callable[[int], Layout]
    check_stakes: Callable[..., tuple[Violation, ...]]
    begin: Callable[[RulesT, DealtRound], StateT]
    check: Callable[[StateT, EventT], tuple[Violation, ...]]
    apply: Callable[[StateT, EventT], StateT]
    clock: Callable[[StateT], Clock | None]
    check_closing: Callable[[StateT, int], tuple[Violation, ...]]
    settle: Callable[[StateT], OutcomeT]
    encode_results: Callable[[StateT, OutcomeT], Mapping[str, ResultValue]]
    minimum_seen: Callable[[StateT, EventT], int] = _the_deal
    fault_kind: Callable[[str], FaultKind] = rule_fault
    groups: Groups = no_groups
    seat_stake_names: tuple[str, ...] = ()
    lead: Leading | None = None
    later: LaterCards = ALL_OPEN
    questions: Questions | None = None
    data: str = "referee.rulesets"

    def __post_init__(self) -> None:
        for name in GUARDED:
            object.__setattr__(self, name, self._guarded(getattr(self, name), name))
        object.__setattr__(self, "later", self._guarded_group(self.later))
        if self.lead is not None:
            object.__setattr__(self, "lead", self._guarded_group(self.lead))

    @cached_property
    def events(self) -> EventCodec[EventT]:
        """Events as canonical JSON."""
        return EventCodec(self.event_type, game=self.name, title=self.title)

    def _guarded(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        return guarded(function, game=self.name, name=name, lawful=_LAWFUL)

    def _guarded_group(self, group: GroupT) -> GroupT:
        members: dict[str, Any] = {field.name: getattr(group, field.name) for field in fields(group)}
        functions = {name: self._guarded(member, name) for name, member in members.items() if callable(member)}
        return replace(group, **(members | functions))


AnyGame: TypeAlias = Game[Any, Any, Any, Any]
"""A game as generic code uses it."""


class Played(NamedTuple):
    """A round played up to its first unlawful event.

    ``refused_event`` is the number (from 1) of the unlawful event, 0 where all are lawful.
    """

    state: Any
    violations: tuple[Violation, ...] = ()
    refused_event: int = 0


def play(game: AnyGame, state: State, events: Sequence[Event]) -> Played:
    """Apply events in their order, up to the first unlawful one. Sections open at the time of the event, not later."""
    for number, event in enumerate(events, start=1):
        try:
            state = game.apply(state, event)
        except UnlawfulEventError as error:
            return Played(state, error.violations, number)
    return Played(state)


def refusals(game: AnyGame, violations: Sequence[Violation]) -> tuple[Violation, ...]:
    """Return the violations that refuse an event; the others only warn."""
    return tuple([violation for violation in violations if game.fault_kind(violation.code) is not FaultKind.WARNING])
