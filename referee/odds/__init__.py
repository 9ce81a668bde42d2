"""Odds: what the games are worth, counted over everything that can be dealt, under any ruleset's own prices.

The law of this room: every figure is counted from a ruleset's data when it is asked for, exact, as whole numbers or
fractions of them; published numbers stand in the tests. It judges no round and knows no player.
"""
