"""A verdict: every rule that something breaks, all at once. An empty verdict means lawful.

A broken rule is an answer, not an error. Each game has its own list of codes; codes are stable, and their wording in
Vietnamese and English is data that stands elsewhere.
"""

from referee.verdict.violation import Violation

__all__ = ["Violation"]
