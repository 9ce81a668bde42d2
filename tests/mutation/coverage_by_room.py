"""Branch coverage of each room by the fast tests, of commits: ``python -m tests.mutation.coverage_by_room [REF ...]``.

Each commit, ``HEAD`` if none is named, is cloned into a temporary folder with an environment of its own. Processes that
the tests start are measured too, unless they are killed. A room is a folder of ``referee/``, or a file beside the
folders; its figure is the share of its statements and branches that ran.
"""

# ruff: noqa: T201 - a command that prints

import json
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.bench.bench_in_turns import clone
from tests.mutation.rooms import ROOT

SETTINGS: Final = """\
[run]
branch = true
source = referee
omit = */referee/v1/*
parallel = true
patch = subprocess
data_file = {folder}/covered
"""
FAST: Final = ("-n", "logical", "--dist", "worksteal", "-q", "-m", "not slow and not exhaustive")
RAN: Final = ("covered_lines", "covered_branches")
ALL: Final = ("num_statements", "num_branches")
"""Figures of a file in coverage's report: what ran of it, and all there is."""


def measured(tree: Path) -> tuple[Mapping[str, float], str]:
    """Run the fast tests of a tree; return the percentage by room, and what failed with pytest's last line."""
    folder = tree.parent / "coverage"
    folder.mkdir()
    settings = folder / "settings"
    settings.write_text(SETTINGS.format(folder=folder))
    project = tomllib.loads((ROOT / "tests/mutation/pyproject.toml").read_text())["project"]
    (requirement,) = (one for one in project["dependencies"] if one.startswith("coverage"))
    python = str(tree / ".venv/bin/python")

    def run(*command: str, is_checked: bool = True) -> str:
        done = subprocess.run([python, "-m", *command], cwd=tree, check=is_checked, capture_output=True, text=True)
        return done.stdout

    run("pip", "install", "--quiet", "--disable-pip-version-check", requirement)
    output = run("coverage", "run", f"--rcfile={settings}", "-m", "pytest", *FAST, is_checked=False)
    run("coverage", "combine", "--quiet", f"--rcfile={settings}")
    run("coverage", "json", "--quiet", f"--rcfile={settings}", "-o", str(folder / "report"))
    files: Mapping[str, Any] = json.loads((folder / "report").read_text())["files"]
    said = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return by_room(files), "; ".join([*said, output.splitlines()[-1]])


def by_room(files: Mapping[str, Any]) -> Mapping[str, float]:
    """Return the percentage of each room, from the files of coverage's report.

    >>> half = {"summary": {name: 2 for name in (*RAN, *ALL)} | {"covered_branches": 0, "num_branches": 2}}
    >>> by_room({"referee/log/slot.py": half, "referee/money.py": half})
    {'log': 50.0, 'money.py': 50.0}
    """
    ran: dict[str, int] = defaultdict(int)
    whole: dict[str, int] = defaultdict(int)
    for path, report in files.items():
        room = path.split("/")[1]
        ran[room] += sum(report["summary"][name] for name in RAN)
        whole[room] += sum(report["summary"][name] for name in ALL)
    return {room: 100 * ran[room] / whole[room] for room in sorted(whole) if whole[room]}


def main() -> None:
    """Measure the commits one after the other and print a line a room."""
    refs = sys.argv[1:] or ["HEAD"]
    found = []
    for ref in refs:
        with tempfile.TemporaryDirectory() as name:
            rooms, said = measured(clone(ref, Path(name) / "tree"))
        print(f"{ref}: {said}", flush=True)
        found.append(rooms)
    print(f"{'room':<16}" + "".join(f"{ref:>12}" for ref in refs))
    for room in sorted({room for rooms in found for room in rooms}):
        print(f"{room:<16}" + "".join(f"{rooms[room]:>11.1f}%" if room in rooms else f"{'-':>12}" for rooms in found))


if __name__ == "__main__":
    main()
