"""Advice about a decision: writes the value of each option to the answer, before the flop from a table. Uses numpy."""

from collections.abc import Sequence
from pathlib import Path

from referee.advice.ultimate_texas import (
    NoTableError,
    PreflopTableError,
    PreflopTables,
    UnsupportedRankingError,
    advise,
)
from referee.cards import Card
from referee.games.ultimate_texas import Stake, UltimateTexasRules
from referee.rulesets import Ruleset
from referee.v1 import ultimate_texas_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError
from referee.wire.ultimate_texas import fill_options


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
