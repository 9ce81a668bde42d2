"""No circle among the files of the TypeScript packages, imports of types and of parts that are loaded later counted."""

import re
from collections.abc import Mapping
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


def graph_of(folder: Path) -> Mapping[Path, set[Path]]:
    """Return the files of a folder, each with those that it imports; generated files are left out."""
    files = {path for path in folder.rglob("*.ts") if "gen" not in path.parts}
    paths = {file: {(file.parent / path).resolve() for path in imported(file.read_text("utf-8"))} for file in files}
    return {file: {path.with_suffix(".ts") for path in found} & files for file, found in paths.items()}


@pytest.mark.parametrize("package", ["typescript", "verifier"])
def test_files_of_a_package_import_one_another_in_no_circle(package: str) -> None:
    graph = graph_of(CLIENTS / package / "src")
    assert sum(map(len, graph.values())) > len(graph) > 30, "the imports are read"
    TopologicalSorter(graph).prepare()
    importing, imports = next((file, found) for file, found in graph.items() if found)
    with pytest.raises(CycleError):
        TopologicalSorter({**graph, next(iter(imports)): {importing}}).prepare()


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
