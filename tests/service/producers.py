"""Index of what produces each reason of a refusal and each finding; ``python -m tests.service.producers`` prints it.

A reason is produced by a case, or by a call that a test prepares. A finding is produced by a fixture of
``tests/vectors/audit``, or by a test that names its code; and a case shows that a call which would cause it is refused.
"""

import ast
import inspect
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from referee.audit import Code
from referee.v1.error_reason_pb2 import ErrorReason
from tests.cases.all_cases import FINDINGS, REFUSALS
from tests.service.append_courses import CASES as APPENDED
from tests.service.refused_callers import CASES as PREPARED
from tests.vectors.reading import read

ROOT: Final = Path(__file__).parents[2]
INSTEAD: Final = " (the call is refused)"
ROOMS: Final = (
    "answered",
    "audit",
    "attacks",
    "suspicion",
    "dispute",
    "witness",
    "tiles",
    "verifier",
    "storage",
    "server",
    "cli",
)
"""Rooms whose tests produce findings."""


def reasons() -> dict[str, list[str]]:
    """Return what produces each reason: names of cases, then of functions that prepare a refused call."""
    found = {name.removeprefix("ERROR_REASON_"): list[str]() for name in ErrorReason.keys()}  # noqa: SIM118 - no dict
    del found["UNSPECIFIED"]
    for reason, names in REFUSALS.items():
        found[reason] += names
    for case in PREPARED:
        found[case.reason].append(_place(case.prepare))
    return found


def findings() -> dict[str, list[str]]:
    """Return what produces each finding: fixtures, tests that name the code, and what is refused instead of it."""
    found: dict[str, list[str]] = {code.name: [] for code in Code}
    for name in ("mutations", "courses", "seats", "held", "cosigned", "chance", "tiles"):
        for row in read(f"audit/{name}"):
            if row["expected"]:
                found[row["expected"]["code"]].append(f"audit/{name}#{row['id']}")
    for code, tests in _tests().items():
        found[code] += tests
    for code, names in FINDINGS.items():
        found[code] += [f"{name}{INSTEAD}" for name in names]
    for case in APPENDED:
        if case.finding is not None:
            found[case.finding.name].append(f"{_place(case.prepare)}{INSTEAD}")
    return found


def _place(function: Any) -> str:  # noqa: ANN401 - any function
    file = Path(inspect.getsourcefile(function) or "").relative_to(ROOT)
    return f"{file}::{function.__name__}"


def _tests() -> Mapping[str, list[str]]:
    """Return the tests whose own text names each code, as ``Code.NAME`` or as a text."""
    known, found = {code.name for code in Code}, defaultdict[str, list[str]](list)
    for room in ROOMS:
        for file in sorted((ROOT / "tests" / room).rglob("test_*.py")):
            for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
                    names = {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
                    texts = {str(node.value) for node in ast.walk(function) if isinstance(node, ast.Constant)}
                    for code in sorted((names | texts) & known):
                        found[code].append(f"{file.relative_to(ROOT)}::{function.name}")
    return found


def _printed(produced: Mapping[str, Sequence[str]]) -> str:
    return "".join(f"{name}\n" + "".join(f"    {one}\n" for one in dict.fromkeys(by)) for name, by in produced.items())


if __name__ == "__main__":
    sys.stdout.write(_printed(reasons()) + _printed(findings()))
