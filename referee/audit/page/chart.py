"""Data of the page's charts: bars, curves, cells and dots in the units of their drawings.

A cell is one card at one place of the deck. Curves are exact: the binomial distribution of a cell, bar by bar. Bounds
are the counts from which the audit reports a cell, so a bar beyond a bound is a finding.

>>> chart = histogram([[2] * 52] * 52, decks=104)
>>> [(one.first, one.last, one.cells) for one in chart.bars if one.cells]
[(2, 2, 2704)]
"""

import itertools
import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from referee.suspicion.answers import Answers
from referee.suspicion.chance import CARDS, log_at_least, log_at_most, log_choose
from referee.suspicion.score import FAIL_RATE, Measure, QuestionKind, Score

_SHARE: Final = Fraction(1, CARDS)
_BARS: Final = 3
"""Bars per standard deviation, if counts are large enough."""
_LEVELS: Final = (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)
"""Standard deviations between the shades of the table of cells."""
_WIDTH: Final = 590
_HEIGHT: Final = 215
_LINES: Final = 6
"""Lines of the axis of e-values, about."""
MAX_DEVIATION: Final = 12.0
"""Standard deviations at the ends of the drawing with a dot for each seat."""


@dataclass(frozen=True, slots=True)
class Bar:
    """Number of cells with counts from ``first`` to ``last`` inclusive, and the number expected of a fair shuffle."""

    first: int
    last: int
    cells: int
    expected: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Cells by the number of decks with the cell's card at its place: adjoining bars in order, the mean, the bounds.

    ``low`` is the largest count that is reported as too small, None if even 0 is not. ``high`` is the smallest count
    that is reported as too large.
    """

    bars: tuple[Bar, ...]
    mean: float
    low: int | None
    high: int

    @property
    def highest(self) -> float:
        """Largest number of cells of a bar, counted or expected."""
        return max(max(one.cells, one.expected) for one in self.bars)

    @property
    def start(self) -> int:
        """Count at the left end."""
        return self.bars[0].first

    @property
    def stop(self) -> int:
        """Count after the right end."""
        return self.bars[-1].last + 1


def histogram(places: Sequence[Sequence[int]], *, decks: int) -> Histogram:
    """Make the histogram of a table of cards by place, rows by place, over one or more decks."""
    mean = decks / CARDS
    spread = math.sqrt(mean * (1 - 1 / CARDS))
    low, high = _bounds(decks)
    seen = Counter(count for row in places for count in row)
    width = max(1, round(spread / _BARS))
    start = max(0, min(max(low, 0), *seen) - width)
    stop = max(high, *seen) + 2 * width
    expected = _chances(decks, range(start, stop + width))
    bars = tuple(
        [
            Bar(
                first,
                first + width - 1,
                sum(seen[count] for count in range(first, first + width)),
                CARDS * CARDS * sum(expected[count - start] for count in range(first, first + width)),
            )
            for first in range(start, stop, width)
        ]
    )
    return Histogram(bars=bars, mean=mean, low=None if low < 0 else low, high=high)


def shades(places: Sequence[Sequence[int]], *, decks: int) -> tuple[str, ...]:
    """Return the SVG path of the cells of each of seven shades, from few decks to many, in a drawing of 52 by 52."""
    mean = decks / CARDS
    spread = math.sqrt(mean * (1 - 1 / CARDS))
    paths: list[list[str]] = [[] for _ in range(len(_LEVELS) + 1)]
    for place, row in enumerate(places):
        for card, count in enumerate(row):
            level = sum((count - mean) / spread > limit for limit in _LEVELS)
            paths[level].append(f"M{card} {place}h1v1h-1z")
    return tuple(["".join(path) for path in paths])


@dataclass(frozen=True, slots=True)
class Dot:
    """A score's place on an axis from -1 to 1, and whether the score itself lies beyond an end."""

    score: Score
    at: float
    is_beyond: bool


def dots(scores: Iterable[Score], *measures: Measure) -> tuple[Dot, ...]:
    """Return a dot for each score of these measures, placed by its deviation as a share of ``MAX_DEVIATION``."""
    return tuple(
        [
            Dot(one, max(-1.0, min(1.0, one.deviation / MAX_DEVIATION)), abs(one.deviation) > MAX_DEVIATION)
            for one in scores
            if one.subject.measure in measures
        ]
    )


@dataclass(frozen=True, slots=True)
class Growth:
    """E-values over rounds, in powers of 10: the points of a line for each answer, the axis and the lowest bound."""

    paths: tuple[str, ...]
    powers: tuple[int, ...]
    bound: float

    @classmethod
    def of(cls, answers: Answers) -> "Growth":
        """Draw the answers of an audit."""
        drawn = [(0.0, *one.path) for one in answers.answers if one.path]
        bound = min(answers.needed.values(), default=0.0)
        lowest = math.floor(min(itertools.chain.from_iterable(drawn), default=0.0))
        highest = math.ceil(max([bound, *itertools.chain.from_iterable(drawn)])) + 1
        step = max(1, (highest - lowest) // _LINES)
        growth = cls((), tuple(range(lowest, highest + step, step)), bound)
        paths = tuple(
            [
                " ".join(
                    f"{40 + _WIDTH * place / (len(path) - 1):.1f},{growth.height(power)}"
                    for place, power in enumerate(path)
                )
                for path in drawn
            ]
        )
        return cls(paths, growth.powers, bound)

    def height(self, power: float) -> float:
        """Return the height of a power in the drawing, from the top."""
        return round(225 - _HEIGHT * (power - self.powers[0]) / (self.powers[-1] - self.powers[0]), 1)


def _bounds(decks: int) -> tuple[int, int]:
    """Return the largest count reported as too small, -1 if even 0 is not, and the smallest reported as too large."""
    level = math.log(FAIL_RATE / (len(QuestionKind) * (2 * CARDS * CARDS + 1)))
    mean = decks // CARDS
    high = bisect_left(
        range(decks + 1), x=True, lo=mean + 1, key=lambda count: log_at_least(decks, count, share=_SHARE) <= level
    )
    low = bisect_left(range(mean), x=True, key=lambda count: log_at_most(decks, count, share=_SHARE) > level)
    return low - 1, high


def _chances(decks: int, counts: range) -> list[float]:
    """Return the probability of each of these counts for a cell."""
    log_share, log_rest = math.log(1 / CARDS), math.log1p(-1 / CARDS)
    return [
        math.exp(log_choose(decks, count) + count * log_share + (decks - count) * log_rest) if count <= decks else 0.0
        for count in counts
    ]
