"""All cases: those written below this folder, and the vectors of rounds and of judged events."""

from typing import Final

from referee_harness.cases.rows import Case, cases
from referee_harness.cases.vector_cases import vector_cases

from tests.cases.variants import named

WRITTEN: Final[list[Case]] = cases()
ALL: Final[list[Case]] = [*WRITTEN, *(named(case) for case in vector_cases())]
