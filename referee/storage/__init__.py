"""Storage keeps the log: the contract of a store, the one that SQLite fulfils, and the one thread that writes.

The law stands in ``store``; ``batch`` turns requests into one change, ``writer`` queues them, ``check`` proves a store
before it is used. This room knows slots and bytes, and neither games nor what a leaf says.
"""

from referee.storage.backup import back_up, restore, restore_into
from referee.storage.check import check_store
from referee.storage.flavor import Flavor
from referee.storage.opening import open_reader, open_store
from referee.storage.postgres import is_postgres, open_postgres, open_postgres_reader
from referee.storage.reader import RelationalReader
from referee.storage.relational import RelationalStore
from referee.storage.sqlite import open_sqlite, open_sqlite_reader
from referee.storage.store import (
    MAX_LEAF_SIZE,
    Append,
    Contribution,
    Cosigned,
    DataLossError,
    Head,
    HeadMovedError,
    Logged,
    Mark,
    NotFoundedError,
    OutcomeUnknownError,
    Reader,
    SchemaVersionError,
    SeedCameError,
    Store,
    StoreBusyError,
    StoreError,
)
from referee.storage.writer import Limits, QueueFullError, Writer, WriterClosedError

__all__ = [
    "MAX_LEAF_SIZE",
    "Append",
    "Contribution",
    "Cosigned",
    "DataLossError",
    "Flavor",
    "Head",
    "HeadMovedError",
    "Limits",
    "Logged",
    "Mark",
    "NotFoundedError",
    "OutcomeUnknownError",
    "QueueFullError",
    "Reader",
    "RelationalReader",
    "RelationalStore",
    "SchemaVersionError",
    "SeedCameError",
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
