"""Odds of the games, counted over every possible deal under any ruleset's own prices.

Every figure is counted from a ruleset's data when it is asked for, exact, as whole numbers or fractions of them.
"""
