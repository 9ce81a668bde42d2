"""``referee serve --workers N``: the process that keeps the port and the workers, and nothing else."""

import json
import os
import sys
import threading
from contextlib import ExitStack
from typing import Final, NoReturn

import msgspec
import typer

from referee.cli.options import FOUND, fail
from referee.cli.stopping import until_asked
from referee.server.settings import Configuration
from referee.server.supervisor import RestartPolicy, Supervisor, WorkerError, reserve_address

_WORKER: Final = "--worker"
_TOLD: Final = "REFEREE_CREW"


def lead_crew(configuration: Configuration, *, stopping: float) -> NoReturn:
    """Workers serve until this process is asked to stop; it ends with 1 where they did not end well.

    Each is told its number and, by a variable, this process's settings with the addresses filled in: a worker that is
    started again much later serves as the others do, whatever was written into files meanwhile.
    """
    serve, web = configuration.serve, configuration.web
    with ExitStack() as kept:
        if not serve.apart:
            serve = msgspec.structs.replace(serve, listen=_reserved("serve.listen", serve.listen, kept))
            web = msgspec.structs.replace(web, listen=_reserved("web.listen", web.place, kept))
        told = msgspec.structs.replace(configuration, serve=serve, web=web)
        os.environ[_TOLD] = msgspec.json.encode(told).decode()
        command = [sys.executable, "-m", "referee", "serve", _WORKER]
        crew = Supervisor(
            [[*command, str(index)] for index in range(serve.workers)], patience=RestartPolicy(stopping=stopping)
        )
        stop = kept.enter_context(until_asked())
        threading.Thread(target=_announce, args=(crew, stop), daemon=True).start()
        threading.Thread(target=_await_end, args=(crew, stop), daemon=True).start()
        stop.wait()
        given_up = crew.ended.is_set()
        ended_well = crew.stop()
    raise typer.Exit(FOUND if given_up or not ended_well else 0)


def crew_configuration() -> Configuration:
    """What the process that started this worker told it."""
    try:
        return msgspec.json.decode(os.environ[_TOLD], type=Configuration)
    except (KeyError, msgspec.DecodeError) as error:
        fail(f"a worker is started by `referee serve --workers`, which sets {_TOLD}: {error}")


def _reserved(key: str, address: str, kept: ExitStack) -> str:
    """The address with its port filled in, this process's until it ends; empty for none."""
    try:
        return kept.enter_context(reserve_address(address)) if address else ""
    except (OSError, ValueError) as error:
        fail(f"{key} {address}: {error}")


def stop_without_crew(stop: threading.Event) -> None:
    """The event is set when standard input ends: whoever started this worker is gone."""

    def wait() -> None:
        while os.read(0, 4096):
            pass
        stop.set()

    threading.Thread(target=wait, name="crew", daemon=True).start()


def _announce(crew: Supervisor, stop: threading.Event) -> None:
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
        "workers": [{key: one[key] for key in ("address", "metrics", "web") if key in one} for one in ready]
    }
    sys.stdout.write(json.dumps(together) + "\n")
    sys.stdout.flush()


def _await_end(crew: Supervisor, stop: threading.Event) -> None:
    crew.ended.wait()
    stop.set()
