"""A quarrel about the rounds of each fault of ``tests/chaos``: servers, disks and lines fail, and nobody is named.

Each fault runs for seconds. Its log is disputed where the fault's own checks read it, since its disk or database goes
away afterwards.
"""

import itertools
import random
import shutil
import uuid
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from referee.audit import audit_log
from referee.audit.dispute.case import case_of_log
from referee.audit.dispute.dispute import Dispute, settle_dispute
from referee.cli.audited_log import audited_log
from referee.rulesets import load_builtin
from referee.server.clock import system_clock
from tests.chaos.fault_clients import SHORT, crowd
from tests.chaos.fault_clock import step_clock
from tests.chaos.fault_disk import fill_database_disk, fill_disk
from tests.chaos.fault_messages import fuzz, fuzz_over_socket
from tests.chaos.fault_postgres import shake_database
from tests.chaos.fault_workers import kill_workers
from tests.storage.postgres_server import PostgresServer, missing, running_postgres

FAULTS: Final = Path(__file__).parents[1] / "chaos"
MOST: Final = 6
"""Tables of one log about whose latest rounds a quarrel is answered."""

Run: TypeAlias = Callable[[Path, random.Random, PostgresServer | None], Any]
CASES: Final[dict[str, tuple[str, Run]]] = {
    "kill_workers": ("fault_workers", lambda place, luck, _: kill_workers(place, seconds=3, luck=luck)),
    "shake_database": (
        "fault_postgres",
        lambda place, luck, database: shake_database(place, database, seconds=5, luck=luck),  # type: ignore[arg-type] # there is one
    ),
    "fill_disk": ("fault_disk", lambda place, luck, _: fill_disk(place, rounds=1, full=1, luck=luck)),
    "fill_database_disk": (
        "fault_disk",
        lambda place, luck, _: fill_database_disk(place, rounds=1, full=1, luck=luck),
    ),
    "step_clock": ("fault_clock", lambda place, luck, _: step_clock(place, steps=2, pause=0.5, luck=luck)),
    "crowd": ("fault_clients", lambda place, luck, _: crowd(place, size=SHORT, luck=luck)),
    "fuzz": ("fault_messages", lambda place, _luck, _: fuzz(place, count=300, seed=1)),
    "fuzz_over_socket": ("fault_messages", lambda place, _luck, _: fuzz_over_socket(place, count=100, seed=1)),
}
"""Each fault by the function that makes it: its module, and how it is run for seconds."""

ELSEWHERE: Final = {
    "play_broken": "a server that is broken on purpose is no honest crash: its operator lost what it had signed",
}
"""Faults that are no case, with the reason."""


def test_every_fault_is_a_case() -> None:
    """Or its reason is printed. A fault is what ``tests/chaos`` itself runs by name."""
    for name, reason in ELSEWHERE.items():
        print(f"{name}: {reason}")  # noqa: T201 - the reason is the point
    modules = {path.stem for path in FAULTS.glob("fault_*.py")}
    assert len(modules) >= 7
    assert {module for module, _ in CASES.values()} | {"fault_broken"} == modules
    chaos = vars(import_module("tests.chaos.__main__"))
    run = {name for name, value in chaos.items() if getattr(value, "__module__", "").startswith("tests.chaos.fault_")}
    faults = {name for name in run if callable(chaos[name]) and name[0].islower()} - {"what_was_found", "room_for"}
    assert faults | {"fuzz"} == set(CASES) | set(ELSEWHERE)


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """Run a PostgreSQL server for this module."""
    yield from running_postgres()


def disputes(data: Path, database: str | None) -> Iterator[Dispute]:
    """Answer quarrels about the latest rounds of a log's tables."""
    catalogue = load_builtin()
    with audited_log(database or str(data), data) as log:
        terms: dict[str, Any] = {
            "origin": log.origin,
            "log_key": log.log_key,
            "root_key": log.root_key,
            "catalogue": catalogue,
            "now": system_clock(),
        }
        report = audit_log(log.source, **terms)
        for table in itertools.islice(report.tables, MOST):
            yield settle_dispute(case_of_log(log.source, table, 0, **terms), ())


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow("disturbs a server")) for name in CASES])
@pytest.mark.timeout(600)
def test_nobody_is_named_after_a_fault(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    module, run = CASES[name]
    answers: list[Dispute] = []
    place = tmp_path
    check = "_audit" if name.startswith("fuzz") else "judge"
    if name == "fill_database_disk":
        if why := missing():
            pytest.skip(why)
        place = Path("/tmp") / f"referee-chaos-{uuid.uuid4().hex[:12]}"  # noqa: S108 - PostgreSQL's own user must get there
    original = getattr(import_module(f"tests.chaos.{module}"), check)

    def watch(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - what the check takes and finds
        data = next(one for one in arguments if isinstance(one, Path))
        answers.extend(disputes(data, named.get("database")))
        return original(*arguments, **named)

    monkeypatch.setattr(f"tests.chaos.{module}.{check}", watch)
    database = request.getfixturevalue("postgres") if name == "shake_database" else None
    luck = random.Random(name)  # noqa: S311 - when what befalls
    try:
        outcome = run(place, luck, database)
    finally:
        if place != tmp_path:
            shutil.rmtree(place, ignore_errors=True)
    if skipped := getattr(outcome, "skipped", ""):
        pytest.skip(skipped)
    assert answers
    assert [one.suspects for one in answers if one.suspects] == []
    assert {one.verdict.value for one in answers} <= {"SOUND", "UNFINISHED"}
