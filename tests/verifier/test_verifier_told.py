"""A log of told decks, dealt by the test harness: the verifier deals every card again and says L0."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from referee_client import Arrangement, Client, Terms
from referee_harness import Harness

from tests.verifier.verifier_project import SECONDS, run


def referee(*arguments: object) -> str:
    """What the command prints."""
    command = [sys.executable, "-m", "referee", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The tiles of a log with a round of Mậu Binh and one of Tiến Lên whose leader was told, and the log's keys."""
    folder = tmp_path_factory.mktemp("told")
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
    referee("publish", folder / "tiles", "--data", folder / "data")
    return folder / "tiles", keys


def test_told_decks_are_dealt_again_and_called_l0(project: Path, told: tuple[Path, dict[str, str]]) -> None:
    tiles, keys = told
    named = ("--origin", keys["origin"], "--log-key", keys["log"], "--root-key", keys["root"])
    done = run("node", str(project / "dist" / "cli.js"), "--tiles", str(tiles), *named, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert [one for one in result["findings"] if one["severity"] != "NOTE"] == []
    assert result["dealing_levels"]["L0"] == sum(result["dealing_levels"].values()) == 2
