"""All cases: those written below this folder, and the vectors of rounds and of judged events."""

from typing import Final

from referee_harness.cases.rows import Case, cases
from referee_harness.cases.vector_cases import vector_cases

from tests.cases.variants import named

WRITTEN: Final[list[Case]] = cases()
REFUSALS: Final[dict[str, list[str]]] = {}
"""The cases that produce each reason of a refusal, by their names."""
FINDINGS: Final[dict[str, list[str]]] = {}
"""The cases whose refused call would have written a leaf of which an audit finds this code."""
for _case in WRITTEN:
    for _reason in dict.fromkeys(step["refused"].partition(" ")[0] for step in _case.steps if step.get("refused")):
        REFUSALS.setdefault(_reason, []).append(_case.name)
    if _case.head.get("finding"):
        FINDINGS.setdefault(_case.head["finding"], []).append(_case.name)
ALL: Final[list[Case]] = [*WRITTEN, *(named(case) for case in vector_cases())]
