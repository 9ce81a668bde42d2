"""Every case, by calls on stock channels: on the harness, and where it can on a server that deals by itself."""

from collections.abc import Iterator
from typing import Final

import pytest
from referee_harness.cases.engine import run
from referee_harness.cases.rows import Case

from referee.rulesets import Catalogue
from tests.cases.all_cases import ALL
from tests.cases.levels import may_set_back
from tests.cases.variants import catalogue_for
from tests.cases.worlds import Plain, Scripted, by_calls, plain_world, scripted_world

UNSCRIPTED: Final = [case for case in ALL if not case.is_scripted]
ON_HARNESS: Final = [case for case in ALL if not may_set_back(case)]


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    """Return the rulesets of all cases."""
    return catalogue_for(ALL, tmp_path_factory.mktemp("rulesets"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory, catalogue: Catalogue) -> Iterator[Plain]:
    """Run a server that deals by itself."""
    with plain_world(tmp_path_factory.mktemp("plain"), catalogue=catalogue) as world:
        yield world


@pytest.fixture(scope="module")
def scripted(catalogue: Catalogue) -> Iterator[Scripted]:
    """Run a harness."""
    with scripted_world(catalogue) as world:
        yield world


@pytest.mark.parametrize("case", UNSCRIPTED, ids=lambda case: case.name)
def test_case_on_a_server_that_deals_by_itself(plain: Plain, case: Case) -> None:
    run(case, plain, by_calls(plain))


@pytest.mark.parametrize("case", ON_HARNESS, ids=lambda case: case.name)
def test_case_on_the_harness(scripted: Scripted, case: Case) -> None:
    run(case, scripted, by_calls(scripted))
