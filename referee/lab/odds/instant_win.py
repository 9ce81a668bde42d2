"""Wins at the deal: counts of thirteen-card hands, and rates computed from them.

>>> odds = InstantWinOdds(chances=(InstantWinChance(pattern="DRAGON", units=39, met=67_108_860, wins=67_108_860),))
>>> odds.hands, odds.any_win, odds.worth(4) == 3 * 39 * odds.any_win
(635013559600, Fraction(28197, 266812420), True)
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

import msgspec

from referee.evidence import canonical


class InstantWinChance(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One pattern of a ruleset: the number of hands that meet it, and the number that win with it.

    A hand that meets several patterns wins with one of them, which the game decides; every other seat then pays
    ``units``.
    """

    pattern: str
    units: int
    met: int
    wins: int


class InstantWinOdds(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All patterns of a ruleset, in the ruleset's order. ``hands`` is the number of possible hands."""

    chances: tuple[InstantWinChance, ...]
    hands: int = math.comb(52, 13)

    @classmethod
    def counted(
        cls, units: Mapping[str, int], judged: Iterable[tuple[Iterable[str], str | None, int]]
    ) -> "InstantWinOdds":
        """Add up judged hands, for the patterns of a ruleset and their units.

        An entry of ``judged`` is the patterns that a hand meets, the pattern that it wins with or None, and the number
        of hands of its kind.
        """
        met: Counter[str] = Counter()
        wins: Counter[str | None] = Counter()
        for patterns, won, count in judged:
            met.update(dict.fromkeys(patterns, count))
            wins[won] += count
        chances = [
            InstantWinChance(pattern=str(pattern), units=price, met=met[pattern], wins=wins[pattern])
            for pattern, price in units.items()
        ]
        return cls(chances=tuple(chances))

    @property
    def any_win(self) -> Fraction:
        """Chance that a seat's thirteen cards win at the deal."""
        return Fraction(sum(one.wins for one in self.chances), self.hands)

    def worth_of(self, one: InstantWinChance, seats: int) -> Fraction:
        """Return the average that a seat collects by this pattern in a round, in stakes.

        Each win is counted as if no other seat won at the same deal, so this is an upper bound.
        """
        return Fraction(one.wins * one.units * (seats - 1), self.hands)

    def worth(self, seats: int) -> Fraction:
        """Return the average that a seat collects by all patterns in a round, in stakes."""
        return sum((self.worth_of(one, seats) for one in self.chances), Fraction(0))

    def write(self) -> bytes:
        """Encode the counts as canonical JSON."""
        return canonical.encode(msgspec.to_builtins(self))
