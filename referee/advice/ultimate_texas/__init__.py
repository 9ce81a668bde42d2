"""Advice for Ultimate Texas Hold'em: the exact value of each decision, from a seat's own cards and the open board.

A value is a count over everything that can still be dealt, under the table's own rules and prices, never a sample: 990
hands of the house on the river, 1,070,190 continuations on the flop; before it 20,975,724,000, which are counted once
and kept as a table.

>>> from referee.advice.ultimate_texas.advice import advise
>>> from referee.advice.ultimate_texas.option import best_of
>>> from referee.advice.ultimate_texas.preflop import PreflopTables
>>> from referee.cards import parse_cards
>>> from referee.games.ultimate_texas import Stake
>>> from referee.rulesets import get
>>> rules, stake = get("ultimate_texas.casino").rules, Stake(ante=100, trips=0)
>>> options = advise(rules, stake, hole=parse_cards("QS 8H"), board=[], table=PreflopTables.builtin().table_for(rules))
>>> best_of(options, stake).decision
<Decision.PLAY_4X: 'PLAY_4X'>
"""
