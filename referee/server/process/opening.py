"""Opening of the store at a start, with the log lines that it is worth."""

import threading
from pathlib import Path

import structlog

from referee.storage import Store, log_place, open_store, stall_of, trouble_of
from referee.storage.schema import VERSION
from referee.storage.writer import STALL_SECONDS
from referee.threads import lasting

_log = structlog.get_logger("referee.server")


def open_reporting(data: Path, database: str | None, *, is_first: bool) -> Store:
    """Open the store, and log why where that takes longer than a commit may; raise the errors of ``open_store``.

    Log that its schema was upgraded and, in the first worker, what settings of the database lose in a failover.
    """
    opened = threading.Event()

    def report() -> None:
        if opened.wait(STALL_SECONDS):
            return
        trouble = trouble_of(stall_of(database, stage="COMMIT", seconds=STALL_SECONDS))
        _log.error("log cannot be written", kind=trouble.kind, cause=trouble.cause, remedy=trouble.remedy)

    lasting(report, name="log-opening").start()
    try:
        store = open_store(data, database=database)
    finally:
        opened.set()
    if store.found_version != VERSION:
        place = log_place(data, database)
        _log.warning("schema upgraded", version_before=store.found_version, version=VERSION, place=place)
    for note in store.notes if is_first else ():
        _log.warning("log not safe in a failover", note=note)
    return store
