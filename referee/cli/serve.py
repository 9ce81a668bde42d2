"""``referee serve``."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from referee.cli import logging
from referee.cli.browsers import door_for
from referee.cli.config import ConfigFile, Set, read_or_fail
from referee.cli.crew import crew_configuration, lead_crew, stop_without_crew
from referee.cli.options import catalogue_of, fail, lock_of
from referee.cli.stopping import until_asked
from referee.server.app import Application, freeze_heap
from referee.server.drain import Drain
from referee.server.keys import KeyFileError
from referee.server.options import SERVICES, ServerObserver, ServerOptions
from referee.server.remote_signer import AgentClient
from referee.server.settings import Configuration, ServeSettings, witnesses_of
from referee.server.supervisor import next_port
from referee.server.witness_client import WitnessError
from referee.storage import DataLossError, StoreError

_STOPPING_SECONDS: Final = 20.0
"""What a worker may take to stop besides its drain: revealing what has ended, compacting the log."""
_PLAIN: Final = Configuration()


def serve(  # noqa: PLR0913 - one parameter an option
    *,
    config: ConfigFile = None,
    extra: Set = None,
    data: Annotated[
        str | None, typer.Option(help="Folder with the log and the keys.", show_default=_PLAIN.log.data)
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            help="A log in PostgreSQL, as postgresql://user@host/database; the keys stay in the data folder. "
            "Also REFEREE_DATABASE."
        ),
    ] = None,
    listen: Annotated[
        str | None,
        typer.Option(help="Address and port; port 0 takes a free one.", show_default=_PLAIN.serve.listen),
    ] = None,
    services: Annotated[
        str | None, typer.Option(help=f"Which services: {', '.join(SERVICES)}; all by default.")
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(help="Name of a new log; an existing one keeps its own.", show_default=_PLAIN.log.origin),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Calls answered at once.", show_default=str(_PLAIN.serve.threads))
    ] = None,
    queue: Annotated[
        int | None,
        typer.Option(help="Calls that may wait for a thread; more are refused.", show_default=str(_PLAIN.serve.queue)),
    ] = None,
    streams: Annotated[
        int | None,
        typer.Option(help="Calls that a connection may have under way.", show_default=str(_PLAIN.serve.streams)),
    ] = None,
    rulesets: Annotated[str | None, typer.Option(help="Folder with rulesets of your own, as TOML files.")] = None,
    witness: Annotated[
        list[str] | None, typer.Option(help="A witness's address, as http://host:port; may be given several times.")
    ] = None,
    witness_key: Annotated[
        list[str] | None, typer.Option(help="The verifier key of each witness, in the order of --witness.")
    ] = None,
    witness_quorum: Annotated[
        int | None, typer.Option(help="How many witnesses must cosign; 0 for all of them.", show_default="0")
    ] = None,
    witness_required: Annotated[
        bool | None,
        typer.Option("--witness-required/--no-witness-required", help="Do not start while a witness cannot be asked."),
    ] = None,
    insecure: Annotated[
        bool | None,
        typer.Option("--insecure/--no-insecure", help="Serve other machines although anybody may ask, or listen."),
    ] = None,
    root: Annotated[
        str | None, typer.Option(help="The root's private key, where it is kept elsewhere; for the first start.")
    ] = None,
    passphrase_file: Annotated[
        str | None, typer.Option(help="A file with the passphrase of the private keys; or REFEREE_PASSPHRASE.")
    ] = None,
    signer: Annotated[
        str | None, typer.Option(help="A process that holds the signing keys, as unix:/run/referee/signer.sock.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes that share the address, each on a core.", show_default=str(_PLAIN.serve.workers)),
    ] = None,
    apart: Annotated[
        bool | None,
        typer.Option("--apart/--no-apart", help="Each worker on a port of its own, counted up from the address's."),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(help="Address for Prometheus, as 127.0.0.1:9464; each further worker takes the next port."),
    ] = None,
    trace: Annotated[
        bool | None,
        typer.Option("--trace/--no-trace", help="Spans over OTLP, by the OTEL_EXPORTER_OTLP_* variables."),
    ] = None,
    web: Annotated[
        str | None, typer.Option(help="Address for browsers, as 127.0.0.1:8080: gRPC-Web, Connect and JSON over HTTP.")
    ] = None,
    web_origin: Annotated[
        list[str] | None, typer.Option(help="An origin whose pages may ask, as https://play.example.com; repeatable.")
    ] = None,
    web_host: Annotated[
        list[str] | None, typer.Option(help="A name that browsers reach --web by, as play.example.com; repeatable.")
    ] = None,
    web_page: Annotated[str | None, typer.Option(help="A folder with a page to serve at --web.")] = None,
    drain_lead: Annotated[
        float | None,
        typer.Option(
            help="Seconds between health saying NOT_SERVING and the last call taken.",
            show_default=str(_PLAIN.serve.drain_lead),
        ),
    ] = None,
    drain_grace: Annotated[
        float | None,
        typer.Option(help="Seconds for accepted calls when stopping.", show_default=str(_PLAIN.serve.drain_grace)),
    ] = None,
    quiet: Annotated[bool | None, typer.Option("--quiet/--no-quiet", help="No line for each call.")] = None,
    worker: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """Serve on one address until stopped; keys and log are made on the first start.

    What no flag says comes from the environment (REFEREE_SERVE_THREADS), else from the configuration file, else it is
    the default. Prints one JSON line with the address once it listens. SIGTERM and Ctrl-C answer the calls that were
    accepted and then stop.
    """
    flags: dict[str, object] = {
        "log.data": data,
        "log.database": database,
        "log.origin": origin,
        "serve.listen": listen,
        "serve.services": None if services is None else [name.strip() for name in services.split(",") if name.strip()],
        "serve.threads": threads,
        "serve.queue": queue,
        "serve.streams": streams,
        "serve.rulesets": rulesets,
        "serve.workers": workers,
        "serve.apart": apart,
        "serve.drain_lead": drain_lead,
        "serve.drain_grace": drain_grace,
        "serve.quiet": quiet,
        "witnesses.urls": witness or None,
        "witnesses.keys": witness_key or None,
        "witnesses.quorum": witness_quorum,
        "witnesses.required": witness_required,
        "access.insecure": insecure,
        "keys.root": root,
        "keys.passphrase_file": passphrase_file,
        "keys.signer": signer,
        "telemetry.metrics": metrics,
        "telemetry.trace": trace,
        "web.listen": web,
        "web.origins": web_origin or None,
        "web.hosts": web_host or None,
        "web.page": web_page,
    }
    if worker is None:
        given = {key: value for key, value in flags.items() if value is not None}
        configuration = read_or_fail(config=config, flags=given, extra=extra or ()).configuration
    else:
        configuration = crew_configuration()
    logging.configure(quiet=configuration.serve.quiet, worker=worker)
    if configuration.serve.workers > 1 and worker is None:
        lead_crew(configuration, stopping=_stopping_seconds(configuration.serve))
    _serve(configuration, worker=worker)


def _serve(configuration: Configuration, *, worker: int | None) -> None:
    """One process serves until it is asked to stop."""
    serving, metrics, web = configuration.serve, configuration.telemetry.metrics, configuration.web
    if web.listen and serving.apart:
        web = msgspec.structs.replace(web, listen=next_port(web.place, worker or 0))
    settings = _settings_of(configuration, worker=worker)
    with until_asked() as stop, door_for(web, tls=configuration.tls, limits=configuration.limits) as door:
        if worker is not None:
            stop_without_crew(stop)
        try:
            application = Application(
                replace(settings, gateway_sockets=door.sockets, gateway_pass=door.gateway_pass)
            ).start()
            browsers = door.open(application, is_port_shared=settings.is_port_shared, grace=serving.drain_grace)
            freeze_heap()
        except (KeyFileError, StoreError, WitnessError, OSError, RuntimeError) as error:
            fail(str(error))
        except DataLossError as error:
            fail(f"{error}. The log is damaged and nothing was changed; restore it from its backup")
        host = serving.listen.rpartition(":")[0]
        ready = {"event": "ready", "address": f"{host}:{application.port}", "origin": application.origin}
        if application.metrics_port:
            ready["metrics"] = f"{metrics.rpartition(':')[0]}:{application.metrics_port}"
        if browsers:
            ready["web"] = browsers
        sys.stdout.write(json.dumps(ready) + "\n")
        sys.stdout.flush()
        stop.wait()
        application.close()


def _settings_of(configuration: Configuration, *, worker: int | None) -> ServerOptions:
    """What this process is told, being the worker of that number, or the only one."""
    serving, log, metrics = configuration.serve, configuration.log, configuration.telemetry.metrics
    rulesets = Path(serving.rulesets) if serving.rulesets else None
    keys = configuration.keys
    index = worker or 0
    return ServerOptions(
        data=Path(log.data),
        database=log.database or None,
        root=Path(keys.root) if keys.root else None,
        lock=lock_of(Path(keys.passphrase_file) if keys.passphrase_file else None),
        agent=AgentClient(keys.signer) if keys.signer else None,
        witnesses=witnesses_of(configuration.witnesses),
        listen=next_port(serving.listen, index) if serving.apart else serving.listen,
        is_port_shared=worker is not None and not serving.apart,
        metrics=next_port(metrics, index) if metrics else "",
        observers=[_tracing()] if configuration.telemetry.trace else [],
        drain=Drain(lead=serving.drain_lead, grace=serving.drain_grace),
        origin=log.origin,
        services=serving.services,
        threads=serving.threads,
        queue=serving.queue,
        streams=serving.streams,
        tls=configuration.tls,
        access=configuration.access,
        limits=configuration.limits,
        catalogue=catalogue_of(rulesets),
        populations=rulesets,
    )


def _stopping_seconds(serving: ServeSettings) -> float:
    return serving.drain_lead + 2 * serving.drain_grace + _STOPPING_SECONDS


def _tracing() -> ServerObserver:
    try:
        from referee.server.tracing import exporting  # noqa: PLC0415 - an extra that few install

        return exporting()
    except ModuleNotFoundError as error:
        fail(f"--trace needs {error.name}: pip install 'referee[otel]'")
