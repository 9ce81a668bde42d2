"""URLs of PostgreSQL databases: libpq's own form, which may list several hosts, and SQLAlchemy's."""

from pathlib import Path
from typing import Any, Final

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from referee.extras import install
from referee.storage.record import StoreError

DRIVER: Final = "postgresql+psycopg"
_USE: Final = (
    "use one such as postgresql://user@host/database, or with several hosts "
    "postgresql://user@host1:5432,host2:5432/database?target_session_attrs=read-write"
)
_SHOWN: Final = frozenset({"host", "port", "options", "target_session_attrs"})


def connection_arguments(url: str) -> dict[str, Any]:
    """Return the driver's arguments for a URL; raise StoreError, which never repeats the URL, for any other text."""
    if _has_hosts(url):
        return _read_by_libpq(url)
    parsed = _parsed(url)
    if parsed.drivername not in {DRIVER, "postgresql", "postgres"}:
        raise StoreError(f"there is no store for {parsed.drivername} databases; {_USE}")
    # A folder of sockets may be a relative path, which the driver would take for a name.
    host = parsed.query.get("host")
    if isinstance(host, str) and host.startswith("."):
        parsed = parsed.update_query_dict({"host": str(Path(host).absolute())})
    try:
        _, arguments = parsed.set(drivername=DRIVER).get_dialect()().create_connect_args(parsed)
    except (ArgumentError, ValueError) as error:
        raise StoreError(f"the database is no URL; {_USE}") from error
    return dict(arguments)


def shown_database(url: str) -> str:
    """Return a database's URL for people, without its password.

    >>> shown_database("postgresql://u:secret@db/games?password=secret&host=/run")
    'the database postgresql://u:***@db/games?host=%2Frun'
    >>> shown_database("postgresql://u:secret@a:1,b:2/games?target_session_attrs=read-write&password=secret")
    'the database postgresql://u:***@a:1,b:2/games?target_session_attrs=read-write'
    """
    hosts = _hosts(url) if _has_hosts(url) else ""
    try:
        parsed = _parsed(url.replace(hosts, "hosts", 1) if hosts else url)
    except StoreError:
        return "the database"
    shown = parsed.set(query={name: value for name, value in parsed.query.items() if name in _SHOWN})
    text = shown.render_as_string()
    return f"the database {text.replace('@hosts', f'@{hosts}', 1) if '@' in text else text.replace('hosts', hosts, 1)}"


def _hosts(url: str) -> str:
    """Return the hosts and ports in a URL's authority, without user and password."""
    authority = url.partition("://")[2]
    for end in "/?#":
        authority = authority.partition(end)[0]
    return authority.rpartition("@")[2]


def _has_hosts(url: str) -> bool:
    """Return whether the URL lists hosts as libpq alone does; it has a meaning for each that SQLAlchemy reads past."""
    return "," in _hosts(url)


def _parsed(url: str) -> URL:
    try:
        return make_url(url)
    except (ArgumentError, ValueError) as error:
        msg = f"the database is no URL; {_USE}"  # the text may hold a password, so it is not repeated
        raise StoreError(msg) from error


def _read_by_libpq(url: str) -> dict[str, Any]:
    try:
        from psycopg import ProgrammingError  # noqa: PLC0415 - an extra
        from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise StoreError(f"PostgreSQL needs {error.name}; {install('postgres')}") from error
    scheme, _, rest = url.partition("://")
    if scheme not in {DRIVER, "postgresql", "postgres"}:
        raise StoreError(f"there is no store for {scheme} databases; {_USE}")
    try:
        return dict(conninfo_to_dict(f"postgresql://{rest}"))
    except ProgrammingError as error:
        msg = f"the database is no URL; {_USE}"
        raise StoreError(msg) from error
