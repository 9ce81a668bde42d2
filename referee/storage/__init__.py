"""Storage keeps the log: the contract of a store, the one that SQLite fulfils, and the one thread that writes.

The law stands in ``store``; ``batch`` turns requests into one change, ``writer`` queues them, ``check`` proves a store
before it is used. This room knows slots and bytes, and neither games nor what a leaf says.
"""

from referee.storage.check import check_store
from referee.storage.reader import RelationalReader
from referee.storage.relational import Flavor, RelationalStore
from referee.storage.sqlite import open_sqlite, open_sqlite_reader
from referee.storage.store import (
    MAX_LEAF_SIZE,
    Append,
    DataLossError,
    Head,
    HeadMovedError,
    Logged,
    Mark,
    Reader,
    Store,
    StoreBusyError,
    StoreError,
)
from referee.storage.writer import Limits, QueueFullError, Writer, WriterClosedError

__all__ = [
    "MAX_LEAF_SIZE",
    "Append",
    "DataLossError",
    "Flavor",
    "Head",
    "HeadMovedError",
    "Limits",
    "Logged",
    "Mark",
    "QueueFullError",
    "Reader",
    "RelationalReader",
    "RelationalStore",
    "Store",
    "StoreBusyError",
    "StoreError",
    "Writer",
    "WriterClosedError",
    "check_store",
    "open_sqlite",
    "open_sqlite_reader",
]
