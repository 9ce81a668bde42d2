"""Verdicts: all rules that something breaks, at once. An empty verdict means lawful.

A broken rule is an answer, not an error. Each game has its own list of stable codes; their texts are data.
"""

from referee.verdict.violation import Violation

__all__ = ["Violation"]
