"""A server process from its configuration to its end, which is a signal or a fault that retires it."""

import json
import os
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

import msgspec
import structlog

from referee.rulesets import load_builtin, load_folder
from referee.server.keys.private_key import Passphrase
from referee.server.process.app import Application, freeze_heap
from referee.server.process.opened_log import PASSING
from referee.server.process.options import ServerObserver, ServerOptions
from referee.server.process.stopping import until_asked
from referee.server.process.workers import VERIFIED, ParentLines, verified_before
from referee.server.settings.configuration import Configuration, ServeSettings
from referee.storage import trouble_of
from referee.threads import lasting

_PROGRESS_SECONDS: Final = 5.0
_STOPPING_SECONDS: Final = 20.0
"""Time in seconds that a process may take to stop after its drain: it reveals ended rounds and compacts the log."""
_FIRST_WAIT_SECONDS: Final = 0.5
_LONGEST_WAIT_SECONDS: Final = 5.0
"""First and longest pause in seconds of a worker that waits for its log."""
STOPPED_LATE: Final = 1
"""Exit code of a process that stopped late."""
_log = structlog.get_logger("referee.serve")


class RetiredError(RuntimeError):
    """A server that ended its service by itself, with the reason."""


class GatewayDoor(Protocol):
    """Connection of a server and a gateway that runs beside it."""

    @property
    def sockets(self) -> list[str]:
        """Addresses at which the gateway calls the server."""

    @property
    def gateway_pass(self) -> str:
        """Secret that the gateway shows."""

    def open(self, application: Application, *, is_port_shared: bool) -> str:
        """Start the gateway and return its address."""


def serve(
    configuration: Configuration,
    gateway: AbstractContextManager[GatewayDoor | None],
    *,
    worker: int | None,
    announce: Callable[[str], None],
) -> None:
    """Serve in this process until a signal stops it; raise RetiredError if a fault retires the server.

    ``gateway`` is None within its block if there is none. ``announce`` is called with a line of JSON that has the
    addresses once the server listens. ``worker`` is the number of this process among those that share an address, None
    for the only one.
    """
    options = _options_of(configuration, worker=worker)
    retired: list[str] = []
    with until_asked() as stop, gateway as door:
        lines = None if worker is None else ParentLines(stop)

        def retire(why: str) -> None:
            retired.append(why)
            stop.set()

        whole = replace(options, on_retired=retire)
        if door is not None:
            whole = replace(whole, gateway_sockets=door.sockets, gateway_pass=door.gateway_pass)
        opened = _opened(whole, stop, is_waiting=options.verified is not None)
        if opened is None:
            return
        application = opened.start()
        if lines is not None:
            lines.attach(application.checked)
        web = "" if door is None else door.open(application, is_port_shared=options.is_port_shared)
        freeze_heap()
        announce(_ready(configuration, application, web=web, worker=worker))
        stop.wait()
        with suppress(RuntimeError):  # the system allows no more threads
            lasting(_end, stopping_seconds(configuration.serve), name="stopping-late").start()
        application.close()
    if retired:
        raise RetiredError(retired[0])


def stopping_seconds(serving: ServeSettings) -> float:
    """Return how long a process may take to stop: its gateway and then its service have the grace each."""
    return serving.drain_lead + 2 * serving.drain_grace + _STOPPING_SECONDS


def _end(seconds: float) -> None:
    """End this process after so many seconds, whatever it waits for; what it has appended is durable."""
    time.sleep(seconds)
    _log.error("stopped late", after_seconds=seconds, remedy="see what this process waited for, such as its database")
    os._exit(STOPPED_LATE)


def _ready(configuration: Configuration, application: Application, *, web: str, worker: int | None) -> str:
    """Return a JSON line with the server's addresses; for a worker also with the part of the log that it verified."""
    ready = {"event": "ready", "address": application.address, "origin": application.origin}
    if application.metrics_port:
        ready["metrics"] = f"{configuration.telemetry.metrics.rpartition(':')[0]}:{application.metrics_port}"
    if web:
        ready["web"] = web
    if worker is not None:
        ready[VERIFIED] = msgspec.to_builtins(application.log.verified)
    return json.dumps(ready)


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
        passphrase=Passphrase.of(keys.passphrase_file, os.environ),
        is_port_shared=worker is not None and not serving.apart,
        observers=[_tracing()] if configuration.telemetry.trace else [],
        verified=None if worker is None else verified_before(),
        checks=worker is None,
        progress=Verifying(),
        catalogue=load_folder(Path(serving.rulesets)) if serving.rulesets else load_builtin(),
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
    from referee.server.process.tracing import exporting  # noqa: PLC0415 - an extra that few install

    return exporting()
