"""The fourth game, installed beside the referee for these tests alone."""

import os
import subprocess
import sys

import grpc
import pytest

from referee.server.keys.folder import read_public_keys
from tests.fourth_game.fourth_house import (
    DEMO,
    HERE,
    ROUNDS_OF_A_TABLE,
    SEATS,
    SECONDS,
    House,
    play_round,
    preview_over_http,
    run_script,
    serving,
)


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Install the package and return the environment of processes that find it."""
    target = tmp_path_factory.mktemp("installed")
    offline = ("--no-index", "--no-build-isolation", "--no-deps", "--disable-pip-version-check", "--quiet")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *offline, "--target", str(target), str(HERE)],
        check=True,
        timeout=SECONDS,
    )
    return os.environ | {"PYTHONPATH": str(target), "COLUMNS": "200"}


@pytest.fixture(scope="session")
def fourth_house(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> House:
    """Play and settle rounds at tables of all sizes, then stop the server."""
    data = tmp_path_factory.mktemp("house") / "data"
    with serving(data, environment) as ready, grpc.insecure_channel(ready["address"]) as channel:
        rounds = [
            play_round(channel, table_id=f"table-{seats}", seat_count=seats, with_receipts=bool(number % 2))
            for seats in SEATS
            for number in range(ROUNDS_OF_A_TABLE)
        ]
        over_http = preview_over_http(ready["web"], rounds[0].played)
        demo = run_script(DEMO, ready["address"], environment=environment)
    public = read_public_keys(data / "keys")
    return House(data, ["--log-key", public["log"], "--root-key", public["root"]], rounds, over_http, demo)
