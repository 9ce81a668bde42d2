"""Each fault for seconds: nothing answered is lost. ``make chaos`` runs them for long and writes the report.

Runs that find nothing are believed because the same checks find fault with servers that are broken on purpose.
"""

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.chaos.faults import FAULTS
from tests.chaos.report import SHARE, Report
from tests.chaos.scene import Scene
from tests.randomness import random_from

BROKEN: Final = {
    "loses-commits": ("a store that undoes commits and answers them", ("is not at", "LOG_DAMAGED")),
    "forgets": ("a server that does not find what it settled before", ("ALREADY_SETTLED",)),
}
"""By fault: what it is, and what the checks must say of it, one or another: a store that loses commits is found by what
is not in its log, or by its own server, which finds a head behind what it has signed."""
_NOTICED: Final = ("DATA_LOSS/LOG_DAMAGED", "ALREADY_EXISTS/ALREADY_SETTLED")


@pytest.fixture
def place() -> Iterator[Path]:
    """Make a folder for one fault, which PostgreSQL's own user may enter; remove it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="referee-chaos-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow("disturbs a server under load for seconds, or for minutes")
@pytest.mark.smaller("some seconds of each fault; `make chaos` runs them for ten minutes")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", FAULTS)
def test_fault_under_load_takes_nothing_back(place: Path, chaos_report: Report, name: str) -> None:
    """Nothing is found wrong, and there are faults and rounds enough to find it."""
    title, run, rounds = FAULTS[name]
    scene = Scene(title, place, random_from(name), SHARE)
    with scene.stack:
        run(scene)
    chaos_report.add(scene.title, scene.lines)
    assert scene.faults == []
    assert len(scene.ledger.settled) >= rounds
    assert sum(scene.did.values()) > 0


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=pytest.mark.slow("starts many processes") if number else ())
        for number, fault in enumerate(BROKEN)
    ],
)
@pytest.mark.timeout(600)
def test_server_that_is_broken_on_purpose_is_caught(place: Path, chaos_report: Report, fault: str) -> None:
    """Rounds are played until a client notices; the checks find why."""
    title, words = BROKEN[fault]
    scene = Scene(f"Broken on purpose: {title}", place, random_from(fault))
    with scene.stack:
        server, end = scene.server(broken=[fault]), time.monotonic() + 120
        with scene.load(server):
            while not any(scene.ledger.statuses[one] for one in _NOTICED) and time.monotonic() < end:
                time.sleep(0.05)
        server.stop()
        scene.conclude(server, allowed=(), is_alive=False)
    found = [one for one in scene.faults if any(word in one for word in words)]
    chaos_report.add(scene.title, [f"## {scene.title}", "", *[f"- caught: {one[:100]}" for one in found[:1]], ""])
    assert found, scene.faults
