"""The columns of the exported tables: none goes, none changes its type, and the page describes them all."""

from pathlib import Path
from typing import Final

from referee.rounds.parquet import SCHEMAS
from referee.rounds.row import TABLES

PINNED: Final = Path(__file__).with_name("columns.txt")
PAGE: Final = Path(__file__).parents[2] / "referee" / "rounds" / "README.md"
KEYS: Final = {
    "rounds": ("round_id",),
    "seats": ("round_id", "seat"),
    "events": ("round_id", "number"),
    "transfers": ("round_id", "number"),
    "aborts": ("round_id",),
}
"""Columns that name a row of each table."""


def schema_text() -> str:
    """Return one line a column: table, column, type, and whether it can be null."""
    return "".join(
        f"{table}.{field.name}: {field.type}{'' if field.nullable else ' not null'}\n"
        for table, schema in SCHEMAS.items()
        for field in schema
    )


def schema_page() -> str:
    """Return the tables of the page that documents the schema, in Markdown."""
    parts = []
    for table, schema in SCHEMAS.items():
        key = ", ".join(f"`{name}`" for name in KEYS[table])
        parts.append(
            f"### {table}\n\n{TABLES[table].__doc__} Key: {key}.\n\n| column | type | what it is |\n|---|---|---|\n"
        )
        for field in schema:
            kind = str(field.type).replace("list<item: ", "list<")
            parts.append(f"| `{field.name}` | `{kind}` | {field.metadata[b'description'].decode()} |\n")
        parts.append("\n")
    return "".join(parts).rstrip("\n") + "\n"


def test_columns_change_by_addition_alone():
    """A new column is nullable, for files of earlier exports lack it, and its line is added to the pinned ones."""
    pinned, now = PINNED.read_text(encoding="utf-8").splitlines(), schema_text().splitlines()
    assert [line for line in pinned if line not in now] == [], "queries of others rely on these columns"
    assert [line for line in now if line not in pinned] == [], f"add these lines to {PINNED.name}"
    assert len(now) == len(set(now)) > 50


def test_page_describes_every_column():
    assert schema_page() in PAGE.read_text(encoding="utf-8"), f"the page's tables must be:\n{schema_page()}"
