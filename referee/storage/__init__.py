"""The log in SQLite or PostgreSQL, and the one thread of a process that appends to it.

``batch`` turns requests into one change, ``writer`` queues them, ``check`` verifies a store before it is used. Storage
knows steps of rounds and bytes, but neither games nor, but for an upgrade, what a leaf contains.
"""

from referee.storage.backup import back_up, restore, restore_into
from referee.storage.backup_extension import extend_backup
from referee.storage.check import check_store
from referee.storage.log_lock import LogLock
from referee.storage.place import is_missing, log_place, open_reader, open_store, stall_of
from referee.storage.postgres import is_postgres
from referee.storage.reader import Reader
from referee.storage.record import (
    Append,
    ClockError,
    Contribution,
    Cosigned,
    DataLossError,
    Head,
    LateLeafError,
    Logged,
    LogInUseError,
    NotFoundedError,
    SchemaVersionError,
    StaleRoundError,
    StoreAwayError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    clock_error,
)
from referee.storage.round_index import Listed
from referee.storage.store import Store
from referee.storage.trouble import WriteTrouble, trouble_of
from referee.storage.writer import QueueFullError, Writer, WriterClosedError

__all__ = [
    "Append",
    "ClockError",
    "Contribution",
    "Cosigned",
    "DataLossError",
    "Head",
    "LateLeafError",
    "Listed",
    "LogInUseError",
    "LogLock",
    "Logged",
    "NotFoundedError",
    "QueueFullError",
    "Reader",
    "SchemaVersionError",
    "StaleRoundError",
    "Store",
    "StoreAwayError",
    "StoreBusyError",
    "StoreError",
    "StoreFullError",
    "WriteTrouble",
    "Writer",
    "WriterClosedError",
    "back_up",
    "check_store",
    "clock_error",
    "extend_backup",
    "is_missing",
    "is_postgres",
    "log_place",
    "open_reader",
    "open_store",
    "restore",
    "restore_into",
    "stall_of",
    "trouble_of",
]
