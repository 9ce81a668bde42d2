"""The rules of the code that no linter has, each held by every file and by examples of what breaks it."""

import ast

import pytest

from tests.style.rules import CODES, GAME, RULES, Rule, named_games
from tests.style.size import GENERATED, ROOT, paths


def breaches(rule: Rule) -> set[str]:
    """Return what breaks a rule in all files, as ``file what``; a game's own files may name it."""
    names = [name for name in paths(*rule.where) if name.endswith(".py") and not GENERATED.search(name)]
    names = [name for name in names if rule.find is not named_games or not GAME.search(name)]
    assert names
    return {f"{name} {what}" for name in names for what in rule.find(ast.parse((ROOT / name).read_bytes()))}


@pytest.mark.parametrize("words", RULES)
def test_no_file_breaks_a_rule_but_the_exceptions_and_each_of_them_does(words: str) -> None:
    rule = RULES[words]
    found = breaches(rule)
    assert sorted(one for one in found if not one.startswith(tuple(rule.exceptions))) == []
    assert [one for one in rule.exceptions if not any(breach.startswith(one) for breach in found)] == []


@pytest.mark.parametrize(("words", "source"), [(words, one) for words, rule in RULES.items() for one in rule.broken])
def test_example_that_breaks_a_rule_is_found(words: str, source: str) -> None:
    assert list(RULES[words].find(ast.parse(source)))


@pytest.mark.parametrize(("words", "source"), [(words, one) for words, rule in RULES.items() for one in rule.sound])
def test_example_that_breaks_none_is_left_alone(words: str, source: str) -> None:
    assert list(RULES[words].find(ast.parse(source))) == []


def test_codes_of_games_are_known() -> None:
    assert len(CODES) > 50
