"""``referee serve``: run the server until it is asked to stop."""

from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, Final

import typer

from referee.cli.command import Commands
from referee.cli.config import ConfigFile, DatabaseFlag, DataFlag, Set, read_or_fail
from referee.cli.options import FOUND, fail
from referee.extras import install
from referee.server.keys.private_key import PASSPHRASE_VARIABLE
from referee.server.process import log_lines, serving
from referee.server.process.workers import supervise, worker_configuration
from referee.server.settings.configuration import SERVICES, Configuration
from referee.storage import DataLossError, StoreAwayError

app = Commands()

_PLAIN: Final = Configuration()


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
    log_lines.configure(quiet=configuration.serve.quiet, worker=worker)
    if configuration.serve.workers > 1 and worker is None:
        raise typer.Exit(
            0 if supervise(configuration, stopping=serving.stopping_seconds(configuration.serve)) else FOUND
        )
    try:
        gateway = _gateway(configuration.of_worker(worker or 0))
        serving.serve(configuration, gateway, worker=worker, announce=typer.echo)
    except StoreAwayError as error:
        fail(f"{error}. Start the database, or name the right one, then start this again")
    except DataLossError as error:
        fail(f"{error}. The log is damaged and nothing was changed; restore it from its backup")
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("opentelemetry"):
            raise
        fail(f"telemetry.trace needs {error.name}; {install('otel')}")


def _gateway(configuration: Configuration) -> AbstractContextManager[serving.GatewayDoor | None]:
    """Prepare the gateway for browsers, if there is one; end the command if the extra ``web`` is not installed."""
    if not configuration.web.listen:
        return nullcontext()
    try:
        from referee.web.door import door_for  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        fail(f"--web needs {error.name}; {install('web')}")
    return door_for(configuration)
