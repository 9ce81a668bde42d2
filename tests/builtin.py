"""Rules of the shipped rulesets, typed as the rules of their game."""

from typing import TypeVar

from referee.games.mau_binh import MauBinhRules
from referee.games.tien_len import TienLenRules
from referee.games.ultimate_texas import UltimateTexasRules
from referee.rulesets import Ruleset, get

_Rules = TypeVar("_Rules", MauBinhRules, TienLenRules, UltimateTexasRules)


def rules_as(kind: type[_Rules], ruleset: Ruleset | str) -> _Rules:
    """Return the rules of a ruleset, or of the built-in one of that id."""
    rules = (get(ruleset) if isinstance(ruleset, str) else ruleset).rules
    assert isinstance(rules, kind)
    return rules
