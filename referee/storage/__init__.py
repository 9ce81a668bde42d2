"""The log in SQLite or PostgreSQL, and the one thread of a process that appends to it.

``batch`` turns requests into one change, ``writer`` queues them, ``check`` proves a store before it is used. Storage
knows steps of rounds and bytes, but neither games nor what a leaf contains.
"""

from referee.storage.backup import back_up, restore, restore_into
from referee.storage.check import check_store
from referee.storage.opening import open_reader, open_store
from referee.storage.postgres import is_postgres, open_postgres, open_postgres_reader
from referee.storage.reader import Reader
from referee.storage.record import (
    DRIFT_MS,
    MAX_LEAF_SIZE,
    Append,
    ClockError,
    Contribution,
    Cosigned,
    DataLossError,
    Head,
    HeadMovedError,
    Logged,
    Mark,
    NotFoundedError,
    OutcomeUnknownError,
    SchemaVersionError,
    StaleRoundError,
    StoreBusyError,
    StoreError,
)
from referee.storage.reply import Reply
from referee.storage.sqlite import open_sqlite, open_sqlite_reader
from referee.storage.store import Store
from referee.storage.writer import Limits, QueueFullError, Writer, WriterClosedError

__all__ = [
    "DRIFT_MS",
    "MAX_LEAF_SIZE",
    "Append",
    "ClockError",
    "Contribution",
    "Cosigned",
    "DataLossError",
    "Head",
    "HeadMovedError",
    "Limits",
    "Logged",
    "Mark",
    "NotFoundedError",
    "OutcomeUnknownError",
    "QueueFullError",
    "Reader",
    "Reply",
    "SchemaVersionError",
    "StaleRoundError",
    "Store",
    "StoreBusyError",
    "StoreError",
    "Writer",
    "WriterClosedError",
    "back_up",
    "check_store",
    "is_postgres",
    "open_postgres",
    "open_postgres_reader",
    "open_reader",
    "open_sqlite",
    "open_sqlite_reader",
    "open_store",
    "restore",
    "restore_into",
]
