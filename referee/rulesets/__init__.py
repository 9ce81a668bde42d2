"""Rulesets: the files that say what each game pays, read strictly and named by id, version and SHA-256.

A file is the complete ruleset. Unknown keys, missing keys, wrong types and payouts that are not whole in the bet unit
are refused, and a released file never changes. The package reads the shape of each game's rules from the game's own
``rules.py`` and does not depend on how a game is played.

>>> from referee.rulesets import get, load_builtin
>>> [ruleset.id for ruleset in load_builtin() if ruleset.game == "mau_binh"]
['mau_binh.chi_2020', 'mau_binh.classic', 'mau_binh.maubinh_com']
>>> get("mau_binh.chi_2020").names["category"]["FULL_HOUSE"].vi
'cù lũ'
"""

from referee.rulesets.catalogue import Catalogue, UnknownRulesetError, get, load_builtin, load_examples, load_folder
from referee.rulesets.ruleset import Ruleset, RulesetError, parse_ruleset
from referee.rulesets.texts import Language, Texts, load_texts

__all__ = [
    "Catalogue",
    "Language",
    "Ruleset",
    "RulesetError",
    "Texts",
    "UnknownRulesetError",
    "get",
    "load_builtin",
    "load_examples",
    "load_folder",
    "load_texts",
    "parse_ruleset",
]
