"""Rules to be valued: the two rulesets, and a house's own that differs in every price."""

from collections.abc import Callable

import pytest

from referee.games.ultimate_texas import UltimateTexasRules
from referee.rulesets import get, parse_ruleset
from tests.builtin import rules_as

Edited = Callable[..., UltimateTexasRules]


@pytest.fixture(scope="session")
def edited() -> Edited:
    """Return the casino's rules with pieces of its file replaced; each piece must be in it."""

    def _edited(*edits: tuple[str, str]) -> UltimateTexasRules:
        text = get("ultimate_texas.casino").source.decode()
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        text = text.replace("ultimate_texas.casino", "ultimate_texas.house")
        return rules_as(UltimateTexasRules, parse_ruleset(text.encode(), file="house"))

    return _edited


@pytest.fixture(scope="session", params=["casino", "two_plus_three", "house"])
def rules(request: pytest.FixtureRequest, edited: Edited) -> UltimateTexasRules:
    """Each of three sets of rules in turn."""
    if request.param != "house":
        return rules_as(UltimateTexasRules, f"ultimate_texas.{request.param}")
    return edited(
        ("bet_unit = 2", "bet_unit = 12"),
        ('odds = "3/2"', 'odds = "7/4"'),
        ('odds = "1/1"', 'odds = "4/3"'),
        ('category = "PAIR"', 'category = "TWO_PAIR"'),
        ("multiples = [1]", "multiples = [1, 3]"),
        ('ace_low_straight = "LOWEST"', 'ace_low_straight = "SECOND_HIGHEST"'),
        ('  "TWO_PAIR",\n  "THREE_OF_A_KIND",', '  "THREE_OF_A_KIND",\n  "TWO_PAIR",'),
    )
