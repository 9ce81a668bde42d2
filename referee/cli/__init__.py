"""The ``referee`` command.

Exit codes: 0 if the command was carried out and found nothing wrong; 1 if it found a fault (an audit's findings, a
replay that differs); 2 if it could not be carried out (bad arguments, no such file, a log that cannot be read, an extra
that is not installed).
"""

import sys
from types import MappingProxyType
from typing import Final

EXTRAS: Final = MappingProxyType(
    {
        "fsspec": "cli",
        "jinja2": "cli",
        "numpy": "cli",
        "rich": "cli",
        "typer": "cli",
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


def main() -> None:
    """Run the command line of this process; exit with 2 and name the extra if one is not installed."""
    try:
        from referee.cli.main import app  # noqa: PLC0415 - the extra cli

        app()
    except ModuleNotFoundError as error:
        extra = EXTRAS.get((error.name or "").partition(".")[0])
        if extra is None:
            raise
        command = " ".join(["referee", *(word for word in sys.argv[1:2] if not word.startswith("-"))])
        sys.stderr.write(f"{command} needs the extra [{extra}]: pip install 'referee[{extra}]'\n")
        sys.exit(2)
