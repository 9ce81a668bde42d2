"""Counts over all rounds of a log: its decks, hands and wins.

Memory holds for each table its latest deck and a few numbers for each number of seats, and for the whole log a table of
52 by 52 cells and three sums. Here a seat is a place at a table; ``owners`` counts by the owners of seats.
``questions`` asks statistical questions about these counts.

>>> population = LogCounts()
>>> for number in range(2):
...     deck = bytes(range(1, 53))
...     population.add(RoundSample(table_id="a", game="tien_len", seat_count=4, leaf_index=number, deck=deck))
>>> population.decks, population.kept_places
(2, Run(draws=1, total=52))
"""

from collections import Counter
from dataclasses import dataclass, field
from operator import add
from typing import Final

import msgspec

from referee.suspicion.chance import CARDS

_TOGETHER: Final = 512
"""Decks whose cards are counted at once, which is faster."""
_SUCCESSORS: Final = bytes(range(1, 256)).ljust(256, b"\0")
"""Translation of each card's number to the next number; card 52 becomes 53, which is no card."""


class RoundSample(msgspec.Struct, frozen=True, kw_only=True):
    """Data of one round for the statistics.

    ``deck`` has the numbers of all 52 cards in the order dealt; it is empty if the deck was not dealt again. ``shown``
    is a hash of the cards of all hands and boards in that order, from the settlement or dealt again, and
    ``shown_count`` the number of these cards. ``points``, ``leads`` and ``outcomes`` are the answers of the game's
    questions by seat; they are empty without a deck, and ``outcomes`` of a deck that was kept as well. ``handed_in``
    are the seats whose seeds the log lacks and people handed in; a deck known only by them gives these answers, and
    ``deck`` is empty.

    ``keys`` are the seats' keys, empty for a seat without a key, ``blamed`` the seats whose missing seed an ABORT
    names. ``winner`` is the seat with the highest net amount of a recomputed settlement, None in a tie. ``is_ended``
    says that the round was settled or aborted, ``is_seeded`` that a seat's seed was received, ``is_unopened`` that it
    was settled although a seat did not open the arrangement that it had committed to, ``is_lapsed`` that its deadline
    has passed and it has not ended.
    """

    table_id: str
    game: str
    seat_count: int
    leaf_index: int
    is_ended: bool = False
    is_aborted: bool = False
    is_seeded: bool = False
    is_unopened: bool = False
    is_lapsed: bool = False
    keys: tuple[bytes, ...] = ()
    blamed: tuple[int, ...] = ()
    handed_in: tuple[int, ...] = ()
    deck: bytes = b""
    shown: bytes = b""
    shown_count: int = 0
    points: tuple[int, ...] = ()
    leads: tuple[int, ...] = ()
    outcomes: tuple[int, ...] = ()
    winner: int | None = None


@dataclass(slots=True)
class Run:
    """Number and sum of draws from one distribution."""

    draws: int = 0
    total: int = 0

    def add(self, value: int) -> None:
        """Add a draw."""
        self.draws += 1
        self.total += value


@dataclass(slots=True)
class SeatCounts:
    """Counts of one table, game and number of seats; each list is by seat, and empty until its first count.

    ``ahead`` and ``behind`` count hands better and worse than the house's. ``best`` counts the rounds in which the seat
    was dealt more points than every other seat, ``won`` the settlements in which it won more than every other seat.
    """

    ahead: list[int] = field(default_factory=list)
    behind: list[int] = field(default_factory=list)
    best: list[int] = field(default_factory=list)
    won: list[int] = field(default_factory=list)

    def add_cards(self, other: "SeatCounts") -> None:
        """Add the counts of dealt hands of another object; leave out ``won``."""
        for mine, theirs in ((self.ahead, other.ahead), (self.behind, other.behind), (self.best, other.best)):
            for seat, value in enumerate(theirs):
                _count(mine, seat, len(theirs), by=value)


class LogCounts:
    """Counts of a log's rounds.

    ``decks`` is the number of decks. ``kept_places`` sums the cards of a deck at the same place as in the table's
    previous deck, ``kept_neighbours`` the cards after the same card as in the previous deck, ``new_neighbours`` the
    cards after the card before them in an unshuffled deck. ``shown`` counts rounds by the number of their cards shown.
    """

    def __init__(self) -> None:
        self.decks = 0
        self._cells: Final = [[0] * (CARDS + 1) for _ in range(CARDS)]
        self._uncounted: Final = bytearray()
        """Decks that are not counted in the cells yet, 52 bytes each."""
        self.kept_places: Final = Run()
        self.kept_neighbours: Final = Run()
        self.new_neighbours: Final = Run()
        self.shown: Final[Counter[int]] = Counter()
        self.seats: Final[dict[tuple[str, str, int], SeatCounts]] = {}
        self._last: Final[dict[str, bytes]] = {}

    @property
    def cells(self) -> list[list[int]]:
        """Number of decks by place and by the card's number there; number 0 is no card."""
        self._count_cells()
        return self._cells

    def add(self, sample: RoundSample) -> None:
        """Add a round."""
        key = (sample.table_id, sample.game, sample.seat_count)
        seats = self.seats.get(key)
        if seats is None:
            seats = self.seats[key] = SeatCounts()
        if sample.shown_count:
            self.shown[sample.shown_count] += 1
        if sample.deck:
            self._add_deck(sample)
            _add_hands(seats, sample)
        if sample.winner is not None:
            _count(seats.won, sample.winner, sample.seat_count)

    def _add_deck(self, sample: RoundSample) -> None:
        deck = sample.deck
        self.decks += 1
        self._uncounted.extend(deck)
        if len(self._uncounted) == _TOGETHER * CARDS:
            self._count_cells()
        self.new_neighbours.add(_equal(deck[:-1].translate(_SUCCESSORS), deck[1:]))
        before = self._last.get(sample.table_id)
        if before is not None:
            self.kept_places.add(_equal(before, deck))
            # the last card of the previous deck has no follower: it is translated to itself, and no card follows itself
            followed = bytes.maketrans(before[:-1], before[1:])
            self.kept_neighbours.add(_equal(deck[:-1].translate(followed), deck[1:]))
        self._last[sample.table_id] = deck

    def _count_cells(self) -> None:
        if not self._uncounted:
            return
        for place, row in enumerate(self._cells):
            row[:] = map(add, row, map(self._uncounted[place::CARDS].count, range(CARDS + 1)))
        self._uncounted.clear()


def _equal(some: bytes, others: bytes) -> int:
    """Count the places at which two byte strings of the same length have the same byte."""
    differing = int.from_bytes(some, "big") ^ int.from_bytes(others, "big")
    return differing.to_bytes(len(some), "big").count(0)


def _add_hands(seats: SeatCounts, sample: RoundSample) -> None:
    most = max(sample.points, default=0)
    if sample.seat_count > 1 and sample.points.count(most) == 1:
        _count(seats.best, sample.points.index(most), sample.seat_count)
    for seat, lead in enumerate(sample.leads):
        if lead:
            _count(seats.ahead if lead > 0 else seats.behind, seat, sample.seat_count)


def _count(numbers: list[int], seat: int, seat_count: int, *, by: int = 1) -> None:
    if not numbers:
        numbers.extend([0] * seat_count)
    numbers[seat] += by
