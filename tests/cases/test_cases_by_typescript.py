"""Every case that a frontend can play, by the SDK for TypeScript, in one process of Node for all of them."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from referee_harness import Clock, Harness
from referee_harness.cases.rows import Case
from referee_harness.control import Control

from tests.cases.all_cases import ALL
from tests.cases.levels import typescript_can
from tests.node_project import build, run
from tests.once import alone_in
from tests.web.web_client import CLIENT, VERIFIER, built

CASES: Final = [case for case in ALL if typescript_can(case)]


def row(case: Case) -> dict[str, Any]:
    """Return a case as the program reads it."""
    read = {"name": case.name, "game": case.game, "seats": case.seats, "deck": case.deck}
    return read | {"head": dict(case.head), "steps": [dict(step) for step in case.steps]}


def test_cases_by_the_sdk_for_typescript(tmp_path: Path) -> None:
    if why := built():
        pytest.skip(f"the TypeScript client is not tested: {why}")
    build(CLIENT, "build:test")
    with Harness(clock=Clock(is_running=False)) as harness:
        control = Control(harness)
        control.start()
        try:
            described = control.description()
            keys = {"origin": described["origin"], "logKey": harness.keys["log"], "rootKey": harness.keys["root"]}
            place = {
                "grpc": harness.grpc,
                "control": described["control"],
                "keys": keys,
                "cases": list(map(row, CASES)),
            }
            (tmp_path / "cases.json").write_text(json.dumps(place), encoding="utf-8")
            with alone_in(VERIFIER), alone_in(CLIENT):  # nobody builds them anew while they are read
                done = run(CLIENT, "node", "build/test/cases.js", environment={"CASES": str(tmp_path / "cases.json")})
        finally:
            control.close()
    assert done.returncode == 0, done.stdout + done.stderr
    *differences, summary = map(json.loads, done.stdout.splitlines())
    assert not differences, "\n".join(json.dumps(one, ensure_ascii=False) for one in differences)
    assert summary == {"played": len(CASES)}
