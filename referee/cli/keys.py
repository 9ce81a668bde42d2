"""``referee keys``."""

import os
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.ending import DataFolder, fail
from referee.server.app import DEFAULT_ORIGIN
from referee.server.keys import KeyFileError, KeyFolder


def keys(
    *,
    data: DataFolder = Path("referee-data"),
    make: Annotated[bool, typer.Option("--make", help="Make them where there are none.")] = False,
    origin: Annotated[str, typer.Option(help="Name of the log that new keys are for.")] = DEFAULT_ORIGIN,
) -> None:
    """Print the public keys, as C2SP verifier keys, one role a line. Publish log and root where players find them."""
    folder = data / "keys"
    if not make and not folder.exists():
        fail(f"{folder} does not exist; a server makes it on its first start, or add --make")
    try:
        found = KeyFolder.open_or_make(folder, origin=origin, entropy=os.urandom)
    except KeyFileError as error:
        fail(str(error))
    for role, key in (
        ("root", found.root),
        ("log", found.log),
        ("shuffler", found.shuffler),
        ("referee", found.referee),
    ):
        typer.echo(f"{role}\t{key.verifier_key}")
