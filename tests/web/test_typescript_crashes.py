"""The TypeScript frontend with a token and a journal, killed at each call of a round of each game and resumed."""

import json
import signal
from collections.abc import Iterator
from typing import Final

import pytest

from tests.clients_python.crash_journey import Guarded, audited, guarded_server, tokens_for, verified
from tests.node_project import build, run
from tests.once import alone_in
from tests.web.web_client import CLIENT, VERIFIER, built

MOST: Final = 300
"""More processes than any round has calls."""
CALLS: Final = {
    "mau_binh": {"OpenRound", "DealRound", "SettleRound", "RevealRound"},
    "mau_binh_sealed": {"OpenRound", "DealRound", "SettleRound", "RevealRound"},
    "tien_len": {"OpenRound", "DealRound", "SettleRound", "RevealRound"},
    "ultimate_texas": {"OpenRound", "DealRound", "AcceptEvent", "OpenSection", "SettleRound", "RevealRound"},
}
"""Calls at which a process is killed in every round of a game; a hand may win at the deal, and then nobody moves."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """Run a server with access control, and build the frontend."""
    if why := built():
        pytest.skip(f"the TypeScript frontend is not killed: {why}")
    build(CLIENT, "build:test")
    with guarded_server(tmp_path_factory.mktemp("crashes")) as running:
        yield running


@pytest.mark.slow("starts a process of Node for each call of a round")
@pytest.mark.parametrize("moment", ["before the call", "after the answer"])
@pytest.mark.parametrize("scene", CALLS)
def test_round_is_settled_by_the_last_of_many_killed_frontends(server: Guarded, tmp_path, scene: str, moment) -> None:
    table, ledger = f"acme.ts-{scene}-{moment.split(maxsplit=1)[0]}", tmp_path / "ledger"
    place = {
        "address": server.address,
        "table": table,
        "token": server.frontend,
        "seatTokens": tokens_for(server, table),
        "journal": str(tmp_path / "journal"),
        "ledger": str(ledger),
        "scene": scene,
        "isBefore": moment == "before the call",
    }
    done = None
    for _ in range(MOST):
        with alone_in(VERIFIER), alone_in(CLIENT):  # nobody builds them anew while they are read
            done = run(CLIENT, "node", "build/test/crash-frontend.js", environment={"CRASH": json.dumps(place)})
        if done.returncode != -signal.SIGKILL:
            break
    assert done is not None
    assert done.returncode == 0, done.stdout + done.stderr
    killed = [line.partition(" ")[0] for line in ledger.read_text("utf-8").splitlines()]
    assert set(killed) >= CALLS[scene]
    assert list((tmp_path / "journal").glob("*.json")) == []
    assert "everything in this round holds" in verified(server, table, tmp_path)
    assert "nothing failed" in audited(server)
