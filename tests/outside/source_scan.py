"""A scan of the sources for every call that parses, so that the table of places is complete."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = ("referee", "clients/python/src", "clients/table/src", "clients/harness/src")
_SKIPPED: Final = ("referee/v1/", "referee/testing/")
_COUNTING: Final = ("referee/advice/", "referee/lab/", "referee/hands/", "referee/games/")
"""Rooms whose ``int`` takes numbers of their own, numpy's for instance."""

READERS: Final = {"read_json", "read_toml", "read_message", "read_recorded"}
"""The readers of bytes from outside, one a format."""
_RAW: Final = re.compile(
    r"(json|orjson|tomllib|pickle)\.loads?|(msgspec\.(json|toml|msgpack|yaml)\.)?(decode|Decoder)|jwt\.decode"
    r"|.*\.(FromString|ParseFromString|Parse|ParseDict|decode_lines|strptime|get_unverified_header)"
    r"|parsedate_to_datetime|.*[dD]ecoder\.decode|ElementTree\..*|yaml\..*"
)


@cache
def calls() -> tuple[tuple[str, str, str], ...]:
    """Return the file, the function ``module:name`` and the callee of every call in the sources."""
    return tuple(_all_calls())


def _all_calls() -> Iterator[tuple[str, str, str]]:
    for source in SOURCES:
        for path in sorted((ROOT / source).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(_SKIPPED) and not name.endswith(("_pb2.py", "_pb2_grpc.py")):
                base = ROOT if source == "referee" else ROOT / source
                module = ".".join(path.relative_to(base).with_suffix("").parts).removesuffix(".__init__")
                for where, callee in _calls(ast.parse(path.read_text(encoding="utf-8"))):
                    yield name, f"{module}:{where}", callee


def _calls(node: ast.AST, where: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield ".".join(where), ast.unparse(child.func)
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _calls(child, (*where, child.name))
        else:
            yield from _calls(child, where)


def reading() -> set[str]:
    """Return the functions that read by one of the readers."""
    return {where for _, where, callee in calls() if callee.rpartition(".")[2] in READERS}


def parsing() -> set[str]:
    """Return the functions that parse by a library's own function."""
    return {where for _, where, callee in calls() if _RAW.fullmatch(callee)}


def counting() -> set[str]:
    """Return the functions that make an integer of something, other than in rooms that only count."""
    return {where for name, where, callee in calls() if callee == "int" and not name.startswith(_COUNTING)}
