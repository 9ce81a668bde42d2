"""``referee advise``: compute what players may ask a server for advice about."""

import json
import os
import signal
from pathlib import Path
from typing import Annotated

import grpc
import typer

from referee.adviser.serving import NICENESS, AdviserServer, end_with_parent
from referee.cli.command import Commands
from referee.cli.options import fail
from referee.server.process import log_lines

app = Commands()

_SOCKET = "unix:"


@app.command(examples=["referee advise --listen unix:/run/referee/advice --rulesets my-rulesets"])
def advise(  # noqa: PLR0913 - one parameter an option
    *,
    listen: Annotated[str, typer.Option(help="Address, as unix:/path or 10.0.0.7:50061; port 0 takes a free one.")],
    token: Annotated[
        Path | None, typer.Option(help="File with the token of the server in front, which sends it with each call.")
    ] = None,
    certificate: Annotated[Path | None, typer.Option(help="PEM file with this process's certificate.")] = None,
    key: Annotated[Path | None, typer.Option(help="PEM file with its private key.")] = None,
    client_ca: Annotated[
        Path | None, typer.Option(help="PEM file with the authorities of the certificate of the server in front.")
    ] = None,
    rulesets: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder with your own rulesets, in which 'referee learn' wrote."),
    ] = None,
    # A server starts its own process with it; not for people.
    child: Annotated[bool, typer.Option("--child", hidden=True)] = False,
) -> None:
    """Advise for a server, which names this address as advice.address, until stopped.

    Without this command, 'referee serve' starts such a process for itself. Every caller that reaches the address could
    ask for advice without the server's access control: give a token, or certificates on both sides, unless it is a
    Unix socket in a folder that only the server may open. Prints one JSON line once it listens.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # also where the process that started this one ignores them
    problem = _problem_of(listen, token=token, certificate=certificate, key=key, client_ca=client_ca)
    if problem:
        fail(problem)
    log_lines.configure(quiet=True)
    os.nice(NICENESS)  # before any thread, which inherits it
    if child:
        end_with_parent(Path(listen.removeprefix(_SOCKET)).parent)
    server = AdviserServer(
        listen,
        token="" if token is None else token.read_text("utf-8").strip(),
        tables=rulesets,
        credentials=_credentials(certificate, key, client_ca),
    )
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])  # gRPC's threads inherit it: the main thread is meant
    server.start()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    address = listen if listen.startswith(_SOCKET) else f"{listen.rpartition(':')[0]}:{server.port}"
    typer.echo(json.dumps({"event": "ready", "address": address}))
    server.desk.run()


def _problem_of(
    listen: str, *, token: Path | None, certificate: Path | None, key: Path | None, client_ca: Path | None
) -> str:
    """Return what prevents advising with these options; empty for nothing."""
    for path in (token, certificate, key, client_ca):
        if path is not None and not path.is_file():
            return f"{path} is no file"
    if (certificate is None) != (key is None) or (client_ca is not None and certificate is None):
        return "--certificate and --key go together, and --client-ca needs both"
    if not listen.startswith(_SOCKET) and token is None and client_ca is None:
        return (
            f"anyone who reaches {listen} could ask for advice: give --token, or --certificate, --key and --client-ca"
        )
    return ""


def _credentials(certificate: Path | None, key: Path | None, client_ca: Path | None) -> grpc.ServerCredentials | None:
    """Return the credentials of TLS; None without a certificate."""
    if certificate is None or key is None:
        return None
    root = None if client_ca is None else client_ca.read_bytes()
    pair = key.read_bytes(), certificate.read_bytes()
    return grpc.ssl_server_credentials([pair], root, require_client_auth=root is not None)
