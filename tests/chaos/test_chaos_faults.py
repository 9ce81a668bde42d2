"""Each fault for seconds, and some for half a minute: nothing answered is lost.

``make chaos`` runs them for long. Each run that finds nothing is believed because the same checks find fault with
servers that are broken on purpose.
"""

import random
from pathlib import Path

import pytest

from tests.chaos.fault_broken import BROKEN, play_broken, what_was_found
from tests.chaos.faults import FAULTS, Amounts, play

RUNS = [pytest.param(name, fault.short, fault.rounds, id=name) for name, fault in FAULTS.items()]
RUNS += [pytest.param(name, *fault.long, id=f"{name} for long") for name, fault in FAULTS.items() if fault.long]


@pytest.mark.slow("disturbs a server under load for seconds, or for half a minute")
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "amounts", "rounds"), RUNS)
def test_fault_under_load_takes_nothing_back(
    capsys: pytest.CaptureFixture[str], name: str, amounts: Amounts, rounds: int
) -> None:
    """Nothing is found wrong, and there are faults and rounds enough to find it."""
    outcome = play(name, amounts, random.Random(name))  # noqa: S311 - when what befalls
    if outcome.skipped:
        pytest.skip(outcome.skipped)
    with capsys.disabled():
        print("\n" + "\n".join(outcome.lines))  # noqa: T201 - the counts are the result
    assert outcome.verdict.faults == []
    assert len(outcome.ledger.settled) >= rounds
    assert outcome.verdict.settled >= len({one.acknowledged.index for one in outcome.ledger.settled})
    assert sum(outcome.did.values()) > 0


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=pytest.mark.slow("starts many processes") if place else ())
        for place, fault in enumerate(BROKEN)
    ],
)
@pytest.mark.timeout(600)
def test_server_that_is_broken_on_purpose_is_caught(tmp_path: Path, fault: str) -> None:
    """A store that answers commits which it undid, and a server that forgets what it settled."""
    outcome = play_broken(tmp_path, fault)
    assert what_was_found(outcome, fault), outcome.verdict.faults
