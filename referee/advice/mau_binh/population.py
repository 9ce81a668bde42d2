"""Populations: how often players who follow the advice have each strength in each chi, and in all three at once.

A population has a ranking and counts but no prices: values follow from the counts and a ruleset's prices, so one
population serves every ruleset of its ranking.

The file, version 1, can be read in any language: one line of canonical JSON, then the arrays that it lists, without
gaps, little-endian, the last index running fastest.

- ``back``, ``middle`` (7,462 counts) and ``front`` (455), each of 4 bytes: hands by strength, the weakest first.
- ``joint``, counts of 2 bytes: hands by bin of back, middle and front. ``back_bins`` and so on in the first line name
  the strongest strength of each bin. No bin has two categories.

>>> from referee.rulesets import get
>>> ranking = get("mau_binh.classic").rules.ranker
>>> origin = Origin(ruleset_id="x", ruleset_version="1.0.0", ruleset_digest="00" * 32, sweep="NONE", rounds=1, seed=5)
>>> population = HandPopulation.counted(ranking, [(6000, 3000, 400), (6000, 2000, 300)], origin=origin)
>>> population.size, HandPopulation.read(population.to_bytes()) == population
(2, True)
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Self

import msgspec
import numpy as np

from referee.advice.mau_binh.splits import Ints
from referee.evidence import canonical
from referee.evidence.outside import OutsideError, read_json
from referee.hands import Category, Ranking, RankingRules

FORMAT: Final = "referee.mau_binh.population/1"
BINS: Final = 30
"""A bin ends once it has more than one part in this many of the population, and where a category ends."""

_FIVE_CARD_HANDS: Final = 7462
_CHI: Final = ("back", "middle", "front")
_COUNT: Final = "<u4"
_JOINT: Final = "<u2"


class PopulationError(ValueError):
    """Bytes or counts that are no population."""


class Origin(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The source of a population: the ruleset (digest in hexadecimal), the rounds played and the seed.

    ``sweep`` is the kind of the ruleset's sweep, as its file names it.
    """

    ruleset_id: str
    ruleset_version: str
    ruleset_digest: str
    sweep: str
    rounds: int
    seed: int


class _FirstLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The first line of a file."""

    format: str
    origin: Origin
    ranking: RankingRules
    back_bins: tuple[int, ...]
    middle_bins: tuple[int, ...]
    front_bins: tuple[int, ...]

    @property
    def bins(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Bins of back, middle and front."""
        return self.back_bins, self.middle_bins, self.front_bins


@dataclass(frozen=True, slots=True, eq=False)
class HandPopulation:
    """Counts of hands: ``counts`` by chi and strength, from strength 1, ``joint`` by bins of all three chi.

    ``bins`` has for each chi the strongest strength of each bin.
    """

    origin: Origin
    ranking: RankingRules
    bins: tuple[tuple[int, ...], ...]
    counts: tuple[Ints, ...]
    joint: Ints

    @classmethod
    def counted(
        cls,
        ranking: Ranking,
        hands: Sequence[tuple[int, int, int]] | Ints,
        *,
        origin: Origin,
        bins: tuple[tuple[int, ...], ...] = (),
    ) -> Self:
        """Count hands, each given by the strengths of its back, middle and front.

        ``bins`` are chosen so that each has about as many hands if they are not given.
        """
        strengths = np.asarray(hands, dtype=np.int64).reshape(-1, len(_CHI))
        counts = tuple(
            np.bincount(strengths[:, chi] - 1, minlength=len(categories))
            for chi, categories in enumerate(categories_of(ranking))
        )
        bins = bins or tuple(
            _bins_of(categories, count) for categories, count in zip(categories_of(ranking), counts, strict=True)
        )
        at = tuple(np.searchsorted(edges, strengths[:, chi]) for chi, edges in enumerate(bins))
        joint = np.zeros([len(edges) for edges in bins], dtype=np.int64)
        np.add.at(joint, at, 1)
        return cls(origin, ranking.rules, bins, counts, joint)

    @classmethod
    def read(cls, data: bytes) -> Self:
        """Read a file's bytes; raise PopulationError unless they are exactly one population."""
        line, _, rest = data.partition(b"\n")
        try:
            first: _FirstLine = read_json(line, _FirstLine)
        except OutsideError as error:
            raise PopulationError(f"the first line is not that of a population: {error}") from None
        shapes: list[tuple[tuple[int, ...], str]] = [
            ((len(held),), _COUNT) for held in categories_of(Ranking.of(first.ranking))
        ]
        shapes.append((tuple([len(edges) for edges in first.bins]), _JOINT))
        arrays: list[Ints] = []
        for shape, kind in shapes:
            size = int(np.prod(shape)) * np.dtype(kind).itemsize
            if len(rest) < size:
                raise PopulationError(f"the file ends {size - len(rest)} bytes early")
            arrays.append(np.frombuffer(rest[:size], dtype=kind).astype(np.int64).reshape(shape))
            rest = rest[size:]
        made = cls(first.origin, first.ranking, first.bins, tuple(arrays[:3]), arrays[3])
        made.check()
        if first.format != FORMAT or made.to_bytes() != data:
            raise PopulationError(f"the bytes are not the canonical form of {FORMAT}")
        return made

    def check(self) -> None:
        """Verify that bins and counts agree; raise PopulationError otherwise."""
        if self.size == 0:
            raise PopulationError("the population is empty")
        for chi, edges in enumerate(self.bins):
            count = self.counts[chi]
            others = tuple(axis for axis in range(len(_CHI)) if axis != chi)
            if list(edges) != sorted(set(edges)) or edges[0] < 1 or edges[-1] != len(count):
                raise PopulationError(f"the bins of the {_CHI[chi]} do not cover its strengths")
            if not np.array_equal(_sums(count, edges), self.joint.sum(axis=others)):
                raise PopulationError(f"the counts of the {_CHI[chi]} are not the sums of the joint counts")

    def to_bytes(self) -> bytes:
        """Encode the file; raise PopulationError if a count is too large for it."""
        if max(int(count.max()) for count in self.counts) > np.iinfo(_COUNT).max:
            raise PopulationError("too many hands for the counts' four bytes")
        if int(self.joint.max()) > np.iinfo(_JOINT).max:
            raise PopulationError("too many hands for the joint counts' two bytes; learn from fewer rounds")
        first = _FirstLine(
            format=FORMAT,
            origin=self.origin,
            ranking=self.ranking,
            back_bins=self.bins[0],
            middle_bins=self.bins[1],
            front_bins=self.bins[2],
        )
        arrays = [count.astype(_COUNT).tobytes() for count in self.counts]
        line = canonical.encode(msgspec.to_builtins(first))
        return b"".join([line, b"\n", *arrays, self.joint.astype(_JOINT).tobytes()])

    @property
    def size(self) -> int:
        """Number of hands counted."""
        return int(self.joint.sum())

    @property
    def digest(self) -> bytes:
        """SHA-256 of the file."""
        return hashlib.sha256(self.to_bytes()).digest()

    def of_bin(self, chi: int) -> Ints:
        """Return the bin of each strength of a chi (0 back, 1 middle, 2 front), from strength 1."""
        edges = self.bins[chi]
        return np.searchsorted(edges, np.arange(1, len(self.counts[chi]) + 1)).astype(np.int64)

    def distance(self, other: "HandPopulation") -> float:
        """Return the largest difference, over chi and strengths, of the shares of hands up to a strength."""
        return max(
            float(np.abs(mine.cumsum() / mine.sum() - theirs.cumsum() / theirs.sum()).max())
            for mine, theirs in zip(self.counts, other.counts, strict=True)
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HandPopulation) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.origin)


@cache
def categories_of(ranking: Ranking) -> tuple[tuple[Category, ...], ...]:
    """Return for back, middle and front the category of each strength from 1."""
    table = ranking.three_table
    five = tuple([ranking.five_of_strength(strength).category for strength in range(1, _FIVE_CARD_HANDS + 1)])
    three = tuple([ranking.three_of_strength(strength).category for strength in range(1, len(table.floors))])
    return five, five, three


def _bins_of(categories: Sequence[Category], count: Ints) -> tuple[int, ...]:
    """Return the strongest strength of each bin; a bin ends with its category or with more than 1/BINS of all hands."""
    share = int(count.sum()) // BINS
    edges, held = [], 0
    for index, (category, hands) in enumerate(zip(categories, count.tolist(), strict=True)):
        held += hands
        if index + 1 == len(categories) or categories[index + 1] is not category or held > share:
            edges.append(index + 1)
            held = 0
    return tuple(edges)


def _sums(count: Ints, edges: Sequence[int]) -> Ints:
    """Count the hands in each bin."""
    sums: Ints = np.diff(count.cumsum()[np.array(edges) - 1], prepend=0)
    return sums
