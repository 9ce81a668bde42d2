"""A PostgreSQL server of the tests' own: made in a temporary folder, reached by socket or loopback, gone afterwards.

Nothing of an installed cluster is touched. It forces commits to disk as an operator's would; run by root it becomes an
unprivileged user, for the server refuses to run as root.
"""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import psutil
import pytest

from tests.waiting import until

STANDBY: Final = "standby1"
"""Name under which a standby follows its primary."""
USER: Final = "referee"
_FOLDERS: Final = "/usr/lib/postgresql"
_SETTINGS: Final = {
    "max_connections": "200",
    "shared_buffers": "16MB",
    "unix_socket_permissions": "0777",
    "log_min_messages": "fatal",
}


def missing() -> str:
    """Why there can be no server here; empty where there can."""
    if _program("initdb") is None:
        return "PostgreSQL is not installed (apt-get install postgresql)"
    if os.geteuid() == 0 and (_unprivileged() is None or shutil.which("setpriv") is None):
        return "no unprivileged user to run PostgreSQL as"
    return ""


class PostgresServer:
    """One server, running: a new one, or a standby that follows another."""

    def __init__(self, parent: str = "/tmp", *, primary: "PostgresServer | None" = None) -> None:  # noqa: S108 - a folder of our own is made in it
        self._account = _unprivileged() if os.geteuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="referee-pg-", dir=parent))  # a socket's path is short
        self.folder.chmod(0o755)
        if self._account is not None:
            os.chown(self.folder, self._account.pw_uid, self._account.pw_gid)
        self._data = self.folder / "data"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        data = ("-D", str(self._data))
        if primary is None:
            self._run("initdb", *data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        else:
            way = ("-h", str(primary.folder), "-p", str(primary.port), "-U", USER)
            self._run("pg_basebackup", *data, *way, "--checkpoint=fast", "--no-sync", "--write-recovery-conf")
        lines = {
            **_SETTINGS,
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": self.folder,
            "synchronous_standby_names": "",
        }
        if primary is not None:
            followed = f"host={primary.folder} port={primary.port} user={USER} application_name={STANDBY}"
            lines |= {"primary_conninfo": followed, "wal_retrieve_retry_interval": "200ms"}
        with (self._data / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in lines.items())
        self.start()

    def url(self, schema: str, *, port: int = 0) -> str:
        """Return the URL of a schema, by socket, or by loopback through another port."""
        way = f"127.0.0.1:{port}/postgres?" if port else f"/postgres?host={self.folder}&port={self.port}&"
        return f"postgresql://{USER}@{way}options=-csearch_path%3D{schema}"

    def both(self, schema: str, other: "PostgresServer", *, after: str = "") -> str:
        """Return the URL of a schema on this server or another, in libpq's own form; ``after`` is added to it."""
        hosts = f"127.0.0.1:{self.port},127.0.0.1:{other.port}"
        return f"postgresql://{USER}@{hosts}/postgres?options=-csearch_path%3D{schema}{after}"

    def set(self, name: str, value: str) -> None:
        """Change a setting, and wait until it holds; an empty value is the setting's default."""
        self.execute(f"ALTER SYSTEM SET {name} = '{value}'" if value else f"ALTER SYSTEM RESET {name}")
        before = self.execute("SELECT pg_conf_load_time()")
        self.execute("SELECT pg_reload_conf()")
        until(lambda: self.execute("SELECT pg_conf_load_time()") != before, f"{name} was not changed")

    def promote(self) -> None:
        """Make a standby the primary."""
        self._run("pg_ctl", "-D", str(self._data), "-w", "promote")

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop every process of the server for the block, as a machine that hangs does."""
        first = psutil.Process(int((self._data / "postmaster.pid").read_text().split()[0]))
        first.suspend()  # before its children are counted, so that it makes no more
        processes = [first, *first.children(recursive=True)]
        try:
            for process in processes[1:]:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.suspend()
            yield
        finally:
            for process in processes:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.resume()

    def make_schema(self, name: str) -> str:
        """Make a schema and return its URL."""
        self.execute(f"CREATE SCHEMA {name}")
        return self.url(name)

    def execute(self, statement: str, *parameters: object) -> list[tuple[object, ...]]:
        """Run a statement as the server's owner and return its rows, if any."""
        import psycopg  # noqa: PLC0415 - the server can be missing, and the driver with it

        with psycopg.connect(
            host=str(self.folder), port=self.port, user=USER, dbname="postgres", autocommit=True
        ) as one:
            cursor = one.execute(statement, parameters or None)
            return cursor.fetchall() if cursor.description else []

    def start(self) -> None:
        """Start the server."""
        self._run("pg_ctl", "-D", str(self._data), "-w", "-l", str(self.folder / "log"), "start")

    def stop(self, how: str = "fast") -> None:
        """Stop the server: ``fast`` cuts connections, ``immediate`` is a crash."""
        self._run("pg_ctl", "-D", str(self._data), "-w", "-m", how, "stop")

    def close(self) -> None:
        """Stop the server and remove its folder."""
        with contextlib.suppress(subprocess.CalledProcessError):
            self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, name: str, *arguments: str) -> None:
        program = _program(name)
        assert program is not None
        subprocess.run(
            [*_becoming(self._account), program, *arguments],
            check=True,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def _becoming(account: pwd.struct_passwd | None) -> Sequence[str]:
    # A program that does it, so that this process need not fork: with gRPC's threads at work a fork may not survive.
    if account is None:
        return ()
    return ("setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups", "--")


def _program(name: str) -> str | None:
    found: Sequence[Path] = sorted(Path(_FOLDERS).glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    return str(found[-1]) if found else shutil.which(name)


def _unprivileged() -> pwd.struct_passwd | None:
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    return None


def running_postgres() -> Iterator[PostgresServer]:
    """Yield a running server, and stop it afterwards; skip with a reason if none is installed."""
    if why := missing():
        pytest.skip(why)
    server = PostgresServer()
    yield server
    server.close()
