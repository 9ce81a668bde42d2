"""Bets that a fair shuffle cannot lose in the long run: evidence that a round's fate depended on who held which hand.

Given the hands of a round, a fair shuffle gives each of them to a seat with equal chance, and that stays so whatever
becomes of the round, unless its fate depends on who holds what. A stake that is multiplied by ``exp(t own) / mean
exp(t value)`` after each round, the mean being over the round's hands, then has the expectation 1 for every t, however
the fate of a round depends on rounds that ended before it. So it is a martingale, as is a mean of such stakes, and by
Ville's inequality (1939) one that begins at 1 ever reaches 1/p with a chance of at most p. No distribution of cards is
used and nothing is estimated; a measure of hands that orders them badly only finds less.

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
"""Logarithms of what stakes are multiplied by, by argument."""

_GIVEN_UP: Final = (0.3, 0.8, 1.6, 3.2)
_KEPT: Final = (0.0, 0.1, 0.3)
"""Small, because most decks are kept and each shows little; 0 is the stake that is not bet at all."""
GIVEN_UP: Final = (*[-argument for argument in _GIVEN_UP], *_GIVEN_UP)
"""Arguments for a deck that was given up: those of a seat that gains by it, then of one that loses."""
KEPT: Final = (*_KEPT, *[-argument for argument in _KEPT])
"""Arguments for a deck that was kept: those of a seat that gains by it, then of one that loses."""


def growth(values: Sequence[float], arguments: Sequence[float]) -> tuple[Growth, ...]:
    """Return the growth by seat, given the values of a round's hands by seat.

    Values are first measured from their mean, in standard deviations of the round; if they are equal nothing grows.
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
    """Return the growth of stakes that are divided equally among several seats of a round."""
    return tuple([_log_mean(logs) for logs in zip(*growths, strict=True)])


class Bets:
    """Stakes on the rounds of an owner: that their fates favoured it, and that they harmed it."""

    __slots__ = ("_given_up", "_kept", "_left")

    def __init__(self) -> None:
        self._given_up = [[0.0] * len(GIVEN_UP) for _ in range(2)]
        self._kept = [0.0] * len(KEPT)
        self._left = 0.0

    def add_kept(self, grown: Growth) -> None:
        """Add a round that was kept."""
        self._kept = list(map(add, self._kept, grown))

    def add_given_up(self, points: Growth, outcomes: Growth) -> None:
        """Add a round that was given up, measured in two ways: half of the stakes are on each."""
        for place, grown in enumerate((points, outcomes)):
            self._given_up[place] = list(map(add, self._given_up[place], grown))

    def add_handed_in(self, points: Growth, outcomes: Growth) -> None:
        """Add a round whose deck is known because somebody chose to hand in a seed: half of each stake is not bet."""
        halves = [[_log_mean((0.0, log)) for log in grown] for grown in (points, outcomes)]
        self.add_given_up(*halves)

    def withhold(self, rounds: int) -> None:
        """Count rounds whose seeds a person held back who handed in others: each halves the stakes, the most it can."""
        self._left -= rounds * math.log(2)

    @property
    def log_favoured(self) -> float:
        """Logarithm of the stakes on fates that favour the owner; the chance of so much is at most its inverse."""
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
