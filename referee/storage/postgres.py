"""The log in a PostgreSQL database, which several processes on several machines may write to at once.

A transaction locks the head's one row before it reads anything and keeps the lock until it ends. So writers take
turns, and in READ COMMITTED every statement after the lock sees all that earlier holders committed. The update of the
head still names the size and root that it moves from, so a writer that got past the lock moves nothing. Readers take no
lock and see only what is committed.

A server that does not force its write-ahead log to disk is refused. A commit whose answer was lost has ended once the
next transaction has the lock, so the caller can then read whether it happened. The server cuts off a writer that stays
silent inside a transaction, and before that the next writer does. A commit that is answered with a warning is not done:
it waited for a synchronous standby and the wait was cancelled. Fail over to a standby only if it replicates
synchronously: a head that moved back stops every writer.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from referee.extras import install
from referee.storage.certainty import Certainty
from referee.storage.flavor import Flavor, LockStatements
from referee.storage.postgres_url import DRIVER, connection_arguments
from referee.storage.postgres_waits import end_silent_holder, stalled
from referee.storage.reader import Reader
from referee.storage.record import StandbyAwayError, StoreAwayError, StoreError
from referee.storage.schema import open_schema
from referee.storage.statements import HEAD_ID
from referee.storage.store import Store
from referee.storage.upgrade import upgrade

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPICursor

_TIMEOUT: Final = 10.0
_SILENCE_MS: Final = 8_000
"""Time after which the server ends a silent writer by itself."""
_LOCK_MS: Final = 2_000
"""Time that one try to take the lock waits, before the holder is looked at and the next try."""
_BUSY_SECONDS: Final = 15.0
"""Time for all tries; it is longer than a silent writer may hold the lock."""
_OPENING_MS: Final = 15_000
"""Time that an opening waits for a lock, such as that of another one that upgrades the tables."""
_FOUNDING: Final = 0x7265666572656500
"""Number of the advisory lock under which tables are made; no row exists yet that could be locked instead."""
_LOCK: Final = f"({0x72656672}::bigint << 32) | 'head'::regclass::oid::bigint"
"""Number of the advisory lock on one log, computed from the number that the database gives the log's ``head`` table."""
_UNTIMED: Final = "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'"
"""Switches off the timeout of an idle session, which only holds a lock; servers before version 14 have none."""
_HOLDERS: Final = f"""
    SELECT coalesce(host(client_addr), 'the database''s own machine'), pid
    FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND pid <> pg_backend_pid()
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32) | objid::bigint = {_LOCK}
"""  # noqa: S608 - constants
_BUSY: Final = frozenset({"55P03", "40001", "40P01"})
"""lock_not_available, serialization_failure, deadlock_detected"""
_GONE: Final = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03", "53300"})
"""The server shuts down, crashed, starts, cut off an idle session, an idle transaction, has no connection left."""
_FULL: Final = "53100"
"""disk_full"""
_NETWORK: Final[dict[str, Any]] = {
    "application_name": "referee",
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "tcp_user_timeout": 8_000,
}
"""Arguments for which the URL names no other value. They notice within 10 s that a line is gone."""
_REFUSED: Final = {"synchronous_commit": "off", "fsync": "off", "full_page_writes": "off"}
"""Settings with which the server loses commits that it answered, at a crash of its own."""


def open_postgres(url: str, *, timeout: float = _TIMEOUT) -> Store:
    """Open the store of a database and make its tables if they are missing; ``Store.found`` then makes the log.

    ``url`` is ``postgresql://user@host:port/database``, or lists several hosts, of which the first that takes writes is
    used; several logs share a database in schemas of their own, with ``?options=-csearch_path%3Dname``. ``timeout`` is
    the number of seconds to wait for a server that goes away later. Raises StoreError if the server cannot be reached,
    does not force commits to disk or takes no writes, or if the store has a schema version that this program cannot
    upgrade.
    """
    engine = _engine(url)
    event.listen(engine, "connect", _check_durability)
    try:
        with engine.connect() as connection:
            timeout_set = f"SET LOCAL lock_timeout = {_OPENING_MS}"  # no holder is looked at here
            connection.exec_driver_sql(f"BEGIN; {timeout_set}; SELECT pg_advisory_xact_lock({_FOUNDING})")
            version = open_schema(connection, upgrade)
            notes = _notes(connection.exec_driver_sql(_REPLICATION).one())
            _commit(connection.connection.cursor())
    except DBAPIError as error:
        engine.dispose()
        raise _unusable(error) from error
    except BaseException:
        engine.dispose()
        raise
    return Store(engine, _flavor(timeout), found_version=version, notes=notes)


def open_postgres_reader(url: str, *, is_certain: bool = False) -> Reader:
    """Open the log of a database server, which may be a standby, for reading only; raise StoreError if it has none.

    If ``is_certain``, reads raise StoreBusyError while the newest commit is not known to be durable.
    """
    engine = _engine(url, read_only=True)
    reader = Reader(engine, _flavor(_TIMEOUT), certainty=Certainty(None) if is_certain else None)
    try:
        with engine.connect():  # without the retries that a server gets once it has answered
            pass
        reader.origin  # noqa: B018 - raises if there is no log
    except DBAPIError as error:
        reader.close()
        raise _unusable(error) from error
    except BaseException:
        reader.close()
        raise
    return reader


def postgres_stall(url: str, stage: str, seconds: float) -> StoreError:
    """Return the error of a transaction that has been in a stage for so long, with what the database says of it."""
    engine = _engine(url, read_only=True)
    try:
        return stalled(engine, stage, seconds, is_gone=_is_gone)
    finally:
        engine.dispose()


def is_postgres(url: str) -> bool:
    """Return True if the URL names a PostgreSQL database."""
    return url.startswith(("postgresql:", "postgresql+", "postgres:"))


def _engine(url: str, *, read_only: bool = False) -> Engine:
    arguments = _NETWORK | connection_arguments(url)
    if not read_only and "," in str(arguments.get("host", "")):
        arguments.setdefault("target_session_attrs", "read-write")
    try:
        engine = create_engine(
            URL.create(DRIVER),
            paramstyle="format",
            connect_args=arguments,
            pool_reset_on_return=None,  # each read is one statement; a failed transaction's connection is dropped
            pool_size=8,
            max_overflow=64,
        )
    except ModuleNotFoundError as error:
        raise StoreError(f"PostgreSQL needs {error.name}; {install('postgres')}") from error

    def prepare(connection: Any, _record: object) -> None:  # noqa: ANN401 - a driver's connection
        connection.autocommit = True  # transactions begin and end where they are written to
        connection.execute(
            f"SET lock_timeout = {_LOCK_MS};"
            f"SET idle_in_transaction_session_timeout = {_SILENCE_MS};"
            "SET client_min_messages = warning;"  # a commit's warning must arrive
            "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 2;"
            "SET tcp_user_timeout = 8000" + ("; SET default_transaction_read_only = on" if read_only else "")
        )

    event.listen(engine, "connect", prepare)
    return engine


def _check_durability(connection: Any, _record: object) -> None:  # noqa: ANN401 - a driver's connection
    asked = ", ".join(f"current_setting('{name}')" for name in (*_REFUSED, "transaction_read_only"))
    *found, is_read_only, is_standby = connection.execute(f"SELECT {asked}, pg_is_in_recovery()").fetchone()
    off = [name for name, value in zip(_REFUSED, found, strict=True) if value == _REFUSED[name]]
    if off:
        connection.close()
        raise StoreError(f"the server would lose commits that it answered: switch on {', '.join(off)} in its settings")
    if is_standby or is_read_only == "on":
        connection.close()
        what = "is a standby, which can only be read" if is_standby else "has default_transaction_read_only on"
        raise StoreAwayError(f"the server {what}: name the primary, or list all hosts in the URL")


_REPLICATION: Final = """
    SELECT current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
        (SELECT count(*) FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup')
"""


def _notes(found: Any) -> list[str]:  # noqa: ANN401 - a row
    """Return what settings that are allowed lose in a failover; an operator may want that, and shall know it.

    >>> _notes(("on", "", 0)), _notes(("on", "b", 1))
    ([], [])
    >>> _notes(("local", "b", 1)), _notes(("on", "", 2))  # doctest: +ELLIPSIS
    (['synchronous_commit is local...'], ['of 2 replicas none is synchronous...'])
    """
    level, names, replicas = found
    loses = "a failover can lose rounds that were answered, and every server then stops"
    if level == "local":
        return [f"synchronous_commit is local, so no commit waits for a standby: {loses}; set it to on"]
    if replicas and not names:
        return [f"of {replicas} replicas none is synchronous: {loses}; name them in synchronous_standby_names"]
    return []


def _unusable(error: DBAPIError) -> StoreError:
    return _flavor(0).failure(error, what="the database cannot be used")


def _flavor(timeout: float) -> Flavor:
    return Flavor(
        begin=f"BEGIN ISOLATION LEVEL READ COMMITTED; SELECT id FROM head WHERE id = {HEAD_ID} FOR NO KEY UPDATE",  # noqa: S608 - a constant
        snapshot="BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        commit=_commit,
        is_busy=lambda error: _state(error) in _BUSY,
        is_gone=_is_gone,
        is_full=lambda error: _state(error) == _FULL,
        compact=lambda _: None,
        timeout=timeout,
        is_replicated=True,
        busy_seconds=_BUSY_SECONDS,
        free=end_silent_holder,
        stalled=partial(stalled, is_gone=_is_gone),
        lock=LockStatements(
            shared=f"SELECT pg_try_advisory_lock_shared({_LOCK}), ({_UNTIMED})",
            alone=f"SELECT pg_try_advisory_lock({_LOCK}), ({_UNTIMED})",
            holders=_HOLDERS,
        ),
    )


def _commit(cursor: "DBAPICursor") -> None:
    """Commit, and raise StandbyAwayError if the server says anything beside that: then it did not wait to the end."""
    notices: list[str] = []
    connection: Any = cursor.connection

    def note(notice: Any) -> None:  # noqa: ANN401 - a driver's diagnostic
        notices.append(". ".join(filter(None, (notice.message_primary, notice.message_detail))))

    connection.add_notice_handler(note)
    try:
        cursor.execute("COMMIT")
    finally:
        connection.remove_notice_handler(note)
    if getattr(cursor, "statusmessage", None) != "COMMIT":
        raise StoreError("the server undid the transaction")
    if notices:
        raise StandbyAwayError(
            f"the commit was answered with a warning, so its outcome is unknown: {'; '.join(notices)}. End a session "
            "that waits with pg_terminate_backend, never with pg_cancel_backend"
        )


def _is_gone(error: Exception) -> bool:
    state = _state(error)
    if isinstance(error, StoreAwayError):
        return True
    if state is None:  # an error of the driver, not of the server
        return type(error).__name__ in {"OperationalError", "InterfaceError", "ConnectionTimeout"}
    return state in _GONE or state.startswith("08")


def _state(error: Exception) -> str | None:
    state = getattr(error, "sqlstate", None)
    return state if isinstance(state, str) else None
