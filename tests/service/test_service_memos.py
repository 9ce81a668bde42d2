"""Every memo of the server's process is on the page, with its key: a new one is added there, or this test fails.

Found are ``Memo``, ``lru_cache``, ``cache``, ``cached_property``, mappings of weak references, mappings that begin
empty in a module, a class or an object, and classes of mappings that make what they lack.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import referee

ROOT: Final = Path(referee.__file__).parent
ROOMS: Final = {
    *("advice", "cards", "dealing", "evidence", "games", "hands", "log", "money", "rulesets"),
    *("server", "service", "storage", "transcript", "verdict", "web", "wire"),
}
"""The rooms that a serving process imports, but the generated code."""
MEMOS: Final = {"Memo", "lru_cache", "cache", "cached_property", "WeakKeyDictionary", "WeakValueDictionary"}
MAPPINGS: Final = {"dict", "OrderedDict", "defaultdict", "Counter"}
ROW: Final = re.compile(r"^\| `([\w/]+\.py)` `([\w.*]+)` \| [^|]+ \| [^|]+ \|$", re.MULTILINE)
STATE: Final = {
    "advice/tien_len/control.py HoldChances._by_count": "lives as long as one computation",
    "log/keys.py KeyHistory._records": "the log's keys",
    "log/proof.py _Nodes._read": "lives as long as one proof",
    "log/starts.py StartHistory._in_force": "the log's STARTs",
    "log/starts.py StartHistory._named": "the log's STARTs",
    "rulesets/texts.py _File.advice": "a default",
    "rulesets/texts.py _File.event": "a default",
    "rulesets/texts.py _File.group": "a default",
    "rulesets/texts.py _NO_NAMES": "a constant",
    "server/limits/rate_limit.py ConcurrencyLimit._under_way": "calls under way, by caller",
    "server/limits/rate_limit.py TokenBuckets._held": "calls that callers made",
    "server/process/health.py HealthService._of_peer": "watchers, by connection",
    "server/process/health.py HealthService._watches": "watchers",
    "server/process/tracing.py Tracing._open": "calls under way",
    "service/memo.py Memo._values": "what a memo is made of",
    "service/pool.py CallPool._receiving": "calls under way",
    "service/pool.py CallPool._streams": "calls under way",
    "service/pool.py Timeouts._due": "calls under way",
    "storage/store.py Transaction._due": "lives as long as a transaction",
    "web/callers.py ByteBudget._taken": "bytes under way, by caller",
}
"""Mappings that begin empty and are no memos."""


def name_of(node: ast.expr) -> str:
    """Return the last name of what an expression calls or refers to; empty if it has none."""
    match node:
        case ast.Call():
            return name_of(node.func)
        case ast.Subscript():
            return name_of(node.value)
        case ast.Attribute():
            return node.attr
        case ast.Name():
            return node.id
    return ""


def is_memo(value: ast.expr) -> bool:
    """Return whether a value is a memo, or a function with one, or a mapping that begins empty."""
    if isinstance(value, ast.Dict):
        return not value.keys
    if not isinstance(value, ast.Call):
        return False
    return name_of(value) in MEMOS or (name_of(value) in MAPPINGS and not value.args)


def memos_in(node: ast.AST, path: tuple[str, ...] = (), *, in_function: bool = False) -> Iterator[str]:
    """Yield the memos below a node by name: a function's, a module's, a class's or an object's."""
    for child in ast.iter_child_nodes(node):
        inner, is_inside = path, in_function
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                inner = (*path, child.name)
                is_inside = in_function or not isinstance(child, ast.ClassDef)
                fills_itself = any(isinstance(one, ast.FunctionDef) and one.name == "__missing__" for one in child.body)
                if fills_itself or any(name_of(one) in MEMOS for one in child.decorator_list):
                    yield ".".join(inner)
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                is_kept = not in_function or isinstance(target, ast.Attribute)
                if is_kept and is_memo(value):
                    owner = path[:-1] if in_function else path
                    yield ".".join((*owner, name_of(target)))
        yield from memos_in(child, inner, in_function=is_inside)


def found() -> set[str]:
    """Return the memos of the rooms that serve, by file and name."""
    files = [path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0].removesuffix(".py") in ROOMS]
    assert len(files) > 100
    return {
        f"{path.relative_to(ROOT).as_posix()} {name}"
        for path in files
        for name in memos_in(ast.parse(path.read_text(encoding="utf-8")))
    }


def listed() -> set[str]:
    """Return the memos that the page lists."""
    rows = ROW.findall((ROOT / "service" / "README.md").read_text(encoding="utf-8"))
    assert rows
    return {f"{file} {name}" for file, name in rows}


def matches(row: str, memo: str) -> bool:
    """Return whether a row lists a memo; a row of ``Class.*`` lists all of the class."""
    return memo.startswith(row[:-1]) if row.endswith("*") else memo == row


def test_every_memo_is_on_the_page_with_its_key() -> None:
    rows = listed()
    missing = {memo for memo in found() - STATE.keys() if not any(matches(row, memo) for row in rows)}
    assert missing == set(), "add it to service/README.md with its key and all that its values depend on, or do without"


def test_page_lists_no_memo_that_is_gone() -> None:
    memos = found()
    assert {row for row in listed() if not any(matches(row, memo) for memo in memos)} == set()
    assert STATE.keys() - memos == set()


def test_memos_are_found_wherever_they_are_kept() -> None:
    text = """
import functools
_KEPT: dict[int, int] = {}
strengths = functools.lru_cache(maxsize=4)(make)
given = dict(one=1)
@functools.cache
def once(): ...
class Room:
    shared = {}
    def __init__(self) -> None:
        self._memo: Memo[int, int] = Memo(max_bytes=1)
        self._weak = WeakKeyDictionary()
        local = {}
    @functools.cached_property
    def made(self): ...
"""
    names = {"_KEPT", "strengths", "given", "once", "Room.shared", "Room._memo", "Room._weak", "Room.made"}
    assert set(memos_in(ast.parse(text))) == names
