"""A log of scripted decks from the test harness: the verifier derives each deal and rates it L0."""

import json
from pathlib import Path
from typing import Any

import pytest
from referee_client import Arrangement, Client, Terms
from referee_harness import Harness

from tests.command import referee
from tests.verifier.verifier_project import run


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Play scripted rounds of Mậu Binh and Tiến Lên, the latter with a set leader; return the log's tiles and keys."""
    folder = tmp_path_factory.mktemp("scripted")
    with Harness(data=folder / "data") as harness, Client(harness.grpc, timeout=60) as client:
        harness.script_vector("mau_binh/settlement#value-front-three-M")
        game = client.mau_binh(Terms(table="binh", ruleset="mau_binh.maubinh_com", seats=2, stake=100))
        game.open()
        for seat, hand in game.deal().items():
            game.arrange(seat, Arrangement(hand[:5], hand[5:10], hand[10:]))
        game.settle()
        game.reveal()
        harness.script({"leader": 2, "wins": {"1": "sanh rong"}})
        lead = client.tien_len(Terms(table="len", ruleset="tien_len.mien_nam", seats=3))
        lead.open()
        lead.deal()
        assert lead.leader == 2
        lead.settle()
        lead.reveal()
        keys = {**harness.keys, "origin": harness.application.origin}
    published = referee("publish", folder / "tiles", "--data", folder / "data")
    assert published.returncode == 0, published.stderr
    return folder / "tiles", keys


def test_scripted_deals_are_verified_and_rated_l0(project: Path, scripted: tuple[Path, dict[str, str]]) -> None:
    tiles, keys = scripted
    named = ("--origin", keys["origin"], "--log-key", keys["log"], "--root-key", keys["root"])
    done = run("node", str(project / "build" / "src" / "cli.js"), "--tiles", str(tiles), *named, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert [one for one in result["findings"] if one["severity"] != "NOTE"] == []
    assert result["dealing_levels"]["L0"] == sum(result["dealing_levels"].values()) == 2
