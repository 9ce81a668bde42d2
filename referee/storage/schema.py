"""The tables of a log as they are now. Leaves, hashes and marks are only ever inserted; head and rounds are updated.

``leaf`` holds what was said. ``node`` holds hashes of complete subtrees of height 8 * level, one row each, so that a
tile is a range of rows. ``round`` is the state that the next step is judged by, ``mark`` the steps taken with what is
needed to answer them again. ``head`` is one row, and so is ``schema_version``. ``contribution`` holds the seats' seeds
before the deal tells them, and is only ever inserted into; ``cosigned`` holds checkpoints with the cosignatures of
witnesses, which are added to. Neither is part of the log. Numbers are signed 64-bit, times milliseconds since 1970 UTC.
A table that is new or changed needs a step at the end of ``migrations.STEPS`` as well.
"""

from typing import Final

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, SmallInteger, String, Table

FORMAT: Final = 2
"""What ``head.format`` says once ``schema_version`` exists; 1 before, which is all that older programs go on with."""

_TABLE_ID: Final = String(64).with_variant(String(64, collation="C"), "postgresql")
"""Ordered by its bytes in every database."""

METADATA: Final = MetaData()

SCHEMA_VERSION: Final = Table(
    "schema_version",
    METADATA,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("version", SmallInteger, nullable=False),
    # how often a process opened the store to write
    Column("openings", BigInteger, nullable=False),
)

HEAD: Final = Table(
    "head",
    METADATA,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("format", SmallInteger, nullable=False),
    Column("origin", String(255), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("root", LargeBinary, nullable=False),
    Column("peaks", LargeBinary, nullable=False),
    Column("checkpoint", LargeBinary, nullable=False),
)

LEAF: Final = Table(
    "leaf",
    METADATA,
    # INTEGER and not BIGINT makes the key SQLite's own row number
    Column("position", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, autoincrement=False),
    Column("data", LargeBinary, nullable=False),
)

NODE: Final = Table(
    "node",
    METADATA,
    Column("level", SmallInteger, primary_key=True, autoincrement=False),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("hash", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

ROUND: Final = Table(
    "round",
    METADATA,
    Column("table_id", _TABLE_ID, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("round_id", LargeBinary, nullable=False),
    Column("deal_deadline", BigInteger, nullable=False),
    Column("round_deadline", BigInteger, nullable=False),
    Column("stage", SmallInteger, nullable=False),
    Column("deck_root", LargeBinary, nullable=True),
    Column("terminal_leaf", LargeBinary, nullable=True),
    # when a sweep should look: the deal's deadline until the deal, then the round's, nothing once revealed
    Column("due", BigInteger, nullable=True),
    sqlite_with_rowid=False,
)
_DUE = ROUND.c.due.is_not(None)
Index("round_due", ROUND.c.due, sqlite_where=_DUE, postgresql_where=_DUE)

MARK: Final = Table(
    "mark",
    METADATA,
    Column("table_id", _TABLE_ID, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", SmallInteger, primary_key=True, autoincrement=False),
    Column("position", BigInteger, nullable=False),
    Column("told_digest", LargeBinary, nullable=False),
    Column("memo", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

CONTRIBUTION: Final = Table(
    "contribution",
    METADATA,
    Column("table_id", _TABLE_ID, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("seat", SmallInteger, primary_key=True, autoincrement=False),
    Column("seed", LargeBinary, nullable=False),
    Column("signature", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

COSIGNED: Final = Table(
    "cosigned",
    METADATA,
    Column("size", BigInteger, primary_key=True, autoincrement=False),
    Column("note", LargeBinary, nullable=False),
    # whether enough witnesses have cosigned it: 0 or 1
    Column("is_quorate", SmallInteger, nullable=False),
    sqlite_with_rowid=False,
)
