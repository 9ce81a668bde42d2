"""Imports: no files import one another in a circle, and the judge imports none of its readers and advisers."""

import graphlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import grimp

from tests.style.size import ROOT

PACKAGES: Final = ("referee", "referee_client", "referee_harness", "referee_table", "tests")
PLANTED: Final = {
    "referee.audit.audit": "referee.suspicion.reader",
    "referee.audit.round": "referee.audit.page.text",
    "referee.audit.bundle": "referee.audit.dispute.case",
    "referee.storage.reader": "referee.rounds.row",
    "referee.service.memo": "referee.lab",
    "referee.transcript.replay": "referee.advice",
    "referee.server.clock": "referee.adviser.serving",
}
"""Modules of the judge, each with a reader or adviser that it must not import."""


def circle_in(graph: grimp.ImportGraph) -> list[str]:
    """Return the modules of a circle, imports inside functions and for types counted; nothing if there is none."""
    sorter = graphlib.TopologicalSorter({one: graph.find_modules_directly_imported_by(one) for one in graph.modules})
    try:
        sorter.prepare()
    except graphlib.CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_no_files_import_one_another_in_a_circle() -> None:
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    assert len(graph.modules) > 1000
    assert circle_in(graph) == []
    graph.add_import(importer="referee.cards", imported="referee.audit.audit")
    assert {"referee.cards", "referee.audit.audit"} <= set(circle_in(graph))


def test_import_of_a_reader_or_adviser_by_the_judge_is_refused(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "referee", tmp_path / "referee", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "pyproject.toml", tmp_path)
    for importing, module in PLANTED.items():
        with (tmp_path / importing.replace(".", "/")).with_suffix(".py").open("a", encoding="utf-8") as file:
            file.write(f"import {module}\n")
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=240)
    protected = done.stdout.rpartition("\nthe judge imports none of its readers and advisers\n-")[2]
    refused = set(re.findall(r"^- ([\w.]+) -> ([\w.]+) ", protected.partition("\nno cycles\n-")[0], re.MULTILINE))
    assert (done.returncode, set(PLANTED.items()) - refused) == (1, set()), done.stdout
