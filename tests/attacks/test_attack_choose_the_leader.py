"""A frontend that has seen all hands and would choose who leads: it has no field to do it with, and no round either.

A caller that knows the hands before a leader is named could prefer a seat. The leader is in DEAL, so it is named with
the hands; and what makes a winner lead is a settled round of the same stake, currency, ruleset and players.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.audit import MemoryLog, Report, audit_log
from referee.dealing.header import NO_KEY
from referee.evidence.dsse import Envelope
from referee.rulesets import load_builtin
from referee.v1 import log_pb2, shuffler_pb2, tien_len_pb2
from tests.driver.tien_len_house import KEYS, Dealt
from tests.driver.tien_len_house import TienLenHouse as House
from tests.vectors import independent_audit

A, B, C, D, E, F, *_ = KEYS
FIELDS_ONCE = (8, 7)
"""Numbers of two fields that a round does not have: such as once named former rounds and the winner's seat."""


@pytest.fixture
def table(tmp_path: Path) -> Iterator[House]:
    running = House(tmp_path / "data")
    yield running
    running.close()


def findings_of_both(house: House) -> tuple[list[str], list[str]]:
    """Audit the server's log by the package and by the verifier that shares no code with it; return the failures."""
    keys = house.log.GetKeys(log_pb2.GetKeysRequest())
    house.settled_size()  # once all seeds are revealed
    checkpoint = house.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint
    store = house.app.log.store
    leaves = [store.leaf(index) for index in range(int(checkpoint.splitlines()[1]))]
    report: Report = audit_log(
        MemoryLog(checkpoint=checkpoint.encode(), entries=tuple(leaves)),
        origin=keys.origin,
        log_key=keys.log_key,
        root_key=keys.root_key,
        catalogue=load_builtin(),
        now=house.clock.now,
    )
    other = independent_audit.audit(
        {
            "origin": keys.origin,
            "log_key": keys.log_key,
            "root_key": keys.root_key,
            "checkpoint": checkpoint,
            "leaves": [leaf.decode() for leaf in leaves],
            "now": house.clock.now,
        }
    )
    mine = [finding.code.value for finding in report.findings if finding.severity == "FAIL"]
    return mine, [one.code for one in other.findings if not one.order[0]]


def leader_of(one: Dealt) -> tuple[int, str]:
    return one.dealt.leader, shuffler_pb2.LeaderBy.Name(one.dealt.leader_by).removeprefix("LEADER_BY_")


def with_former_fields(message: tien_len_pb2.TienLenRound, *, seat: int, leaf: bytes) -> tien_len_pb2.TienLenRound:
    """Return a round with bytes that name a former round and the winner's seat, in fields that it does not have."""
    rounds, winner = FIELDS_ONCE
    named = bytes([10, len(leaf) & 127 | 128, len(leaf) >> 7]) + leaf
    field = bytes([rounds << 3 | 2, len(named) & 127 | 128, len(named) >> 7]) + named
    written = message.SerializeToString() + field + bytes([winner << 3, seat])
    return tien_len_pb2.TienLenRound.FromString(written)


def test_no_frontend_chooses_who_leads(table: House) -> None:
    """It has seen all hands and sends what once chose the leader: the round is led and settled as it was dealt."""
    first = table.deal(seats=3)
    settled = table.play_settled(first)
    later = table.deal(first.opened.header.table_id, seats=3)
    won = table.winner_of(settled)
    assert leader_of(later) == (won, "WINNER")
    assert len(later.hands) == 3
    for seat in range(3):
        wanted = with_former_fields(later.round, seat=seat, leaf=settled.log_receipt.leaf)
        assert wanted.SerializeToString() != later.round.SerializeToString()
        assert table.preview(wanted).state.leader == won
    table.play_on(later.round)
    kept = table.settle(with_former_fields(later.round, seat=(won + 1) % 3, leaf=settled.log_receipt.leaf))
    inputs = json.loads(Envelope.parse(kept.log_receipt.leaf).payload)["inputs"]
    assert (inputs["leader"], inputs["leader_by"]) == (won, "WINNER")
    assert findings_of_both(table) == ([], [])


def test_leader_in_a_certificate_is_the_shufflers_word(table: House) -> None:
    """A frontend that signs a certificate of its own is refused."""
    one = table.deal(seats=2)
    forged = Envelope.parse(one.dealt.certificate)
    said = json.loads(forged.payload) | {"leader": 1 - one.dealt.leader}
    body = json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
    one.round.certificates[0] = Envelope(forged.payload_type, body, forged.signature).to_bytes()
    assert table.refusal_of(lambda: table.preview(one.round)) == (table.refusal_of(lambda: table.settle(one.round)))
    assert table.refusal_of(lambda: table.preview(one.round)).code == "PERMISSION_DENIED"


THROWN_AWAY: dict[str, Callable[[House, str], object]] = {
    "for another stake": lambda house, table: house.deal(table, keys=[A, B, C], seats=3, stake_minor=1),
    "in another currency": lambda house, table: house.deal(table, keys=[A, B, C], seats=3, currency="PLAY"),
    "with strangers": lambda house, table: house.deal(table, keys=[A, E, F], seats=3),
    "with half of the keys": lambda house, table: house.deal(table, keys=[A, B, E, F], seats=4),
    "without keys": lambda house, table: house.deal(table, seats=3),
}


@pytest.mark.parametrize("name", THROWN_AWAY)
def test_throw_away_round_makes_no_leader(table: House, name: str) -> None:
    """Rounds are thrown away until the accomplice in seat 0 has won one; then the real one is opened."""
    name_of_table = table.new_table()
    for _ in range(40):
        thrown = THROWN_AWAY[name](table, name_of_table)
        assert isinstance(thrown, Dealt)
        if table.winner_of(table.play_settled(thrown)) == 0:
            break
    keys = [A, B, C, D] if name == "with half of the keys" else [A, B, C]
    real = table.deal(name_of_table, keys=keys, seats=len(keys))
    assert leader_of(real)[1] == "DRAW"
    table.play_settled(real)
    assert findings_of_both(table) == ([], [])


def test_seat_that_has_a_key_now_does_not_lead_for_a_winner_without_one(table: House) -> None:
    first = table.deal(keys=[A, NO_KEY, C], seats=3)
    for _ in range(40):
        if table.winner_of(table.play_settled(first)) == 1:
            break
        first = table.deal(first.opened.header.table_id, keys=[A, NO_KEY, C], seats=3)
    real = table.deal(first.opened.header.table_id, keys=[A, B, C], seats=3)
    assert leader_of(real)[1] == "DRAW"
    table.play_settled(real)
    assert findings_of_both(table) == ([], [])


def test_winner_leads_behind_rounds_that_are_given_up_at_two_tables(table: House) -> None:
    """A round that is given up after its hands were seen changes nobody's turn, here or at another table."""
    tables: list[tuple[Any, int]] = []
    for keys in ([A, B, C], [D, E, F]):
        first = table.deal(keys=keys, seats=3)
        tables.append((first, table.winner_of(table.play_settled(first))))
    for first, _ in tables:
        for _ in range(2):
            table.abort(table.deal(first.opened.header.table_id, keys=list(first.opened.header.seat_keys), seats=3))
    for first, won in tables:
        real = table.deal(first.opened.header.table_id, keys=list(first.opened.header.seat_keys), seats=3)
        assert leader_of(real) == (won, "WINNER")
        table.play_settled(real)
    assert findings_of_both(table) == ([], [])
