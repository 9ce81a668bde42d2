"""Each SDK's first round, by the program of its own page, against a server with access control."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.first_round import JOURNEYS, Journey, Place, guarded_place
from tests.once import alone_in
from tests.smoke.first_round_times import CHROMIUM, ROOT
from tests.web.web_client import CLIENT, VERIFIER, built


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """Build the SDK for TypeScript and run a server with access control."""
    if why := built():
        pytest.skip(f"no first round is played: {why}")
    with guarded_place() as running:
        yield running


def test_page_has_a_time_for_every_first_round_and_its_counted_lines() -> None:
    page = (ROOT / "clients" / "README.md").read_text(encoding="utf-8")
    rows = [
        re.fullmatch(rf"\| {journey.name} \| (.+) \| (\d+) \|", line)
        for journey in JOURNEYS
        for line in page.splitlines()
    ]
    found = [row for row in rows if row is not None]
    assert [row[2] for row in found] == [journey.lines for journey in JOURNEYS]
    assert min(float(row[1]) for row in found) > 0


@pytest.mark.slow("builds a Node project and drives a browser")
@pytest.mark.parametrize("journey", JOURNEYS, ids=lambda journey: journey.name)
def test_first_round_of_the_page_is_verified_with_a_token_and_refused_without(place: Place, journey: Journey) -> None:
    if "Chromium" in journey.name and not Path(CHROMIUM).exists():
        pytest.skip(f"no browser plays: there is no {CHROMIUM}")
    with alone_in(VERIFIER), alone_in(CLIENT):  # nobody builds them anew while they are read
        assert "of the log" in journey.play(place, place.token)
        with pytest.raises(RuntimeError, match=r"CREDENTIALS_INVALID|send credentials"):
            journey.play(place, "")
