"""No example of a docstring prints a set of several members: their order differs from one process to the next."""

import ast
import doctest
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = ("referee", "clients/python/src", "clients/harness/src", "clients/table/src")
PRINTED: Final = re.compile(r"(?:frozenset\()?(\{.*\})\)?", re.DOTALL)


def sets_in(source: str) -> Iterator[str]:
    """Yield what examples print, where that is a set of two members or more."""
    for example in doctest.DocTestParser().get_examples(source):
        found = PRINTED.fullmatch(example.want.strip())
        try:
            value = ast.literal_eval(found[1]) if found else None
        except (SyntaxError, ValueError):
            continue
        if isinstance(value, set) and len(value) > 1:
            yield example.want.strip()


def test_no_example_prints_a_set_of_several_members() -> None:
    paths = [path for folder in SOURCES for path in (ROOT / folder).rglob("*.py")]
    assert len(paths) > 300
    found = {path.name: list(sets_in(path.read_text(encoding="utf-8"))) for path in paths}
    assert {name: sets for name, sets in found.items() if sets} == {}


def test_sets_are_distinguished_from_mappings_and_single_members() -> None:
    examples = ">>> 1\nfrozenset({'a', 'b'})\n>>> 2\n{'a', 'b'}\n>>> 3\n{'a': 1, 'b': 2}\n>>> 4\nfrozenset({'a'})\n"
    assert list(sets_in(examples)) == ["frozenset({'a', 'b'})", "{'a', 'b'}"]
