"""Advice for Ultimate Texas Hold'em: the exact value of each decision, from a seat's own cards and the open board.

A value is a count over everything that can still be dealt, under the table's own rules and prices, never a sample: 990
hands of the house on the river, 1,070,190 continuations on the flop; before it 20,975,724,000, which are counted once
and kept as a table.
"""
