"""The interface of a game's law: each game is one value of ``Game``, with the same functions and lifecycle.

A round is ``begin``, then ``apply`` for each lawful event, then ``settle`` once ``check_closing`` has nothing against
it. States are frozen and hold their rules and deal; the same inputs always give the same results. A broken rule is an
answer (``check`` returns violations), an impossible deal an error.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec

from referee.cards import Card, Seat, spell
from referee.evidence.canonical import CanonicalError
from referee.games.fault import FaultKind, rule_fault
from referee.games.groups import Groups, no_groups
from referee.games.law_error import guarded, guarded_reading
from referee.games.layout import Layout
from referee.games.lead import LeaderBy, draw_first, lowest_dealt
from referee.games.questions import Questions
from referee.money import Transfer
from referee.verdict import Violation

Sections: TypeAlias = tuple[tuple[Card, ...] | None, ...]
"""Cards by section of the layout, the stock left out; None for a section that is not open."""

ResultValue: TypeAlias = "str | int | Card | Transfer | Sequence[ResultValue] | Mapping[str, ResultValue]"
"""A member of a transcript's results; a card is written as its number, a transfer with its seats as from and to."""


class SeatLimits(Protocol):
    """Smallest and largest number of seats."""

    @property
    def minimum(self) -> int:
        """Smallest number."""

    @property
    def maximum(self) -> int:
        """Largest number."""


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
    """Rules of one ruleset: a frozen msgspec.Struct without defaults; ValueError where they contradict themselves."""

    @property
    def seats(self) -> SeatLimits:
        """Number of seats a round may have."""

    @property
    def round(self) -> Bounds:
        """Bounds of a round's length."""

    @property
    def payouts(self) -> Sequence[Fraction]:
        """All payouts, in stakes; each times the bet unit is whole."""

    @property
    def named_codes(self) -> Mapping[str, Sequence[str]]:
        """Codes that results can show, by the table of ``[names]`` that names them."""


class Deal(msgspec.Struct, frozen=True, kw_only=True):
    """What a round starts from; ``dealt_time`` in ms since 1970 UTC, ``leader`` and its reason None without a leader.

    ``stake``, ``seat_stakes`` (one tuple a seat, or none) and ``round_id`` are those of the round's header.
    """

    seat_count: int
    stake: int
    sections: Sections
    dealt_time: int
    seat_stakes: tuple[tuple[int, ...], ...] = ()
    bet_unit: int = 1
    leader: Seat | None = None
    leader_by: LeaderBy | None = None
    is_sealed: bool = False
    round_id: bytes = bytes(32)

    @property
    def hands(self) -> Sections:
        """Cards of each seat; None for a hand that is not open."""
        return self.sections[: self.seat_count]


class Clock(NamedTuple):
    """A running clock in milliseconds: the owner's time is up at ``start + limit``; no seat means all that must act.

    ``number`` is the event that started it, 0 where the shuffler did, by the deal or by opening sections.
    """

    start: int
    limit: int
    seat: Seat | None
    number: int = 0

    @property
    def end(self) -> int:
        """First moment that is too late for its owner, and not too early to report that."""
        return self.start + self.limit


class Event(Protocol):
    """Something that happens in a round; ``time`` in milliseconds since 1970 UTC.

    A msgspec.Struct with ``seen`` None by default.
    """

    @property
    def seat(self) -> Seat:
        """Seat that acts."""

    @property
    def time(self) -> int:
        """Time of the event."""

    @property
    def seen(self) -> int | None:
        """Number of the newest event that the player had been shown; None for an event in no seat's chain."""


class State(Protocol):
    """A round after some events: a frozen struct of the game's own."""

    @property
    def deal(self) -> Deal:
        """Deal that the round started from."""

    @property
    def event_count(self) -> int:
        """Number of events so far."""

    @property
    def last_time(self) -> int:
        """Time of the last event, or of the deal or opening after it."""

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
    """An event that breaks a rule was applied; ``violations`` are all that refuse it."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__(", ".join(violation.code for violation in violations))
        self.violations = violations


class StakesError(ValueError):
    """Stakes that no round can start with; ``violations`` say why."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__(", ".join(violation.code for violation in violations))
        self.violations = violations


class DealError(ValueError):
    """Cards, a number of seats or a leader that no round can start from or be settled with."""


class RoundNotOverError(ValueError):
    """A round was to be settled that has not ended."""


class EventBytesError(ValueError):
    """Bytes that are not the canonical text of an event of the game."""


RulesT = TypeVar("RulesT", bound=GameRules)
StateT = TypeVar("StateT", bound=State)
EventT = TypeVar("EventT", bound=Event)
OutcomeT = TypeVar("OutcomeT", bound=Outcome)


def _bounds_of(rules: GameRules) -> RoundBounds:
    return rules.round.bounds


def _keep_clocks(state: StateT, time: int) -> StateT:
    del time
    return state


def _keep_sections(state: StateT, sections: Sections) -> StateT:
    if sections != state.deal.sections:
        msg = "all cards of this game are open from the deal on, so these are of another deal"
        raise DealError(msg)
    return state


def _nothing(*_: object) -> tuple[int, ...]:
    return ()


def _never(*_: object) -> bool:
    return False


def _the_deal(*_: object) -> int:
    return 0


_LAWFUL: Final = (CanonicalError, DealError, EventBytesError, RoundNotOverError, StakesError, UnlawfulEventError)
"""Errors that a law may raise; the interface says where."""
GUARDED: Final = (
    *("check_stakes", "begin", "check", "apply", "clock", "check_closing", "settle", "open_sections", "needs", "opens"),
    *("opens_at_deal", "minimum_seen", "is_imposed", "needs_received", "unseal", "withheld"),
    *("first_leader", "lowest_dealt", "fault_kind", "groups"),
    *("encode_event", "encode_events", "decode_event", "decode_events", "encode_results"),
)
"""Functions of a law that raise LawError for a defect."""


@dataclass(frozen=True, kw_only=True)
class Game(Generic[RulesT, StateT, EventT, OutcomeT]):
    """The law of one game. Fields with a default are for games that are sealed, open cards later or have seat stakes.

    A function that raises anything but the errors named here, or a CanonicalError, has a defect, which callers get as a
    LawError.

    - ``name`` begins the ids of its rulesets, ``title`` is its name for people; the package ``data`` has the ruleset
      files ``<name>.*.toml`` and the words for broken rules in ``texts/<name>.toml``.
    - ``max_events`` bounds a round; ``questions`` are what statistics ask of a hand; ``fault_kind`` is the kind of a
      violation's code. ``groups(record)`` are the cards that the record of an event or of a seat's results shows.
    - ``has_leader``: ``begin`` needs ``Deal.leader``; ``first_leader(rules)`` is why it leads where no winner does,
      ``lowest_dealt(hands)`` the seat with the lowest card in the game's order, by number where the game says none.
    - ``needs_hands``: ``begin`` of an open table needs every hand.
    - ``seat_stake_names`` names the bet and the side bet of a seat; empty where all play for the table's stake.
    - ``layout`` by seat count (ValueError for a number the deck does not allow).
    - ``check_stakes(rules, *, seat_count, stake, seat_stakes, bet_unit)`` returns all faults; ``begin`` raises
      StakesError for them and DealError for the deal.
    - ``check`` returns all faults at once, warnings included; ``apply`` raises UnlawfulEventError unless none refuses.
    - ``open_sections(state, sections)`` is the same state with more cards known; DealError where they are no such deal.
    - ``needs(state, event)`` are the sections that must be open to check the event. ``opens(before, after)`` are those
      that an event opened, in opening order: its receipt names the last. ``opens_at_deal(rules, hands)`` says whether
      the hands of a sealed table end the round at once, so that all of them open.
    - ``unseal(state, time)`` is the state after the shuffler opened, at that time, what the last event opened; no event
      follows before.
    - ``clock`` is what a TIMEOUT appeals to, None where none runs. ``minimum_seen(state, event)`` is the number of the
      newest event that the acting player must have seen, 0 for the deal. ``is_imposed`` marks events that others report
      of a seat. ``needs_received(state, event)`` says whether the referee's clock must give the event's time.
    - ``withheld(state)`` are the seats that did not open in time what they had committed to.
    - ``check_closing(state, time)`` returns what keeps the round from being settled at a time. Where it is empty and
      every card is open (DealError otherwise), ``settle`` settles.
    - ``encode_event`` and ``decode_event(data, *, time, round_id)`` (EventBytesError) are canonical JSON;
      ``encode_events`` and ``decode_events(texts, times, *, round_id)`` do it for many, and the latter raises when the
      first that is refused is asked for; ``encode_results`` gives the transcript's results but ``events_hash``.
    """

    name: str
    title: str
    rules_type: type[RulesT]
    max_events: int
    layout: Callable[[int], Layout]
    check_stakes: Callable[..., tuple[Violation, ...]]
    begin: Callable[[RulesT, Deal], StateT]
    check: Callable[[StateT, EventT], tuple[Violation, ...]]
    apply: Callable[[StateT, EventT], StateT]
    clock: Callable[[StateT], Clock | None]
    check_closing: Callable[[StateT, int], tuple[Violation, ...]]
    settle: Callable[[StateT], OutcomeT]
    encode_event: Callable[[EventT], bytes]
    encode_events: Callable[[Sequence[EventT]], Sequence[bytes]]
    decode_event: Callable[..., EventT]
    decode_events: Callable[..., Iterable[EventT]]
    encode_results: Callable[[StateT, OutcomeT], Mapping[str, ResultValue]]
    can_be_sealed: bool = False
    has_leader: bool = False
    first_leader: Callable[[RulesT], LeaderBy] = draw_first
    lowest_dealt: Callable[[Sequence[Sequence[Card]]], int] = lowest_dealt
    needs_hands: bool = True
    fault_kind: Callable[[str], FaultKind] = rule_fault
    groups: Groups = no_groups
    seat_stake_names: tuple[str, ...] = ()
    round_bounds: Callable[[RulesT], RoundBounds] = _bounds_of
    open_sections: Callable[[StateT, Sections], StateT] = _keep_sections
    needs: Callable[[StateT, EventT], tuple[int, ...]] = _nothing
    opens: Callable[[StateT, StateT], tuple[int, ...]] = _nothing
    opens_at_deal: Callable[[RulesT, Sequence[Sequence[Card]]], bool] = _never
    minimum_seen: Callable[[StateT, EventT], int] = _the_deal
    is_imposed: Callable[[EventT], bool] = _never
    needs_received: Callable[[StateT, EventT], bool] = _never
    unseal: Callable[[StateT, int], StateT] = _keep_clocks
    withheld: Callable[[StateT], tuple[int, ...]] = _nothing
    questions: Questions | None = None
    data: str = "referee.rulesets"

    def __post_init__(self) -> None:
        for name in GUARDED:
            guard = guarded_reading if name == "decode_events" else guarded
            function = guard(getattr(self, name), game=self.name, name=name, lawful=_LAWFUL)
            object.__setattr__(self, name, function)


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
    """Apply events one after the other, up to the first unlawful one; sections open at the time of their event."""
    for number, event in enumerate(events, start=1):
        try:
            state = game.apply(state, event)
        except UnlawfulEventError as error:
            return Played(state, error.violations, number)
    return Played(state)


def refusals(game: AnyGame, violations: Sequence[Violation]) -> tuple[Violation, ...]:
    """Return the violations that refuse an event; the others only warn."""
    if not violations:
        return ()
    return tuple([violation for violation in violations if game.fault_kind(violation.code) is not FaultKind.WARNING])


def check_deal(deal: Deal, layout_of: Callable[[int], Layout], *, seats: SeatLimits) -> None:
    """Raise DealError for a wrong number of seats, sections or cards, or a card that is dealt twice."""
    if not seats.minimum <= deal.seat_count <= seats.maximum:
        msg = f"{deal.seat_count} seats were dealt to; the table has {seats.minimum} to {seats.maximum}"
        raise DealError(msg)
    layout = layout_of(deal.seat_count)
    if len(deal.sections) != len(layout.shown):
        msg = f"the deal has {len(deal.sections)} sections; hands and board are {len(layout.shown)}"
        raise DealError(msg)
    cards: list[Card] = []
    for section, (size, opened) in enumerate(zip(layout.sizes, deal.sections, strict=False)):
        if opened is not None:
            if len(opened) != size:
                msg = f"section {section} has {size} cards, not {len(opened)}: {spell(opened) or 'none'}"
                raise DealError(msg)
            cards += opened
    if len(set(cards)) != len(cards):
        msg = f"dealt more than once: {spell([card for card in dict.fromkeys(cards) if cards.count(card) > 1])}"
        raise DealError(msg)


def open_cards(deal: Deal) -> tuple[tuple[Card, ...], ...]:
    """Return all cards but the stock, by section; raise DealError if a section is not open."""
    opened = tuple([section for section in deal.sections if section is not None])
    if len(opened) != len(deal.sections):
        closed = ", ".join(str(index) for index, section in enumerate(deal.sections) if section is None)
        msg = f"the round cannot be settled; sections that are not open: {closed}"
        raise DealError(msg)
    return opened


def merge_sections(deal: Deal, sections: Sections, layout_of: Callable[[int], Layout], *, seats: SeatLimits) -> Deal:
    """Return the deal with more sections open; raise DealError where they are not of such a deal."""
    if len(sections) != len(deal.sections):
        msg = f"{len(sections)} sections are given; the deal has {len(deal.sections)}"
        raise DealError(msg)
    merged = tuple([known if known is not None else new for known, new in zip(deal.sections, sections, strict=True)])
    opened = msgspec.structs.replace(deal, sections=merged)
    check_deal(opened, layout_of, seats=seats)
    return opened
