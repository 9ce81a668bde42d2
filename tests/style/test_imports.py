"""Imports: no files import one another in a circle, and no class or module is found by a string made at run time."""

import ast
import graphlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.style.features import GENERATED, ROOT, paths

FOLDERS: Final = ("referee", "clients/*/src/*", "tests")
BY_NAME: Final = {
    "referee/cli/main.py": "a command is imported only when it runs, from the module of its own name",
    "clients/table/src/referee_table/games.py": "a game's code and its part of the page are in a folder of its name",
}
"""Files that may import a module by a string made at run time, with the reason."""
PLANTED: Final = {
    "referee/audit/audit.py": "referee.suspicion.reader",
    "referee/audit/round.py": "referee.audit.page.text",
    "referee/audit/bundle.py": "referee.audit.dispute.case",
    "referee/storage/reader.py": "referee.rounds.row",
    "referee/service/memo.py": "referee.lab",
    "referee/transcript/replay.py": "referee.advice",
    "referee/server/clock.py": "referee.adviser.serving",
}
"""Files of the judge, each with a reader or adviser that it must not import."""
Graph = Mapping[str, set[str]]
"""Modules, and those that each imports."""


def sources() -> dict[str, str]:
    """Return all Python files by hand, by path."""
    names = [name for name in paths(*FOLDERS) if name.endswith(".py") and not GENERATED.search(name)]
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names}


def module_of(path: str) -> str:
    """Return the name under which a file is imported."""
    inside = path.rpartition("/src/")[2] if "/src/" in path else path
    parts = Path(inside).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def graph_of(files: Mapping[str, str]) -> Graph:
    """Return what each file imports of the others, inside functions and for types too.

    ``from a import b`` imports the module ``a.b`` if there is one, else ``a``. A package that Python runs only because
    a module is inside it is not counted.
    """
    modules = {module_of(path): text for path, text in files.items()}
    return {name: set(imported(ast.parse(text), modules)) - {name} for name, text in modules.items()}


def imported(tree: ast.Module, modules: Mapping[str, str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from names & modules.keys()
            if node.module in modules and not names <= modules.keys():
                yield node.module


def circle_in(graph: Graph) -> list[str]:
    """Return the modules of a circle, the first one at the end again; nothing if there is none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def found_by_string(text: str) -> Iterator[int]:
    """Yield the lines at which a file finds a module, or a member of one, by a string that is no literal."""
    tree = ast.parse(text)
    modules = {alias.asname or alias.name.partition(".")[0] for alias in module_imports(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            called = ast.unparse(node.func).rpartition(".")[2]
            if called in {"import_module", "__import__", "run_module", "resolve_name", "locate"}:
                yield from [] if isinstance(node.args[0], ast.Constant) else [node.lineno]
            elif called == "getattr" and len(node.args) > 1:
                owner, name = node.args[:2]
                is_module = isinstance(owner, ast.Name) and owner.id in modules and not isinstance(name, ast.Constant)
                is_made = isinstance(name, ast.JoinedStr | ast.BinOp)
                yield from [node.lineno] if is_module or is_made else []
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) in {"globals()", "sys.modules"}:
            yield from [] if isinstance(node.slice, ast.Constant) or isinstance(node.ctx, ast.Del) else [node.lineno]


def module_imports(tree: ast.Module) -> Iterator[ast.alias]:
    """Yield the imports that bind a module: ``import a``, and of a package its generated modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from node.names
        elif isinstance(node, ast.ImportFrom):
            yield from (alias for alias in node.names if "_pb2" in alias.name)


def test_no_files_import_one_another_in_a_circle() -> None:
    graph = graph_of(sources())
    assert len(graph) > 1000
    assert circle_in(graph) == []


@pytest.mark.parametrize(
    "importing",
    [
        "from a.b import c",
        "from a import b",
        "import a.b",
        "def f():\n    from a.b import c",
        "if TYPE_CHECKING:\n    import a.b",
    ],
)
def test_every_way_to_import_closes_a_circle(importing: str) -> None:
    files = {"a/__init__.py": "", "a/b.py": "from a.c import d", "a/c.py": importing}
    assert sorted(set(circle_in(graph_of(files)))) == ["a.b", "a.c"]
    assert circle_in(graph_of(files | {"a/c.py": "import e"})) == []


def test_no_class_and_no_module_is_found_by_a_string_made_at_run_time() -> None:
    found = {path: list(found_by_string(text)) for path, text in sources().items()}
    assert {path: lines for path, lines in found.items() if lines and path not in BY_NAME} == {}


@pytest.mark.parametrize(
    "text",
    [
        'import_module(f"a.{name}")',
        "importlib.import_module(name)",
        "pkgutil.resolve_name(where)",
        'getattr(self, f"_play_{game}")',
        'getattr(stubs, prefix + "Stub")',
        "from referee.v1 import log_pb2\ngetattr(log_pb2, name)",
        "globals()[name]",
    ],
)
def test_string_made_at_run_time_is_found(text: str) -> None:
    assert list(found_by_string(text)) == [len(text.splitlines())]


@pytest.mark.parametrize("text", ['import_module("eval7")', "getattr(row, name)", 'getattr(error, "code", 0)'])
def test_literal_and_member_of_a_value_are_left_alone(text: str) -> None:
    assert list(found_by_string(text)) == []


def test_import_of_a_reader_or_adviser_by_the_judge_is_refused(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "referee", tmp_path / "referee", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "pyproject.toml", tmp_path)
    for path, module in PLANTED.items():
        with (tmp_path / path).open("a", encoding="utf-8") as file:
            file.write(f"import {module}\n")
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=240)
    protected = done.stdout.rpartition("\nthe judge imports none of its readers and advisers\n-")[2]
    refused = set(re.findall(r"^- ([\w.]+) -> ([\w.]+) ", protected.partition("\nno cycles\n-")[0], re.MULTILINE))
    planted = {(module_of(path), module) for path, module in PLANTED.items()}
    assert (done.returncode, planted - refused) == (1, set()), done.stdout
