"""Seats changed about: whether a seat's hands were better or worse than those of the others in the same rounds.

The law: whatever a round's hands are, a fair shuffle gives each of them to each seat alike, so given a round's points,
a seat's own are one of them, each as likely. Whoever drops rounds without regard to who holds what leaves that as it
is, also where some hands never reach the end of a round: one that wins at the deal is settled at once, at every seat
alike. Whoever drops rounds because of what one seat holds does not. So nothing need be known of how often a hand is
dealt, or which are dropped.

The points of a seat beyond the mean of its round, times the number of seats, are a whole number; their sum over rounds
has, given all the rounds' points, a moment generating function that is a product of the rounds', which is the same for
every seat. Its logarithm is summed for some arguments as rounds go by, and Chernoff's bound is the least that any of
them gives: valid for every number of rounds, in constant memory.

It refuses to know games, and which rounds it is shown.

>>> exchange = Exchange(2)
>>> for _ in range(30):
...     exchange.add((20, 80))
>>> exchange.deviation(0), round(exchange.log_chance(0) / 2.302585)
(-5.477225575051661, -9)
"""

import math
from typing import Final

_SCALE: Final = 14.0
"""About the standard deviation of a hand's points, so that the arguments suit; any number would be right."""
_ARGUMENTS: Final = (0.1, 0.2, 0.35, 0.55, 0.8, 1.2, 1.8, 2.8)
"""Arguments of the moment generating function, over the scale."""
_SLACK: Final = 1e-12
"""For each round: what floating point may have lost of a logarithm."""


class Exchange:
    """Rounds of one number of seats. ``points`` are each seat's sum, ``rounds`` how many were shown.

    ``squares`` sums the squares of what is beyond the mean over rounds and seats, ``logs`` the logarithms of the moment
    generating function by argument.
    """

    __slots__ = ("logs", "points", "rounds", "seat_count", "squares")

    def __init__(self, seat_count: int) -> None:
        self.seat_count = seat_count
        self.rounds = 0
        self.points = [0] * seat_count
        self.squares = 0
        self.logs = [0.0] * (2 * len(_ARGUMENTS))

    def add(self, points: tuple[int, ...]) -> None:
        """One more round, by its points by seat."""
        count, total = self.seat_count, sum(points)
        beyond = [count * value - total for value in points]
        self.rounds += 1
        for seat, value in enumerate(points):
            self.points[seat] += value
        self.squares += sum(value * value for value in beyond)
        for place, argument in enumerate(_arguments(count)):
            self.logs[place] += math.log(math.fsum([math.exp(argument * value) for value in beyond]) / count)

    def merge(self, other: "Exchange") -> None:
        """The other's rounds are in these too; both are of one number of seats."""
        self.rounds += other.rounds
        self.squares += other.squares
        self.points = [mine + theirs for mine, theirs in zip(self.points, other.points, strict=True)]
        self.logs = [mine + theirs for mine, theirs in zip(self.logs, other.logs, strict=True)]

    @property
    def expected(self) -> float:
        """The points of a seat that has its share."""
        return sum(self.points) / self.seat_count

    def deviation(self, seat: int) -> float:
        """How many standard deviations a seat's points lie above its share; 0.0 where all hands were alike."""
        if not self.squares:
            return 0.0
        return self._beyond(seat) / math.sqrt(self.squares / self.seat_count)

    def log_chance(self, seat: int) -> float:
        """The logarithm of a bound on the chance that a seat is as far above its share, or below where it is below."""
        beyond = self._beyond(seat)
        bounds = [
            log - argument * beyond
            for log, argument in zip(self.logs, _arguments(self.seat_count), strict=True)
            if argument * beyond > 0
        ]
        return min(0.0, min(bounds, default=0.0) + _SLACK * self.rounds)

    def _beyond(self, seat: int) -> int:
        return self.seat_count * self.points[seat] - sum(self.points)


def _arguments(seat_count: int) -> list[float]:
    """The arguments for points beyond the mean times the number of seats: those above zero, then those below."""
    scaled = [argument / (_SCALE * seat_count) for argument in _ARGUMENTS]
    return [*scaled, *[-argument for argument in scaled]]
