"""URLs of a database: libpq's own form with several hosts, SQLAlchemy's, and what is said of any other text."""

import pytest

from referee.storage import StoreError, is_postgres
from referee.storage.postgres_url import connection_arguments, shown_database

HOSTS = {"host": "a,b", "port": "5432,5433", "dbname": "games", "user": "u", "target_session_attrs": "read-write"}


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u@a:5432,b:5433/games?target_session_attrs=read-write",
        "postgresql+psycopg://u@a:5432,b:5433/games?target_session_attrs=read-write",
        "postgresql://u@/games?host=a:5432&host=b:5433&target_session_attrs=read-write",
        "postgresql+psycopg://u@/games?host=a:5432&host=b:5433&target_session_attrs=read-write",
    ],
)
def test_hosts_are_read_alike_in_both_forms(url: str) -> None:
    pytest.importorskip("psycopg")
    assert is_postgres(url)
    assert connection_arguments(url) == HOSTS


def test_hosts_have_ports_of_their_own_as_libpq_reads_them() -> None:
    """SQLAlchemy would take the last port for all hosts."""
    pytest.importorskip("psycopg")
    assert connection_arguments("postgresql://a,b:5433/games") == {"host": "a,b", "port": ",5433", "dbname": "games"}


def test_password_with_a_comma_lists_no_hosts() -> None:
    arguments = connection_arguments("postgresql://u:a,b@c:1/games")
    assert {name: str(value) for name, value in arguments.items()} == {
        "host": "c",
        "port": "1",
        "dbname": "games",
        "user": "u",
        "password": "a,b",
    }


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:secret@a:1,b:2/games?password=secret&sslpassword=secret",
        "postgresql://u:secret@a:one,b:2/games",
        "postgresql://u:secret@a:1,b:2/games?secret=secret",
        "mysql://u:secret@a:1,b:2/games",
        "postgresql://u:secret@a:one/games",
    ],
)
def test_password_is_shown_nowhere(url: str) -> None:
    pytest.importorskip("psycopg")
    assert "secret" not in shown_database(url)
    try:
        connection_arguments(url)
    except StoreError as error:
        assert "secret" not in str(error)  # noqa: PT017 - some are accepted


def test_place_shows_every_host() -> None:
    shown = shown_database("postgresql://u:secret@a:1,b:2/games?target_session_attrs=read-write")
    assert shown == "the database postgresql://u:***@a:1,b:2/games?target_session_attrs=read-write"
