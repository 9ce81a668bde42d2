"""The SDK plays a game of a package like the built-in ones: by entry points, verified, without the code of a server."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fourth_game.fourth_house import HIDDEN, STAKE, House, played_by, run_script, serving
from tests.fourth_game.fourth_reference import net_of

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
def address(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a server that serves the game."""
    with serving(tmp_path_factory.mktemp("client") / "data", environment) as ready:
        yield ready["address"]


def test_round_is_played_and_verified_without_the_code_of_a_server(fourth_house: House) -> None:
    found = fourth_house.played
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

    rounds = [found["blocking"], *found["rounds"]]
    assert len({one["leaf"] for one in rounds}) == len(rounds)
    for one in rounds:
        assert one["replayed"] is True
        assert one["nets"] == net_of(one["hands"], STAKE)


def test_round_is_resumed_from_the_journal(address: str, environment: dict[str, str]) -> None:
    found = played_by(RESUMED, environment, address=address)
    assert (found["unfinished"], found["kind"]) == (["resumed"], "Round")
    assert found["resumed"]["replayed"] is True
    assert found["resumed"]["nets"] == net_of(found["resumed"]["hands"], STAKE)


def test_callers_mistakes_are_named_and_the_game_s_idempotent_methods_retried(
    address: str, environment: dict[str, str]
) -> None:
    found = played_by(REFUSED, environment, address=address)
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
