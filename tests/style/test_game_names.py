"""No code outside a game's own files names a game, or a code of its violations, events and groups of cards.

Shared code finds games in the registries, kinds of faults by ``fault_kind`` and groups of cards by ``groups``.

Docstrings and comments may, as examples do. A file is a game's own if its name or a folder of it has the game's name.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
GAME: Final = re.compile(r"mau_?binh|tien_?len|ultimate_?texas|mậu binh|tiến lên|ultimate texas", re.IGNORECASE)
EXCEPTIONS: Final = {
    "referee/adviser/service.py": "serves the advice of the built-in games",
    "referee/answered/choices.py": "scores arrangements of thirteen cards",
    "referee/answered/reader.py": "asks about the one game in which hands are arranged",
    "referee/answered/tables.py": "finds the tables that value arrangements",
    "referee/answered/values.py": "values arrangements by the advice",
    "referee/audit/receipted_moves.py": "finds moves that were dropped in logs of games that are not installed",
    "referee/cli/answered.py": "its help says at which tables the questions are asked",
    "referee/cli/demo.py": "registers the demos of the built-in games",
    "referee/cli/learn.py": "its help says whose rulesets can be learned",
    "referee/cli/odds.py": "registers the odds of the built-in games",
    "referee/cli/rulesets.py": "its help gives an id as an example",
    "referee/lab/fairness/poker.py": "measures of the laboratory that names the hands it counts",
    "referee/lab/fairness/thirteen.py": "measures of the laboratory that names the hands it counts",
    "referee/games/registry.py": "registers the laws of the built-in games",
    "referee/service/registry.py": "registers the services of the built-in games",
    "referee/wire/registry.py": "registers the messages of the built-in games",
}
"""Files that may name a game, each with the reason."""
TABLES: Final = [tomllib.loads(path.read_text("utf-8")) for path in ROOT.glob("referee/rulesets/texts/*_*.toml")]
CODES: Final = frozenset(code for tables in TABLES for table in tables.values() for code in table)
"""Codes that belong to games: of violations, events and groups of cards."""
CODE_EXCEPTIONS: Final = {
    ("referee/audit/course.py", "COMMIT"): "finds seats that did not open in logs of games that are not installed",
    ("referee/audit/course.py", "TIMEOUT"): "finds reports about seats in logs of games that are not installed",
    ("referee/finding.py", "DEADLINE_PASSED"): "a finding about the shuffler's deadline",
    ("referee/log/slot.py", "ALREADY_OPENED"): "a conflict about opening a round",
    ("referee/log/slot.py", "NOT_OPENED"): "a conflict about opening a round",
}
"""Codes that shared code uses for something of its own, each with what it is."""


def names_in(source: str) -> Iterator[str]:
    """Yield the names of games in code: imports, identifiers and text, docstrings left out."""
    tree = ast.parse(source)
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        words: list[str] = []
        match node:
            case ast.Import() | ast.ImportFrom():
                words = [getattr(node, "module", None) or "", *[alias.name for alias in node.names]]
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word):
                words = [word]
            case ast.FunctionDef(name=word) | ast.ClassDef(name=word):
                words = [word]
            case ast.Constant(value=str(word)) if id(node) not in texts:
                words = [word]
        yield from (word for word in words if GAME.search(word))


def codes_in(source: str) -> Iterator[str]:
    """Yield the codes of games, in any case, that are whole texts of the code."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.upper() in CODES:
            yield node.value


JUDGING: Final = (
    "referee/finding.py",
    *(f"referee/{room}/" for room in ("audit", "dealing", "log", "suspicion", "transcript")),
)
"""Rooms that judge rounds of any game; elsewhere such words are of plain English, SQL and the command line."""


def shared_files() -> list[str]:
    paths = [path.relative_to(ROOT).as_posix() for path in (ROOT / "referee").rglob("*.py")]
    return sorted(path for path in paths if not GAME.search(path) and not path.startswith("referee/v1/"))


def test_shared_code_names_no_game() -> None:
    paths = sorted(set(shared_files()) - EXCEPTIONS.keys())
    named = {path: list(names_in((ROOT / path).read_text(encoding="utf-8"))) for path in paths}
    assert len(named) > len(EXCEPTIONS)
    assert {path: names for path, names in named.items() if names} == {}


def test_shared_code_knows_no_code_of_a_game() -> None:
    paths = [path for path in shared_files() if path.startswith(JUDGING)]
    found = {(path, code) for path in paths for code in codes_in((ROOT / path).read_text(encoding="utf-8"))}
    assert len(CODES) > 50
    assert found == CODE_EXCEPTIONS.keys()


@pytest.mark.parametrize(
    "source", ["_GROUPS = ('back', 'middle', 'front')", "{'STILL_SEALED'} & codes", "x == 'PLAY_4X'"]
)
def test_a_code_is_found_in_either_case(source: str) -> None:
    assert list(codes_in(source))


@pytest.mark.parametrize("path", EXCEPTIONS)
def test_each_exception_does_name_a_game(path: str) -> None:
    assert list(names_in((ROOT / path).read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "source",
    [
        *("from referee.games.mau_binh import GAME", "from referee.games import tien_len", "x = 'Tiến Lên'"),
        *("isinstance(rules, UltimateTexasRules)", "pb2.MauBinhRound()"),
    ],
)
def test_a_name_is_found_in_imports_names_and_texts(source: str) -> None:
    assert list(names_in(source))


def test_docstrings_and_comments_may_name_games() -> None:
    assert list(names_in('"""Mậu Binh, say."""\nx = 1  # tien_len')) == []
