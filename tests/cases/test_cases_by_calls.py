"""Every case, by calls on stock channels: on the harness, and where it can on a server that deals by itself."""

import gc
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pytest
from referee_harness.cases.engine import run
from referee_harness.cases.rows import Case
from referee_harness.cases.servers import Served, by_calls, may_set_back, serve_scripted

from referee.rulesets import Catalogue
from tests.cases.all_cases import ALL
from tests.cases.variants import catalogue_for
from tests.cases.worlds import Plain, plain_world
from tests.narrow_connection import FEWER, STREAMS, TIMES

UNSCRIPTED: Final = [case for case in ALL if not case.is_scripted]
REFUSED: Final = [
    case for case in UNSCRIPTED if any(step.get("refused") for step in case.steps) and not may_set_back(case)
]
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
def scripted(catalogue: Catalogue) -> Iterator[Served]:
    """Run a harness."""
    with serve_scripted(catalogue) as world:
        yield world


@pytest.mark.parametrize("case", UNSCRIPTED, ids=lambda case: case.name)
def test_case_on_a_server_that_deals_by_itself(plain: Plain, case: Case) -> None:
    run(case, plain, by_calls(plain))


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plain]:
    """Run a server whose connections take few calls at once."""
    with plain_world(tmp_path_factory.mktemp("narrow"), streams=STREAMS) as world:
        yield world


@pytest.mark.slow("repeats each refusal of a round more often than its connection has calls")
@FEWER
@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_refusal_leaves_its_connection_whole(narrow: Plain, case: Case) -> None:
    """No garbage is collected: a refusal that is kept would use up one of the connection's calls."""
    last = max(number for number, step in enumerate(case.steps) if step.get("refused"))
    steps = (*case.steps[:last], dict(case.steps[last]) | {"times": TIMES})
    gc.collect()
    gc.disable()
    try:
        run(replace(case, steps=steps), narrow, by_calls(narrow))
    finally:
        gc.enable()


@pytest.mark.parametrize("case", ON_HARNESS, ids=lambda case: case.name)
def test_case_on_the_harness(scripted: Served, case: Case) -> None:
    run(case, scripted, by_calls(scripted))
