"""``referee witness``."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.command import Commands
from referee.cli.options import PassphraseFile, fail, passphrase_of
from referee.evidence.outside import OutsideError, read_text
from referee.evidence.printable import error_words
from referee.evidence.vkey import Algorithm
from referee.log.policy import MAX_POLICY
from referee.server.clock import system_clock
from referee.server.keys.private_key import open_or_make_key, read_key
from referee.server.process import log_lines
from referee.server.process.address import listening
from referee.server.process.stopping import until_asked
from referee.server.settings.port import is_port
from referee.witness import Witness, WitnessServer, WitnessState
from referee.witness.trust import read_trusted

app = Commands()


@app.command(examples=["referee witness --log KEY --listen 127.0.0.1:50052"])
def witness(  # noqa: PLR0913 - one parameter an option
    *,
    data: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Folder with the witness's key and its records of logs.")
    ] = Path("witness-data"),
    listen: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address and port; port 0 takes a free one.")
    ] = "127.0.0.1:50052",
    name: Annotated[str, typer.Option(metavar="NAME", help="Name of a new witness; an existing one keeps its own.")] = (
        "localhost/witness"
    ),
    log: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="The verifier key of a log to witness; may be given several times."),
    ] = None,
    logs: Annotated[
        Path | None,
        typer.Option(help="A file of lines as in a C2SP tlog-policy: log <verifier key>.", exists=True, dir_okay=False),
    ] = None,
    passphrase_file: PassphraseFile = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No line for each submission.")] = False,
) -> None:
    """Witness logs over HTTP (C2SP tlog-witness) until stopped; the key is made on the first start.

    Prints one JSON line with the address and the witness's verifier key once it listens. Keep the folder as safe as the
    key in it: a witness that lost its records must not go on under that key.
    """
    log_lines.configure(quiet=quiet)
    host, _, port = listen.rpartition(":")
    if not host or not is_port(port):
        fail(f"--listen {listen} is not host:port, such as 127.0.0.1:50052")
    lines = [f"log {key}" for key in log or ()]
    trusted = read_trusted("\n".join([*lines, _text_of(logs) if logs else ""]))
    if not trusted:
        fail("name a log to witness, with --log or --logs")
    state, key = data / "witness.sqlite3", data / "witness.key"
    if key.exists() and not state.exists():
        fail(f"{state} is gone, and with it what {key} has cosigned; begin anew with another folder")
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    state.touch(mode=0o600)  # SQLite gives the files beside it the same mode
    seen = WitnessState(state)
    passphrase = passphrase_of(passphrase_file)
    signer = open_or_make_key(
        key,
        name=read_key(key, passphrase).name if key.exists() else name,
        algorithm=Algorithm.COSIGNATURE_V1,
        entropy=os.urandom,
        passphrase=passphrase,
    )
    own = Witness(seen, signer, name=signer.name, trusted=trusted, clock=lambda: system_clock() // 1000)
    with until_asked() as stop:
        with listening("--listen", listen):
            listener = WitnessServer(own, host=host.strip("[]"), port=int(port)).start()
        ready = {"event": "ready", "address": f"{host}:{listener.port}", "key": own.key.text}
        typer.echo(json.dumps(ready))
        stop.wait()
        listener.close()
        seen.close()


def _text_of(path: Path) -> str:
    try:
        return read_text(path.read_bytes(), most=MAX_POLICY)
    except (OSError, OutsideError) as error:
        fail(f"--logs {path} cannot be read: {error_words(error)}")
