"""Many tables on one server; the hundred of ``python -m tests.table.load`` in small."""

from pathlib import Path

import pytest

from tests.table.load import PEOPLE, play_all
from tests.table.table_process import table_process

pytestmark = pytest.mark.slow("plays thousands of rounds")


async def test_tables_of_every_game_are_played_at_once(tmp_path: Path) -> None:
    """Ten tables of four pages each, two of every kind: every round is settled, every command answered."""
    with table_process(tmp_path, "--brisk") as running:
        measured = await play_all(running, tables=10, rounds=1)
    assert sum(measured.rounds.values()) == 10
    assert len(measured.commands) > 10 * PEOPLE
