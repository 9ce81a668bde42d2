"""Vectors read from the JSON lines below this folder."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

FOLDER: Final = Path(__file__).parent
Row = dict[str, Any]


def read(name: str) -> list[Row]:
    """Return the rows of a file such as ``dealing/headers``, in its order; a file without rows is an error."""
    rows = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows, name
    return rows


def each(*names: str, argument: str = "row") -> pytest.MarkDecorator:
    """Run a test once for each row of these files."""
    rows = [
        pytest.param(row, id=row["id"] if len(names) == 1 else f"{name}:{row['id']}")
        for name in names
        for row in read(name)
    ]
    return pytest.mark.parametrize(argument, rows)
