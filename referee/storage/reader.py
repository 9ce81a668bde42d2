"""Reading a log from any relational database, from any number of threads, without a lock and without a transaction.

The law: each question is one statement, or one that reads the head and others that read what was durable before it.
Leaves, nodes and marks never change, so an answer is true of the head it was given under, whatever is written since.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import Engine
from sqlalchemy.engine.interfaces import DBAPICursor

from referee.evidence.merkle import HASH_SIZE, Frontier, LeafIndex, ProofError, leaf_hash
from referee.log import Kind, LogReceipt, Round, SlotKey, Stage, consistency_proof, inclusion_proof
from referee.log.proof import TILE_WIDTH, MissingNodeError
from referee.storage.flavor import Flavor, Patience
from referee.storage.schema import check_version
from referee.storage.statements import Statements
from referee.storage.store import Contribution, Cosigned, DataLossError, Head, Mark, NotFoundedError, StoreError

_PAGE: Final = 64
"""Leaves that iteration holds at once."""
_FAR: Final = 2**62

Row = Sequence[Any]


class RelationalReader:
    """A log that is only read."""

    def __init__(self, engine: Engine, flavor: Flavor) -> None:
        self._engine = engine
        self._flavor: Final = flavor
        self._sql = Statements(engine.dialect)
        self._driver_error: type[Exception] = engine.dialect.loaded_dbapi.Error
        self._origin: str | None = None

    @property
    def origin(self) -> str:
        """The log's origin. Raises StoreError where there is no log, or one of another schema version."""
        if self._origin is None:
            versions = self._rows(self._sql.read_version)
            check_version(versions[0][0] if versions else 0)
            rows = self._rows(self._sql.read_origin)
            if not rows:
                msg = "this store holds no log yet; the first start of the referee makes one"
                raise NotFoundedError(msg)
            self._origin = str(rows[0][0])
        return self._origin

    def head(self) -> Head:
        """The newest head; DataLossError where there is none or it contradicts itself."""
        return head_of(self._rows(self._sql.read_head))

    def leaf(self, index: int) -> bytes:
        """The leaf at this index; IndexError where there is none."""
        rows = self._rows(self._sql.read_leaf, index)
        if not rows:
            msg = f"the log has no leaf {index}"
            raise IndexError(msg)
        return bytes(rows[0][0])

    def leaves(self, start: int, stop: int) -> list[bytes]:
        """The leaves from ``start`` to before ``stop``, in order; DataLossError where one is missing between them."""
        rows = self._rows(self._sql.read_leaves, start, stop)
        return _unbroken(rows, start, "leaf")

    def iterate(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """The leaves from ``start`` to before ``stop``, or to the size the log has at the first step, in order.

        DataLossError where the log's head promises a leaf that is not there.
        """
        size = self.head().size
        end = size if stop is None else min(stop, size)
        while start < end:
            page = self.leaves(start, min(start + _PAGE, end))
            if not page:
                msg = f"leaf {start} is missing from a log of {size}"
                raise DataLossError(msg)
            yield from page
            start += len(page)

    def round(self, key: SlotKey) -> Round | None:
        """The state of this round, or None where it was never opened."""
        rows = self._rows(self._sql.read_round, key.table_id, key.round_number)
        return round_of(key, rows[0]) if rows else None

    def opened(self, key: SlotKey) -> tuple[Round, bytes] | None:
        """The state of this round and the leaf that opened it, or None where it was never opened."""
        rows = self._rows(self._sql.read_opened, Kind.OPEN, key.table_id, key.round_number)
        return (round_of(key, rows[0][:-1]), bytes(rows[0][-1])) if rows else None

    def latest_round(self, table_id: str) -> Round | None:
        """The table's round with the highest number, or None."""
        rows = self._rows(self._sql.read_latest_round, table_id, table_id)
        return _keyed_round(rows[0]) if rows else None

    def marks(self, key: SlotKey) -> tuple[Mark, ...]:
        """The steps that the round has taken, in their order, with their memos."""
        rows = self._rows(self._sql.read_marks, key.table_id, key.round_number)
        return tuple(Mark(Kind(row[0]), LeafIndex(row[1]), bytes(row[2]), bytes(row[3])) for row in rows)

    def contributions(self, key: SlotKey) -> tuple[Contribution, ...]:
        """The seeds that the round's seats have contributed, by seat."""
        return contributions_of(key, self._rows(self._sql.read_contributions, key.table_id, key.round_number))

    def overdue_rounds(self, now: int, limit: int) -> list[Round]:
        """Rounds that have not ended and whose deadline is before ``now``, the longest overdue first."""
        rows = self._rows(self._sql.read_due, Stage.OPENED, Stage.DEALT, now, limit, 0)
        return [_keyed_round(row) for row in rows]

    def unrevealed_rounds(self, limit: int) -> list[Round]:
        """Rounds that have ended and whose seed is not in the log, by round deadline, earliest first."""
        rows = self._rows(self._sql.read_due, Stage.SETTLED, Stage.ABORTED, _FAR, limit, 0)
        return [_keyed_round(row) for row in rows]

    def receipt(self, index: int) -> LogReceipt:
        """The receipt of a leaf under the newest checkpoint; IndexError where there is no such leaf."""
        head = self.head()
        return LogReceipt(
            index=LeafIndex(index),
            leaf_hash=leaf_hash(self.leaf(index)),
            proof=self._inclusion(index, head.size),
            checkpoint=head.checkpoint,
        )

    def inclusion_proof(self, *, index: int, size: int) -> tuple[bytes, ...]:
        """The proof of a leaf in the tree of the first ``size`` leaves; IndexError outside it or beyond the log."""
        self._check_size(size)
        return self._inclusion(index, size)

    def consistency_proof(self, *, old_size: int, new_size: int) -> tuple[bytes, ...]:
        """The proof that one size continues another; IndexError out of order or beyond the log."""
        self._check_size(new_size)
        try:
            return consistency_proof(self, old_size=old_size, new_size=new_size)
        except MissingNodeError as error:
            raise DataLossError(str(error)) from error

    def tile(self, level: int, index: int, width: int) -> list[bytes]:
        """The first ``width`` (1-256) hashes of a tile, in order; fewer where the log has fewer."""
        return self.hashes(level, TILE_WIDTH * index, min(width, TILE_WIDTH))

    def hashes(self, level: int, start: int, count: int) -> list[bytes]:
        """Up to ``count`` stored node hashes of a tile level from place ``start``; DataLossError at a gap."""
        return _unbroken(self._rows(self._sql.read_nodes, level, start, start + count), start, "node")

    def cosigned(self, start: int, count: int, *, quorate: bool = True) -> list[Cosigned]:
        """Cosigned checkpoints from size ``start`` on, at most ``count``, smallest first."""
        rows = self._rows(self._sql.read_cosigned, int(quorate), start, count, 0)
        return [cosigned_of(row) for row in rows]

    def newest_cosigned(self, *, quorate: bool = True) -> Cosigned | None:
        """The largest cosigned checkpoint, or None."""
        rows = self._rows(self._sql.read_newest_cosigned, int(quorate), 1, 0)
        return cosigned_of(rows[0]) if rows else None

    def close(self) -> None:
        """The connections are closed."""
        self._engine.dispose()

    def _inclusion(self, index: int, size: int) -> tuple[bytes, ...]:
        try:
            return inclusion_proof(self, index=index, size=size)
        except MissingNodeError as error:
            raise DataLossError(str(error)) from error

    def _check_size(self, size: int) -> None:
        if size > (known := self.head().size):
            msg = f"the log has {known} leaves, not {size}"
            raise IndexError(msg)

    def _rows(self, text: str, *parameters: object) -> list[Row]:
        patience = Patience(self._flavor)
        while True:
            try:
                with self._cursor() as cursor:
                    cursor.execute(text, parameters)
                    return list(cursor.fetchall())
            except self._driver_error as error:
                if not patience.bears(error):
                    msg = f"the store could not be read: {error}"
                    raise StoreError(msg) from error

    @contextmanager
    def _cursor(self) -> Iterator[DBAPICursor]:
        connection = self._engine.raw_connection()
        try:
            cursor = connection.cursor()
            yield cursor
            cursor.close()
        except self._driver_error as error:
            if self._flavor.is_gone(error):
                connection.invalidate()
            raise
        finally:
            connection.close()


def head_of(rows: Sequence[Row]) -> Head:
    """The head that these rows of its table say; DataLossError where they do not say one."""
    if len(rows) != 1:
        msg = f"the log has {len(rows)} heads"
        raise DataLossError(msg)
    size, root, peaks, checkpoint = rows[0]
    try:
        frontier = Frontier(size, tuple(peaks[at : at + HASH_SIZE] for at in range(0, len(peaks), HASH_SIZE)))
    except ProofError as error:
        msg = f"the head contradicts itself: {error}"
        raise DataLossError(msg) from error
    return Head(frontier, bytes(root), bytes(checkpoint))


def round_of(key: SlotKey, row: Row) -> Round:
    """The round of this key that a row of its table says, the key's columns left out."""
    round_id, deal_deadline, round_deadline, stage, deck_root, terminal_leaf, due = row
    return Round(
        key,
        round_id=bytes(round_id),
        deal_deadline=deal_deadline,
        round_deadline=round_deadline,
        stage=Stage(stage),
        deck_root=None if deck_root is None else bytes(deck_root),
        terminal_leaf=None if terminal_leaf is None else bytes(terminal_leaf),
        is_revealed=due is None,
    )


def _keyed_round(row: Row) -> Round:
    return round_of(SlotKey(row[0], row[1]), row[2:])


def cosigned_of(row: Row) -> Cosigned:
    """The cosigned checkpoint that a row of its table says."""
    return Cosigned(size=row[0], note=bytes(row[1]), is_quorate=bool(row[2]))


def contributions_of(key: SlotKey, rows: Sequence[Row]) -> tuple[Contribution, ...]:
    """The contributions to a round that rows of their table say."""
    return tuple(Contribution(key=key, seat=row[0], seed=bytes(row[1]), signature=bytes(row[2])) for row in rows)


def due_of(state: Round) -> int | None:
    """When a sweep should look at the round: None once it is revealed."""
    if state.is_revealed:
        return None
    return state.deal_deadline if state.stage is Stage.OPENED else state.round_deadline


def _unbroken(rows: Sequence[Row], start: int, what: str) -> list[bytes]:
    # An answer that starts later than asked, or jumps, is a hole: positions are only ever given out in order.
    if rows and rows[-1][0] != start + len(rows) - 1:
        msg = f"a {what} is missing between {start} and {rows[-1][0]}"
        raise DataLossError(msg)
    return [bytes(row[1]) for row in rows]
