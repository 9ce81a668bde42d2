"""Workers that share one address: the process that holds the port and supervises them, and what it passes to them."""

import json
import os
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final

import msgspec

from referee.evidence.printable import error_words
from referee.server.clock import system_clock
from referee.server.process.address import AddressError
from referee.server.process.log_check import CheckRecord, CheckState, CheckTask, LogCheck
from referee.server.process.options import VerifiedLog
from referee.server.process.stopping import until_asked
from referee.server.process.supervisor import RestartPolicy, Supervisor, WorkerError, reserve_address
from referee.server.settings.configuration import Configuration
from referee.threads import lasting

_VARIABLE: Final = "REFEREE_WORKER_CONFIGURATION"
_VERIFIED: Final = "REFEREE_WORKER_VERIFIED"
VERIFIED: Final = "verified"
"""Member, in the JSON line of a worker that is ready, with the part of the log that it verified."""


class WorkerConfigurationError(RuntimeError):
    """A worker that was not started by the process that supervises it."""


def supervise(configuration: Configuration, *, stopping: float) -> bool:
    """Run the workers until this process is asked to stop; return False if they were given up or did not stop well.

    A worker gets its number as an option, and this process's configuration with the actual addresses in an environment
    variable. So a worker that is restarted later serves as the others do, even if the configuration file has changed.
    Behind the first worker's start, one more process checks the whole log; the workers are sent its reports.
    """
    serve, web = configuration.serve, configuration.web
    with ExitStack() as kept:
        if not serve.apart:
            serve = msgspec.structs.replace(serve, listen=_reserve("serve.listen", serve.listen, kept))
            web = msgspec.structs.replace(web, listen=_reserve("web.listen", web.place, kept))
        shared = msgspec.structs.replace(configuration, serve=serve, web=web)
        os.environ.pop(_VERIFIED, None)
        os.environ[_VARIABLE] = msgspec.json.encode(shared).decode()
        command = [sys.executable, "-m", "referee", "serve", "--worker"]
        supervisor = Supervisor(
            [[*command, str(index)] for index in range(serve.workers)],
            policy=RestartPolicy(stopping=stopping),
            on_first=lambda printed: _check(supervisor, shared, _pass_on(printed), kept),
        )
        stop = kept.enter_context(until_asked())
        lasting(_announce, supervisor, stop, name="announcing").start()
        lasting(_await_end, supervisor, stop, name="ending").start()
        stop.wait()
        given_up = supervisor.ended.is_set()
        ended_well = supervisor.stop()
    return ended_well and not given_up


def worker_configuration() -> Configuration:
    """Return the configuration that the supervisor passed to this worker."""
    try:
        return msgspec.json.decode(os.environ[_VARIABLE], type=Configuration)
    except (KeyError, msgspec.DecodeError) as error:
        msg = f"a worker is started by `referee serve --workers`, which sets {_VARIABLE}: {error}"
        raise WorkerConfigurationError(msg) from None


def verified_before() -> VerifiedLog | None:
    """Return the log that the first worker has verified; None for that one."""
    text = os.environ.get(_VERIFIED)
    return None if text is None else msgspec.json.decode(text, type=VerifiedLog)


def _pass_on(printed: bytes) -> VerifiedLog:
    """Pass the log that the first worker verified to all workers that are started from now on, and return it."""
    text = os.environ[_VERIFIED] = json.dumps(json.loads(printed)[VERIFIED])
    return msgspec.json.decode(text, type=VerifiedLog)


def _check(supervisor: Supervisor, configuration: Configuration, verified: VerifiedLog, kept: ExitStack) -> None:
    """Check the log that the first worker verified, and send each report to all workers, until ``kept`` closes."""

    def send(state: CheckState) -> None:
        supervisor.send(msgspec.json.encode(state) + b"\n")

    settings = configuration.log
    if verified.is_whole:
        record = CheckRecord.read(settings.folder)
        record.end(settings.folder, now=system_clock())
        send(CheckState(since=record.since))
        return
    task = CheckTask(
        data=settings.data,
        database=settings.database,
        size=verified.size,
        root=verified.root,
        keys=verified.key_leaves,
    )
    check = LogCheck(task, send)
    kept.callback(check.close)
    check.start()


class ParentLines:
    """Standard input of a worker: reports of the check, until the end, which means that the supervisor has ended."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._changed = threading.Lock()
        self._latest: CheckState | None = None
        self._take: Callable[[CheckState], None] | None = None
        lasting(self._read, name="parent").start()

    def attach(self, take: Callable[[CheckState], None]) -> None:
        """Call ``take`` with the newest report, if there is one, and with all that come."""
        with self._changed:
            self._take = take
            if self._latest is not None:
                take(self._latest)

    def _read(self) -> None:
        rest = b""
        while data := os.read(0, 4096):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                with self._changed:
                    self._latest = msgspec.json.decode(line, type=CheckState)
                    if self._take is not None:
                        self._take(self._latest)
        self._stop.set()


def _reserve(key: str, address: str, kept: ExitStack) -> str:
    """Hold the address until ``kept`` closes and return it with its port; return an empty address as it is."""
    try:
        return kept.enter_context(reserve_address(address)) if address else ""
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else "") or error_words(error)
        msg = f"{key} {address}: {why}; stop the process that has this address, or use another one"
        raise AddressError(msg) from None


def _announce(supervisor: Supervisor, stop: threading.Event) -> None:
    """Print one line once all workers are ready: the first worker's line, with the addresses of all workers."""
    try:
        printed = supervisor.start()
    except WorkerError:
        stop.set()
        return
    if not all(printed):
        return  # it was stopped before all were ready
    ready = [json.loads(line) for line in printed]
    ready[0].pop(VERIFIED)
    together = ready[0] | {
        "workers": [{key: one[key] for key in ("address", "metrics", "web") if key in one} for one in ready]
    }
    print(json.dumps(together), flush=True)  # noqa: T201 - for who started the process


def _await_end(supervisor: Supervisor, stop: threading.Event) -> None:
    supervisor.ended.wait()
    stop.set()
