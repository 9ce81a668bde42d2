"""``referee serve``: run the server until it is asked to stop."""

import json
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import msgspec
import structlog
import typer

from referee.cli import logging
from referee.cli.browsers import door_for
from referee.cli.command import Commands
from referee.cli.config import ConfigFile, DatabaseFlag, DataFlag, Set, read_or_fail
from referee.cli.options import FOUND, catalogue_of, fail, passphrase_of
from referee.cli.stopping import until_asked
from referee.cli.supervising import VERIFIED, ParentLines, supervise, verified_before, worker_configuration
from referee.extras import install
from referee.server.keys.private_key import PASSPHRASE_VARIABLE
from referee.server.process.app import Application, freeze_heap
from referee.server.process.opened_log import PASSING
from referee.server.process.options import ServerObserver, ServerOptions
from referee.server.settings.configuration import SERVICES, Configuration, ServeSettings
from referee.storage import DataLossError, StoreAwayError, trouble_of
from referee.threads import lasting

app = Commands()

_PROGRESS_SECONDS: Final = 5.0
_STOPPING_SECONDS: Final = 20.0
"""Time in seconds that a process may take to stop after its drain: it reveals ended rounds and compacts the log."""
_FIRST_WAIT_SECONDS: Final = 0.5
_LONGEST_WAIT_SECONDS: Final = 5.0
"""First and longest pause in seconds of a worker that waits for its log."""
_PLAIN: Final = Configuration()
_log = structlog.get_logger("referee.serve")


@app.command(
    examples=[
        "referee serve",
        "referee serve --config referee.toml --workers 4",
        "referee serve --web 127.0.0.1:8080 --web-origin https://play.example.com",
    ]
)
def serve(  # noqa: PLR0913 - one parameter an option
    *,
    # These two set every key of the configuration; a comment above each group of flags below says why it exists too.
    config: ConfigFile = None,
    extra: Set = None,
    # The same flags as audit, replay, export and keys have, so that only the command's name changes.
    data: DataFlag = None,
    database: DatabaseFlag = None,
    rulesets: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Folder with your own rulesets, as TOML files.")
    ] = None,
    # Addresses differ between servers that share one configuration file.
    listen: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Address and port; port 0 takes a free one.", show_default=_PLAIN.serve.listen
        ),
    ] = None,
    web: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Address for browsers, as 127.0.0.1:8080: gRPC-Web, Connect and JSON over HTTP."
        ),
    ] = None,
    web_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="With --web: pages of this origin may call, as https://play.example.com; may be given several times.",
        ),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Address for Prometheus, as 127.0.0.1:9464; each further worker takes the next port.",
        ),
    ] = None,
    # Services and cores differ between such servers too.
    services: Annotated[
        str | None, typer.Option(help=f"Which services: {', '.join(SERVICES)}; all by default.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes that share the address, each on a core.", show_default=str(_PLAIN.serve.workers)),
    ] = None,
    passphrase_file: Annotated[
        str | None,
        # The error about encrypted keys, which other commands share, names it; hidden to keep this help short.
        typer.Option(hidden=True, help=f"A file with the passphrase of the private keys; or {PASSPHRASE_VARIABLE}."),
    ] = None,
    # A terminal and a supervised process need different values.
    quiet: Annotated[bool | None, typer.Option("--quiet/--no-quiet", help="Do not log each call.")] = None,
    # The supervisor starts its workers with it; not for people.
    worker: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """Serve on one address until stopped; make the keys and the log on the first start.

    A flag overrides an environment variable (REFEREE_SERVE_THREADS), a variable the configuration file, and the file
    the default. --set sets any key: referee config example lists them. Prints one JSON line with the address once it
    listens. On SIGTERM and Ctrl-C it answers the accepted calls and then stops.
    """
    flags: dict[str, object] = {
        "log.data": data,
        "log.database": database,
        "serve.rulesets": rulesets,
        "serve.listen": listen,
        "serve.services": None if services is None else [name.strip() for name in services.split(",") if name.strip()],
        "serve.workers": workers,
        "serve.quiet": quiet,
        "keys.passphrase_file": passphrase_file,
        "telemetry.metrics": metrics,
        "web.listen": web,
        "web.origins": web_origin or None,
    }
    if worker is None:
        given = {key: value for key, value in flags.items() if value is not None}
        configuration = read_or_fail(config=config, flags=given, extra=extra or ()).configuration
    else:
        configuration = worker_configuration()
    serving = configuration.serve
    logging.configure(quiet=serving.quiet, worker=worker)
    if serving.workers > 1 and worker is None:
        supervise(configuration, stopping=stopping_seconds(serving))
    _serve(configuration, worker=worker)


def _serve(configuration: Configuration, *, worker: int | None) -> None:
    """Serve in this process until a signal, or a fault that retires the server, stops it."""
    options = _options_of(configuration, worker=worker)
    retired: list[str] = []
    with until_asked() as stop, door_for(options.configuration) as door:
        lines = None if worker is None else ParentLines(stop)

        def retire(why: str) -> None:
            retired.append(why)
            stop.set()

        whole = replace(options, gateway_sockets=door.sockets, gateway_pass=door.gateway_pass, on_retired=retire)
        try:
            opened = _opened(whole, stop, is_waiting=options.verified is not None)
            if opened is None:
                return
            application = opened.start()
            if lines is not None:
                lines.attach(application.checked)
            browsers = door.open(application, is_port_shared=options.is_port_shared)
            freeze_heap()
        except StoreAwayError as error:
            fail(f"{error}. Start the database, or name the right one, then start this again")
        except DataLossError as error:
            fail(f"{error}. The log is damaged and nothing was changed; restore it from its backup")
        _announce(configuration, application, browsers=browsers, worker=worker)
        stop.wait()
        with suppress(RuntimeError):  # the system allows no more threads
            lasting(_end, stopping_seconds(configuration.serve), name="stopping-late").start()
        application.close()
    if retired:
        fail(retired[0])


def stopping_seconds(serving: ServeSettings) -> float:
    """Return how long a process may take to stop: its gateway and then its service have the grace each."""
    return serving.drain_lead + 2 * serving.drain_grace + _STOPPING_SECONDS


def _end(seconds: float) -> None:
    """End this process after so many seconds, whatever it waits for; what it has appended is durable."""
    time.sleep(seconds)
    _log.error("stopped late", after_seconds=seconds, remedy="see what this process waited for, such as its database")
    os._exit(FOUND)


def _announce(configuration: Configuration, application: Application, *, browsers: str, worker: int | None) -> None:
    """Print the JSON line with the server's addresses; for a worker also with the part of the log that it verified."""
    ready = {"event": "ready", "address": application.address, "origin": application.origin}
    if application.metrics_port:
        ready["metrics"] = f"{configuration.telemetry.metrics.rpartition(':')[0]}:{application.metrics_port}"
    if browsers:
        ready["web"] = browsers
    if worker is not None:
        ready[VERIFIED] = msgspec.to_builtins(application.log.verified)
    typer.echo(json.dumps(ready))


def _opened(options: ServerOptions, stop: threading.Event, *, is_waiting: bool) -> Application | None:
    """Make the server; return None if the process was asked to stop before that succeeded.

    With ``is_waiting``, wait and try again if the log cannot be used now; without, raise its error.
    """
    pause = _FIRST_WAIT_SECONDS
    while True:
        try:
            return Application(options)
        except PASSING as error:
            if not is_waiting:
                raise
            trouble = trouble_of(error)
            _log.error(
                "the log cannot be used; this worker waits",
                cause=trouble.cause,
                remedy=trouble.remedy,
                again_after_seconds=pause,
            )
        if stop.wait(pause):
            return None
        pause = min(2 * pause, _LONGEST_WAIT_SECONDS)


def _options_of(configuration: Configuration, *, worker: int | None) -> ServerOptions:
    """Return the options of this process: of the worker with this number, or of the only process if it is None."""
    serving, keys = configuration.serve, configuration.keys
    return ServerOptions(
        configuration=configuration.of_worker(worker or 0),
        passphrase=passphrase_of(Path(keys.passphrase_file) if keys.passphrase_file else None),
        is_port_shared=worker is not None and not serving.apart,
        observers=[_tracing()] if configuration.telemetry.trace else [],
        verified=None if worker is None else verified_before(),
        checks=worker is None,
        progress=Verifying(),
        catalogue=catalogue_of(Path(serving.rulesets) if serving.rulesets else None),
    )


class Verifying:
    """Progress of the log's verification, as a log line every five seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began: tuple[float, int] | None = None
        self._said = 0.0

    def __call__(self, done: int, size: int) -> None:
        """Log the number of leaves verified, their rate a second since the first call, and the seconds left."""
        now = self._clock()
        if self._began is None:
            self._began, self._said = (now, done), now
        start, first = self._began
        if now - self._said >= _PROGRESS_SECONDS and done > first:
            self._said = now
            rate = (done - first) / (now - start)
            left = round((size - done) / rate)
            _log.info("verifying the log", leaves=done, of=size, leaves_per_second=round(rate), seconds_left=left)


def _tracing() -> ServerObserver:
    try:
        from referee.server.process.tracing import exporting  # noqa: PLC0415 - an extra that few install

        return exporting()
    except ModuleNotFoundError as error:
        fail(f"telemetry.trace needs {error.name}; {install('otel')}")
