"""A store of the log in any relational database that SQLAlchemy speaks to; a ``Flavor`` holds what differs.

Statements are compiled by SQLAlchemy and run on the driver's own cursor. The head is moved by an update that names
the size and root that it moves from (compare-and-swap), in a transaction that excludes a second writer. Beginning a
transaction is tried again while the server is away; a commit never is.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

from sqlalchemy import Connection, Engine, PoolProxiedConnection
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError

from referee.evidence.merkle import EMPTY_ROOT, LeafIndex
from referee.log import Slot, SlotKey, StepKind
from referee.storage.certainty import WAIT_SECONDS, Certainty
from referee.storage.flavor import Flavor, Retry
from referee.storage.log_lock import LogLock
from referee.storage.reader import Reader
from referee.storage.record import (
    Change,
    Contribution,
    Cosigned,
    Head,
    HeadMovedError,
    Mark,
    OutcomeUnknownError,
    StoreAwayError,
    StoreBusyError,
    StoreError,
)
from referee.storage.rows import contributions_of, due_of, head_of, round_of, write_unseals
from referee.storage.schema import VERSION
from referee.storage.statements import HEAD_ID, Statements


class Store(Reader):
    """A log that can be read and appended to. It runs one transaction at a time; other threads wait for it."""

    def __init__(
        self, engine: Engine, flavor: Flavor, *, found_version: int = VERSION, notes: Sequence[str] = ()
    ) -> None:
        super().__init__(engine, flavor, certainty=Certainty(self.touch) if flavor.is_replicated else None)
        self.found_version: Final = found_version
        """Version of the schema that the store had before it was opened."""
        self.notes: Final = notes
        """What the database's settings lose in a failover, with the remedy, for the operator."""
        self._writing: Final = threading.Lock()
        self._connection: PoolProxiedConnection | None = None
        self._is_closed = False
        self.stage = ""
        """Stage of the transaction that runs: BEGIN (it waits for other writers), WRITE or COMMIT; empty for none."""

    def found(self, origin: str, checkpoint: bytes) -> None:
        """Create an empty log with this origin and checkpoint, unless the store holds a log already."""
        with self._transaction() as cursor:
            cursor.execute(self._sql.insert_head, (HEAD_ID, origin, 0, EMPTY_ROOT, b"", checkpoint, 0, 0, 0, 0))

    @contextmanager
    def transaction(self) -> Iterator["Transaction"]:
        """Run a transaction: commit when the block ends, roll back when it raises.

        Raises StoreBusyError if another writer holds the store for too long, OutcomeUnknownError if the commit was not
        answered, StoreError if the transaction was undone. A transaction begins only after the one before it has ended,
        even if the outcome of that one is unknown.
        """
        with self._transaction() as cursor:
            transaction = Transaction(cursor, self._sql, durable=self._durable)
            yield transaction
            transaction.count_seeds()
        self._returned(transaction)

    def touch(self) -> Head:
        """Commit a change outside of the log, to a counter, and return the head.

        It fails if an append would fail: with the errors of ``transaction``, but without waiting for a server that is
        away, and with StoreFullError if the disk is almost full.
        """
        self._flavor.check_room()
        with self._transaction(is_patient=False) as cursor:
            cursor.execute(self._sql.count_commit)
            transaction = Transaction(cursor, self._sql, durable=self._durable)
            transaction.count_durable()
        self._returned(transaction)
        return transaction.head

    def keep_cosigned(self, size: int, merge: Callable[[bytes | None], Cosigned]) -> Cosigned:
        """Call ``merge`` with the stored cosigned note of this size, or None; store its result and return it.

        Reading and storing happen in one transaction.
        """
        with self._transaction() as cursor:
            cursor.execute(self._sql.read_cosigned_at, (size,))
            rows = cursor.fetchall()
            kept = merge(bytes(rows[0][0]) if rows else None)
            if rows:
                cursor.execute(self._sql.update_cosigned, (kept.note, int(kept.is_quorate), size))
            else:
                cursor.execute(self._sql.insert_cosigned, (size, kept.note, int(kept.is_quorate)))
        return kept

    def lock(self, *, alone: bool) -> LogLock:
        """Return the lock on this log without taking it: servers share it, a change of keys takes it ``alone``."""
        return LogLock(self._engine, self._flavor, alone=alone)

    def fill(self, pour: Callable[[Connection], None]) -> None:
        """Call ``pour`` to insert rows into the tables of a store without a log; commit all of them or none."""
        try:
            with self._engine.connect() as connection:
                connection.exec_driver_sql(self._flavor.begin)
                pour(connection)
                self._flavor.commit(connection.connection.cursor())
        except DBAPIError as error:
            raise StoreError(f"the store could not be filled: {error.orig}") from error

    def compact(self) -> None:
        """Do the work that commits have postponed, on a separate connection, while other threads read and write."""
        try:
            with self._cursor() as cursor:
                self._flavor.compact(cursor)
        except self._driver_error as error:
            raise StoreError(f"the store could not be compacted: {error}") from error

    def close(self) -> None:
        """Close the connections once a running transaction has ended; leave one that does not end to itself."""
        self._is_closed = True
        if self._writing.acquire(timeout=WAIT_SECONDS):
            if self._connection is not None:
                self._connection.invalidate()  # its pool may be gone since a failover, and would keep it open
                self._connection = None
            self._writing.release()
        super().close()

    def stalled(self, seconds: float) -> StoreError:
        """Return the error of a transaction under way for so many seconds, with the cause that the database names."""
        return self._flavor.stalled(self._engine, self.stage, seconds)

    @property
    def _durable(self) -> int:
        return self._certainty.durable if self._certainty is not None else 0

    def _returned(self, transaction: "Transaction") -> None:
        """Note a commit that returned clean."""
        if self._certainty is not None:
            self._certainty.returned(transaction.commits, transaction.size)

    @contextmanager
    def _transaction(self, *, is_patient: bool = True) -> Iterator[DBAPICursor]:
        with self._writing:
            if self._is_closed:
                raise StoreError("the store is closed")
            is_committing = False
            self.stage = "BEGIN"
            try:
                cursor = self._begin(is_patient=is_patient)
                self.stage = "WRITE"
                yield cursor
                self.stage = "COMMIT"
                is_committing = True
                self._flavor.commit(cursor)
                cursor.close()
            except self._driver_error as error:
                self._undo()
                if is_committing and self._flavor.is_gone(error):
                    raise OutcomeUnknownError(f"the commit was not answered: {error}") from error
                raise self._flavor.failure(error, what="the store could not be written") from error
            except BaseException:
                self._undo()
                raise
            finally:
                self.stage = ""

    def _begin(self, *, is_patient: bool) -> DBAPICursor:
        """Begin a transaction and return its cursor; if patient, try again while the database server is away."""
        retry: Retry | None = None
        end = time.monotonic() + self._flavor.busy_seconds
        cursor: DBAPICursor | None = None
        while True:
            try:
                if self._connection is None:
                    self._connection = self._engine.raw_connection()
                cursor = self._connection.cursor()
                cursor.execute(self._flavor.begin)
            except (self._driver_error, StoreAwayError) as error:
                if self._flavor.is_busy(error) and cursor is not None:
                    holder = self._flavor.free(cursor)
                    if time.monotonic() < end:
                        continue
                    raise StoreBusyError(f"another writer holds the store{holder}: {error}") from error
                retry = retry or Retry(self._flavor)
                if not is_patient or not retry.is_worth(error):
                    raise
                self._undo()
            else:
                return cursor

    def _undo(self) -> None:
        # The database may have ended the transaction. Drop the connection: only a new one is sure to be clean.
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(self._driver_error):
                connection.cursor().execute("ROLLBACK")
            with suppress(self._driver_error):
                connection.invalidate()


class Transaction:
    """Reads and writes inside one transaction, during which no other writer can change the store.

    ``durable`` is the number of commits that its process knows to be durable.
    """

    def __init__(self, cursor: DBAPICursor, sql: Statements, *, durable: int = 0) -> None:
        self._cursor = cursor
        self._sql = sql
        cursor.execute(sql.lock_head)
        rows = cursor.fetchall()
        self.head: Final = head_of([row[:-3] for row in rows])
        """Head of the log when the transaction began; ``write`` replaces it in the store."""
        self.commits, self._stored, self._is_certain = rows[0][-3:]
        self._known: Final = max(self._stored, min(durable, self.commits))
        self.size = self.head.size
        """Number of leaves that the store has once this transaction is committed."""
        self._has_seeds = False
        self._due: dict[SlotKey, int | None] = {}
        """Stored due time of each round that was read."""

    def round(self, key: SlotKey) -> Slot | None:
        """Return the state of this round, or None if it was never opened."""
        self._cursor.execute(self._sql.read_round, (key.table_id, key.round_number))
        rows = self._cursor.fetchall()
        if not rows:
            return None
        state = round_of(key, rows[0])
        self._due[key] = due_of(state)
        return state

    def mark(self, key: SlotKey, kind: StepKind, event: int) -> Mark | None:
        """Return the mark of the round's step of this kind and event, with an empty memo; None if it was not taken."""
        self._cursor.execute(self._sql.read_mark, (key.table_id, key.round_number, kind, event))
        rows = self._cursor.fetchall()
        return Mark(kind, LeafIndex(rows[0][0]), bytes(rows[0][1]), b"", event) if rows else None

    def contributions(self, key: SlotKey) -> tuple[Contribution, ...]:
        """Return the contributions to the round, in the order of the seats; a seat without one is left out."""
        self._cursor.execute(self._sql.read_contributions, (key.table_id, key.round_number))
        return contributions_of(key, self._cursor.fetchall())

    def contribute(self, contributions: Sequence[Contribution]) -> None:
        """Insert contributions; the caller ensures that their seats have contributed nothing yet."""
        rows = [(*_key(one.key), one.seat, one.seed, one.signature) for one in contributions]
        self._many(self._sql.insert_contributions, rows)
        self._has_seeds = True

    def count_seeds(self) -> None:
        """Count a commit of seeds without leaves, where what a reader sees may not be durable."""
        if self._has_seeds and self.size == self.head.size and not self._is_certain:
            self.commits += 1
            self._cursor.execute(self._sql.move_counts, (self.commits, self._known, HEAD_ID))

    def count_durable(self) -> None:
        """Write down how many commits are known to be durable, if that is more than the store says."""
        known = self.commits if self._is_certain else self._known
        if known > self._stored:
            self._cursor.execute(self._sql.move_counts, (self.commits, known, HEAD_ID))

    def write(self, change: Change) -> None:
        """Write a change, at most one in a transaction; raise HeadMovedError unless it continues the store's head."""
        sql = self._sql
        old, new = change.expected, change.head
        if (old.size, old.root) != (self.head.size, self.head.root):
            raise _moved(old)
        self._many(sql.insert_leaves, list(enumerate(change.leaves, start=old.size)))
        self._many(sql.insert_nodes, change.hashes)
        self._many(sql.insert_rounds, [_inserted(state) for state in change.opened])
        self._advance(change.advanced)
        self._many(
            sql.insert_marks,
            [
                (*_key(key), int(mark.kind), mark.event, mark.index, mark.request_digest, mark.memo)
                for key, mark in change.marks
            ],
        )
        rows = [(one.opened_time, one.index, *_key(one.key)) for one in change.listed]
        scoped = [(scope, *row) for one, row in zip(change.listed, rows, strict=True) for scope in one.scopes]
        self._many(sql.insert_listed, scoped)
        for index, noted in change.noted:
            self._cursor.execute(sql.insert_noted, (int(noted.kind), noted.instance, index))
        self.commits, self.size = self.commits + 1, new.size
        self._cursor.execute(
            sql.move_head,
            (
                *(new.size, new.root, b"".join(new.frontier.peaks), new.checkpoint, new.newest_time, new.roundless),
                *(self.commits, self.commits if self._is_certain else self._known),
                *(old.size, old.root),
            ),
        )
        if self._cursor.rowcount != 1:
            raise _moved(old)

    def _many(self, text: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement for rows; see ``Statements.is_columnar``."""
        if not rows:
            return
        if self._sql.is_columnar:
            self._cursor.execute(text, [list(column) for column in zip(*rows, strict=True)])
        else:
            self._cursor.executemany(text, rows)

    def _advance(self, states: Sequence[Slot]) -> None:
        """Update the states of rounds; leave out a due time that is unchanged, so that its index is not written."""
        moved, kept = [], []
        for state in states:
            key, due, row = state.key, due_of(state), _moving(state)
            if self._due[key] == due:
                kept.append((*row, *_key(key)))
            else:
                moved.append((*row, due, *_key(key)))
        self._many(self._sql.update_rounds, moved)
        self._many(self._sql.update_states, kept)


def _moved(old: Head) -> HeadMovedError:
    return HeadMovedError(f"the head is no longer at {old.size} leaves; nothing was appended, try again")


def _inserted(state: Slot) -> tuple[object, ...]:
    key, deadlines = state.key, (state.deal_deadline, state.round_deadline)
    return (*_key(key), state.round_id, *deadlines, *_moving(state), due_of(state))


def _key(key: SlotKey) -> tuple[str, int]:
    """Return a round's key as the first columns of its tables."""
    return key.table_id, key.round_number


def _moving(state: Slot) -> tuple[object, ...]:
    """Return the columns of a round that its steps change, but for the due time."""
    unseals = write_unseals(state.unseals)
    return int(state.stage), state.deck_root, state.terminal_leaf, state.newest_time, unseals, state.winner or None
