"""A measure: something counted in every deck, and how far the counts lie from what is known beforehand.

The law: a measure's counts are whole numbers that add up over batches, so that any number of processes count alike and
memory does not grow with decks. Its judgement depends on the counts and the number of decks alone and is a p-value.
Where a law gives an outcome no case and it happened, p is zero. Outcomes expected fewer than 25 times are
judged together, as chi-square holds for large counts only. A measure does not know thresholds or other measures.

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

from referee.fairness.decks import Decks
from referee.fairness.hand import Integers
from referee.fairness.law import Law
from referee.fairness.tail import binomial_two_sided, chi_square_p_value

FEWEST_EXPECTED: Final = 25

Observation = Callable[[Decks], npt.NDArray[np.integer]]
"""For each deck the outcome that it shows."""

Question = Callable[[Decks], npt.NDArray[np.bool_]]
"""For each deck whether it shows something."""


class Judgement(msgspec.Struct, frozen=True):
    """What a measure found: a statistic, what would be ordinary for it, and the chance to lie so far out."""

    statistic: float
    expected: float
    p_value: float


class Measure(Protocol):
    """What every measure has."""

    @property
    def name(self) -> str:
        """What is measured, as the report says it."""

    @property
    def cells(self) -> int:
        """How many counts it keeps."""

    def count(self, decks: Decks) -> Integers:
        """The counts of some decks."""

    def judge(self, counts: Integers, *, decks: int) -> Judgement:
        """How far out the counts of so many decks lie."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Every deck shows one of several outcomes: chi-square against how often each should."""

    name: str
    law: Law
    observe: Observation

    @property
    def cells(self) -> int:
        """One count an outcome."""
        return len(self.law)

    def count(self, decks: Decks) -> Integers:
        """How many decks show each outcome."""
        return np.bincount(self.observe(decks), minlength=self.cells).astype(np.int64)

    def judge(self, counts: Integers, *, decks: int) -> Judgement:
        """Chi-square over the outcomes, with the rare ones as one."""
        return chi_square([int(count) for count in counts], self.law, decks=decks)


@dataclass(frozen=True, slots=True)
class Rate:
    """Every deck shows something or does not: the exact binomial tail of how many do."""

    name: str
    cases: int
    of: int
    ask: Question

    @property
    def cells(self) -> int:
        """One count."""
        return 1

    def count(self, decks: Decks) -> Integers:
        """How many decks show it."""
        return np.array([np.count_nonzero(self.ask(decks))], dtype=np.int64)

    def judge(self, counts: Integers, *, decks: int) -> Judgement:
        """The statistic is how many decks show it."""
        chance, found = self.cases / self.of, int(counts[0])
        p_value = binomial_two_sided(found, trials=decks, chance=chance)
        return Judgement(statistic=found, expected=decks * chance, p_value=p_value)


def chi_square(counts: Sequence[int], law: Law, *, decks: int) -> Judgement:
    """Pearson's chi-square; what is expected is its degrees of freedom."""
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
    """Found and expected, with the rarest outcomes added up until at least 25 are expected of them."""
    rare_found, rare_expected = 0, 0.0
    kept: list[tuple[int, float]] = []
    for found, expected in sorted(cells, key=lambda cell: cell[1]):
        if expected < FEWEST_EXPECTED or 0 < rare_expected < FEWEST_EXPECTED:
            rare_found, rare_expected = rare_found + found, rare_expected + expected
        else:
            kept.append((found, expected))
    return [(rare_found, rare_expected), *kept] if rare_expected else kept
