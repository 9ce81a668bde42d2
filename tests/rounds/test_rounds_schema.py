"""The columns of the exported tables: none goes, none changes its type, and the page describes them all."""

from pathlib import Path
from typing import Final

from referee.rounds.parquet import schema_page, schema_text

PINNED: Final = Path(__file__).with_name("columns.txt")
PAGE: Final = Path(__file__).parents[2] / "referee" / "rounds" / "README.md"


def test_columns_change_by_addition_alone():
    """A new column is nullable, for files of earlier exports lack it, and its line is added to the pinned ones."""
    pinned, now = PINNED.read_text(encoding="utf-8").splitlines(), schema_text().splitlines()
    assert [line for line in pinned if line not in now] == [], "queries of others rely on these columns"
    assert [line for line in now if line not in pinned] == [], f"add these lines to {PINNED.name}"
    assert len(now) == len(set(now)) > 50


def test_page_describes_every_column():
    assert schema_page() in PAGE.read_text(encoding="utf-8"), f"the page's tables must be:\n{schema_page()}"
