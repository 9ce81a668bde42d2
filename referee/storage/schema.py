"""The tables of a log. Leaves, hashes and marks are only ever inserted; head and rounds are updated.

``leaf`` holds the entries. ``node`` holds hashes of complete subtrees of height 8 * level, one row each, so that a tile
is a range of rows. ``round`` is the state that the next step is checked against, ``mark`` the steps taken, from which a
repeated request is answered; its ``event`` is the number of the event whose receipt an UNSEAL answers. ``head`` and
``schema_version`` are one row each. ``contribution`` holds the seats' seeds before the deal publishes them and is only
inserted into; ``cosigned`` holds checkpoints with the witnesses' cosignatures, which grow; ``listed`` is the index of
rounds by scope and time of OPEN, see ``listing``, and is only inserted into. None of the three is part of the log.
``noted`` names the KEY and START leaves, so that a start finds them without reading the log; it is only inserted into.
Numbers are signed 64-bit, times milliseconds since 1970 UTC. A changed table needs a new ``VERSION``.
"""

from collections.abc import Callable
from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    inspect,
)

from referee.storage.record import SchemaVersionError

VERSION: Final = 4
"""Version of the schema that this program reads and writes."""
OLDEST: Final = 1
"""Oldest version of a store that can be upgraded to ``VERSION``. Other versions are refused."""

_TABLE_ID: Final = String(64).with_variant(String(64, collation="C"), "postgresql")
"""Type of a table id; every database orders it by its bytes."""

METADATA: Final = MetaData()


def _round_key() -> tuple[Column[str], Column[int]]:
    """Return two new columns for a round's key, which are the first ones of a table's primary key."""
    return Column("table_id", _TABLE_ID, primary_key=True), Column(
        "number", BigInteger, primary_key=True, autoincrement=False
    )


SCHEMA_VERSION: Final = Table(
    "schema_version",
    METADATA,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("version", SmallInteger, nullable=False),
    # how often a process opened the store to write, or tried whether it can be written
    Column("openings", BigInteger, nullable=False),
)

HEAD: Final = Table(
    "head",
    METADATA,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("origin", String(255), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("root", LargeBinary, nullable=False),
    Column("peaks", LargeBinary, nullable=False),
    Column("checkpoint", LargeBinary, nullable=False),
    # the latest time of a leaf, 0 for none
    Column("newest_time", BigInteger, nullable=False),
    # number of leaves that belong to no round: those that name and revoke the log's keys
    Column("roundless", BigInteger, nullable=False),
    # number of commits that changed the log or a round's seeds, and how many of them are known to be durable: see
    # ``certainty``. A server that finds the second number smaller answers from the log only after a commit of its own
    Column("commits", BigInteger, nullable=False),
    Column("durable", BigInteger, nullable=False),
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
    *_round_key(),
    Column("round_id", LargeBinary, nullable=False),
    Column("deal_deadline", BigInteger, nullable=False),
    Column("round_deadline", BigInteger, nullable=False),
    Column("stage", SmallInteger, nullable=False),
    Column("deck_root", LargeBinary, nullable=True),
    Column("terminal_leaf", LargeBinary, nullable=True),
    Column("newest_time", BigInteger, nullable=False),
    # the round's UNSEALs: 8 bytes of event number and 32 of history each
    Column("unseals", LargeBinary, nullable=False),
    # record of the winner of the table's last settled round, which is this round once it is settled
    Column("winner", LargeBinary, nullable=True),
    # time from which a sweep looks at the round: the deal deadline, after the deal the round deadline; null if revealed
    Column("due", BigInteger, nullable=True),
    sqlite_with_rowid=False,
)
_DUE = ROUND.c.due.is_not(None)
Index("round_due", ROUND.c.due, sqlite_where=_DUE, postgresql_where=_DUE)

MARK: Final = Table(
    "mark",
    METADATA,
    *_round_key(),
    Column("kind", SmallInteger, primary_key=True, autoincrement=False),
    Column("event", BigInteger, primary_key=True, autoincrement=False),
    Column("position", BigInteger, nullable=False),
    Column("request_digest", LargeBinary, nullable=False),
    Column("memo", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

CONTRIBUTION: Final = Table(
    "contribution",
    METADATA,
    *_round_key(),
    Column("seat", SmallInteger, primary_key=True, autoincrement=False),
    Column("seed", LargeBinary, nullable=False),
    Column("signature", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

LISTED: Final = Table(
    "listed",
    METADATA,
    Column("scope", LargeBinary, primary_key=True),
    Column("opened_time", BigInteger, primary_key=True, autoincrement=False),
    # of the OPEN leaf
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("table_id", _TABLE_ID, nullable=False),
    Column("number", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

NOTED: Final = Table(
    "noted",
    METADATA,
    # a NotedKind
    Column("kind", SmallInteger, primary_key=True, autoincrement=False),
    # the instance whose START the leaf is; empty for a KEY leaf
    Column("instance", String(255), primary_key=True),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
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


def open_schema(connection: Connection, upgrade: Callable[[Connection, int], None]) -> int:
    """Create the tables in an empty database, or ``upgrade`` older tables; return the version of the schema found.

    Raises SchemaVersionError where that is impossible. The caller's transaction must keep other writers out.
    """
    tables, version = inspect(connection), VERSION
    if tables.has_table(SCHEMA_VERSION.name):
        version = int(connection.execute(SCHEMA_VERSION.select()).one().version)
        if OLDEST <= version < VERSION:
            upgrade(connection, version)
        else:
            check_version(version)
    elif tables.has_table(HEAD.name):
        check_version(0)
    else:
        METADATA.create_all(connection)
        connection.execute(SCHEMA_VERSION.insert().values(id=1, version=VERSION, openings=0))
    # Count up, so that this commits a change: a commit forces earlier commits of a killed process to disk.
    connection.execute(SCHEMA_VERSION.update().values(openings=SCHEMA_VERSION.c.openings + 1))
    return version


def check_version(version: int) -> None:
    """Raise SchemaVersionError unless the store's schema version is this program's; 0 means that it names none."""
    if version != VERSION:
        remedy = "use the release of Referee that made the store, or start a new log in another folder or database"
        if OLDEST <= version < VERSION:
            remedy = "back it up with the release of Referee that made it; `referee serve` of this release upgrades it"
        raise SchemaVersionError(
            f"the store has schema version {version}, and this program reads and writes version {VERSION} only: "
            f"{remedy}"
        )
