"""The SDK plays a game of a package like the built-in ones: by entry points, verified, without the code of a server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.server.keys.folder import read_public_keys
from tests.fourth_game.fourth_house import STAKE, run, run_script, serving
from tests.fourth_game.fourth_reference import net_of

HIDDEN = ("referee.server", "referee.service", "referee.storage", "sqlalchemy", "structlog", "numpy", "typer", "rich")
"""Modules that no import finds while the client plays."""
CLIENT = """
import asyncio, json, sys, tempfile
from pathlib import Path

hidden, answers = json.loads(sys.argv[1])["hidden"], {}
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if any(name == one or name.startswith(f"{one}.") for one in hidden):
            raise ModuleNotFoundError(f"{name} is hidden", name=name)
sys.meta_path.insert(0, Hidden())

from referee_client import *

address = json.loads(sys.argv[1])["address"]
def terms(table):
    return Terms(table=table, ruleset="bai_cao.classic", seats=3, stake=1_000)
def result_of(settled):
    seats = settled.result.seats
    return {
        "replayed": settled.is_replayed, "leaf": settled.receipt.index,
        "hands": [list(seat.cards) for seat in seats], "nets": [seat.net_minor for seat in seats],
    }
"""
PLAYED = """
with Client(address, timeout=60) as client:
    secrets = [SeatSecrets.make(seat, keyed=True) for seat in range(3)]
    game = client.game("bai_cao", terms("blocking"), secrets=secrets)
    game.open()
    game.deal()
    answers["early"] = [violation.code for violation in game.settle().violations]
    answers["numbers"] = [
        game.accept_event(game.event(seat=seat, act="ACT_LEAVE" if seat == 1 else "ACT_SHOW")).event_number
        for seat in range(3)
    ]
    answers["late"] = [violation.code for violation in game.accept_event(game.event(seat=2, act="ACT_SHOW")).violations]
    answers["preview"] = game.ask("PreviewRound") == game.preview()
    answers["over"] = game.is_over()
    answers["signed"] = sorted(seat for seat, chain in game.chains.items() if chain.save())
    answers["receipted"] = len(game.receipted_events)
    answers["kinds"] = [json.loads(link.event)["kind"] for link in game.course.links]
    answers["abridged"] = client.abridging.abridged
    answers["blocking"] = result_of(game.settle())
    hands = game.hands
    answers["revealed"] = {seat: game.reveal().sections[seat] for seat in hands} == hands

async def play(client, table):
    game = client.game("bai_cao", terms(table))
    await game.open()
    await game.deal()
    for seat in range(3):
        await game.accept_event(game.event(seat=seat, act="ACT_SHOW"))
    settled = await game.settle()
    await game.reveal()
    return result_of(settled)

async def main():
    async with AsyncClient(address, timeout=60) as client:
        answers["tables"] = await asyncio.gather(*(play(client, f"together-{number}") for number in range(4)))
        answers["calls"] = client.gathering.calls < client.gathering.requests

asyncio.run(main())
print(json.dumps(answers | {"modules": sorted(sys.modules)}))
"""
RESUMED = """
with tempfile.TemporaryDirectory() as folder:
    journal = Path(folder) / "rounds.sqlite3"
    with Client(address, timeout=60, journal=journal) as client:
        game = client.game("bai_cao", terms("resumed"))
        game.open()
        game.deal()
        game.accept_event(game.event(seat=0, act="ACT_SHOW"))
    with Client(address, timeout=60, journal=journal) as client:
        answers["unfinished"] = client.unfinished()
        game = client.resume("resumed")
        answers["kind"] = type(game).__name__
        for seat in (1, 2):
            game.accept_event(game.event(seat=seat, act="ACT_SHOW"))
        answers["resumed"] = result_of(game.settle())
        game.reveal()
print(json.dumps(answers))
"""
REFUSED = """
def error_of(make):
    try:
        make()
    except Exception as error:
        return [type(error).__name__, str(error), getattr(error, "field", "")]

with Client(address, timeout=60) as client:
    answers["unknown"] = error_of(lambda: client.game("whist", terms("refused")))
    answers["other"] = error_of(lambda: client.game("tien_len", terms("refused")))
    game = client.game("bai_cao", terms("refused"))
    game.open()
    game.deal()
    answers["event"] = error_of(lambda: game.accept_event(game.event(seat=0)))
    answers["method"] = error_of(lambda: game.ask("SuggestPlay"))
    configs = json.loads(service_config())["methodConfig"]
    answers["retried"] = [
        [one["method"] for one in entry["name"] if one["service"] == "bai_cao.v1.BaiCaoService"]
        for entry in configs if "retryPolicy" in entry
    ]
print(json.dumps(answers))
"""
ALONE = """
import json, sys
from referee_client import Client, Terms
try:
    Client("127.0.0.1:1").game("bai_cao", Terms(table="t", ruleset="bai_cao.classic", seats=2))
except ValueError as error:
    print(json.dumps(str(error)))
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the server's data."""
    return tmp_path_factory.mktemp("client") / "data"


@pytest.fixture(scope="module")
def address(environment: dict[str, str], data: Path) -> Iterator[str]:
    """Run a server that serves the game."""
    with serving(data, environment) as ready:
        yield ready["address"]


def asked(script: str, address: str, environment: dict[str, str]) -> Any:  # noqa: ANN401 - what the script prints
    """Run a script of a client where no code of a server can be imported; return what it printed."""
    given = json.dumps({"address": address, "hidden": HIDDEN})
    return json.loads(run_script(CLIENT + script, given, environment=environment))


def test_round_is_played_and_verified_without_the_code_of_a_server(
    address: str, environment: dict[str, str], data: Path
) -> None:
    found = asked(PLAYED, address, environment)
    loaded = {name for name in found["modules"] if name.split(".")[0] in {"referee", "sqlalchemy", "structlog"}}
    assert "referee.wire.registry" in loaded
    assert not {name for name in loaded if name.startswith(HIDDEN)}
    assert "bai_cao.wire" in found["modules"]
    assert "bai_cao.service" not in found["modules"]

    assert found["early"] == ["ROUND_NOT_OVER"] * 3
    assert found["numbers"] == [1, 2, 3]
    assert found["late"] == ["ROUND_OVER", "ALREADY_SHOWN"]
    assert found["kinds"] == ["SHOW", "LEAVE", "SHOW"]
    assert found["preview"] is found["over"] is found["calls"] is True
    assert (found["signed"], found["receipted"], found["revealed"]) == ([0, 1, 2], 3, True)
    assert found["abridged"] >= 3

    rounds = [found["blocking"], *found["tables"]]
    assert len({one["leaf"] for one in rounds}) == len(rounds)
    for one in rounds:
        assert one["replayed"] is True
        assert one["nets"] == net_of(one["hands"], STAKE)

    public = read_public_keys(data / "keys")
    keys = ["--log-key", public["log"], "--root-key", public["root"]]
    (audited,) = run(["audit", "--data", str(data), *keys, "--json"], environment=environment)
    report = json.loads(audited.output)
    assert (audited.code, report["findings"]) == (0, [])
    assert report["rounds"]["settled"] >= len(rounds)


def test_round_is_resumed_from_the_journal(address: str, environment: dict[str, str]) -> None:
    found = asked(RESUMED, address, environment)
    assert (found["unfinished"], found["kind"]) == (["resumed"], "Round")
    assert found["resumed"]["replayed"] is True
    assert found["resumed"]["nets"] == net_of(found["resumed"]["hands"], STAKE)


def test_callers_mistakes_are_named_and_the_game_s_idempotent_methods_retried(
    address: str, environment: dict[str, str]
) -> None:
    found = asked(REFUSED, address, environment)
    kind, text, _ = found["unknown"]
    assert kind == "ValueError"
    assert "'whist' is not installed here; there are mau_binh, tien_len, ultimate_texas, bai_cao." in text
    kind, text, _ = found["other"]
    assert kind == "ValueError"
    assert "'bai_cao.classic' is no ruleset of Tiến Lên" in text
    assert found["event"] == ["BadRequestError", "give the seat's act", "event.act"]
    kind, text, _ = found["method"]
    assert kind == "ValueError"
    assert "has no method 'SuggestPlay'; it has AcceptEvent" in text

    (retried,) = found["retried"]
    assert set(retried) == {"PreviewRound", "SettleRound", "SettleRounds"}


def test_client_without_the_package_says_that_the_game_is_not_installed(tmp_path: Path) -> None:
    found = json.loads(run_script(ALONE, str(tmp_path), environment={}))
    assert found.startswith("the game 'bai_cao' is not installed here; there are mau_binh, tien_len, ultimate_texas.")
