"""Counts over all rounds of a log: its decks, hands and wins.

A table has one deck in memory, the latest, and a few numbers for each number of seats it was played with; the whole log
has a table of 52 by 52 and three sums. Seats are places at a table; ``owners`` counts by who sits there. ``questions``
asks what the numbers mean.

>>> population = Population()
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
"""Decks whose cards are counted together."""
_SUCCESSORS: Final = bytes(range(1, 256)).ljust(256, b"\0")
"""For each card's number the next one; 53 is no card."""


class RoundSample(msgspec.Struct, frozen=True, kw_only=True):
    """A round as the statistics see it.

    ``deck`` has the numbers of all 52 cards in the order dealt, empty if they were not dealt again; ``shown`` is a
    hash of the cards of all hands and boards in that order, dealt again or as settled, and ``shown_count`` their
    number. ``points`` and ``leads`` are the answers of the game's questions by seat, empty without a deck, and
    ``outcomes`` of a deck that was given up. A deck that only a seed in ``handed_in``, the seats of seeds that the log
    lacks, made known has these answers and no ``deck``. ``keys`` are the seats' keys, empty for a seat without one,
    ``blamed`` the seats whose missing seed an ABORT names, ``winner`` the one seat with the highest net amount in a
    settlement that was replayed. ``is_ended`` says that the round was settled or aborted, ``is_seeded`` that a seat's
    seed was received, ``is_unopened`` that it was settled although a seat did not open what it had committed to.
    """

    table_id: str
    game: str
    seat_count: int
    leaf_index: int
    is_ended: bool = False
    is_aborted: bool = False
    is_seeded: bool = False
    is_unopened: bool = False
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
    """Sum of draws from one distribution."""

    draws: int = 0
    total: int = 0

    def add(self, value: int) -> None:
        """Add a draw."""
        self.draws += 1
        self.total += value


@dataclass(slots=True)
class SeatCounts:
    """Counts of a table, game and number of seats; each list is by seat, empty until something is counted in it.

    Against the house, ``ahead`` and ``behind`` count better and worse hands. ``best`` counts the rounds in which the
    seat alone was dealt the most points, ``won`` the settlements in which it won more than every other.
    """

    ahead: list[int] = field(default_factory=list)
    behind: list[int] = field(default_factory=list)
    best: list[int] = field(default_factory=list)
    won: list[int] = field(default_factory=list)

    def add_cards(self, other: "SeatCounts") -> None:
        """Add the other's counts of cards, without results."""
        for mine, theirs in ((self.ahead, other.ahead), (self.behind, other.behind), (self.best, other.best)):
            for seat, value in enumerate(theirs):
                _count(mine, seat, len(theirs), by=value)


class Population:
    """Counts of a log's rounds.

    ``decks`` is the number of decks. ``kept_places`` sums how many cards of a deck lay at the place they had in the
    table's deck before, ``kept_neighbours`` how many followed the card they followed there, ``new_neighbours`` how many
    followed the card they follow in a new deck. ``shown`` counts rounds by how many of their cards were shown.
    """

    def __init__(self) -> None:
        self.decks = 0
        self._cells: Final = [[0] * (CARDS + 1) for _ in range(CARDS)]
        self._uncounted: Final = bytearray()
        """Decks that are not in the cells yet, one after the other."""
        self.kept_places: Final = Run()
        self.kept_neighbours: Final = Run()
        self.new_neighbours: Final = Run()
        self.shown: Final[Counter[int]] = Counter()
        self.seats: Final[dict[tuple[str, str, int], SeatCounts]] = {}
        self._last: Final[dict[str, bytes]] = {}

    @property
    def cells(self) -> list[list[int]]:
        """For each place of the deck how often each card was there, by its number."""
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
            # the last card of the deck before has no follower: the table leaves it itself, which never follows itself
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
    """Count the places at which two strings of one length have the same byte."""
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
