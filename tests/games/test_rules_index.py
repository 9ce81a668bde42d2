"""The index of rules names tests and vectors that exist, and every ruling."""

import ast
import json
import re
from functools import cache
from pathlib import Path
from typing import Final

TESTS: Final = Path(__file__).parents[1]
INDEX: Final = TESTS / "games" / "RULES.md"
RULINGS: Final = {"Money": 4, "Mậu Binh": 15, "Tiến Lên": 12, "Ultimate Texas": 8}
"""The number of rulings on each game."""


def rows() -> list[tuple[str, list[str]]]:
    """Return each row's ruling and the names of what holds it."""
    cells = [line.split("|") for line in INDEX.read_text("utf-8").splitlines() if re.match(r"\| .*\d+ \|", line)]
    assert cells
    return [(row[1].strip(), re.findall(r"`([^`]+)`", row[3])) for row in cells]


@cache
def names_in(file: str) -> set[str]:
    return {
        node.name for node in ast.parse((TESTS / file).read_text("utf-8")).body if isinstance(node, ast.FunctionDef)
    }


@cache
def vectors_of(file: str) -> set[str]:
    lines = (TESTS / "vectors" / f"{file}.jsonl").read_text("utf-8").splitlines()
    return {json.loads(line)["id"] for line in lines}


def exists(name: str) -> bool:
    file, _, vector = name.partition("#")
    if vector:
        return vector in vectors_of(file)
    file, _, test = name.partition("::")
    return test.startswith("test_") and test in names_in(file)


def test_every_ruling_has_a_row() -> None:
    expected = {f"{game} {number}" for game, count in RULINGS.items() for number in range(1, count + 1)}
    assert {ruling for ruling, _ in rows()} == expected


def test_every_row_names_what_holds_it() -> None:
    assert [ruling for ruling, names in rows() if not names] == []


def test_everything_that_is_named_exists() -> None:
    assert [name for _, names in rows() for name in names if not exists(name)] == []
