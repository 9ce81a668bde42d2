"""No code keeps an error that it caught: its traceback holds the frame, which would hold the error.

Such a cycle keeps all that the frame knows until garbage is collected; of a call, one of its connection's streams. What
is kept instead is what the error says, or the error without its traceback.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = ("referee", "clients/python/src", "clients/harness/src", "clients/table/src")
KEEPS: Final = frozenset(
    {"add", "append", "appendleft", "extend", "fail", "insert", "put", "put_nowait", "set_exception", "setdefault"}
)
"""Methods that keep what they are given."""
EXCEPTIONS: Final = {
    "referee/adviser/desk.py": "passes the error of a computation to the thread of its call, which empties the name",
    "referee/storage/writer.py": "passes the error of a batch to its callers, and empties the names that its frame has",
    "referee/web/gateway.py": "passes the error of a start to the thread that started it, once",
}
"""Files that may keep one, each with the reason."""


def kept_in(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and name of each caught error that outlives its handler."""
    for handler in ast.walk(ast.parse(source)):
        if isinstance(handler, ast.ExceptHandler) and handler.name:
            for node in ast.walk(handler):
                if any(_names(value, handler.name) for value in _kept_by(node)):
                    yield getattr(node, "lineno", 0), handler.name


def _kept_by(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions whose values a statement or call keeps."""
    match node:
        case ast.Assign() | ast.NamedExpr():
            yield node.value
        case ast.AnnAssign(value=ast.expr() as value) | ast.Return(value=ast.expr() as value):
            yield value
        case ast.Call(func=ast.Attribute(attr=method)) if method in KEEPS:
            yield from node.args


def _names(value: ast.expr, name: str) -> bool:
    """Return whether a value is the named error, or a collection that is written with it."""
    match value:
        case ast.Name():
            return value.id == name
        case ast.Tuple() | ast.List() | ast.Set():
            return any(_names(one, name) for one in value.elts)
        case ast.Dict():
            return any(_names(one, name) for one in value.values)
        case ast.IfExp():
            return _names(value.body, name) or _names(value.orelse, name)
    return False


@pytest.mark.parametrize("folder", SOURCES)
def test_no_handler_keeps_the_error_that_it_caught(folder: str) -> None:
    files = [path for path in (ROOT / folder).rglob("*.py") if "v1" not in path.parts]
    assert files
    found = {
        str(path.relative_to(ROOT)): kept for path in files if (kept := list(kept_in(path.read_text(encoding="utf-8"))))
    }
    assert {name: kept for name, kept in found.items() if name not in EXCEPTIONS} == {}
    assert {name for name in EXCEPTIONS if name.startswith(f"{folder}/")} == set(found)


@pytest.mark.parametrize(
    ("body", "is_kept"),
    [
        ("faults[0] = error", True),
        ("faults.append(error)", True),
        ("faults.append((1, error))", True),
        ("last: Exception = error", True),
        ("return error", True),
        ("return {'fault': error}", True),
        ("faults.append(error.with_traceback(None))", False),
        ("faults.append(str(error))", False),
        ("raise Other(error) from error", False),
    ],
)
def test_kept_errors_are_told_from_what_they_say(body: str, *, is_kept: bool) -> None:
    source = f"def f():\n    try:\n        g()\n    except Exception as error:\n        {body}\n"
    assert bool(list(kept_in(source))) == is_kept
