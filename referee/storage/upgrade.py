"""The upgrade of a store of an older schema, in the transaction that opens it. Only here does storage read leaves."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.schema import CreateColumn

from referee.dealing.header import NO_KEY
from referee.dealing.leaf import OpenLeaf, read_leaf
from referee.evidence.merkle import LeafIndex
from referee.log import SlotKey, StepKind
from referee.log.noted import NotedKind, noted_leaf
from referee.storage.round_index import Listed
from referee.storage.schema import HEAD, LEAF, LISTED, MARK, NOTED, ROUND, SCHEMA_VERSION, VERSION

_ROWS = 1_000
"""Leaves read at once."""


def upgrade(connection: Connection, version: int) -> None:
    """Turn the tables of an older schema version into those of ``VERSION``; the caller's transaction commits it."""
    if version < 2:  # noqa: PLR2004 - each number is the version that has the change
        _add_columns(connection)
    if version < 3:  # noqa: PLR2004 - as above
        _list_rounds(connection)
    if version < 4:  # noqa: PLR2004 - as above
        _note_leaves(connection)
        _count_commits(connection)
    connection.execute(SCHEMA_VERSION.update().values(version=VERSION))


def _list_rounds(connection: Connection) -> None:
    """Make the index of rounds of version 3 from the OPEN leaves."""
    LISTED.create(connection)
    opened = select(MARK.c.table_id, MARK.c.number, MARK.c.position, LEAF.c.data)
    query = opened.join(LEAF, LEAF.c.position == MARK.c.position).where(MARK.c.kind == int(StepKind.OPEN))
    for rows in connection.execute(query).partitions(_ROWS):
        connection.execute(insert(LISTED), [row for opened_round in rows for row in _rows(*opened_round)])


def _count_commits(connection: Connection) -> None:
    """Add the two counts of version 4.

    The first commit is counted as not known to be durable, so that a server commits once before it answers.
    """
    for column, first in ((HEAD.c.commits, 1), (HEAD.c.durable, 0)):
        added = CreateColumn(column).compile(dialect=connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {HEAD.name} ADD COLUMN {added} DEFAULT {first}")


def _note_leaves(connection: Connection) -> None:
    """Make the table of KEY and START leaves of version 4 from the leaves without a mark, and count the KEY leaves."""
    NOTED.create(connection)
    roundless = select(LEAF.c.position, LEAF.c.data).where(LEAF.c.position.not_in(select(MARK.c.position)))
    keys = 0
    for rows in connection.execute(roundless).partitions(_ROWS):
        noted = [(position, noted_leaf(bytes(data))) for position, data in rows]
        values = [
            {"kind": found.kind, "instance": found.instance, "position": position}
            for position, found in noted
            if found is not None
        ]
        keys += sum(value["kind"] is NotedKind.KEY for value in values)
        if values:
            connection.execute(insert(NOTED), values)
    connection.execute(HEAD.update().values(roundless=keys))


def _add_columns(connection: Connection) -> None:
    """Add the two columns of version 2: the number of leaves that belong to no round, and the winner of a round.

    Every step of a round has one mark and one leaf, so a leaf without a mark belongs to no round. The rounds of version
    1 get no winner, because their leaves name leaders in a form that is no longer read.
    """
    winner = CreateColumn(ROUND.c.winner).compile(dialect=connection.dialect)
    connection.exec_driver_sql(f"ALTER TABLE {ROUND.name} ADD COLUMN {winner}")
    column = CreateColumn(HEAD.c.roundless).compile(dialect=connection.dialect)
    connection.exec_driver_sql(f"ALTER TABLE {HEAD.name} ADD COLUMN {column} DEFAULT 0")
    steps = select(func.count(MARK.c.position.distinct())).scalar_subquery()
    connection.execute(HEAD.update().values(roundless=HEAD.c.size - steps))


def _rows(table_id: str, number: int, position: int, data: bytes) -> Iterator[dict[str, Any]]:
    """Yield the rows of the index for a round, one for each scope; ``data`` is its OPEN leaf."""
    leaf = read_leaf(data, OpenLeaf)
    listed = Listed(
        key=SlotKey(table_id, number),
        opened_time=leaf.opened_time,
        index=LeafIndex(position),
        seat_keys=tuple([key for key in leaf.header.seat_keys if key != NO_KEY]),
    )
    for scope in listed.scopes:
        yield {
            "scope": scope,
            "opened_time": listed.opened_time,
            "position": position,
            "table_id": table_id,
            "number": number,
        }
