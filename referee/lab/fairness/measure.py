"""Measures: quantities counted in every deck, and the distance of the counts from their exact distribution.

Counts are whole numbers that add up over batches, so any number of processes gives the same counts, and memory does not
grow with the number of decks. The p-value depends on the counts and the number of decks alone; it is zero if an outcome
happened that has no cases. Outcomes expected fewer than 25 times are judged together, since chi-square holds for large
counts only.

>>> import numpy as np
>>> coin = Spread("coin", (1, 1), lambda decks: decks.cards[0] & 1)
>>> [round(coin.judge(np.array([heads, 10_000 - heads]), decks=10_000).p_value, 4) for heads in (5_000, 5_200)]
[1.0, 0.0001]
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from referee.lab.fairness.decks import Decks, Integers
from referee.lab.fairness.law import Law
from referee.lab.fairness.tail import binomial_two_sided, chi_square_p_value

FEWEST_EXPECTED: Final = 25

Observation = Callable[[Decks], npt.NDArray[np.integer]]
"""Function that returns the index of each deck's outcome."""

Question = Callable[[Decks], npt.NDArray[np.bool_]]
"""Function that returns for each deck whether it shows a pattern."""


class Judgement(msgspec.Struct, frozen=True):
    """Result of a measure: a statistic, its expected value, and the chance of a statistic at least as far from it."""

    statistic: float
    expected: float
    p_value: float


class FairnessMeasure(Protocol):
    """Interface of a measure."""

    @property
    def name(self) -> str:
        """Name of the measure in the report."""

    def count(self, decks: Decks) -> Integers:
        """Count in decks; the counts of several calls may be added."""

    def judge(self, counts: Integers, *, decks: int) -> Judgement:
        """Judge the counts of ``decks`` decks."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A measure with several outcomes, judged by chi-square."""

    name: str
    law: Law
    observe: Observation

    def count(self, decks: Decks) -> Integers:
        """Count the decks with each outcome."""
        return np.bincount(self.observe(decks), minlength=len(self.law)).astype(np.int64)

    def judge(self, counts: Integers, *, decks: int) -> Judgement:
        """Judge by chi-square over the outcomes; rare outcomes count as one."""
        return chi_square(counts.tolist(), self.law, decks=decks)


@dataclass(frozen=True, slots=True)
class Rate:
    """A pattern that a deck shows with chance ``cases / of``, judged by the exact binomial tail."""

    name: str
    cases: int
    of: int
    ask: Question

    def count(self, decks: Decks) -> Integers:
        """Count the decks that show the pattern."""
        return np.array([np.count_nonzero(self.ask(decks))], dtype=np.int64)

    def judge(self, counts: Integers, *, decks: int) -> Judgement:
        """Judge the number of decks that show the pattern."""
        chance, found = self.cases / self.of, int(counts[0])
        p_value = binomial_two_sided(found, trials=decks, chance=chance)
        return Judgement(statistic=found, expected=decks * chance, p_value=p_value)


def chi_square(counts: Sequence[int], law: Law, *, decks: int) -> Judgement:
    """Compute Pearson's chi-square; its expected value is the degrees of freedom."""
    total = sum(law)
    if any(count and not weight for count, weight in zip(counts, law, strict=True)):
        return Judgement(statistic=float(decks), expected=0.0, p_value=0.0)
    expected = [decks * weight / total for weight in law]
    cells = pooled(list(zip(counts, expected, strict=True)))
    statistic = sum((found - ordinary) ** 2 / ordinary for found, ordinary in cells)
    degrees = len(cells) - 1
    p_value = chi_square_p_value(statistic, degrees=degrees) if degrees else 1.0
    return Judgement(statistic=statistic, expected=degrees, p_value=p_value)


def pooled(cells: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Replace the rarest outcomes by their sum, of which at least 25 are expected if there are enough outcomes.

    Each cell has the number found and the number expected.
    """
    rare_found, rare_expected = 0, 0.0
    kept: list[tuple[int, float]] = []
    for found, expected in sorted(cells, key=lambda cell: cell[1]):
        if expected < FEWEST_EXPECTED or 0 < rare_expected < FEWEST_EXPECTED:
            rare_found, rare_expected = rare_found + found, rare_expected + expected
        else:
            kept.append((found, expected))
    return [(rare_found, rare_expected), *kept] if rare_expected else kept
