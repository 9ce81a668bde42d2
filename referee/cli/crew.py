"""``referee serve --workers N``: the process that keeps the port and the workers, and nothing else."""

import json
import os
import signal
import sys
import threading
from contextlib import ExitStack
from types import FrameType
from typing import Final, NoReturn

import typer

from referee.cli.ending import FOUND, fail
from referee.server.workers import Crew, Patience, WorkerError, reserved

_WORKER: Final = "--worker"


def lead_crew(listen: str, *, workers: int, apart: bool, stopping: float) -> NoReturn:
    """Workers serve until this process is asked to stop; it ends with 1 where they did not end well.

    Each is this very command once more, told its number and the address.
    """
    stop = threading.Event()
    with ExitStack() as kept:
        try:
            address = listen if apart else kept.enter_context(reserved(listen))
        except (OSError, ValueError) as error:
            fail(f"--listen {listen}: {error}")
        command = [sys.executable, "-m", "referee", *sys.argv[1:], "--listen", address]
        crew = Crew([[*command, _WORKER, str(index)] for index in range(workers)], patience=Patience(stopping=stopping))
        on_signals(stop)
        threading.Thread(target=_announce, args=(crew, stop), daemon=True).start()
        threading.Thread(target=_await_end, args=(crew, stop), daemon=True).start()
        stop.wait()
        given_up = crew.ended.is_set()
        ended_well = crew.stop()
    raise typer.Exit(FOUND if given_up or not ended_well else 0)


def on_signals(stop: threading.Event) -> None:
    """SIGTERM and Ctrl-C set the event."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, handle)
    signal.signal(signal.SIGINT, handle)


def stop_without_crew(stop: threading.Event) -> None:
    """The event is set when standard input ends: whoever started this worker is gone."""

    def wait() -> None:
        while os.read(0, 4096):
            pass
        stop.set()

    threading.Thread(target=wait, name="crew", daemon=True).start()


def _announce(crew: Crew, stop: threading.Event) -> None:
    """One line once all are ready: the first worker's, with everybody's addresses."""
    try:
        printed = crew.start()
    except WorkerError:
        stop.set()
        return
    if not all(printed):
        return  # stopped meanwhile
    ready = [json.loads(line) for line in printed]
    together = ready[0] | {
        "workers": [{key: one[key] for key in ("address", "metrics") if key in one} for one in ready]
    }
    sys.stdout.write(json.dumps(together) + "\n")
    sys.stdout.flush()


def _await_end(crew: Crew, stop: threading.Event) -> None:
    crew.ended.wait()
    stop.set()
