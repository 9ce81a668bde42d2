"""Odds of the games: exact counts over every possible deal, for the prices of any ruleset.

Figures are whole numbers or fractions of them, and are counted when a command needs them.
"""
