"""``referee-table``: a referee, its gateway, the table server and the page, by one command."""

import asyncio
import contextlib
import json
import logging
import signal
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer
from referee_client import tls_credentials

from referee.evidence.printable import error_words
from referee.server.settings.port import is_port
from referee_table.launch import LaunchError, referee_beside
from referee_table.play import PAGE, Pace, Plan
from referee_table.serving import bound, serving


def _print_version(asked: bool) -> None:  # noqa: FBT001 - as typer calls it
    if asked:
        typer.echo(f"referee-table {metadata.version('referee-table')}")
        raise typer.Exit


Listen = Annotated[str, typer.Option(help="Address and port for browsers; port 0 takes a free one.")]
Referee = Annotated[str, typer.Option(help="A running referee, as host:port. Without this option one is started.")]
Gateway = Annotated[
    str, typer.Option(help="Address of its gateway, such as https://host/path. Without it no room can be sealed.")
]
Token = Annotated[Path | None, typer.Option(help="A file with this frontend's token, for a referee that asks for one.")]
Authorities = Annotated[Path | None, typer.Option(help="A PEM file with the referee's authorities; turns TLS on.")]
Certificate = Annotated[
    Path | None, typer.Option(help="This frontend's own certificate, for a referee that asks for one; PEM.")
]
Key = Annotated[Path | None, typer.Option(help="The private key of that certificate; PEM.")]
Tenant = Annotated[
    str, typer.Option(help="The tenant that this frontend acts for, with which its tables' names begin.")
]
Data = Annotated[Path, typer.Option(help="Folder for rooms, and for the log of a referee that is started.")]
Hosts = Annotated[
    list[str] | None,
    typer.Option(help="A name that browsers may call this server by, besides its address; may be given several times."),
]
Page = Annotated[Path, typer.Option(help="A folder with another page.", show_default=False)]
Brisk = Annotated[bool, typer.Option("--brisk", help="Let bots move at once, and settle without waiting for a show.")]


def table(  # noqa: PLR0913 - one parameter an option
    *,
    listen: Listen = "127.0.0.1:8800",
    referee: Referee = "",
    gateway: Gateway = "",
    referee_token: Token = None,
    referee_ca: Authorities = None,
    referee_certificate: Certificate = None,
    referee_key: Key = None,
    tenant: Tenant = "",
    data: Data = Path("referee-table-data"),
    host: Hosts = None,
    page: Page = PAGE,
    brisk: Brisk = False,
    version: Annotated[  # noqa: ARG001 - its callback answers
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Serve a card table for browsers until stopped: play money, bots, and a proof of every round.

    Prints one JSON line with the address once pages can be opened.
    """
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    try:
        address, _, port = listen.rpartition(":")
        address = address or "127.0.0.1"
        _check_options(listen, port, is_half_named=(referee_certificate is None) != (referee_key is None))
        pems = [None if path is None else path.read_bytes() for path in (referee_ca, referee_certificate, referee_key)]
        plan = Plan(
            referee=referee,
            gateway=gateway.rstrip("/") or None,
            token="" if referee_token is None else referee_token.read_text(encoding="ascii").strip(),
            tenant=tenant,
            credentials=tls_credentials(authorities=pems[0], certificate=pems[1], key=pems[2]) if any(pems) else None,
            folder=data / "rooms",
            page=page,
            hosts=(*(host or ()), address.strip("[]")),
            pace=Pace(bot_ms=0, is_brisk=True) if brisk else Pace(),
        )
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        asyncio.run(_serve(plan, host=address, port=int(port), data=data))
    except (LaunchError, OSError) as error:
        typer.echo(f"referee-table: {error_words(error)}", err=True)
        raise typer.Exit(2) from None


def _check_options(listen: str, port: str, *, is_half_named: bool) -> None:
    """Refuse an address without a port, and a certificate without its key, which would end the process in gRPC."""
    if not is_port(port):
        raise LaunchError(f"--listen {listen} has no port of 0 to 65535; write host:port, such as 127.0.0.1:8800")
    if is_half_named:
        raise LaunchError("--referee-certificate and --referee-key need each other; give both, or neither")


async def _serve(plan: Plan, *, host: str, port: int, data: Path) -> None:
    listening, stopped = bound(host, port), asyncio.Event()
    address = f"{host}:{listening.getsockname()[1]}"
    origins = sorted({f"http://{address}", f"http://localhost:{address.rpartition(':')[2]}"})
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with contextlib.AsyncExitStack() as stack:
        if not plan.referee:
            found = await stack.enter_async_context(referee_beside(data / "referee", origins=origins))
            plan = replace(plan, referee=found.grpc, gateway=f"http://{found.web}")
        await stack.enter_async_context(serving(plan, listening))
        ready = {"event": "ready", "address": address, "url": f"http://{address}/", "gateway": plan.gateway}
        sys.stdout.write(json.dumps(ready | {"referee": plan.referee}) + "\n")
        sys.stdout.flush()
        await stopped.wait()


def main() -> None:
    """Run the command."""
    typer.run(table)


if __name__ == "__main__":
    main()
