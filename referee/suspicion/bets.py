"""Bets that win only if a round's fate (kept or given up) depends on which seat holds which of its hands.

A fair shuffle gives each hand of a round to each seat with equal chance. That remains true of the kept rounds, and of
those given up, unless the fate of a round depends on which seat holds which hand. After each round a stake is
multiplied by ``exp(t own) / mean exp(t value)``: ``own`` is the value of the owner's hand, and the mean is over the
round's hands. Its expectation is then 1 for every t, even if the fate of a round depends on earlier rounds. So it is a
martingale, as is a mean of such stakes, and by Ville's inequality (1939) a stake that begins at 1 reaches 1/p at any
time with a chance of at most p. No distribution of cards is used and nothing is estimated; a measure that values hands
badly finds less, but accuses nobody wrongly.

>>> bets = Bets()
>>> for _ in range(60):
...     bets.add_given_up(*[growth((1.0, 3.0), GIVEN_UP)[0]] * 2)
>>> round(bets.log_favoured / math.log(10)), round(bets.log_harmed, 1) < 0
(17, True)
"""

import math
from collections.abc import Sequence
from operator import add
from typing import Final, TypeAlias

Growth: TypeAlias = Sequence[float]
"""Natural logarithms of the factors by which a round multiplies the stakes, one for each argument t."""

_GIVEN_UP: Final = (0.3, 0.8, 1.6, 3.2)
_KEPT: Final = (0.0, 0.1, 0.3)
"""Small, because most decks are kept and each is weak evidence; the stake of argument 0 never changes."""
GIVEN_UP: Final = (*[-argument for argument in _GIVEN_UP], *_GIVEN_UP)
"""Arguments t for a deck that was given up: first for bets that this favoured the owner, then that it harmed it."""
KEPT: Final = (*_KEPT, *[-argument for argument in _KEPT])
"""Arguments t for a deck that was kept: first for bets that this favoured the owner, then that it harmed it."""


def growth(values: Sequence[float], arguments: Sequence[float]) -> tuple[Growth, ...]:
    """Return the growth of each seat's stakes, given the values of a round's hands by seat.

    Values are first scaled to their distance from the round's mean, in standard deviations of the round. If all values
    are equal, every growth is 0.
    """
    count = len(values)
    mean = math.fsum(values) / count
    spread = math.sqrt(math.fsum([(value - mean) ** 2 for value in values]) / count)
    if not spread:
        return ((0.0,) * len(arguments),) * count
    scaled = [(value - mean) / spread for value in values]
    by_argument = []
    for argument in arguments:
        logs = [argument * value for value in scaled]
        log_mean = math.log(math.fsum(map(math.exp, logs)) / count)
        by_argument.append([log - log_mean for log in logs])
    return tuple(zip(*by_argument, strict=True))


def shared(growths: Sequence[Growth]) -> Growth:
    """Return the growth of stakes that are divided equally among several seats, given the growth of each."""
    return tuple([_log_mean(logs) for logs in zip(*growths, strict=True)])


class Bets:
    """Stakes of one owner of seats: bets that the fates of its rounds favoured it, and bets that they harmed it."""

    __slots__ = ("_given_up", "_kept", "_left")

    def __init__(self) -> None:
        self._given_up = [[0.0] * len(GIVEN_UP) for _ in range(2)]
        self._kept = [0.0] * len(KEPT)
        self._left = 0.0

    def add_kept(self, grown: Growth) -> None:
        """Add a round that was kept, with the growth for the arguments ``KEPT``."""
        self._kept = list(map(add, self._kept, grown))

    def add_given_up(self, points: Growth, outcomes: Growth) -> None:
        """Add a round that was given up, with its growth by points and by outcomes; half of the stakes are on each."""
        for place, grown in enumerate((points, outcomes)):
            self._given_up[place] = list(map(add, self._given_up[place], grown))

    def add_handed_in(self, points: Growth, outcomes: Growth) -> None:
        """Add a round that was given up and whose deck is known only because a seed was handed in.

        Half of each stake is not bet, because the holder could choose whether to hand the seed in.
        """
        halves = [[_log_mean((0.0, log)) for log in grown] for grown in (points, outcomes)]
        self.add_given_up(*halves)

    def withhold(self, rounds: int) -> None:
        """Halve the stakes for each round whose seed was held back by a person who handed in other seeds.

        That is the most that such a round could have cost if its deck were known.
        """
        self._left -= rounds * math.log(2)

    @property
    def log_favoured(self) -> float:
        """Natural logarithm of the stakes on fates that favour the owner.

        The chance that a fair shuffle ever reaches a stake is at most 1 over the stake.
        """
        return self._log(slice(None, len(_GIVEN_UP)), slice(None, len(_KEPT)))

    @property
    def log_harmed(self) -> float:
        """Logarithm of the stakes on fates that harm the owner."""
        return self._log(slice(len(_GIVEN_UP), None), slice(len(_KEPT), None))

    def _log(self, given_up: slice, kept: slice) -> float:
        points, outcomes = self._given_up
        return _log_mean([*points[given_up], *outcomes[given_up]]) + _log_mean(self._kept[kept]) + self._left


def _log_mean(logs: Sequence[float]) -> float:
    """Return the logarithm of the mean of numbers, given their logarithms."""
    most = max(logs)
    return most + math.log(math.fsum([math.exp(log - most) for log in logs]) / len(logs))
