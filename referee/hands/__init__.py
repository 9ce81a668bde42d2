"""The strength of three and five cards under a ranking that is data, for every game.

Suits never break a tie, a ranking is a list of categories from weak to strong, and the strength of a hand is a dense
number that only compares within its own ranking and card count.

>>> from referee.cards import parse_cards
>>> from referee.hands import AceLowStraight, Category, Ranking, RankingRules
>>> ranking = Ranking.of(RankingRules(
...     order=(
...         Category.HIGH_CARD, Category.PAIR, Category.TWO_PAIR, Category.THREE_OF_A_KIND, Category.STRAIGHT,
...         Category.FLUSH, Category.FULL_HOUSE, Category.FOUR_OF_A_KIND, Category.STRAIGHT_FLUSH,
...     ),
...     three_card_order=(Category.HIGH_CARD, Category.PAIR, Category.THREE_OF_A_KIND),
...     ace_low_straight=AceLowStraight.LOWEST,
... ))
>>> back, middle = ranking.five(parse_cards("AS AC AD KH KS")), ranking.five(parse_cards("2S 3S 4S 5C AH"))
>>> print(back.category, middle.category, middle < back)
FULL_HOUSE STRAIGHT True
>>> front = ranking.three(parse_cards("QS QC 2D"))
>>> ranking.is_fouled(back=back, middle=middle, front=front)
False
"""

from referee.hands.category import AceLowStraight, Category
from referee.hands.ranking import Ranking
from referee.hands.rules import RankingRules
from referee.hands.strength_table import RANK_KEYS
from referee.hands.value import HandValue

__all__ = ["RANK_KEYS", "AceLowStraight", "Category", "Chosen", "HandValue", "Ranking", "RankingRules"]
