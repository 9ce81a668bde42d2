"""Advice for Ultimate Texas Hold'em: the exact value of each decision, from a seat's own cards and the open board.

The law of this room: a value is a count over everything that can still be dealt, under the table's own rules and
prices, never a sample. On the river 990 hands of the house, on the flop 1,070,190 ways to go on; before it
20,975,724,000, which are counted once and kept as a table. It refuses to know the cards of other seats and who asks.

>>> from referee.cards import parse_cards
>>> from referee.games.ultimate_texas import Stake
>>> from referee.rulesets import get
>>> rules, stake = get("ultimate_texas.casino").rules, Stake(ante=100, trips=0)
>>> options = advise(rules, stake, hole=parse_cards("QS 8H"), board=[], table=Shelf.builtin().table_for(rules))
>>> best_of(options, stake).decision
<Decision.PLAY_4X: 'PLAY_4X'>
"""

from referee.advice.ultimate_texas.advice import NoTableError, Option, advise, best_of
from referee.advice.ultimate_texas.law import law_digest
from referee.advice.ultimate_texas.preflop import KINDS, SUFFIX, KindSums, PreflopTable, PreflopTableError, kind_of
from referee.advice.ultimate_texas.price import Prices
from referee.advice.ultimate_texas.shelf import Shelf
from referee.advice.ultimate_texas.strength import UnsupportedRankingError

__all__ = [
    "KINDS",
    "SUFFIX",
    "KindSums",
    "NoTableError",
    "Option",
    "PreflopTable",
    "PreflopTableError",
    "Prices",
    "Shelf",
    "UnsupportedRankingError",
    "advise",
    "best_of",
    "kind_of",
    "law_digest",
]
