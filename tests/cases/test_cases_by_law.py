"""Every case of chosen cards, events and a settlement, by the law of its game alone."""

from typing import Final

import pytest
from referee_harness.cases.engine import run
from referee_harness.cases.rows import Case

from referee.rulesets import Catalogue
from tests.cases.all_cases import ALL
from tests.cases.by_law import Alone, LawRound
from tests.cases.levels import law_can
from tests.cases.variants import catalogue_for

CASES: Final = [case for case in ALL if law_can(case)]


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    """Return the rulesets of all cases."""
    return catalogue_for(ALL, tmp_path_factory.mktemp("rulesets"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case_by_the_law(catalogue: Catalogue, case: Case) -> None:
    world = Alone()
    run(case, world, lambda case, table: LawRound(case, table, world, catalogue))
