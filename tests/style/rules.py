"""Rules of the code that no linter has: what breaks each, where it holds, and which files may, with the reason."""

import ast
import doctest
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from tests.style.size import ROOT

SHIPPED: Final = ("referee/", "clients/python/src/", "clients/harness/src/", "clients/table/src/")
JUDGING: Final = (
    "referee/finding.py",
    *(f"referee/{room}/" for room in ("audit", "dealing", "log", "suspicion", "transcript")),
)
"""Rooms that judge rounds of any game; elsewhere the codes of a game are words of plain English."""
GAME: Final = re.compile(r"mau_?binh|tien_?len|ultimate_?texas|mậu binh|tiến lên|ultimate texas", re.IGNORECASE)
TABLES: Final = [tomllib.loads(path.read_text("utf-8")) for path in ROOT.glob("referee/rulesets/texts/*_*.toml")]
CODES: Final = frozenset(code for tables in TABLES for table in tables.values() for code in table)
"""Codes that belong to games: of violations, events and groups of cards."""
KEEPS: Final = frozenset(
    "add append appendleft extend fail insert put put_nowait set_exception setdefault".split()  # noqa: SIM905 - a list of names
)
"""Methods that keep what they are given."""
_PRINTED_SET: Final = re.compile(r"(?:frozenset\()?(\{.*\})\)?", re.DOTALL)


class Rule(NamedTuple):
    """A rule; ``find`` yields what breaks it in a file's tree, and ``exceptions`` says which files may, and why."""

    find: Callable[[ast.Module], Iterator[str]]
    where: tuple[str, ...]
    exceptions: Mapping[str, str]
    broken: tuple[str, ...]
    sound: tuple[str, ...]


def handlers(tree: ast.AST) -> Iterator[ast.ExceptHandler]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name and node.type)


def kept_errors(tree: ast.Module) -> Iterator[str]:
    """Yield caught errors that outlive their handlers: a traceback holds its frame, which would hold the error."""
    for handler in handlers(tree):
        for node in ast.walk(handler):
            values: list[ast.expr | None] = []
            match node:
                case ast.Assign() | ast.NamedExpr() | ast.AnnAssign() | ast.Return():
                    values = [node.value]
                case ast.Call(func=ast.Attribute(attr=method)) if method in KEEPS:
                    values = [*node.args]
            if any(_is_or_holds(value, str(handler.name)) for value in values):
                yield ast.unparse(node)


def _is_or_holds(value: ast.expr | None, name: str) -> bool:
    """Say whether a value is the named error, or a collection that is written with it."""
    match value:
        case ast.Name():
            return value.id == name
        case ast.Tuple(elts=members) | ast.List(elts=members) | ast.Set(elts=members) | ast.Dict(values=members):
            return any(_is_or_holds(one, name) for one in members)
        case ast.IfExp():
            return _is_or_holds(value.body, name) or _is_or_holds(value.orelse, name)
    return False


def shown_errors(tree: ast.Module) -> Iterator[str]:
    """Yield errors of the system that are shown as their own text, which is a number or nothing."""
    for handler in handlers(tree):
        if not re.search(r"\b(OSError|Exception)\b", ast.unparse(handler.type or ast.Constant(0))):
            continue
        for node in ast.walk(ast.Module(handler.body, [])):
            is_formatted = isinstance(node, ast.FormattedValue) and ast.unparse(node.value) == handler.name
            if is_formatted or (isinstance(node, ast.Call) and ast.unparse(node) == f"str({handler.name})"):
                yield ast.unparse(node)


def fixed_waits(tree: ast.AST, *, is_in_loop: bool = False) -> Iterator[str]:
    """Yield waits for a constant time, or of a browser for any, in no loop: what is waited for is asked for."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="wait_for_timeout")) if not is_in_loop:
                yield ast.unparse(node)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="time" | "asyncio" | "anyio"), attr="sleep"),
                args=[ast.Constant(value=seconds)],
            ) if seconds and not is_in_loop:
                yield ast.unparse(node)
        begins = isinstance(node, ast.While | ast.For | ast.AsyncFor)
        ends = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from fixed_waits(node, is_in_loop=begins or (is_in_loop and not ends))


def printed_sets(tree: ast.Module) -> Iterator[str]:
    """Yield sets of several members that examples print: their order differs from one process to the next."""
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    for example in [one for text in texts if ">>>" in text for one in doctest.DocTestParser().get_examples(text)]:
        found = _PRINTED_SET.fullmatch(example.want.strip())
        try:
            value = ast.literal_eval(found[1]) if found else None
        except (SyntaxError, ValueError):
            continue
        if isinstance(value, set) and len(value) > 1:
            yield example.want.strip()


def found_by_string(tree: ast.Module) -> Iterator[str]:
    """Yield places that find a module, or a member of one, by a string that is no literal."""
    modules = {alias.asname or alias.name.partition(".")[0] for alias in _module_imports(tree)}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=called, args=[ast.expr() as first, *rest]):
                match ast.unparse(called).rpartition(".")[2], rest:
                    case (("import_module" | "__import__" | "run_module" | "resolve_name" | "locate"), _):
                        is_found = not isinstance(first, ast.Constant)
                    case "getattr", [name, *_]:
                        of_module = isinstance(first, ast.Name) and first.id in modules
                        is_made = isinstance(name, ast.JoinedStr | ast.BinOp)
                        is_found = is_made or (of_module and not isinstance(name, ast.Constant))
                    case _:
                        is_found = False
            case ast.Subscript(value=value, slice=key) if ast.unparse(value) in {"globals()", "sys.modules"}:
                is_found = not isinstance(key, ast.Constant) and not isinstance(node.ctx, ast.Del)
            case _:
                is_found = False
        if is_found:
            yield ast.unparse(node)


def _module_imports(tree: ast.Module) -> Iterator[ast.alias]:
    """Yield the imports that bind a module: ``import a``, and of a package its generated modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from node.names
        elif isinstance(node, ast.ImportFrom):
            yield from (alias for alias in node.names if "_pb2" in alias.name)


def named_games(tree: ast.Module) -> Iterator[str]:
    """Yield the names of games in code: imports, identifiers and texts, docstrings left out."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        words: list[str] = []
        match node:
            case ast.Import() | ast.ImportFrom():
                words = [getattr(node, "module", None) or "", *[alias.name for alias in node.names]]
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word):
                words = [word]
            case ast.FunctionDef(name=word) | ast.ClassDef(name=word):
                words = [word]
            case ast.Constant(value=str(word)) if id(node) not in docstrings:
                words = [word]
        yield from (word for word in words if GAME.search(word))


def codes_of_games(tree: ast.Module) -> Iterator[str]:
    """Yield the codes of games, in any case, that are whole texts of the code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.upper() in CODES:
            yield node.value


def caught(*bodies: str) -> tuple[str, ...]:
    return tuple([f"try:\n    g()\nexcept Exception as error:\n    {body}" for body in bodies])


RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "no handler keeps the error that it caught": Rule(
            kept_errors,
            SHIPPED,
            {
                "referee/adviser/desk.py": "passes the error to the thread of its call, which empties the name",
                "referee/storage/writer.py": "passes a batch's error to its callers, and empties its frame's names",
                "referee/web/gateway.py": "passes the error of a start to the thread that started it, once",
            },
            caught("x[0] = error", "x.append(error)", "x.append((1, error))", "x: A = error", "x = {'y': error}"),
            caught("x.append(error.with_traceback(None))", "x.append(str(error))", "raise Other(error) from error"),
        ),
        "no error of the system is shown as its own text": Rule(
            shown_errors,
            SHIPPED,
            {},
            caught("f'{error}'", "x = str(error)"),
            caught("f'{error_words(error)}'"),
        ),
        "no test waits for a fixed time": Rule(
            fixed_waits,
            ("tests/",),
            {
                "tests/server/cosigning/test_cosigning.py": "calls wait for a cosignature, and nothing counts them",
                "tests/server/limits/test_limits.py": "a call takes longer than its request may take to come",
                "tests/web/test_gateway_process.py": "a certificate that cannot be read is not taken at the next look",
            },
            ("time.sleep(0.5)", "page.wait_for_timeout(PAUSE_MS)", "while x:\n    def f():\n        time.sleep(1)"),
            ("while not ask():\n    time.sleep(0.02)", "asyncio.sleep(0)", "time.sleep(pause)"),
        ),
        "no example prints a set of several members": Rule(
            printed_sets,
            SHIPPED,
            {},
            ("'''\n>>> 1\nfrozenset({'a', 'b'})\n'''", "'''\n>>> 2\n{'a', 'b'}\n'''"),
            ("'''\n>>> 3\n{'a': 1, 'b': 2}\n>>> 4\nfrozenset({'a'})\n'''",),
        ),
        "no class and no module is found by a string made at run time": Rule(
            found_by_string,
            ("referee/", "clients/*/src/*", "tests/"),
            {
                "referee/cli/main.py": "a command is imported only when it runs, from the module of its own name",
            },
            (
                *('import_module(f"a.{name}")', "importlib.import_module(name)", "pkgutil.resolve_name(where)"),
                *('getattr(self, f"_play_{game}")', 'getattr(stubs, prefix + "Stub")', "globals()[name]"),
                "from referee.v1 import log_pb2\ngetattr(log_pb2, name)",
            ),
            ('import_module("eval7")', "getattr(row, name)", 'getattr(error, "code", 0)', "del sys.modules[name]"),
        ),
        "shared code names no game": Rule(
            named_games,
            ("referee/",),
            {
                "referee/adviser/service.py": "serves the advice of the built-in games",
                "referee/audit/receipted_moves.py": "finds dropped moves in logs of games that are not installed",
                "referee/cli/demo.py": "registers the demos of the built-in games",
                "referee/cli/learn.py": "its help says whose rulesets can be learned",
                "referee/cli/odds.py": "registers the odds of the built-in games",
                "referee/cli/rulesets.py": "its help gives an id as an example",
                "referee/lab/fairness/poker.py": "measures of the laboratory that names the hands it counts",
                "referee/lab/fairness/thirteen.py": "measures of the laboratory that names the hands it counts",
                "referee/answered/choices.py": "scores arrangements of thirteen cards",
                "referee/answered/reader.py": "asks about the one game in which hands are arranged",
                "referee/answered/tables.py": "finds the tables that value arrangements",
                "referee/answered/values.py": "values arrangements by the advice",
                "referee/cli/answered.py": "its help says at which tables the questions are asked",
                "referee/env/house.py": "the environment of the built-in game against a house",
                "referee/env/registry.py": "registers the actions of the built-in games",
                "referee/games/registry.py": "registers the laws of the built-in games",
                "referee/service/registry.py": "registers the services of the built-in games",
                "referee/wire/registry.py": "registers the messages of the built-in games",
            },
            (
                *("from referee.games.mau_binh import GAME", "from referee.games import tien_len", "x = 'Tiến Lên'"),
                *("isinstance(rules, UltimateTexasRules)", "pb2.MauBinhRound()"),
            ),
            ('"""Mậu Binh, say."""\nx = 1  # tien_len',),
        ),
        "what judges knows no code of a game": Rule(
            codes_of_games,
            JUDGING,
            {
                "referee/audit/course.py COMMIT": "finds seats that did not open, also of games that are not installed",
                "referee/audit/course.py TIMEOUT": "finds reports about seats in logs of games that are not installed",
                "referee/finding.py DEADLINE_PASSED": "a finding about the shuffler's deadline",
                "referee/log/slot.py ALREADY_OPENED": "a conflict about opening a round",
                "referee/log/slot.py NOT_OPENED": "a conflict about opening a round",
            },
            ("_GROUPS = ('back', 'middle', 'front')", "{'STILL_SEALED'} & codes", "x == 'PLAY_4X'"),
            ("x == 'LEAF'",),
        ),
    }
)
"""The rules by their words. An exception is a file, a folder, or a file and what it has."""
