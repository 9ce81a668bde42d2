"""The page for authors names files and functions that exist, and quotes the lines that play a round."""

import ast
import re
import textwrap
from pathlib import Path

import referee_table

SOURCES = Path(referee_table.__file__).parent
PAGE = (Path(__file__).parents[2] / "clients" / "table" / "HOW_IT_WORKS.md").read_text(encoding="utf-8")
GAMES = ("mau_binh", "tien_len", "ultimate_texas")


def names_of(path: Path) -> set[str]:
    """Return the functions and classes of a file."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return {node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, kinds)}


def test_lines_that_play_a_round_are_those_of_the_server() -> None:
    quoted = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE, re.DOTALL)
    assert sum(len(lines.splitlines()) for _, lines in quoted) >= 18
    for name, lines in quoted:
        source = (SOURCES / name).read_text(encoding="utf-8")
        assert any(textwrap.indent(lines, " " * depth) in source for depth in (0, 4, 8)), lines


def test_each_function_that_is_named_is_in_its_file() -> None:
    named = re.findall(r"`((?:<game>/)?\w+\.py)`((?:,? `\w+`)+)", PAGE)
    named = [(name, function) for name, functions in named for function in re.findall(r"`(\w+)`", functions)]
    assert len(named) > 15
    for name, function in named:
        paths = [SOURCES / name.replace("<game>", game) for game in GAMES]
        assert all(function in names_of(path) for path in paths), (name, function)
