"""Every case that a frontend can play, by the SDK for Python, which verifies and replays every answer."""

from collections.abc import Iterator
from typing import Final

import pytest
from referee_harness.cases.engine import run
from referee_harness.cases.rows import Case
from referee_harness.cases.servers import Served, serve_scripted

from tests.cases.all_cases import ALL
from tests.cases.by_sdk import SdkRound
from tests.cases.levels import sdk_can

CASES: Final = [case for case in ALL if sdk_can(case)]


@pytest.fixture(scope="module")
def scripted() -> Iterator[Served]:
    """Run a harness with the released rulesets, which the SDK knows."""
    with serve_scripted() as world:
        yield world


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case_by_the_sdk(scripted: Served, case: Case) -> None:
    run(case, scripted, lambda case, table: SdkRound(case, table, scripted.channel))
