"""Calls of another commit beside those of this tree, in turns: ``python -m tests.bench.bench_in_turns REF``.

The other commit is cloned into a temporary folder with an environment of its own. Each turn measures the calls of one
tree and then of the other, so a machine that grows slower does so for both. Figures are medians over the turns, as
ratios to a plain gRPC echo of the same run. A line is marked if this tree's least ratio is more than 5 % above the
other's greatest, and so beyond noise; the process then ends with 1.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parents[2]
ALLOWED: Final = 1.05
"""How many times as dear a line may have become."""
MEASURE: Final = (
    "import json, sys; from tests.bench.bench_serving import measured; json.dump(measured({scale}), sys.stdout)"
)


def main() -> None:
    """Measure both trees in turns and print the lines that both have."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ref", help="the commit to compare with, as git names it")
    parser.add_argument("--turns", type=int, default=5, help="how many times each tree is measured")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="measure so many times the usual number of rounds; from 0.6 on"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        other = clone(given.ref, Path(name) / "other")
        before: list[Mapping[str, float]] = []
        now: list[Mapping[str, float]] = []
        for turn in range(given.turns):
            for tree, found in ((other, before), (HERE, now)):
                sys.stderr.write(f"turn {turn + 1} of {given.turns}: {'this tree' if tree == HERE else given.ref}\n")
                found.append(measure(tree, given.scale))
    table, dearer = compare(before, now)
    sys.stdout.write(table)
    sys.exit(1 if dearer else 0)


def clone(ref: str, folder: Path) -> Path:
    """Clone this repository at a commit, with an environment for its tests; return the folder."""
    sys.stderr.write(f"setting up {ref}\n")
    for command in (
        ["git", "clone", "--quiet", "--no-checkout", str(HERE), str(folder)],
        ["git", "-C", str(folder), "checkout", "--quiet", ref],
        ["make", "--directory", str(folder), ".venv/.installed-dev"],
    ):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


def measure(tree: Path, scale: float) -> Mapping[str, float]:
    """Measure the calls of a tree; return by line the ratio to a plain echo."""
    command = [str(tree / ".venv/bin/python"), "-W", "ignore", "-c", MEASURE.format(scale=scale)]
    done = subprocess.run(command, cwd=tree, check=True, stdout=subprocess.PIPE)
    found: Any = json.loads(done.stdout)
    return {label: row[1] for label, row in found["rows"].items()}


def compare(before: Sequence[Mapping[str, float]], now: Sequence[Mapping[str, float]]) -> tuple[str, list[str]]:
    """Return the table of the lines that all turns of both trees have, and the lines that became dearer.

    >>> table, dearer = compare([{"echo": 1.0}, {"echo": 1.1}], [{"echo": 1.2}, {"echo": 1.3}])
    >>> table.splitlines()[1].split(), dearer
    (['echo', '1.05', '(1.00-1.10)', '1.25', '(1.20-1.30)', '+19%', 'dearer'], ['echo'])
    """
    lines = [f"{'to a plain echo, median (least-greatest)':<62}{'before':>23}{'now':>23}{'change':>8}"]
    dearer = []
    for label in before[0]:
        if not all(label in found for found in (*before, *now)):
            continue
        old, new = [found[label] for found in before], [found[label] for found in now]
        is_dearer = min(new) > ALLOWED * max(old)
        if is_dearer:
            dearer.append(label)
        change = statistics.median(new) / statistics.median(old) - 1
        mark = " dearer" if is_dearer else ""
        lines.append(f"{label:<62}{_spread(old):>23}{_spread(new):>23}{change:>+8.0%}{mark}")
    return "\n".join([*lines, ""]), dearer


def _spread(ratios: Sequence[float]) -> str:
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"


if __name__ == "__main__":
    main()
