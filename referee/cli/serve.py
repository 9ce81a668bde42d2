"""``referee serve``."""

import json
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from referee.cli import logging
from referee.cli.crew import lead_crew, on_signals, stop_without_crew
from referee.cli.ending import Database, DataFolder, RulesetFolder, catalogue_of, fail
from referee.evidence.vkey import KeyTextError
from referee.log.cosignature import QuorumError, quorum_of
from referee.server.app import DEFAULT_ORIGIN, SERVICES, Application, Settings
from referee.server.correspondent import Address, WitnessError
from referee.server.cosigner import Witnesses
from referee.server.drain import Drain
from referee.server.heap import freeze_heap
from referee.server.keys import KeyFileError
from referee.server.watcher import Watcher
from referee.server.workers import next_port
from referee.storage import DataLossError, StoreError

_STOPPING_SECONDS = 20.0
"""What a worker may take to stop besides its drain: revealing what has ended, compacting the log."""


def serve(  # noqa: PLR0913 - one parameter an option
    *,
    data: DataFolder = Path("referee-data"),
    database: Database = None,
    listen: Annotated[str, typer.Option(help="Address and port; port 0 takes a free one.")] = "127.0.0.1:50051",
    services: Annotated[str, typer.Option(help=f"Which services: {', '.join(SERVICES)}.")] = ",".join(SERVICES),
    origin: Annotated[str, typer.Option(help="Name of a new log; an existing one keeps its own.")] = DEFAULT_ORIGIN,
    threads: Annotated[int, typer.Option(help="Calls answered at once.", min=1, max=256)] = 8,
    rulesets: RulesetFolder = None,
    witness: Annotated[
        list[str] | None, typer.Option(help="A witness's address, as http://host:port; may be given several times.")
    ] = None,
    witness_key: Annotated[
        list[str] | None, typer.Option(help="The verifier key of each witness, in the order of --witness.")
    ] = None,
    witness_quorum: Annotated[int, typer.Option(help="How many witnesses must cosign; 0 for all of them.", min=0)] = 0,
    witness_required: Annotated[
        bool, typer.Option("--witness-required", help="Do not start while a witness cannot be asked.")
    ] = False,
    root: Annotated[
        Path | None, typer.Option(help="The root's private key, where it is kept elsewhere; for the first start.")
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes that share the address, each on a core.", min=1, max=64)] = 1,
    apart: Annotated[
        bool, typer.Option("--apart", help="Each worker on a port of its own, counted up from the address's.")
    ] = False,
    metrics: Annotated[
        str, typer.Option(help="Address for Prometheus, as 127.0.0.1:9464; each further worker takes the next port.")
    ] = "",
    trace: Annotated[
        bool, typer.Option("--trace", help="Spans over OTLP, by the OTEL_EXPORTER_OTLP_* variables.")
    ] = False,
    drain_lead: Annotated[
        float, typer.Option(help="Seconds between health saying NOT_SERVING and the last call taken.", min=0)
    ] = 0.0,
    drain_grace: Annotated[float, typer.Option(help="Seconds for accepted calls when stopping.", min=0)] = 10.0,
    quiet: Annotated[bool, typer.Option("--quiet", help="No line for each call.")] = False,
    worker: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """Serve on one address until stopped; keys and log are made on the first start.

    Prints one JSON line with the address once it listens. SIGTERM and Ctrl-C answer the calls that were accepted and
    then stop.
    """
    logging.configure(quiet=quiet, worker=worker)
    wanted = [name.strip() for name in services.split(",") if name.strip()]
    unknown = sorted(set(wanted) - set(SERVICES))
    if unknown or not wanted:
        fail(f"--services names {', '.join(unknown) or 'nothing'}; there are {', '.join(SERVICES)}")
    if workers > 1 and worker is None:
        lead_crew(listen, workers=workers, apart=apart, stopping=drain_lead + drain_grace + _STOPPING_SECONDS)
    index = worker or 0
    settings = Settings(
        data=data,
        database=database,
        root=root,
        witnesses=witnesses_of(witness or [], witness_key or [], quorum=witness_quorum, is_required=witness_required),
        listen=next_port(listen, index) if apart else listen,
        is_port_shared=worker is not None and not apart,
        metrics=next_port(metrics, index) if metrics else "",
        watchers=[_tracing()] if trace else [],
        drain=Drain(lead=drain_lead, grace=drain_grace),
        origin=origin,
        services=wanted,
        threads=threads,
        catalogue=catalogue_of(rulesets),
        populations=rulesets,
    )
    stop = threading.Event()
    on_signals(stop)
    if worker is not None:
        stop_without_crew(stop)
    try:
        application = Application(settings).start()
        freeze_heap()
    except (KeyFileError, StoreError, WitnessError, OSError, RuntimeError) as error:
        fail(str(error))
    except DataLossError as error:
        fail(f"{error}. The log is damaged and nothing was changed; restore it from its backup")
    host = listen.rpartition(":")[0]
    ready = {"event": "ready", "address": f"{host}:{application.port}", "origin": application.origin}
    if application.metrics_port:
        ready["metrics"] = f"{metrics.rpartition(':')[0]}:{application.metrics_port}"
    sys.stdout.write(json.dumps(ready) + "\n")
    sys.stdout.flush()
    stop.wait()
    application.close()


def witnesses_of(addresses: list[str], keys: list[str], *, quorum: int, is_required: bool) -> Witnesses | None:
    """The witnesses that options name, None for none; ends the command where they cannot be meant."""
    if not addresses and not keys:
        return None
    if len(addresses) != len(keys):
        fail(f"{len(addresses)} witnesses have {len(keys)} keys; give --witness-key for each --witness, in its order")
    try:
        agreed = quorum_of(keys, needed=quorum or None)
        named = tuple(Address(url, key) for url, key in zip(addresses, agreed.witnesses, strict=True))
    except (KeyTextError, QuorumError, ValueError) as error:
        fail(str(error))
    if agreed.doubled:
        fail(f"{agreed.doubled[0].text} is the key of another witness too; one key is one witness")
    return Witnesses(addresses=named, quorum=agreed, is_required=is_required)


def _tracing() -> Watcher:
    try:
        from referee.server.tracing import exporting  # noqa: PLC0415 - an extra that few install

        return exporting()
    except ModuleNotFoundError as error:
        fail(f"--trace needs {error.name}: pip install 'referee[otel]'")
