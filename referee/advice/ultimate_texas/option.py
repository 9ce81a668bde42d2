"""A decision and its value."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from referee.games.ultimate_texas import Decision, Stake


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A decision and its value: ``antes`` of Ante, Blind and play bet, ``trips`` for each unit of Trips.

    If ``is_lower_bound`` is set, the true value may be a little higher.
    """

    decision: Decision
    antes: Fraction
    trips: Fraction
    is_lower_bound: bool = False

    def worth(self, stake: Stake) -> Fraction:
        """Return the value in minor units under these stakes."""
        return self.antes * stake.ante + self.trips * stake.trips


def best_of(options: Sequence[Option], stake: Stake) -> Option:
    """Return the option of the highest value under these stakes; of equal ones the first."""
    return max(options, key=lambda option: option.worth(stake))
