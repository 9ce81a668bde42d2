"""Advice about a decision: writes the value of each option to the answer, before the flop from a table. Uses numpy."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Final

from referee.advice.ultimate_texas import (
    NoTableError,
    Option,
    PreflopTableError,
    PreflopTables,
    UnsupportedRankingError,
    advise,
    best_of,
)
from referee.advice.ultimate_texas.preflop import WAYS
from referee.advice.ultimate_texas.showdown import HOUSES, RUNOUTS
from referee.cards import Card
from referee.games.ultimate_texas import Stake, UltimateTexasRules
from referee.rulesets import Ruleset
from referee.v1 import ultimate_texas_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError
from referee.wire.ultimate_texas import number_of

WAYS_BY_BOARD: Final = MappingProxyType({0: WAYS, 3: RUNOUTS * HOUSES, 5: HOUSES})
"""Number of ways to go on that are counted, by the number of cards on the board."""


class DecisionAdvice:
    """Advisor by built-in preflop tables and those of a folder."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._shelf: PreflopTables | None = None

    def fill(
        self,
        response: ultimate_texas_pb2.AdviseResponse,
        ruleset: Ruleset,
        *,
        stake: Stake,
        hole: Sequence[Card],
        board: Sequence[Card],
    ) -> None:
        """Fill in what a seat's options are worth; refuse a ruleset without a table."""
        rules: UltimateTexasRules = ruleset.rules  # type: ignore[assignment] # the reading of the round has checked
        try:
            table = None if board else self._tables().table_for(rules)
            options = advise(rules, stake, hole=hole, board=board, table=table)
        except NoTableError as error:
            raise self._refusal(ruleset, f"{error}; `referee odds {ruleset.id} --table FOLDER` counts one") from None
        except (PreflopTableError, UnsupportedRankingError, OSError) as error:
            raise self._refusal(ruleset, str(error)) from None
        fill_options(response, options, stake=stake, board_size=len(board))

    @staticmethod
    def _refusal(ruleset: Ruleset, reason: str) -> RefusedError:
        return RefusedError(ErrorReason.ERROR_REASON_NO_ADVICE, f"{ruleset.id}: {reason}", ruleset_id=ruleset.id)

    def _tables(self) -> PreflopTables:
        if self._shelf is None:
            self._shelf = PreflopTables.builtin() if self._folder is None else PreflopTables.with_folder(self._folder)
        return self._shelf


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
