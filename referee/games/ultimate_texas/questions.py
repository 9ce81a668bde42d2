"""Seats against the house for the statistics of an audit: whose hand is better, under the ruleset's own ranking.

Seat and house are dealt alike, so both are ahead equally often, whatever the ruleset.
"""

from collections.abc import Sequence
from typing import Final

from referee.cards import DECK
from referee.games.questions import HouseQuestions
from referee.games.ultimate_texas.rules import UltimateTexasRules
from referee.games.ultimate_texas.settlement import hand_value


def leads(rules: UltimateTexasRules, sections: Sequence[bytes], seat_count: int) -> tuple[int, ...]:
    """Compare each seat's hand with the house's; the sections are the hands, the house, the flop, turn and river."""
    hands = [[DECK[number - 1] for number in section] for section in sections[: seat_count + 3]]
    *seats, house, flop, rest = hands
    board = (*flop, *rest)
    limit = hand_value(rules, hole=house, board=board)
    values = [hand_value(rules, hole=hole, board=board) for hole in seats]
    return tuple([(value > limit) - (value < limit) for value in values])


QUESTIONS: Final = HouseQuestions(leads=leads)
