"""What PostgreSQL itself says of a log that is not written: who holds the head's row, and what that session waits for.

A session that holds the row while its client says nothing is ended by the next writer: the client is cut off or frozen,
and behind a proxy the database would wait for it for ever. A session that waits for a standby is never ended, since
that would only hide that what it wrote is not replicated.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import structlog
from sqlalchemy import Engine

from referee.evidence.printable import error_words
from referee.storage.record import StandbyAwayError, StoreAwayError, StoreBusyError, StoreError, StoreStalledError

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPICursor

SILENCE_SECONDS: Final = 5.0
"""Time that a client may be silent while it holds the head's row; PostgreSQL's own timeout is longer."""
_HOLDERS: Final = """
    SELECT pid, coalesce(host(client_addr), 'the database''s own machine') AS place,
        coalesce(wait_event_type, '') AS kind, coalesce(wait_event, '') AS event, coalesce(state, 'unknown') AS state,
        coalesce(extract(epoch FROM clock_timestamp() - state_change), 0)::float8 AS seconds
    FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'relation' AND relation = 'head'::regclass AND mode = 'RowShareLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND pid <> pg_backend_pid() AND wait_event_type IS DISTINCT FROM 'Lock'
"""
"""Sessions with the head's row; those that wait for it have the same lock on its table, and wait for a lock."""
_END: Final = f"""
    SELECT *, CASE WHEN kind = 'Client' AND seconds >= %s THEN pg_terminate_backend(pid) ELSE false END
    FROM ({_HOLDERS}) AS holder
"""  # noqa: S608 - constants
_STANDBYS: Final = """
    SELECT current_setting('synchronous_standby_names'),
        coalesce((SELECT string_agg(application_name, ', ') FROM pg_stat_replication), '')
"""
_SILENT: Final = "connection timeout expired"
"""The driver's words for a server that has not answered at all."""

_log = structlog.get_logger("referee.log")


def end_silent_holder(cursor: "DBAPICursor") -> str:
    """End the session that holds the head's row if its client has been silent for too long; log its address and pid.

    Return the holder in words for an error, empty if there is none. ``cursor`` is of a failed transaction, which this
    undoes.
    """
    cursor.execute("ROLLBACK")
    for pid, place, kind, event, state, seconds, is_ended in _holders(cursor):
        holder = {"address": place, "process": pid, "silent_seconds": round(seconds, 1), "waits_for": event}
        if is_ended:
            _log.warning("silent holder of the log ended", **holder)
        return f" (at {place}, process {pid}, {state} for {seconds:.0f} s{_waits(kind, event)})"
    return ""


def _holders(cursor: "DBAPICursor") -> list[Any]:
    try:
        cursor.execute(_END, (SILENCE_SECONDS,))
    except Exception as error:
        if getattr(error, "sqlstate", None) != "42501":  # insufficient_privilege
            raise
        cursor.execute(f"SELECT *, false FROM ({_HOLDERS}) AS holder")  # noqa: S608 - constants
    return list(cursor.fetchall())


def stalled(engine: Engine, stage: str, seconds: float, *, is_gone: Callable[[Exception], bool]) -> StoreError:
    """Return the error of a transaction that has been in its stage for so long, with what the database says of it.

    A database that refuses the question is away, and one that does not answer it is stalled.
    """
    what = {"BEGIN": "a transaction has not begun", "COMMIT": "a commit has not returned"}
    words = f"{what.get(stage, 'a transaction has not ended')} for {seconds:.0f} s"
    try:
        names, connected, holders = _asked(engine)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what the database says
        kind = StoreAwayError if is_gone(error) and _SILENT not in error_words(error) else StoreStalledError
        return kind(f"{words}, and the database cannot be asked why: {error_words(error)}")
    said = "; ".join(
        f"session {pid} of {place} is {state} for {held:.0f} s{_waits(kind, event)}"
        for pid, place, kind, event, state, held in holders
    )
    text = f"{words}; of the head's row the database says: {said or 'no session holds it'}"
    if any(event == "SyncRep" for _, _, _, event, *_ in holders):
        return StandbyAwayError(
            f"{text}; synchronous_standby_names is {names!r}, and connected are: {connected or 'none'}"
        )
    return StoreBusyError(text) if stage == "BEGIN" else StoreStalledError(text)


def _asked(engine: Engine) -> tuple[str, str, list[Any]]:
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        cursor.execute(_HOLDERS)
        holders = list(cursor.fetchall())
        cursor.execute(_STANDBYS)
        names, connected = cursor.fetchall()[0]
    except BaseException:
        connection.invalidate()  # one that is broken must not be handed out again
        raise
    finally:
        connection.close()
    return names, connected, holders


def _waits(kind: str, event: str) -> str:
    return f", and waits for {kind}:{event}" if event else ""
