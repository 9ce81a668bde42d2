"""Advice for Tiến Lên: the best plays of the seat on turn, from its own cards and what is on the table.

Nothing unlawful is advised, no hidden card is used, and the same position gets the same advice. Prices are the
ruleset's. Weights and slopes are measured by tournaments of bots.
"""
