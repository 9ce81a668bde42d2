"""Rounds of the test vectors, dealt by the harness and played over the wire: every payment is the vector's own.

Vectors whose rules the harness does not serve, and those of sealed tables, are played where games are tested.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from referee_client import Arrangement, Bet, Client, Terms
from referee_harness import Harness

from referee.rulesets import load_builtin
from tests.clients_python.playing import dealt

VECTORS = Path(__file__).parents[1] / "vectors"
SERVED = {None, *(ruleset.id for ruleset in load_builtin())}
"""Rulesets that the harness serves; None where a topic is of one ruleset."""


OTHERS = pytest.mark.slow("plays over the wire what the game's own tests settle")


def rows(topic: str) -> list[Any]:
    """Return the vectors of a topic; every third is played in an everyday run."""
    lines = (VECTORS / f"{topic}.jsonl").read_text(encoding="utf-8").splitlines()
    known = [row for row in map(json.loads, lines) if "rules" not in row and row.get("ruleset") in SERVED]
    assert known
    return [pytest.param(row, id=row["id"], marks=OTHERS if at % 3 else ()) for at, row in enumerate(known)]


def paid(outcome: Any) -> list[tuple[int, int, int, str, str]]:  # noqa: ANN401 - any game's
    return [(one.payer, one.payee, one.amount_minor, one.reason, one.subject) for one in outcome.transfers]


def owed(row: dict[str, Any]) -> list[tuple[int, int, int, str, str]]:
    return [
        (one["payer"], one["payee"], one["amount"], one["reason"], one["subject"])
        if isinstance(one, dict)
        else tuple(one)
        for one in row["transfers"]
    ]


@pytest.mark.parametrize("row", rows("mau_binh/settlement"))
def test_a_round_of_mau_binh_pays_as_its_vector(row: dict[str, Any], harness: Harness, client: Client, table: str):
    harness.script_vector(f"mau_binh/settlement#{row['id']}", table_id=table)
    seats = len(row["hands"])
    game = dealt(client.mau_binh(Terms(table=table, ruleset=row["ruleset"], seats=seats, stake=row["stake"])))
    offset = game.dealt_time - row["dealt_time"]
    for event in row["events"]:
        harness.clock.set(offset + event["time"])
        if event["kind"] == "LEAVE":
            answer = game.leave(event["seat"])
        else:
            answer = game.arrange(event["seat"], Arrangement(event["back"], event["middle"], event["front"]))
        assert answer.event_number
    harness.clock.set(offset + max(row["closed_time"], row["dealt_time"]))
    settled = game.settle()
    assert settled.is_replayed
    assert owed(row) == paid(settled.result)
    assert row["net"] == [seat.net_minor for seat in settled.result.seats]


@pytest.mark.parametrize("row", rows("tien_len/rounds"))
def test_a_round_of_tien_len_pays_as_its_vector(row: dict[str, Any], harness: Harness, client: Client, table: str):
    harness.script_vector(f"tien_len/rounds#{row['id']}", table_id=table)
    seats = len(row["hands"])
    game = dealt(client.tien_len(Terms(table=table, ruleset="tien_len.mien_nam", seats=seats, stake=1)))
    assert game.leader == row["leader"]
    for event in row["events"]:
        seat, _, choice = event.partition(" @")[0].partition(" ")
        act = {"pass": game.pass_turn, "leave": game.leave, "timeout": game.time_out}.get(choice)
        if choice == "timeout":
            harness.clock.advance(120_000)
        answer = game.play(int(seat), choice) if act is None else act(int(seat))
        assert answer.event_number, (event, answer.violations)
    settled = game.settle()
    assert settled.is_replayed
    assert row["ending"] == settled.result.ending
    assert row["winner"] == next(seat.seat for seat in settled.result.seats if seat.winner)
    assert sorted(owed(row)) == sorted(paid(settled.result))


@pytest.mark.parametrize("row", rows("ultimate_texas/settlements"))
def test_a_round_of_texas_pays_as_its_vector(row: dict[str, Any], harness: Harness, client: Client, table: str):
    harness.script_vector(f"ultimate_texas/settlements#{row['id']}", table_id=table)
    bets = [Bet(stake["ante"], stake["trips"]) for stake in row["stakes"]]
    game = dealt(client.ultimate_texas(Terms(table=table, ruleset=row["ruleset"], seats=len(bets), stake=2, bets=bets)))
    for event in row["events"]:
        if event["decision"] == "TIMEOUT":
            harness.clock.advance(30_000)
        assert game.decide(event["seat"], event["decision"]).event_number
    settled = game.settle()
    assert settled.is_replayed
    assert owed(row) == paid(settled.result)
    assert row["house_category"] == settled.result.house_value.category
