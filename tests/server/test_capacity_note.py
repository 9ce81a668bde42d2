"""The capacity note says what was measured, and what follows from it."""

import json

import pytest

from tests.bench.bench_balanced import FILE as BALANCED
from tests.bench.bench_capacity import FILE
from tests.bench.capacity_note import NOTE, needs, note


def test_note_is_made_from_the_files_that_were_measured():
    measured, balanced = (json.loads(file.read_text(encoding="utf-8")) for file in (FILE, BALANCED))
    assert NOTE.read_text(encoding="utf-8") == note(measured, balanced)


def test_a_million_tables_are_counted_by_hand():
    """A round in 100 s: 4 leaves, 3 ms, 10 kB stored, 8 kB tiles, 1.5 ms audit; a log takes 5,000 leaves a second."""
    one = {"leaves": 4, "server_cpu_us": 3_000, "stored_bytes": 10_000, "tile_bytes": 8_000, "audit_cpu_us": 1_500}
    one |= {"request_bytes": 20_000, "answer_bytes": 7_000}
    counted = needs(one, 100, 5_000)
    assert counted["rounds a second"] == 10_000
    assert counted["leaves a second"] == 40_000
    assert counted["logs"] == 14  # 40,000 / 3,000
    assert counted["server cores"] == 50
    assert counted["network, MB a second into servers"] == pytest.approx(200)
    assert counted["network, MB a second out of servers"] == pytest.approx(70)
    assert counted["log a day, TB, each copy"] == pytest.approx(8.64)
    assert counted["tiles, MB a second to a reader of all of it"] == pytest.approx(80)
    assert counted["cores that audit all of it as it grows"] == 25
