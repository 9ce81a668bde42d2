"""A question about a decision, as it is computed; the first question imports numpy."""

from pathlib import Path
from typing import NamedTuple

from referee.advice import NoAdviceError
from referee.advice.ultimate_texas.option import Option
from referee.cards import Card
from referee.evidence.printable import error_words
from referee.games.ultimate_texas import Stake, UltimateTexasRules


class DecisionQuestion(NamedTuple):
    """A seat's stake and cards, and the open board; ``folder`` has an operator's own tables."""

    rules: UltimateTexasRules
    stake: Stake
    hole: tuple[Card, ...]
    board: tuple[Card, ...]
    folder: Path | None


class DecisionAnswer(NamedTuple):
    """The options, as ``advise`` orders them, and the number of ways to go on that they are counted over."""

    options: tuple[Option, ...]
    ways: int


def value_options(question: DecisionQuestion) -> DecisionAnswer:
    """Return the value of each option; raise NoAdviceError if there is no table for the rules."""
    from referee.advice.ultimate_texas.advice import WAYS_BY_BOARD, NoTableError, advise  # noqa: PLC0415 - numpy
    from referee.advice.ultimate_texas.preflop import PreflopTableError, tables_of  # noqa: PLC0415 - numpy
    from referee.advice.ultimate_texas.strength import UnsupportedRankingError  # noqa: PLC0415 - numpy

    rules, board = question.rules, question.board
    try:
        table = None if board else tables_of(question.folder).table_for(rules)
        options = advise(rules, question.stake, hole=question.hole, board=board, table=table)
    except (NoTableError, PreflopTableError, UnsupportedRankingError, OSError) as error:
        raise NoAdviceError(error_words(error)) from None
    return DecisionAnswer(options, WAYS_BY_BOARD[len(board)])
