"""The crash journey: a frontend that is killed at each call of a round of each game, and resumed in a new process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients_python.crash_frontend import MOMENTS, SCENES, Moment
from tests.clients_python.crash_journey import Guarded, audited, crash, guarded_server, verified

CALLS = {
    "mau_binh": ["OpenRound", "DealRound", "SettleRound", "RevealRound"],
    "mau_binh_sealed": ["OpenRound", "DealRound", "SettleRound", "RevealRound"],
    "tien_len": ["OpenRound", "DealRound", "SettleRound", "RevealRound"],
    "ultimate_texas": ["OpenRound", "DealRound", *["AcceptEvent", "OpenSection"] * 3, "SettleRound", "RevealRound"],
}
"""Calls that every round of a scene has; one that is won at the deal has no others."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    with guarded_server(tmp_path_factory.mktemp("guarded")) as running:
        yield running


@pytest.mark.slow("starts a process for each call of a round")
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("scene", SCENES)
def test_a_frontend_killed_at_every_call_ends_its_round(server: Guarded, tmp_path: Path, scene: str, moment: Moment):
    crashed = crash(server, tmp_path, scene, moment)
    assert crashed.last == 0
    played = [call for call in crashed.calls if call in CALLS[scene]]
    assert played == CALLS[scene]
    assert "everything in this round holds" in verified(server, crashed.table, tmp_path)
    report = audited(server)
    assert "nothing failed" in report
    assert "0 running" in report
