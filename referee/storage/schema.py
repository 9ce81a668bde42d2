"""The tables of a log. Leaves, hashes and marks are only ever inserted; the head and rounds are updated.

``leaf`` holds what was said. ``node`` holds hashes of complete subtrees of height 8 * level, one row each, so that a
tile is a range of rows. ``round`` is the state that the next step is judged by, ``mark`` the steps taken with what is
needed to answer them again. ``head`` is one row. Numbers are signed 64-bit, times milliseconds since 1970 UTC.
"""

from typing import Final

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, SmallInteger, String, Table

FORMAT: Final = 1
"""The version of this schema; a store of another is refused."""

METADATA: Final = MetaData()

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
    Column("table_id", String(64), primary_key=True),
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
    Column("table_id", String(64), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", SmallInteger, primary_key=True, autoincrement=False),
    Column("position", BigInteger, nullable=False),
    Column("told_digest", LargeBinary, nullable=False),
    Column("memo", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
