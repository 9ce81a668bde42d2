"""A suggested arrangement and the parts of its value."""

from dataclasses import dataclass
from typing import Final

from referee.games.mau_binh import Arrangement, Reason
from referee.games.mau_binh.arrangement import ChiValues

SCALE_BITS: Final = 16
SCALE: Final = 1 << SCALE_BITS
"""One stake as a value, and certainty as a chance: the numbers of advice are 65,536ths."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of an arrangement's value.

    ``won`` and ``lost`` are the chances that one opponent pays for it, and that the seat pays one opponent, in
    65,536ths. ``units`` is the price that an opponent pays, in stakes. ``expected`` is the mean win from all opponents
    together, in 65,536ths of a stake.
    """

    reason: Reason
    units: int
    won: int
    lost: int
    expected: int


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An arrangement that does not foul, the values of its chi, and the parts of its value."""

    arrangement: Arrangement
    values: ChiValues
    parts: tuple[Part, ...]

    @property
    def expected(self) -> int:
        """Average win of the seat from all opponents together, in 65,536ths of a stake."""
        return sum(part.expected for part in self.parts)
