"""Tables of what another seat's cards are worth: how opponents arrange, by the rank of the cards that they hold.

For each of the thirteen ranks there is a population in which a hand counts once for each of its cards of that rank.
With *V* the value of an arrangement against the whole population and *V_r* its value against that of rank *r*,
``G[r] = V_r - V`` is the covariance of the value with the number of such cards that an opponent holds. If 26 cards are
known, *k* of them of rank *r*, an opponent has ``2 - k / 2`` of the other 26 instead of 1. The linear regression on
these numbers changes the value by ``-SLOPE * k * G[r]`` for each rank. Suits are left out.

The file: the thirteen populations, deuces first, each after its size in bytes as four bytes, big-endian.
"""

from collections.abc import Callable, Iterable
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple

import numpy as np

from referee.advice.mau_binh.population import HandPopulation, Origin, PopulationError
from referee.advice.mau_binh.self_play import advised_hands
from referee.games.mau_binh import MauBinhRules

SUFFIX: Final = ".cards"
RANKS: Final = 13
SLOPE: Final = 17 / 26
"""Half of 1 over the variance of the number of cards of one rank in a hand (12/17), times 12/13 for the other ranks."""
_SIZE: Final = 4


class CardTables(NamedTuple):
    """Populations by rank, deuces first."""

    by_rank: tuple[HandPopulation, ...]

    @classmethod
    def learn(
        cls,
        rules: MauBinhRules,
        population: HandPopulation,
        *,
        rounds: int,
        progress: Callable[[int], None] = lambda _rounds: None,
    ) -> "CardTables":
        """Learn the tables from rounds in which all seats follow the advice that the population gives."""
        learned = population.origin
        hands = list(advised_hands(rules, population, rounds=rounds, seed=learned.seed, progress=progress))
        strengths = np.array([strengths for _, strengths in hands], dtype=np.int64)
        held = np.array([np.bincount([card.rank for card in cards], minlength=RANKS) for cards, _ in hands])
        origin = Origin(
            ruleset_id=learned.ruleset_id,
            ruleset_version=learned.ruleset_version,
            ruleset_digest=learned.ruleset_digest,
            sweep=learned.sweep,
            rounds=rounds,
            seed=learned.seed,
        )
        counted = [np.repeat(strengths, held[:, rank], axis=0) for rank in range(RANKS)]
        ranker, bins = rules.ranker, population.bins
        return cls(tuple([HandPopulation.counted(ranker, one, origin=origin, bins=bins) for one in counted]))

    @classmethod
    def read(cls, data: bytes) -> "CardTables":
        """Read a file's bytes; raise PopulationError unless they are exactly thirteen populations of one ranking."""
        populations = []
        while data:
            size = int.from_bytes(data[:_SIZE], "big")
            populations.append(HandPopulation.read(data[_SIZE : _SIZE + size]))
            data = data[_SIZE + size :]
        if len(populations) != RANKS or len({one.origin.ruleset_digest for one in populations}) != 1:
            raise PopulationError(f"{len(populations)} populations instead of {RANKS} of one ruleset")
        return cls(tuple(populations))

    def to_bytes(self) -> bytes:
        """Encode the file."""
        parts = [one.to_bytes() for one in self.by_rank]
        return b"".join([len(part).to_bytes(_SIZE, "big") + part for part in parts])


def read_tables(files: Iterable[Traversable]) -> dict[str, CardTables]:
    """Read files of tables; return them by the digest of the ruleset that they were learned from, in hexadecimal.

    Raise PopulationError, naming the file, for a file that is none.
    """
    tables = {}
    for file in files:
        try:
            read = CardTables.read(file.read_bytes())
        except PopulationError as error:
            raise PopulationError(f"{file}: {error}") from None
        tables[read.by_rank[0].origin.ruleset_digest] = read
    return tables
