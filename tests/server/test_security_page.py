"""The table of threats in SECURITY.md: each row names tests, and each of them is there."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "SECURITY.md"
SECTION = re.compile(r"^## Threats\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def rows() -> list[list[str]]:
    """Return the table's rows, each a list of cells."""
    found = SECTION.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    lines = [line for line in found[1].splitlines() if line.startswith("| ")]
    assert len(lines) > 1
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


def test_every_threat_says_what_holds_what_does_not_and_by_which_test():
    for row in rows():
        assert len(row) == 5, row
        assert all(row)
        assert re.findall(r"`[a-z_/]+\.py::test_\w+`", row[4])


@pytest.mark.parametrize("named", sorted({one for row in rows() for one in re.findall(r"`([^`]+::[^`]+)`", row[4])}))
def test_test_that_a_threat_names_is_there(named):
    path, _, name = named.partition("::")
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_threats_that_must_not_be_forgotten_are_there():
    text = " ".join(row[0] for row in rows())
    words = ["operator", "frontend", "tenant", "seat", "witness", "disk", "key", "token", "network", "floods"]
    assert [word for word in words if word not in text] == []
