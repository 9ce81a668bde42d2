"""``referee rounds list``: the rounds that a running server has, for callers of each role."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from tests.command import referee, refused
from tests.driver.client_over import client_over
from tests.driver.driver import Driver
from tests.server.access.guarded import guard
from tests.server.processes import calling

TABLES: Final = ("acme.1", "acme.2", "club.1")


def answered(*arguments: object) -> dict[str, Any]:
    """Return what the command lists as JSON; the server in this process may have written lines before it."""
    done = referee("rounds", "list", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{\n") :])
    return found


def test_rounds_are_listed_newest_first_by_table_prefix_and_period(tmp_path: Path) -> None:
    with calling(data=tmp_path, sweep=False) as (app, caller):
        for table in TABLES:
            caller.driver.open(table)
        everything = answered(app.address)
        names = [one["table_id"] for one in everything["rounds"]]
        assert (names, everything["has_more"]) == (list(reversed(TABLES)), False)
        assert everything["rounds"][0] == {"table_id": "club.1", "round_number": 1, "stage": "opened"}
        for options, wanted in (
            (("--table", "acme.1"), ["acme.1"]),
            (("--tables", "acme."), ["acme.2", "acme.1"]),
            (("--from", "2999-01-01T00:00:00Z"), []),
            (("--until", "2002-01-01T00:00:00Z"), []),
            (("--seat-key", "07" * 32), []),
        ):
            assert [one["table_id"] for one in answered(app.address, *options)["rounds"]] == wanted, options


def test_list_that_is_cut_short_says_how_to_have_more(tmp_path: Path) -> None:
    with calling(data=tmp_path, sweep=False) as (app, caller):
        for table in TABLES:
            caller.driver.open(table)
        shown = referee("rounds", "list", app.address, "--most", 2).stdout
        assert "club.1 round 1: opened\nacme.2 round 1: opened\nthere may be more; --most 4 lists up to 4\n" in shown
        assert "no rounds\n" in referee("rounds", "list", app.address, "--table", "none").stdout


def test_pages_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.cli.rounds._PAGE", 2)
    with calling(data=tmp_path, sweep=False) as (app, caller):
        for table in TABLES:
            caller.driver.open(table)
        assert [one["table_id"] for one in answered(app.address)["rounds"]] == list(reversed(TABLES))


def test_revealed_round_shows_what_each_seat_won(tmp_path: Path) -> None:
    with calling(data=tmp_path) as (app, caller):
        played = caller.driver.play("acme.1")
        outcome = played.settle().outcome
        assert outcome is not None
        net = [seat.net_minor for seat in outcome.seats]
        played.reveal()
        (one,) = answered(app.address)["rounds"]
        assert (one["stage"], one["is_settled"], one["net_minor"]) == ("revealed", True, net)
        line = r"acme\.1 round 1: revealed, \S+, opened [-0-9]+ [:.0-9]+ UTC, net "
        assert re.search(line, referee("rounds", "list", app.address).stdout)


@pytest.mark.parametrize(
    ("role", "tenant", "options", "tables"),
    [
        ("frontend", "acme", ("--tables", "acme."), ["acme.2", "acme.1"]),
        ("frontend", "acme", (), None),
        ("auditor", "*", (), ["club.1", "acme.2", "acme.1"]),
    ],
)
def test_caller_lists_the_rounds_of_its_own_tables(
    tmp_path: Path, role: str, tenant: str, options: tuple[str, ...], tables: list[str] | None
) -> None:
    with guard(tmp_path) as house:
        driver = Driver(client_over(house.bearing(house.mint.token("frontend", "*"))))
        for table in TABLES:
            driver.open(table)
        token = tmp_path / "caller.token"
        token.write_text(house.mint.token(role, tenant))
        words = (f"127.0.0.1:{house.app.port}", "--token-file", token, *options)
        if tables is None:
            assert "does not answer: PERMISSION_DENIED" in refused("rounds", "list", *words)
        else:
            assert [one["table_id"] for one in answered(*words)["rounds"]] == tables


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--from", "yesterday", "is no time: write it with its zone"),
        ("--until", "2026-11-24T12:00:00", "is no time: write it with its zone"),
        ("--seat-key", "07", "is no seat's key"),
    ],
)
def test_value_that_cannot_be_read_is_named(option: str, value: str, words: str) -> None:
    message = " ".join(refused("rounds", "list", "127.0.0.1:1", option, value).replace("│", " ").split())
    assert option in message
    assert words in message


def test_refusal_of_the_server_is_said_as_it_is(tmp_path: Path) -> None:
    with calling(data=tmp_path, sweep=False) as (app, _):
        message = refused("rounds", "list", app.address, "--until", "2000-01-01T00:00:00Z")
        assert f"{app.address} refuses this: end_time: " in " ".join(message.split())


def test_address_where_nothing_answers_is_named() -> None:
    assert "127.0.0.1:1 does not answer: UNAVAILABLE" in refused("rounds", "list", "127.0.0.1:1")
