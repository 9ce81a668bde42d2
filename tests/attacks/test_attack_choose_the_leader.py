"""A frontend that has seen all hands and would choose who leads: it has no field to do it with, and no round either.

A caller that knows the hands before a leader is named could prefer a seat. The leader is in DEAL, so it is named with
the hands; and what makes a winner lead is a settled round of the same stake, currency, ruleset and players.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.evidence.dsse import Envelope
from referee.v1 import shuffler_pb2, tien_len_pb2
from tests.attacks.courses import findings_of_both
from tests.service.tien_len_house import KEYS, Dealt
from tests.service.tien_len_house import TienLenHouse as House
from tests.verifier.built import Verdicts

A, B, C, D, E, F, *_ = KEYS
FIELDS_ONCE = (8, 7)
"""Numbers of two fields that a round does not have: such as once named former rounds and the winner's seat."""


@pytest.fixture
def table(tmp_path: Path) -> Iterator[House]:
    running = House(tmp_path / "data")
    yield running
    running.close()


def leader_of(one: Dealt) -> tuple[int, str]:
    return one.dealt.leader, shuffler_pb2.LeaderBy.Name(one.dealt.leader_by).removeprefix("LEADER_BY_")


def with_former_fields(message: tien_len_pb2.TienLenRound, *, seat: int, leaf: bytes) -> tien_len_pb2.TienLenRound:
    """Return a round with bytes that name a former round and the winner's seat, in fields that it does not have."""
    rounds, winner = FIELDS_ONCE
    named = bytes([10, len(leaf) & 127 | 128, len(leaf) >> 7]) + leaf
    field = bytes([rounds << 3 | 2, len(named) & 127 | 128, len(named) >> 7]) + named
    written = message.SerializeToString() + field + bytes([winner << 3, seat])
    return tien_len_pb2.TienLenRound.FromString(written)


def test_no_frontend_chooses_who_leads(table: House, verdicts: Verdicts) -> None:
    """It has seen all hands and sends what once chose the leader: the round is led and settled as it was dealt."""
    first = table.deal(seats=3)
    settled = table.play_settled(first)
    later = table.deal(first.opened.header.round.table_id, seats=3)
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
    assert findings_of_both(table, verdicts) == ([], [])


def test_leader_in_a_certificate_is_the_shufflers_word(table: House) -> None:
    """A frontend that signs a certificate of its own is refused."""
    one = table.deal(seats=2)
    forged = Envelope.parse(one.dealt.certificate)
    said = json.loads(forged.payload) | {"leader": 1 - one.dealt.leader}
    body = json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
    one.round.certificates[0] = Envelope(forged.payload_type, body, forged.signature).to_bytes()
    assert table.refusal_of(lambda: table.preview(one.round)) == (table.refusal_of(lambda: table.settle(one.round)))
    assert table.refusal_of(lambda: table.preview(one.round)).code == "PERMISSION_DENIED"


def test_winner_leads_behind_rounds_that_are_given_up_at_two_tables(table: House, verdicts: Verdicts) -> None:
    """A round that is given up after its hands were seen changes nobody's turn, here or at another table."""
    tables: list[tuple[Any, int]] = []
    for keys in ([A, B, C], [D, E, F]):
        first = table.deal(keys=keys, seats=3)
        tables.append((first, table.winner_of(table.play_settled(first))))
    for first, _ in tables:
        for _ in range(2):
            table.abort(
                table.deal(first.opened.header.round.table_id, keys=list(first.opened.header.seat_keys), seats=3)
            )
    for first, won in tables:
        real = table.deal(first.opened.header.round.table_id, keys=list(first.opened.header.seat_keys), seats=3)
        assert leader_of(real) == (won, "WINNER")
        table.play_settled(real)
    assert findings_of_both(table, verdicts) == ([], [])
