"""A store in any relational database that SQLAlchemy speaks to; what differs between them comes in a ``Flavor``.

The law is that of ``store``. Statements are compiled by SQLAlchemy and run on the driver's own cursor. The head is
moved by an update that names the size and root it moves from, inside a transaction that the flavor begins so that no
second writer can be in one.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine, PoolProxiedConnection
from sqlalchemy.engine.interfaces import DBAPICursor

from referee.evidence.merkle import LeafIndex
from referee.log import Kind, Round, SlotKey
from referee.storage.reader import RelationalReader, due_of, head_of, round_of
from referee.storage.schema import FORMAT
from referee.storage.statements import HEAD_ID, Statements
from referee.storage.store import Change, Head, HeadMovedError, Mark, StoreBusyError, StoreError


@dataclass(frozen=True, slots=True)
class Flavor:
    """What a database does its own way."""

    begin: str
    """Begins a transaction from which no second writer can be in one."""
    is_busy: Callable[[Exception], bool]
    """Whether an error of the driver says that another writer was in the way."""
    compact: Callable[[DBAPICursor], None]
    """Does what commits left for later."""


class RelationalStore(RelationalReader):
    """A log that can grow. One transaction at a time; a second thread waits for the first."""

    def __init__(self, engine: Engine, flavor: Flavor) -> None:
        super().__init__(engine)
        self._flavor: Final = flavor
        self._writing: Final = threading.Lock()
        self._connection: PoolProxiedConnection | None = None

    def found(self, origin: str, checkpoint: bytes) -> None:
        """The log exists, empty, with this origin and checkpoint; nothing happens where one exists already."""
        with self._transaction() as cursor:
            cursor.execute(self._sql.read_identity)
            if not cursor.fetchall():
                empty = Head.empty(checkpoint)
                cursor.execute(self._sql.insert_head, (HEAD_ID, FORMAT, origin, 0, empty.root, b"", checkpoint))

    @contextmanager
    def transaction(self) -> Iterator["RelationalTransaction"]:
        """A transaction that is durable when its block ends well and undone when it raises."""
        with self._transaction() as cursor:
            yield RelationalTransaction(cursor, self._sql)

    def compact(self) -> None:
        """Work that commits left for later is done, on a connection of its own."""
        with self._cursor() as cursor:
            self._flavor.compact(cursor)

    def close(self) -> None:
        """The connections are closed, once a running transaction has ended."""
        with self._writing:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            super().close()

    @contextmanager
    def _transaction(self) -> Iterator[DBAPICursor]:
        with self._writing:
            try:
                if self._connection is None:
                    self._connection = self._engine.raw_connection()
                cursor = self._connection.cursor()
                cursor.execute(self._flavor.begin)
                yield cursor
                cursor.execute("COMMIT")
                cursor.close()
            except self._driver_error as error:
                self._undo()
                if self._flavor.is_busy(error):
                    msg = f"another writer holds the store: {error}"
                    raise StoreBusyError(msg) from error
                msg = f"the store could not be written: {error}"
                raise StoreError(msg) from error
            except BaseException:
                self._undo()
                raise

    def _undo(self) -> None:
        # The database may have ended the transaction itself; then only a new connection is sure to be a clean one.
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(self._driver_error):
                connection.cursor().execute("ROLLBACK")
            with suppress(self._driver_error):
                connection.invalidate()


class RelationalTransaction:
    """One writer's view of a relational store."""

    def __init__(self, cursor: DBAPICursor, sql: Statements) -> None:
        self._cursor = cursor
        self._sql = sql
        cursor.execute(sql.read_head)
        self._head = head_of(cursor.fetchall())
        self._due: dict[SlotKey, int | None] = {}
        """When the rounds that were read are due, as stored."""

    @property
    def head(self) -> Head:
        """The head that the change will grow from."""
        return self._head

    def round(self, key: SlotKey) -> Round | None:
        """The state of this round, or None where it was never opened."""
        self._cursor.execute(self._sql.read_round, (key.table_id, key.round_number))
        rows = self._cursor.fetchall()
        if not rows:
            return None
        state = round_of(key, rows[0])
        self._due[key] = due_of(state)
        return state

    def mark(self, key: SlotKey, kind: Kind) -> Mark | None:
        """The step of this kind that was taken, memo left out, or None."""
        self._cursor.execute(self._sql.read_mark, (key.table_id, key.round_number, kind))
        rows = self._cursor.fetchall()
        return Mark(kind, LeafIndex(rows[0][0]), bytes(rows[0][1]), b"") if rows else None

    def write(self, change: Change) -> None:
        """The change is part of the transaction. Raises HeadMovedError where the head is not the expected one."""
        run, sql = self._cursor, self._sql
        old, new = change.expected, change.head
        run.execute(
            sql.move_head,
            (new.size, new.root, b"".join(new.frontier.peaks), new.checkpoint, old.size, old.root),
        )
        if run.rowcount != 1:
            msg = f"the head is no longer at {old.size} leaves"
            raise HeadMovedError(msg)
        run.executemany(sql.insert_leaf, list(enumerate(change.leaves, start=old.size)))
        run.executemany(sql.insert_node, change.hashes)
        if change.opened:
            run.executemany(sql.insert_round, [_inserted(state) for state in change.opened])
        self._advance(change.advanced)
        if change.marks:
            run.executemany(
                sql.insert_mark,
                [
                    (key.table_id, key.round_number, mark.kind, mark.index, mark.told_digest, mark.memo)
                    for key, mark in change.marks
                ],
            )

    def _advance(self, states: Sequence[Round]) -> None:
        """The rounds are in these states; where one stays due when it was, its place in the index is not touched."""
        moved, kept = [], []
        for state in states:
            key, due = state.key, due_of(state)
            row = state.stage, state.deck_root, state.terminal_leaf
            if key in self._due and self._due[key] == due:
                kept.append((*row, key.table_id, key.round_number))
            else:
                moved.append((*row, due, key.table_id, key.round_number))
        if moved:
            self._cursor.executemany(self._sql.update_round, moved)
        if kept:
            self._cursor.executemany(self._sql.update_state, kept)


def _inserted(state: Round) -> tuple[object, ...]:
    return (
        state.key.table_id,
        state.key.round_number,
        state.round_id,
        state.deal_deadline,
        state.round_deadline,
        state.stage,
        state.deck_root,
        state.terminal_leaf,
        due_of(state),
    )
