"""No circle among the files of the TypeScript packages, imports of types and of parts that are loaded later counted."""

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

import pytest

CLIENTS: Final = Path(__file__).parents[2] / "clients"
IMPORT: Final = re.compile(
    r"""^\s*(?:import|export)\s(?:[^"';]*?\sfrom\s)?\s*["'](\.[^"']+)["']|\bimport\(\s*["'](\.[^"']+)["']""",
    re.MULTILINE,
)
"""A static or a dynamic import of a file of the same package, and an export from it; the path is in one group."""


def imported(text: str) -> set[str]:
    """Return the relative paths that a file imports."""
    return {static or dynamic for static, dynamic in IMPORT.findall(text)}


def graph_of(folder: Path) -> Mapping[str, AbstractSet[str]]:
    """Return the files of a folder by path, each with those that it imports; generated files are left out."""
    files = {path.relative_to(folder) for path in folder.rglob("*.ts") if "gen" not in path.parts}
    return {str(file): set(_inside(folder, file, files)) for file in sorted(files)}


def _inside(folder: Path, file: Path, files: AbstractSet[Path]) -> Iterator[str]:
    for path in imported((folder / file).read_text("utf-8")):
        target = (folder / file).parent.joinpath(path).resolve().relative_to(folder).with_suffix(".ts")
        if target in files:
            yield str(target)


def circle_in(graph: Mapping[str, AbstractSet[str]]) -> list[str]:
    """Return the files of a circle, the first one twice; empty without a circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return circle[::-1]
    return []


@pytest.mark.parametrize("package", ["typescript", "verifier"])
def test_files_of_a_package_import_one_another_in_no_circle(package: str) -> None:
    graph = graph_of(CLIENTS / package / "src")
    assert sum(map(len, graph.values())) > len(graph) > 30, "the imports are read"
    assert circle_in(graph) == []


def test_every_kind_of_import_is_read() -> None:
    text = """
import "./a.js";
import { one, type Two } from "./b.js";
import type { Three } from './c.js';
import {
  four,
} from "./d.js";
export * from "./e.js";
export { five, type Six } from "./f.js";
const seven = await import("./g.js");
import { far } from "package";
export const eight = "./no.js";
"""
    assert imported(text) == {f"./{name}.js" for name in "abcdefg"}


def test_a_circle_is_named_in_the_order_of_its_imports() -> None:
    assert circle_in({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) in (
        ["a", "b", "c", "a"],
        ["b", "c", "a", "b"],
        ["c", "a", "b", "c"],
    )
    assert circle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
