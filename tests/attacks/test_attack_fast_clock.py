"""An operator that runs its clock forty seconds fast for a moment, and so times an honest seat out at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.audit import Code, MemoryLog, Report
from referee.audit.cosignatures import Witnessing
from referee.evidence.note import Note
from referee.log.cosignature import Quorum, cosign, merged
from referee.v1 import log_pb2, tien_len_pb2
from tests.attacks.courses import fails
from tests.driver.auditing import counted, terms_of
from tests.server.cosigning.local_witness import LocalWitness
from tests.service.house import House
from tests.service.table import Table

FAST_MS = 40_000


@pytest.fixture
def witness(tmp_path: Path) -> Iterator[LocalWitness]:
    """Make a witness, of which only the key is used: its clock is the test's."""
    made = LocalWitness(tmp_path / "witness", "w")
    yield made
    made.close()


def turn_of(table: Table) -> int:
    """Return the seat on turn."""
    return int(table.referee.ListPlays(tien_len_pb2.ListPlaysRequest(round=table.message)).turn)


def timed_out(house: House) -> Table:
    """Have the seat on turn timed out by a clock that jumps forty seconds ahead, though no time has passed for it."""
    table = house.table("tien_len", seats=2).play()
    while table.preview().HasField("outcome"):
        table = house.table("tien_len", seats=2).play()
    house.clock.now += FAST_MS
    assert table.accept(turn_of(table), timeout=True).event_number == 1
    while not table.preview().HasField("outcome"):
        table.accept(turn_of(table), leave=True)
    assert table.settle().outcome.seats
    return table


def audited(house: House, witness: LocalWitness, *, seen_at: int) -> Report:
    """Audit the log with a head that a witness cosigned at a time, in ms, of a right clock."""
    keys = house.log.GetKeys(log_pb2.GetKeysRequest())
    note = Note.parse(house.checkpoint().encode())
    line = cosign(note, name=witness.name, signer=witness.signer, time=seen_at // 1000)
    terms = terms_of(origin=keys.origin, log_key=keys.log_key, root_key=keys.root_key, now=seen_at)
    return counted(
        MemoryLog(checkpoint=note.format(), entries=tuple(house.leaves())),
        *terms,
        witnessing=Witnessing(quorum=Quorum((witness.signer.key,), 1), cosigned=iter([merged(note, [line]).format()])),
    )


def test_witness_that_saw_the_settlement_forty_seconds_early_convicts_the_clock(
    house: House, witness: LocalWitness
) -> None:
    """An auditor's own clock has a slack of two minutes; a witness's has ten seconds."""
    begun = house.clock.now
    table = timed_out(house)
    table.reveal()
    assert fails(audited(house, witness, seen_at=begun)) == [Code.TIME_AHEAD]
    assert fails(audited(house, witness, seen_at=begun + FAST_MS)) == []


def test_clock_that_is_set_back_afterwards_writes_nothing_for_half_a_minute(house: House) -> None:
    """All tables of the log wait until the time at which its newest leaf is dated, but for the slack."""
    timed_out(house)
    right = house.clock.now - FAST_MS
    house.clock.now = right
    assert house.refusal_of(lambda: house.open("another")).reason == "CLOCK_BEHIND"
    house.clock.now = right + FAST_MS - 10_000
    assert house.open("another").header
