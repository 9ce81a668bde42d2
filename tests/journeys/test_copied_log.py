"""A log that is copied while a round runs, audited an hour, a day and a year later, by the commands of both verifiers.

The server's clock is behind this machine's by that time, so each command reads the copy at its own clock.
"""

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from referee.server.clock import system_clock
from referee.server.folder_lock import lock_folder
from referee.server.keys.folder import read_public_keys
from tests.cli.printing import printed
from tests.command import Done, referee, refused
from tests.server.processes import calling
from tests.verifier.verifier_project import run
from tests.verifier.verifier_serving import served

HOUR: Final = 3_600_000
AHEAD: Final = {"an hour": HOUR, "a day": 24 * HOUR, "a year": 365 * 24 * HOUR}
TABLE: Final = "club.felt"
QUESTION: Final = "1 round had not ended that should have by now: ask the service for it"


class Copies(NamedTuple):
    """Copies of one log, made while a round ran: a restored backup, tiles, a bundle, and the folder of its server."""

    restored: Path
    tiles: Path
    bundle: Path
    data: Path
    keys: tuple[str, ...]
    time: int


@pytest.fixture(params=AHEAD)
def copies(request: pytest.FixtureRequest, tmp_path: Path, quiet_calls: None) -> Copies:  # noqa: ARG001 - no lines of calls
    """Copy a log in which a round is dealt, by the clock of a server that is so far behind, which then stops."""
    behind = AHEAD[request.param]
    data, backup, bundle = tmp_path / "data", tmp_path / "backup", tmp_path / "round.json"
    with calling(data=data, sweep=False, clock=lambda: system_clock() - behind) as (_, caller):
        ended = caller.driver.play(TABLE)
        ended.settle()
        ended.reveal()
        caller.driver.deal(TABLE)
        printed("backup", backup, "--data", data)
        printed("publish", tmp_path / "tiles", "--data", data)
        printed("export", TABLE, "--data", data, "--out", bundle)
    printed("restore", backup, "--data", tmp_path / "restored")
    keys = read_public_keys(data / "keys")
    named = ("--log-key", keys["log"], "--root-key", keys["root"])
    return Copies(tmp_path / "restored", tmp_path / "tiles", bundle, data, named, system_clock() - behind)


def codes(done: Done) -> tuple[int, list[str]]:
    """Return the exit code of a command, and the codes of the findings that it lists as JSON."""
    return done.returncode, [one["code"] for one in json.loads(done.stdout)["findings"]]


def verifier(project: Path, *arguments: object) -> tuple[int, dict[str, Any]]:
    """Run the verifier in TypeScript; return its exit code and its result."""
    done = run("node", str(project / "build" / "src" / "cli.js"), *map(str, arguments), "--json")
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_copy_is_not_broken_later_and_says_first_what_it_cannot_show(copies: Copies, project: Path) -> None:
    for place in (copies.restored, copies.tiles):
        done = referee("audit", place, *copies.keys)
        lines = done.stdout.splitlines()
        assert (done.returncode, lines[2]) == (0, QUESTION), done.stdout + done.stderr
        assert lines[1].startswith("as of ")
        assert any(line.startswith("nothing broken as of ") and QUESTION in line for line in lines)
    origin = copies.keys[1].partition("+")[0]
    code, result = verifier(project, "--tiles", copies.tiles, *copies.keys, "--origin", origin)
    assert (code, [one["code"] for one in result["findings"]]) == (0, ["UNFINISHED_IN_COPY"])
    exported = printed("rounds", "export", copies.restored, *copies.keys, "--out", copies.restored / "rounds")
    assert QUESTION in exported


def test_quarrel_about_a_copy_is_unfinished_and_never_sound(copies: Copies, project: Path) -> None:
    for place in ((copies.bundle,), (copies.restored, TABLE, 2)):
        done = referee("dispute", *place, *copies.keys, "--json")
        assert codes(done) == (0, ["UNFINISHED_IN_COPY"])  # no promise was broken
        assert json.loads(done.stdout)["verdict"] == "UNFINISHED"
    done = referee("verify", copies.bundle, *copies.keys, "--json")
    assert (*codes(done), json.loads(done.stdout)["proved"]) == (1, ["UNFINISHED_IN_COPY"], False)
    ran = run("node", str(project / "build" / "src" / "cli.js"), str(copies.bundle), *copies.keys)
    lines = ran.stdout.splitlines()
    assert (ran.returncode, lines[1], lines[-1]) == (0, QUESTION, f"nothing broken so far; {QUESTION}")


def test_who_waited_judges_by_a_time_of_their_own(copies: Copies, project: Path) -> None:
    """From then on the round is held against the operator, by every command."""
    late, passed = ("--as-of", system_clock() - 1), (1, ["DEADLINE_PASSED"])
    assert codes(referee("audit", copies.restored, *copies.keys, *late, "--json")) == passed
    assert codes(referee("verify", copies.bundle, *copies.keys, *late, "--json")) == passed
    assert codes(referee("dispute", copies.bundle, *copies.keys, *late, "--json")) == passed
    assert codes(referee("dispute", copies.restored, TABLE, 2, *copies.keys, *late, "--json")) == passed
    code, result = verifier(project, copies.bundle, *copies.keys, *late)
    assert (code, [one["code"] for one in result["findings"]]) == passed


def test_time_before_the_copy_or_after_the_clock_is_refused(copies: Copies, project: Path) -> None:
    for wanted in (1, system_clock() + HOUR):
        for words in (
            ("audit", copies.restored),
            ("verify", copies.bundle),
            ("dispute", copies.bundle),
            ("rounds", "export", copies.restored, "--out", copies.restored / "rounds"),
        ):
            message = " ".join(refused(*words, *copies.keys, "--as-of", wanted).split())
            assert f"as of {wanted}" in message
            assert "so give " in message
        done = run(
            "node", str(project / "build" / "src" / "cli.js"), str(copies.bundle), *copies.keys, "--as-of", str(wanted)
        )
        assert (done.returncode, f"as of {wanted}" in done.stderr, "    at " in done.stderr) == (2, True, False)


def test_operator_who_stops_its_log_on_purpose_breaks_it(copies: Copies, project: Path) -> None:
    """Its folder is in use, and its tiles are published: both are of a log that claims to run, and are late."""
    with lock_folder(copies.data):
        assert codes(referee("audit", copies.data, "--json")) == (1, ["DEADLINE_PASSED"])
    if system_clock() - copies.time > 2 * HOUR:  # tiles may be published once an hour
        with served(copies.tiles) as address:
            assert codes(referee("audit", address, *copies.keys, "--json")) == (1, ["DEADLINE_PASSED"])
            origin = copies.keys[1].partition("+")[0]
            code, result = verifier(project, "--tiles", address, *copies.keys, "--origin", origin)
            assert (code, [one["code"] for one in result["findings"]]) == (1, ["DEADLINE_PASSED"])
            then = ("--as-of", copies.time)
            assert codes(referee("audit", address, *copies.keys, *then, "--json")) == (0, ["UNFINISHED_IN_COPY"])
