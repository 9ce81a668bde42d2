"""The population of a log: its decks, hands, aborts and wins, counted while rounds go by.

The law: what is counted of a table is one deck, the latest, and a few numbers for each number of seats it was played
with, however many rounds there are; of the whole log it is a table of 52 by 52 and three sums. ``inquiry`` asks what
the numbers mean. Seats are places at a table: who sits there is not known to a log.

It refuses to know leaves, the time, and what is likely.

>>> population = Population()
>>> for number in range(2):
...     population.add(Drawn(table_id="a", game="tien_len", seat_count=4, leaf_index=number, deck=bytes(range(1, 53))))
>>> population.decks, population.kept_places
(2, Run(draws=1, total=52))
"""

from collections import Counter
from dataclasses import dataclass, field
from operator import eq
from typing import Final

from referee.audit.chance import CARDS
from referee.audit.drawn import Drawn
from referee.audit.exchange import Exchange
from referee.audit.quality import has_points

_SUCCESSORS: Final = bytes(range(1, 256)).ljust(256, b"\0")
"""For each card's number the next one's; 53 is no card's."""


@dataclass(slots=True)
class Run:
    """A sum of draws from one distribution."""

    draws: int = 0
    total: int = 0

    def add(self, value: int) -> None:
        """One more draw."""
        self.draws += 1
        self.total += value


@dataclass(slots=True)
class SeatCounts:
    """What is counted of a table, game and number of seats, each list by seat, empty until something is counted in it.

    ``aborted`` are the points in rounds aborted after the deal, None before the first. Against the house, ``ahead`` and
    ``behind`` count better and worse hands, in all rounds and in aborted ones. ``best`` counts the
    rounds in which the seat alone was dealt the most points, ``blamed`` the aborts that name it, ``won`` the
    settlements in which it has more than every other.
    """

    aborted: Exchange | None = None
    aborted_ahead: list[int] = field(default_factory=list)
    aborted_behind: list[int] = field(default_factory=list)
    ahead: list[int] = field(default_factory=list)
    behind: list[int] = field(default_factory=list)
    best: list[int] = field(default_factory=list)
    blamed: list[int] = field(default_factory=list)
    won: list[int] = field(default_factory=list)

    def add_cards(self, other: "SeatCounts") -> None:
        """What was counted of the other's cards is counted here too; blame and results are not."""
        if other.aborted is not None:
            if self.aborted is None:
                self.aborted = Exchange(other.aborted.seat_count)
            self.aborted.merge(other.aborted)
        for mine, theirs in (
            (self.aborted_ahead, other.aborted_ahead),
            (self.aborted_behind, other.aborted_behind),
            (self.ahead, other.ahead),
            (self.behind, other.behind),
            (self.best, other.best),
        ):
            for seat, value in enumerate(theirs):
                _count(mine, seat, len(theirs), by=value)


class Population:
    """All that is counted of a log's rounds.

    ``cells`` has for each place of the deck how often each card, by its number, was there among ``decks``.
    ``kept_places`` sums how many cards of a deck lay at the place they had in the table's deck before,
    ``kept_neighbours`` how many followed the card they followed there, ``new_neighbours`` how many followed the card
    they follow in a new deck. ``shown`` counts rounds by how many of their cards were shown.
    """

    def __init__(self) -> None:
        self.decks = 0
        self.cells: Final = [[0] * (CARDS + 1) for _ in range(CARDS)]
        self.kept_places: Final = Run()
        self.kept_neighbours: Final = Run()
        self.new_neighbours: Final = Run()
        self.shown: Final[Counter[int]] = Counter()
        self.seats: Final[dict[tuple[str, str, int], SeatCounts]] = {}
        self._last: Final[dict[str, bytes]] = {}

    def add(self, drawn: Drawn) -> None:
        """One more round."""
        key = (drawn.table_id, drawn.game, drawn.seat_count)
        seats = self.seats.get(key)
        if seats is None:
            seats = self.seats[key] = SeatCounts()
        if drawn.shown_count:
            self.shown[drawn.shown_count] += 1
        if drawn.deck:
            self._add_deck(drawn)
        if drawn.quality:
            if has_points(drawn.game):
                _add_points(seats, drawn)
            else:
                _add_leads(seats, drawn)
        if drawn.culprit is not None:
            _count(seats.blamed, drawn.culprit, drawn.seat_count)
        if drawn.winner is not None:
            _count(seats.won, drawn.winner, drawn.seat_count)

    def _add_deck(self, drawn: Drawn) -> None:
        deck = drawn.deck
        self.decks += 1
        for row, number in zip(self.cells, deck, strict=True):
            row[number] += 1
        self.new_neighbours.add(sum(map(eq, deck[:-1].translate(_SUCCESSORS), deck[1:])))
        before = self._last.get(drawn.table_id)
        if before is not None:
            self.kept_places.add(sum(map(eq, before, deck)))
            # the last card of the deck before has no follower: the table leaves it itself, which never follows itself
            followed = bytes.maketrans(before[:-1], before[1:])
            self.kept_neighbours.add(sum(map(eq, deck[:-1].translate(followed), deck[1:])))
        self._last[drawn.table_id] = deck


def _add_points(seats: SeatCounts, drawn: Drawn) -> None:
    quality = drawn.quality
    most = max(quality)
    if drawn.seat_count > 1 and quality.count(most) == 1:
        _count(seats.best, quality.index(most), drawn.seat_count)
    if drawn.is_aborted:
        if seats.aborted is None:
            seats.aborted = Exchange(drawn.seat_count)
        seats.aborted.add(quality)


def _add_leads(seats: SeatCounts, drawn: Drawn) -> None:
    for seat, lead in enumerate(drawn.quality):
        if lead:
            _count(seats.ahead if lead > 0 else seats.behind, seat, drawn.seat_count)
            if drawn.is_aborted:
                _count(seats.aborted_ahead if lead > 0 else seats.aborted_behind, seat, drawn.seat_count)


def _count(numbers: list[int], seat: int, seat_count: int, *, by: int = 1) -> None:
    if not numbers:
        numbers.extend([0] * seat_count)
    numbers[seat] += by
