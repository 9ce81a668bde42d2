"""The examples of a house's rules at a table: whole rounds on a server, with the house's part shown and audited."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.evidence.dsse import Envelope
from referee.rulesets import load_examples
from referee.v1 import log_pb2, log_pb2_grpc
from tests.fuzz.fuzz_verdicts import TypeScript
from tests.node_project import build, install
from tests.table.scripted_player import RefusedCommandError, View
from tests.table.table_scene import Court, MovedClock, Scene, ready
from tests.table.test_table_rounds import audited, finish
from tests.verifier.verifier_project import PROJECT

ROUNDS = 3
COMMISSION = {"mau_binh": (50, 2), "tien_len": (50, 2)}
"""Permille and cap of the examples, by game."""


@pytest.fixture(name="new_scene")
def new_scene_fixture(tmp_path: Path) -> Iterator[Scene]:
    court = Court(tmp_path / "referee", MovedClock(), catalogue=load_examples())
    yield Scene(court, tmp_path / "table")
    court.close()


@pytest.mark.parametrize("game", ["mau_binh", "tien_len", "ultimate_texas"])
async def test_example_is_played_paid_and_audited(new_scene: Scene, game: str) -> None:
    """Each round's net amounts are its transfers, the house's among them; the audit adds up the house's part."""
    ruleset, played = f"{game}.house_example", list[View]()
    async with new_scene.open():
        seats = await new_scene.table(ruleset, people=2, bots=1)
        for number in range(1, ROUNDS + 1):
            await ready(*seats)
            played.append(await finish(new_scene, seats[0], number=number))
    house, paid = 0, 0
    for last in played:
        assert last["end"] == "SETTLED"
        nets = dict.fromkeys((0, 1, 2, 255), 0)
        for one in last["transfers"]:
            nets[one["payer"]] -= one["amount_minor"]
            nets[one["payee"]] += one["amount_minor"]
        assert [one["net_minor"] for one in last["seats"]] == [nets[seat] for seat in range(3)]
        assert last["house_net_minor"] == nets[255]
        if game in COMMISSION:
            permille, cap = COMMISSION[game]
            taken = {one["payer"]: one["amount_minor"] for one in last["transfers"] if one["reason"] == "COMMISSION"}
            won = {seat: nets[seat] + taken.get(seat, 0) for seat in range(3)}
            due = {seat: min(net * permille // 1000, cap * 1000) for seat, net in won.items() if net > 0}
            assert taken == due
            names = [one["reason_name"] for one in last["transfers"] if one["reason"] == "COMMISSION"]
            assert all(name == {"vi": "tiền xâu", "en": "commission"} for name in names)
        house += nets[255]
        paid += sum(255 in {one["payer"], one["payee"]} for one in last["transfers"])
    report = audited(new_scene, load_examples())
    assert report.findings == ()
    assert [(row.ruleset_id, row.settled, row.house) for row in report.money.rows] == [(ruleset, ROUNDS, house)]
    assert paid > 0  # what the house wins and loses may cancel out
    leads = reasons_to_lead(row_of(new_scene))
    assert leads == (["LOWEST_CARD", "WINNER", "WINNER"] if game == "tien_len" else [])


def reasons_to_lead(row: dict[str, Any]) -> list[str]:
    """Return why each settled round's leader led, in the order of the log."""
    return [one["inputs"]["leader_by"] for one in said_in(row) if "leader_by" in one.get("inputs", {})]


def said_in(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the leaves of a log say, in its order."""
    return [json.loads(Envelope.parse(leaf.encode()).payload) for leaf in row["leaves"]]


def row_of(scene: Scene) -> dict[str, Any]:
    """Return the log as a row of vectors, which both verifiers read."""
    stub = log_pb2_grpc.LogServiceStub(scene.court.channel)
    keys = stub.GetKeys(log_pb2.GetKeysRequest())
    checkpoint = stub.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint
    leaves = stub.ListEntries(log_pb2.ListEntriesRequest()).leaves
    assert len(leaves) == int(checkpoint.splitlines()[1])
    return {
        "id": "house-rules",
        "now": scene.clock.now(),
        "checkpoint": checkpoint,
        "origin": keys.origin,
        "log_key": keys.log_key,
        "root_key": keys.root_key,
        "leaves": [leaf.decode() for leaf in leaves],
    }


@pytest.mark.slow("builds a Node project")
@pytest.mark.parametrize("game", ["mau_binh", "tien_len"])
async def test_other_verifier_finds_nothing_in_a_round_of_a_house(new_scene: Scene, game: str) -> None:
    """It reads the house's part of the results, and finds the leader by the lowest card."""
    if why := install(PROJECT):
        pytest.skip(f"the TypeScript verifier is not asked: {why}")
    build(PROJECT, "build:test")
    async with new_scene.open():
        seats = await new_scene.table(f"{game}.house_example", people=2, bots=1)
        await ready(*seats)
        assert (await finish(new_scene, seats[0]))["house_net_minor"] > 0
    row = row_of(new_scene)
    assert any("house" in one.get("results", {}) for one in said_in(row))
    assert reasons_to_lead(row) == (["LOWEST_CARD"] if game == "tien_len" else [])
    with TypeScript() as typescript:
        typescript.ask({**row, "rulesets": [one.source.decode() for one in load_examples()]})
        assert typescript.answer() == ()


async def test_bets_outside_the_limits_are_refused_and_the_stake_is_kept_within_them(scene: Scene) -> None:
    (player,) = await scene.table("ultimate_texas.house_example", bots=0, stake_minor=10_000)
    shown = player.welcome["rulesets"]
    (limits,) = [one["limits"] for one in shown if one["id"] == "ultimate_texas.house_example"]
    assert limits["largest_ante"] == 5000
    assert not any("limits" in one for one in shown if one["id"] == "ultimate_texas.casino")
    assert [one["ante_minor"] for one in player.view["persons"]] == [5000]
    refused: list[dict[str, Any]] = [{"ante_minor": 5002}, {"ante_minor": 98}]
    for bets in (*refused, {"ante_minor": 100, "trips_minor": 49}):
        with pytest.raises(RefusedCommandError):
            await player.ask("ready", is_ready=True, **bets)
    await ready(player)
    last = await finish(scene, player)
    assert max(one["amount_minor"] for one in last["transfers"]) >= 5000


async def test_rules_of_an_example_say_each_knob_in_both_languages(scene: Scene) -> None:
    player = await scene.player("An", plays=False)
    said = {}
    for game in ("mau_binh", "tien_len", "ultimate_texas"):
        rules = await player.ask("rules", ruleset=f"{game}.house_example")
        rows = [row for section in rules["sections"] for row in section["rows"]]
        assert all(row["value"]["vi"] and row["value"]["en"] for row in rows if "cards" not in row)
        said[game] = "; ".join(row["value"]["en"] for row in rows)
    assert "the house takes 5 % of what is won, rounded down, at most 2 stakes" in said["mau_binh"]
    assert "all three chi won from everybody: paid 2 times" in said["mau_binh"]
    assert "no card played: 26 stakes, where that is more than the cards left" in said["tien_len"]
    assert "a seat that left pays 2 times for cards left or the 3♠" in said["tien_len"]
    assert "without one, who was dealt the lowest card, which the first play holds" in said["tien_len"]
    assert "100 to 5000" in said["ultimate_texas"]
    assert "50 to 2500" in said["ultimate_texas"]
