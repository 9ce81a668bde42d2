"""The ``referee`` command.

Exit codes: 0 if the command was carried out and found nothing wrong; 1 if it found a fault (an audit's findings, a
replay that differs); 2 if it could not be carried out (bad arguments, no such file, a log that cannot be read, an extra
that is not installed, nobody to read the output); 70 for a defect of the command itself, with its traceback.

Output is UTF-8 on every system, whatever the encoding of the terminal or of the file that it is redirected to.
"""

import io
import sys
import traceback
from types import MappingProxyType
from typing import Final

from referee.cli.exit_codes import DEFECT, UNANSWERABLE
from referee.extras import install

EXTRAS: Final = MappingProxyType(
    {
        "fsspec": "cli",
        "jinja2": "cli",
        "numpy": "cli",
        "rich": "cli",
        "typer": "cli",
        "referee_client": "demo",
        "google": "server",
        "grpc": "server",
        "grpc_health": "server",
        "grpc_reflection": "server",
        "grpc_status": "server",
        "prometheus_client": "server",
        "sqlalchemy": "server",
        "structlog": "server",
        "distributed": "dask",
        "aiohttp": "http",
        "opentelemetry": "otel",
        "psycopg": "postgres",
        "pyarrow": "parquet",
        "connectrpc": "web",
        "starlette": "web",
        "uvicorn": "web",
    }
)
"""Extras by the top-level module of the library that each installs; the package without extras needs none of these."""


POSIX: Final = frozenset({"fcntl", "grp", "pwd", "resource", "termios"})
"""Modules of Python that Windows lacks."""


def main() -> None:
    """Run the command line of this process, and exit as the page of this module says."""
    write_utf8()
    command = " ".join(["referee", *(word for word in sys.argv[1:2] if not word.startswith("-"))])
    try:
        from referee.cli.main import app  # noqa: PLC0415 - the extra cli

        app()
    except Exception as error:  # noqa: BLE001 - any other error would exit with 1, which means a finding
        missing = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
        if missing in EXTRAS:
            sys.stderr.write(f"{command} needs the extra [{EXTRAS[missing]}]; {install(EXTRAS[missing])}\n")
        elif missing in POSIX:
            sys.stderr.write(
                f"{command} needs Python's module {missing}, which Windows lacks: run it on Linux or in WSL\n"
            )
        else:
            traceback.print_exception(error)
            sys.stderr.write(f"{command} has a defect; report it with the lines above\n")
            sys.exit(DEFECT)
        sys.exit(UNANSWERABLE)


def write_utf8() -> None:
    """Make this process's standard output and errors UTF-8; a character that has no UTF-8 is written escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
