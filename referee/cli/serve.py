"""``referee serve``."""

import json
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from referee.cli import logging
from referee.cli.ending import DataFolder, RulesetFolder, catalogue_of, fail
from referee.server.app import DEFAULT_ORIGIN, SERVICES, Application, Settings
from referee.server.keys import KeyFileError
from referee.storage import DataLossError, StoreError


def serve(  # noqa: PLR0913 - one parameter an option
    *,
    data: DataFolder = Path("referee-data"),
    listen: Annotated[str, typer.Option(help="Address and port; port 0 takes a free one.")] = "127.0.0.1:50051",
    services: Annotated[str, typer.Option(help=f"Which services: {', '.join(SERVICES)}.")] = ",".join(SERVICES),
    origin: Annotated[str, typer.Option(help="Name of a new log; an existing one keeps its own.")] = DEFAULT_ORIGIN,
    threads: Annotated[int, typer.Option(help="Calls answered at once.", min=1, max=256)] = 8,
    rulesets: RulesetFolder = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No line for each call.")] = False,
) -> None:
    """Serve on one address until stopped; keys and log are made on the first start.

    Prints one JSON line with the address once it listens. SIGTERM and Ctrl-C answer the calls that were accepted and
    then stop.
    """
    logging.configure(quiet=quiet)
    wanted = [name.strip() for name in services.split(",") if name.strip()]
    unknown = sorted(set(wanted) - set(SERVICES))
    if unknown or not wanted:
        fail(f"--services names {', '.join(unknown) or 'nothing'}; there are {', '.join(SERVICES)}")
    settings = Settings(
        data=data,
        listen=listen,
        origin=origin,
        services=wanted,
        threads=threads,
        catalogue=catalogue_of(rulesets),
    )
    stop = threading.Event()
    _on_signals(stop)
    try:
        application = Application(settings).start()
    except (KeyFileError, StoreError, OSError, RuntimeError) as error:
        fail(str(error))
    except DataLossError as error:
        fail(f"{error}. The log is damaged and nothing was changed; restore {data} from its backup")
    host = listen.rpartition(":")[0]
    ready = {"event": "ready", "address": f"{host}:{application.port}", "origin": application.origin}
    sys.stdout.write(json.dumps(ready) + "\n")
    sys.stdout.flush()
    stop.wait()
    application.close()


def _on_signals(stop: threading.Event) -> None:
    def handle(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, handle)
    signal.signal(signal.SIGINT, handle)
