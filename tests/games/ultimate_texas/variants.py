"""The two rulesets, and variants of them that no file ships."""

from collections.abc import Callable
from typing import TypeAlias

import msgspec
import pytest

from referee.games.ultimate_texas import UltimateTexasRules
from referee.games.ultimate_texas.rules import Order
from referee.rulesets import Ruleset, get, load_examples
from tests.builtin import rules_as

RulesOf: TypeAlias = Callable[..., UltimateTexasRules]


@pytest.fixture(scope="session")
def casino() -> Ruleset:
    return get("ultimate_texas.casino")


@pytest.fixture(scope="session")
def two_plus_three() -> Ruleset:
    return get("ultimate_texas.two_plus_three")


@pytest.fixture(scope="session")
def rules_of() -> RulesOf:
    """Return the rules of a built-in ruleset or an example, with another order of decisions if one is named."""

    def _rules_of(ruleset_id: str, order: str | None = None) -> UltimateTexasRules:
        rules = rules_as(UltimateTexasRules, load_examples().get(ruleset_id))
        if order is None:
            return rules
        return msgspec.structs.replace(rules, seats=msgspec.structs.replace(rules.seats, order=Order(order)))

    return _rules_of
