"""Stakes of many questions in little memory: by key the rounds, each stake in two parts, and its largest value.

Half of a stake bets all that it may. The other half bets ``WARY`` of that, which finds players who pool their hands
now and then. A stake is worth the mean of both.
"""

import math
from array import array
from collections.abc import Iterator, Sequence
from typing import Final

MOST: Final = 1_000_000
"""Most keys of one kind."""


WARY: Final = 0.2
"""Part of its value that the wary half of a stake bets."""


def wary(growth: float) -> float:
    """Return the growth of the wary half of a stake, given that of the other half."""
    return math.log1p(WARY * math.expm1(growth))


def worth(bold: float, cautious: float) -> float:
    """Return the logarithm of a stake, given those of its halves relative to what they began with."""
    most = max(bold, cautious)
    return most + math.log((math.exp(bold - most) + math.exp(cautious - most)) / 2)


class Stakes:
    """Stakes by key, ``width`` of them for each; a key is a whole number, and keys beyond ``most`` are only counted."""

    def __init__(self, width: int, *, most: int = MOST) -> None:
        self._width: Final = width
        self._most: Final = most
        self._places: Final[dict[int, int]] = {}
        self._rounds: Final = array("L")
        self._bold: Final = array("d")
        self._wary: Final = array("d")
        self._peaks: Final = array("d")
        self.crowded_out = 0
        """Number of rounds of keys that were not added because there were too many."""

    def rounds(self, key: int) -> int:
        """Return how many rounds of a key were added."""
        place = self._places.get(key)
        return 0 if place is None else self._rounds[place]

    def add(self, key: int, growth: Sequence[float]) -> None:
        """Add a round with the growth of each stake of a key."""
        place = self._places.get(key)
        if place is None:
            if len(self._places) == self._most:
                self.crowded_out += 1
                return
            place = self._places[key] = len(self._rounds)
            self._rounds.append(0)
            for values in (self._bold, self._wary, self._peaks):
                values.extend([0.0] * self._width)
        self._rounds[place] += 1
        for at, grown in enumerate(growth, place * self._width):
            self._bold[at] += grown
            self._wary[at] += wary(grown)
            self._peaks[at] = max(self._peaks[at], worth(self._bold[at], self._wary[at]))

    def asked(self, least: int) -> Iterator[tuple[int, int, tuple[float, ...]]]:
        """Yield each key with at least that many rounds, its rounds and the largest logarithm of each stake."""
        for key, place in self._places.items():
            rounds = self._rounds[place]
            if rounds >= least:
                at = place * self._width
                yield key, rounds, tuple(self._peaks[at : at + self._width])
