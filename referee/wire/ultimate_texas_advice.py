"""Advice messages of Ultimate Texas Hold'em: values as exact fractions and whole minor units. Imports numpy."""

from collections.abc import Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from referee.advice.ultimate_texas import Option, best_of
from referee.advice.ultimate_texas.preflop import WAYS
from referee.advice.ultimate_texas.showdown import HOUSES, RUNOUTS
from referee.games.ultimate_texas import Stake
from referee.v1 import ultimate_texas_pb2
from referee.wire.ultimate_texas import number_of

WAYS_BY_BOARD: Final = MappingProxyType({0: WAYS, 3: RUNOUTS * HOUSES, 5: HOUSES})
"""Number of ways to go on that are counted, by the number of cards on the board."""


def fill_options(
    response: ultimate_texas_pb2.AdviseResponse, options: Sequence[Option], *, stake: Stake, board_size: int
) -> None:
    """Fill in the options, the best of them, and how many ways were counted."""
    response.options.extend([_write(option, stake) for option in options])
    response.best = number_of(best_of(options, stake).decision)
    response.ways = WAYS_BY_BOARD[board_size]


def _write(option: Option, stake: Stake) -> ultimate_texas_pb2.DecisionValue:
    return ultimate_texas_pb2.DecisionValue(
        decision=number_of(option.decision),
        value_minor=round(option.worth(stake)),
        antes=_ratio(option.antes),
        trips=_ratio(option.trips) if stake.trips else None,
        is_lower_bound=option.is_lower_bound,
    )


def _ratio(value: Fraction) -> ultimate_texas_pb2.Ratio:
    return ultimate_texas_pb2.Ratio(numerator=value.numerator, denominator=value.denominator)
