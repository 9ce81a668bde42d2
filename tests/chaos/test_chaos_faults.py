"""Each fault for seconds in the ordinary suite, and for a minute among the slow ones: nothing answered is lost.

``make chaos`` runs them for long. Each run that finds nothing is believed because the same checks find fault with
servers that are broken on purpose.
"""

import random
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.chaos.fault_broken import BROKEN, play_broken, what_was_found
from tests.chaos.fault_clients import LONG, SHORT, Crowd, crowd
from tests.chaos.fault_clock import step_clock
from tests.chaos.fault_commits import cancel_and_promote, cut_holders, hang_commits
from tests.chaos.fault_disk import fill_database_disk, fill_disk
from tests.chaos.fault_postgres import shake_database
from tests.chaos.fault_workers import kill_workers, start_no_threads
from tests.chaos.outcome import Outcome
from tests.storage.postgres_server import PostgresServer, missing, running_postgres


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """Run a PostgreSQL server for this module, which the tests stop and start."""
    yield from running_postgres()


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Callable[[Outcome], None]:
    """Print what a long run did."""

    def say(outcome: Outcome) -> None:
        with capsys.disabled():
            print("\n" + "\n".join(outcome.lines))  # noqa: T201 - the counts are the result

    return say


def luck(request: pytest.FixtureRequest) -> random.Random:
    """Return a random source that is the same in every run of a test."""
    return random.Random(request.node.name)  # noqa: S311 - when what befalls


def held(outcome: Outcome, *, rounds: int) -> None:
    """Assert that the run found nothing wrong and had enough faults and rounds to find it."""
    if outcome.skipped:
        pytest.skip(outcome.skipped)
    assert outcome.verdict.faults == []
    assert len(outcome.ledger.settled) >= rounds
    assert outcome.verdict.settled >= len({one.acknowledged.index for one in outcome.ledger.settled})
    assert sum(outcome.did.values()) > 0


LONGER = pytest.mark.slow("disturbs a server under load for half a minute")
SOME_SECONDS = pytest.mark.slow("disturbs a server under load for seconds")


@pytest.mark.parametrize(
    ("seconds", "rounds"), [pytest.param(4, 8, marks=SOME_SECONDS), pytest.param(25, 20, marks=LONGER)]
)
@pytest.mark.timeout(900)
def test_workers_killed_and_frozen_take_nothing_back(
    request: pytest.FixtureRequest, tmp_path: Path, show: Callable[[Outcome], None], seconds: int, rounds: int
) -> None:
    outcome = kill_workers(tmp_path, seconds=seconds, luck=luck(request))
    show(outcome)
    held(outcome, rounds=rounds)


@pytest.mark.slow("disturbs a server under load for seconds")
@pytest.mark.timeout(300)
def test_server_that_can_start_no_thread_takes_nothing_back(tmp_path: Path, show: Callable[[Outcome], None]) -> None:
    outcome = start_no_threads(tmp_path)
    show(outcome)
    held(outcome, rounds=12)


@pytest.mark.parametrize("seconds", [pytest.param(8, marks=SOME_SECONDS), pytest.param(25, marks=LONGER)])
@pytest.mark.timeout(900)
def test_database_that_comes_and_goes_takes_nothing_back(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    postgres: PostgresServer,
    show: Callable[[Outcome], None],
    seconds: int,
) -> None:
    """Restarted, crashed, its connections cut and its line disturbed, one after the other as far as time goes."""
    outcome = shake_database(tmp_path, postgres, seconds=seconds, luck=luck(request))
    show(outcome)
    held(outcome, rounds=8)


@pytest.mark.slow("disturbs a server under load for half a minute")
@pytest.mark.timeout(600)
def test_commits_that_hang_are_reported_and_take_nothing_back(
    request: pytest.FixtureRequest, tmp_path: Path, show: Callable[[Outcome], None]
) -> None:
    outcome = hang_commits(tmp_path, rounds=2, luck=luck(request))
    show(outcome)
    held(outcome, rounds=9)


@pytest.mark.slow("disturbs a server under load for half a minute")
@pytest.mark.timeout(600)
def test_writer_that_is_cut_off_stops_the_others_for_seconds(
    request: pytest.FixtureRequest, tmp_path: Path, postgres: PostgresServer, show: Callable[[Outcome], None]
) -> None:
    outcome = cut_holders(tmp_path, postgres, rounds=3, luck=luck(request))
    show(outcome)
    held(outcome, rounds=8)


@pytest.mark.slow("disturbs a server under load for half a minute")
@pytest.mark.timeout(600)
def test_cancelled_commits_and_a_failover_take_nothing_back(
    request: pytest.FixtureRequest, tmp_path: Path, show: Callable[[Outcome], None]
) -> None:
    """A round is lost only where nobody has its receipt."""
    if why := missing():
        pytest.skip(why)
    outcome = cancel_and_promote(tmp_path, seconds=4, luck=luck(request))
    show(outcome)
    held(outcome, rounds=12)


@pytest.mark.slow("disturbs a server under load for seconds")
@pytest.mark.timeout(600)
def test_full_disk_refuses_and_recovers(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Once to the last byte of a small disk where one can be mounted, once by a limit on files."""
    outcome = fill_disk(tmp_path, rounds=2, full=1, luck=luck(request))
    held(outcome, rounds=9)
    assert outcome.ledger.statuses["UNAVAILABLE/LOG_BUSY"]
    assert outcome.did["log read while full: OK"]


@pytest.mark.slow("disturbs a server under load for seconds")
@pytest.mark.timeout(600)
def test_clock_that_is_set_takes_nothing_back(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Three hours on, six back: what was settled is answered the same, and the audit is clean."""
    held(step_clock(tmp_path, steps=2, pause=0.5, luck=luck(request)), rounds=12)


@pytest.mark.parametrize(
    "size", [pytest.param(SHORT, marks=SOME_SECONDS, id="short"), pytest.param(LONG, marks=LONGER, id="long")]
)
@pytest.mark.timeout(900)
def test_rude_clients_keep_nobody_from_playing(
    request: pytest.FixtureRequest, tmp_path: Path, show: Callable[[Outcome], None], size: Crowd
) -> None:
    """Half messages, readers who do not read, floods: no call of the others takes a deadline's time."""
    outcome = crowd(tmp_path, size=size, luck=luck(request))
    show(outcome)
    held(outcome, rounds=40)
    assert outcome.did["all at once"] == 1


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


@pytest.mark.slow("disturbs a server under load for a minute")
@pytest.mark.timeout(900)
def test_database_on_a_full_disk_refuses_and_recovers(
    request: pytest.FixtureRequest, show: Callable[[Outcome], None]
) -> None:
    """PostgreSQL runs as a user of its own, who cannot enter a test's folder."""
    if why := missing():
        pytest.skip(why)
    place = Path("/tmp") / f"referee-chaos-{uuid.uuid4().hex[:12]}"  # noqa: S108 - PostgreSQL's own user must get there
    try:
        outcome = fill_database_disk(place, rounds=2, full=3, luck=luck(request))
    finally:
        shutil.rmtree(place, ignore_errors=True)
    show(outcome)
    held(outcome, rounds=6)
