"""Extending a backup: what a log got since its backup is added to the backup's file and proved, and nothing else.

The work grows with the new leaves, but for two scans of small rows that have no index by leaf. The file changes in one
transaction: if that is killed or refused, the backup is what it was.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, TypeAlias

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, delete, func, insert, or_, select, tuple_, update

from referee.log import Checkpoint
from referee.log.proof import TILE_HEIGHT, TILE_WIDTH
from referee.storage.check import TileCheck, check_edge, newest_tile
from referee.storage.postgres import open_postgres_reader
from referee.storage.reader import Reader
from referee.storage.record import DataLossError, Head
from referee.storage.schema import CONTRIBUTION, COSIGNED, HEAD, LEAF, LISTED, MARK, NODE, NOTED, ROUND
from referee.storage.sqlite import FILE_NAME, change_sqlite_file, open_sqlite_file

Progress: TypeAlias = Callable[[int, int], None]
_ROWS: Final = 1_000
"""Number of rows that are copied with one statement."""
_LEVELS: Final = 64 // TILE_HEIGHT
"""Number of tile levels of the largest possible tree."""


def extend_backup(
    folder: Path,
    target: Path,
    *,
    database: str | None = None,
    progress: Progress = lambda _done, _new: None,
) -> Head:
    """Add to the backup ``target`` what the log of a data folder, or of a database, got since; return the new head.

    ``progress`` is called with the number of new leaves that are proved and the number of all new leaves. Raises
    StoreError if one of both has no log or another process extends the file; DataLossError if the log does not continue
    the backup, or what is new is not whole. Then the backup stays as it is.
    """
    source = open_sqlite_file(folder / FILE_NAME) if database is None else open_postgres_reader(database)
    with closing(source), change_sqlite_file(target) as (into, copy):
        if copy.origin != source.origin:
            raise DataLossError(f"{target} is a backup of the log {copy.origin!r}, not of {source.origin!r}")
        old = check_edge(copy).head
        known = Checkpoint(copy.origin, old.size, old.root)
        check_edge(source, known=[known])
        source.pour(lambda out: _pour_new(out, into, old.size))
        head = check_edge(copy, known=[known]).head
        _check_new_tiles(copy, old, head, progress)
    return head


def _check_new_tiles(copy: Reader, old: Head, head: Head, progress: Progress) -> None:
    """Verify the complete tiles from that of the old head's newest leaf on; the edge is checked already."""
    tiles, new = TileCheck(copy, size=head.size, root=head.root), head.size - old.size
    for start in range(newest_tile(old.size), newest_tile(head.size), TILE_WIDTH):
        tiles.check(start // TILE_WIDTH)
        progress(start + TILE_WIDTH - old.size, new)
    progress(new, new)


def _pour_new(out: Connection, into: Connection, size: int) -> None:
    """Bring the tables of a backup of the first ``size`` leaves to the state that ``out`` sees."""
    for table in (LEAF, MARK, LISTED, NOTED):
        _insert(table, out, into, table.c.position >= size)
    levels = [and_(NODE.c.level == level, NODE.c.position >= size >> TILE_HEIGHT * level) for level in range(_LEVELS)]
    _insert(NODE, out, into, or_(*levels))
    stepped = select(MARK.c.table_id, MARK.c.number).where(MARK.c.position >= size)
    running = select(ROUND.c.table_id, ROUND.c.number).where(ROUND.c.due.is_not(None))
    for table in (ROUND, CONTRIBUTION):
        key = tuple_(table.c.table_id, table.c.number)
        _replace(table, out, into, or_(key.in_(stepped), key.in_(running)))
    _replace(COSIGNED, out, into, COSIGNED.c.size >= _first_that_may_grow(into))
    into.execute(update(HEAD).values(dict(out.execute(select(HEAD)).mappings().one())))


def _first_that_may_grow(into: Connection) -> int:
    """Return the size of the first cosigned checkpoint without a quorum, or of the newest one; 0 if there is none."""
    waiting = into.execute(select(func.min(COSIGNED.c.size)).where(COSIGNED.c.is_quorate == 0)).scalar()
    newest = into.execute(select(func.max(COSIGNED.c.size))).scalar()
    return int(waiting or newest or 0)


def _insert(table: Table, out: Connection, into: Connection, chosen: ColumnElement[bool]) -> None:
    for rows in _rows(out, select(table).where(chosen)):
        into.execute(insert(table), rows)


def _replace(table: Table, out: Connection, into: Connection, chosen: ColumnElement[bool]) -> None:
    """Copy the chosen rows, in place of those with their keys."""
    keys = [column.name for column in table.primary_key]
    for rows in _rows(out, select(table).where(chosen)):
        for row in rows:
            into.execute(delete(table).where(*(table.c[name] == row[name] for name in keys)))
        into.execute(insert(table), rows)


def _rows(out: Connection, query: Select[tuple[object, ...]]) -> Iterator[list[dict[str, object]]]:
    for rows in out.execute(query).mappings().partitions(_ROWS):
        yield [{str(name): value for name, value in row.items()} for row in rows]
