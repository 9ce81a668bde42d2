"""The way of a round: the steps that the page names are taken, in that order, and through few files."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

import referee
from tests.bench.trace_settle import Trace, trace

PAGE: Final = Path(referee.__file__).parent / "service" / "README.md"
ROW: Final = re.compile(r"^\| (\d+) \| [^|]+ \| `([^`]+)` \| `([^`]+)` \|$", re.MULTILINE)
GAMES: Final = ("mau_binh", "tien_len", "ultimate_texas")
MOST_STEPS: Final = 12
MOST_FILES: Final = 41
"""Files of a settlement whose events the server has accepted, as in play."""
MOST_FILES_UNSEEN: Final = 68
"""Files of a settlement whose round the server has never seen; its chops and leftovers have files of their own."""


@pytest.fixture(scope="module")
def traces() -> Mapping[str, tuple[Trace, Trace]]:
    return trace()


def test_page_names_at_most_twelve_steps() -> None:
    steps = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert [int(number) for number, _, _ in steps] == list(range(1, len(steps) + 1))
    assert 0 < len(steps) <= MOST_STEPS


@pytest.mark.parametrize("game", GAMES)
def test_settlement_takes_the_steps_of_the_page_in_order(traces: Mapping[str, tuple[Trace, Trace]], game: str) -> None:
    """Each function is entered, and for the first time after the one before it."""
    unseen, _ = traces[game]
    entered = [(file, function) for _, file, function in unseen.entered]
    steps = ROW.findall(PAGE.read_text(encoding="utf-8"))
    places = [entered.index((file.replace("<game>", game), function)) for _, file, function in steps]
    assert places == sorted(places)


@pytest.mark.parametrize("game", GAMES)
def test_settlement_enters_few_files(traces: Mapping[str, tuple[Trace, Trace]], game: str) -> None:
    unseen, seen = traces[game]
    assert len(seen.files) <= MOST_FILES, seen.files
    assert len(unseen.files) <= MOST_FILES_UNSEEN, unseen.files
