"""The rankings that the tests speak of, written out once from the rule sheets."""

import importlib
import json
import warnings
from pathlib import Path
from types import ModuleType
from typing import Final

import msgspec
import pytest

from referee.hands import Ranking, RankingRules

VECTORS: Final = Path(__file__).parents[1] / "vectors" / "hands" / "rankings.jsonl"


def _ranking(name: str) -> Ranking:
    for line in VECTORS.read_text(encoding="utf-8").splitlines():
        vector = json.loads(line)
        if vector["id"] == name:
            return Ranking.of(msgspec.convert(vector["rules"], RankingRules))
    raise LookupError(name)


@pytest.fixture(scope="session")
def classic() -> Ranking:
    """Nine categories, straight flushes in one: the classic sheet and the 2020 sheet."""
    return _ranking("classic")


@pytest.fixture(scope="session")
def maubinh_com() -> Ranking:
    """Straight flushes in three categories, four aces above them, as in ``mau_binh.maubinh_com``."""
    return _ranking("maubinh_com")


@pytest.fixture(scope="session")
def ultimate() -> Ranking:
    """Return the ranking of ``ultimate_texas.casino``: the royal flush apart, three cards not ranked."""
    return _ranking("ultimate_texas")


@pytest.fixture(scope="session")
def eval7() -> ModuleType:
    """Another evaluator. Importing it warns about a parser that is not used here."""
    with warnings.catch_warnings(action="ignore"):
        return importlib.import_module("eval7")
