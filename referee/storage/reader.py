"""A log that is read from any relational database, from any number of threads, without a lock or a transaction.

A method runs one statement, or reads the head first and then only data that was durable before that head. Leaves, nodes
and marks never change, so what a method returns stays true for that head. Where the database may show what is not
durable, or may be behind, each statement reads with its rows how far the log had come, and ``certainty`` judges it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Final

from sqlalchemy import Connection, Engine, PoolProxiedConnection
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError

from referee.evidence.merkle import LeafIndex, leaf_hash
from referee.evidence.note import Note
from referee.log import Checkpoint, LogReceipt, Slot, SlotKey, Stage, StepKind
from referee.log.noted import NotedKind
from referee.log.proof import TILE_WIDTH
from referee.storage.certainty import Certainty
from referee.storage.flavor import Flavor, Retry
from referee.storage.proving import Proving
from referee.storage.record import (
    Contribution,
    Cosigned,
    DataLossError,
    Head,
    Logged,
    Mark,
    NotFoundedError,
    StoreAwayError,
)
from referee.storage.round_index import EVERY, Listed
from referee.storage.rows import Row, contributions_of, cosigned_of, head_of, keyed_round, round_of, unbroken
from referee.storage.schema import check_version
from referee.storage.statements import statements_of

_PAGE: Final = 64
"""Number of leaves that ``iterate`` holds in memory."""
_FAR: Final = 2**62
_IDLE: Final = 8
"""Number of connections that are kept open between reads."""


class Reader(Proving):
    """A log that is only read. Its methods raise DataLossError where the stored data contradicts itself."""

    def __init__(self, engine: Engine, flavor: Flavor, *, certainty: Certainty | None = None) -> None:
        super().__init__()
        self._engine = engine
        self._certainty: Final = certainty
        self._flavor: Final = flavor
        self._sql = statements_of(engine.dialect)
        self._driver_error: type[Exception] = engine.dialect.loaded_dbapi.Error
        self._origin: str | None = None
        self._idle: Final[list[PoolProxiedConnection]] = []
        """Idle connections: to check a connection out of the engine's pool costs more than most reads."""

    @property
    def origin(self) -> str:
        """The log's origin. Raises StoreError if the store holds no log, or is of another schema version."""
        if self._origin is None:
            versions = self._read(self._sql.read_version)
            check_version(versions[0][0] if versions else 0)
            rows = self._read(self._sql.read_origin)
            if not rows:
                raise NotFoundedError("this store holds no log yet; the first start of the referee makes one")
            self._origin = str(rows[0][0])
        return self._origin

    def head(self) -> Head:
        """Return the newest head."""
        return head_of(self._rows(self._sql.read_head))

    def is_in_use(self) -> bool:
        """Return whether a process holds the log's lock in its database; False for a log in a file, which has none."""
        lock = self._flavor.lock
        return lock is not None and bool(self._rows(lock.holders))

    def leaf(self, index: int) -> bytes:
        """Return the leaf at this index; raise IndexError if there is none."""
        data = self._leaf(index)
        self._prove(index, [data])
        return data

    def leaves(self, start: int, stop: int) -> list[bytes]:
        """Return the leaves from ``start`` to before ``stop``, in order; fewer if the log ends earlier."""
        leaves = self.stored_leaves(start, stop)
        self._prove(start, leaves)
        return leaves

    def stored_leaves(self, start: int, stop: int) -> list[bytes]:
        """Return leaves as ``leaves`` does, without a proof, for a check of them."""
        return unbroken(self._rows(self._sql.read_leaves, start, stop), start, "leaf")

    def key_leaves(self) -> tuple[int, ...]:
        """Return the indices of the KEY leaves, ascending, as their rows name them."""
        return tuple([row[0] for row in self._rows(self._sql.read_noted, NotedKind.KEY)])

    def start_leaves(self) -> tuple[int, ...]:
        """Return the indices of the START leaves, ascending, as their rows name them."""
        return tuple([row[0] for row in self._rows(self._sql.read_noted, NotedKind.START)])

    def last_start(self, instance: str) -> int | None:
        """Return the index of the last START of an instance, as its row names it; None if it has none."""
        rows = self._rows(self._sql.read_newest_noted, NotedKind.START, instance)
        return rows[0][0] if rows else None

    def iterate(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """Yield the leaves from index ``start`` to before ``stop``, or to the end of the log at the first step.

        Raises DataLossError if one is missing. The memory used does not grow with the length of the log.
        """
        size = self.head().size
        end = size if stop is None else min(stop, size)
        while start < end:
            page = self.leaves(start, min(start + _PAGE, end))
            if not page:
                raise DataLossError(f"leaf {start} is missing from a log of {size}")
            yield from page
            start += len(page)

    def round(self, key: SlotKey) -> Slot | None:
        """Return the state of this round, or None if it was never opened."""
        rows = self._rows(self._sql.read_round, key.table_id, key.round_number)
        return round_of(key, rows[0]) if rows else None

    def opened(self, key: SlotKey) -> tuple[Slot, bytes, int] | None:
        """Return a round's state, its OPEN leaf, and the number of contributed seeds; None if it was never opened."""
        rows = self._rows(self._sql.read_opened, StepKind.OPEN, key.table_id, key.round_number)
        if not rows:
            return None
        *state, index, data, seeds = rows[0]
        self._prove(index, [bytes(data)])
        return round_of(key, state), bytes(data), seeds

    def latest_round(self, table_id: str) -> Slot | None:
        """Return the state of the table's round with the highest number; None if the table has no round."""
        rows = self._rows(self._sql.read_latest_round, table_id, table_id)
        return keyed_round(rows[0]) if rows else None

    def marks(self, key: SlotKey) -> tuple[Mark, ...]:
        """Return a mark for each step that the round has taken, in the order of their leaves; empty for no round."""
        rows = self._rows(self._sql.read_marks, key.table_id, key.round_number)
        return tuple(Mark(StepKind(row[0]), LeafIndex(row[1]), bytes(row[2]), bytes(row[3]), row[4]) for row in rows)

    def contributions(self, key: SlotKey) -> tuple[Contribution, ...]:
        """Return the contributions to the round, in the order of the seats; a seat without one is left out."""
        return contributions_of(key, self._rows(self._sql.read_contributions, key.table_id, key.round_number))

    def listed(self, scope: bytes, *, since: int, before: tuple[int, int], count: int) -> list[Listed]:
        """Return at most ``count`` rounds of a scope, the last opened first.

        They were opened at the time ``since`` or later, and before the OPEN leaf of the time and index in
        ``before``.
        """
        rows = self._rows(self._sql.read_listed, scope, since, *before, count)
        return [Listed(key=SlotKey(row[0], row[1]), opened_time=row[2], index=LeafIndex(row[3])) for row in rows]

    def aborts_by_table(self, *, since: int, rounds: int, least: int, most: int) -> list[tuple[str, int, int]]:
        """Return tables with ``least`` aborted rounds or more: the table's id, its rounds, how many were aborted.

        Counted are the newest ``rounds`` rounds of the log that were opened at ``since`` (ms since 1970 UTC) or later.
        At most ``most`` tables are returned, those with most aborts first, then in the order of their ids.
        """
        rows = self._rows(self._sql.read_aborts, EVERY, since, rounds, StepKind.ABORT, least, most)
        return [(table, opened, aborted) for table, opened, aborted in rows]

    def overdue_rounds(self, now: int, limit: int) -> list[Slot]:
        """Return at most ``limit`` rounds that have not ended and whose deadline is before ``now``, earliest first.

        The deadline of an undealt round is its deal deadline, that of a dealt round its round deadline.
        """
        return self._due_rounds(Stage.OPENED, Stage.DEALT, before=now, limit=limit)

    def unrevealed_rounds(self, limit: int) -> list[Slot]:
        """Return at most ``limit`` ended rounds without a REVEAL in the log, by round deadline, earliest first."""
        return self._due_rounds(Stage.SETTLED, Stage.ABORTED, before=_FAR, limit=limit)

    def unrevealed_counts(self, now: int) -> dict[Stage, tuple[int, int]]:
        """Return, by stage, how many rounds have no REVEAL, and of how many of these the deadline is before ``now``.

        A stage without any is left out. Deadlines are those of ``overdue_rounds``, and after the end the round's.
        """
        return {Stage(stage): (count, late) for stage, count, late in self._rows(self._sql.count_due, now)}

    def _due_rounds(self, first: Stage, last: Stage, *, before: int, limit: int) -> list[Slot]:
        return [keyed_round(row) for row in self._rows(self._sql.read_due, first, last, before, limit)]

    def logged(self, index: int, *, under: Cosigned | None = None) -> Logged:
        """Return a leaf of the log with its receipt, as ``receipt`` makes it."""
        leaf = self._leaf(index)
        return Logged(leaf=leaf, receipt=self._receipt(index, leaf, under=under), is_repeat=True)

    def receipt(self, index: int, *, under: Cosigned | None = None) -> LogReceipt:
        """Return the receipt of a leaf under the newest checkpoint, or ``under`` one that witnesses cosigned.

        Raises IndexError if its tree has no such leaf.
        """
        return self._receipt(index, self._leaf(index), under=under)

    def inclusion_proof(self, *, index: int, size: int) -> tuple[bytes, ...]:
        """Return the inclusion proof of a leaf in the tree of the first ``size`` leaves.

        Raises IndexError if the leaf is outside that tree or the log is smaller.
        """
        self._check_size(size)
        if not self.unpassed:
            return self._inclusion(index, size)
        return self._inclusion(index, size, leaf=leaf_hash(self._leaf(index)), root=self._root(size))

    def consistency_proof(self, *, old_size: int, new_size: int) -> tuple[bytes, ...]:
        """Return the proof that the tree of ``new_size`` leaves continues that of ``old_size`` leaves.

        Raises IndexError if the new tree is smaller than the old one or larger than the log.
        """
        self._check_size(new_size)
        if not self.unpassed:
            return self._consistency(old_size, new_size)
        return self._consistency(old_size, new_size, root=self._root(new_size))

    def tile(self, level: int, index: int, width: int) -> list[bytes]:
        """Return the first ``width`` (1-256) hashes of a tile, in order; fewer if the log has fewer."""
        return self.hashes(level, TILE_WIDTH * index, min(width, TILE_WIDTH))

    def hashes(self, level: int, start: int, count: int) -> list[bytes]:
        """Return the stored hashes of a tile level from place ``start`` on, at most ``count``, in order."""
        return unbroken(self._rows(self._sql.read_nodes, level, start, start + count), start, "node")

    def cosigned(self, start: int, count: int, *, quorate: bool = True) -> list[Cosigned]:
        """Return at most ``count`` checkpoints with a quorum of cosignatures, from size ``start`` on, smallest first.

        If ``quorate`` is False, return checkpoints with fewer cosignatures too.
        """
        rows = self._rows(self._sql.read_cosigned, int(quorate), start, count)
        return [cosigned_of(row) for row in rows]

    def newest_cosigned(self, *, quorate: bool = True) -> Cosigned | None:
        """Return the largest checkpoint with a quorum of cosignatures, or None; with any, if ``quorate`` is False."""
        rows = self._rows(self._sql.read_newest_cosigned, int(quorate))
        return cosigned_of(rows[0]) if rows else None

    def pour(self, read: Callable[[Connection], None]) -> None:
        """Call ``read`` with a connection that sees all tables as of one moment, and that reads rows as a stream."""
        try:
            with self._engine.connect() as connection:
                connection.exec_driver_sql(self._flavor.snapshot)
                read(connection.execution_options(stream_results=True))
                connection.execution_options(stream_results=False).exec_driver_sql("COMMIT")
        except DBAPIError as error:
            raise self._flavor.failure(error, what="the store could not be copied") from error

    def close(self) -> None:
        """Close the connections; the reader cannot be used afterwards."""
        while self._idle:
            self._idle.pop().close()
        self._engine.dispose()

    def _leaf(self, index: int) -> bytes:
        rows = self._rows(self._sql.read_leaf, index)
        if not rows:
            if 0 <= index < (size := self.head().size):
                raise self._damaged(f"leaf {index} is missing from a log of {size}")
            raise IndexError(f"the log has no leaf {index}")
        return bytes(rows[0][0])

    def _receipt(self, index: int, leaf: bytes, *, under: Cosigned | None) -> LogReceipt:
        if under is None:
            head = self.head()
            size, checkpoint, root = head.size, head.checkpoint, head.root
        else:
            size, checkpoint, root = under.size, under.note, b""
        hashed = leaf_hash(leaf)
        if not self.unpassed:
            proof = self._inclusion(index, size)
        else:
            root = root or Checkpoint.parse(Note.parse(checkpoint).text).root
            proof = self._inclusion(index, size, leaf=hashed, root=root)
        return LogReceipt(index=LeafIndex(index), leaf_hash=hashed, proof=proof, checkpoint=checkpoint)

    def _check_size(self, size: int) -> None:
        if size > (known := self.head().size):
            raise IndexError(f"the log has {known} leaves, not {size}")

    def _rows(self, text: str, *parameters: object) -> list[Row]:
        """Run a read and return its rows, once they are certain; raise StoreBusyError or StoreAwayError otherwise."""
        if self._certainty is None:
            return self._read(text, *parameters)
        is_again = False
        while True:
            least = self._certainty.size  # before the read: it may grow meanwhile
            rows = self._read(_with_counts(text), *parameters)
            try:
                if rows:
                    self._certainty.check(*rows[0][:3], least=least)
            except StoreAwayError:
                if is_again:
                    raise
                is_again = True
                self._forget_idle()  # another connection may lead to the server that took over
            else:
                return [row[4:] for row in rows if row[3]]

    def _forget_idle(self) -> None:
        """Drop the idle connections, so that the next statement makes a new one."""
        while self._idle:
            with suppress(IndexError):  # another thread took it
                self._idle.pop().invalidate()
        self._engine.dispose()

    def _read(self, text: str, *parameters: object) -> list[Row]:
        retry: Retry | None = None
        while True:
            try:
                with self._cursor() as cursor:
                    cursor.execute(text, parameters)
                    return list(cursor.fetchall())
            except (self._driver_error, StoreAwayError) as error:
                retry = retry or Retry(self._flavor)
                if not retry.is_worth(error):
                    raise self._flavor.failure(error, what="the store could not be read") from error

    @contextmanager
    def _cursor(self) -> Iterator[DBAPICursor]:
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._engine.raw_connection()
        try:
            cursor = connection.cursor()
            yield cursor
            cursor.close()
        except BaseException as error:
            if isinstance(error, self._driver_error) and self._flavor.is_gone(error):
                connection.invalidate()
            connection.close()
            raise
        if len(self._idle) < _IDLE:
            self._idle.append(connection)
        else:
            connection.close()


@cache
def _with_counts(text: str) -> str:
    """Return a query whose rows have four columns before those of the query ``text``.

    They are the commits, durable commits and leaves of the log at that moment, and whether the row is one of ``text``.
    There is one row at least, unless there is no log.
    """
    found = f"SELECT true AS is_found, query.* FROM ({text}) AS query"  # noqa: S608 - a text of ``Statements``
    newest = "SELECT commits, durable, size FROM head"
    return f"SELECT newest.*, found.* FROM ({newest}) AS newest LEFT JOIN ({found}) AS found ON true"  # noqa: S608
