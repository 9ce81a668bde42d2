"""The passphrase over private keys: from a file, from REFEREE_PASSPHRASE, or asked for in a terminal.

It is never a flag's value: a flag stands in the list of processes and in the shell's history, where others read it.
"""

import os
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.cli.ending import fail
from referee.server.keys import LEAST_PASSPHRASE, PASSPHRASE_VARIABLE, KeyFileError, Lock

NEW_VARIABLE: Final = "REFEREE_NEW_PASSPHRASE"
PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file", help=f"A file with the passphrase of the private keys; or {PASSPHRASE_VARIABLE}."
    ),
]
NewPassphraseFile = Annotated[
    Path | None, typer.Option("--new-passphrase-file", help=f"A file with the new passphrase; or {NEW_VARIABLE}.")
]


def lock_of(file: Path | None) -> Lock | None:
    """What opens encrypted keys, None where nothing was given; ends the command where the file cannot be read."""
    try:
        return Lock.of(str(file or ""), os.environ)
    except KeyFileError as error:
        fail(str(error))


def lock_to_open(file: Path | None) -> Lock:
    """What opens encrypted keys, asked for in a terminal where it was not given."""
    return lock_of(file) or _asked("Passphrase", confirm=False)


def lock_to_seal(file: Path | None, *, variable: str = PASSPHRASE_VARIABLE) -> Lock:
    """What keys are encrypted with, asked for twice in a terminal; ends the command where it is too short."""
    try:
        lock = Lock.of(str(file or ""), {PASSPHRASE_VARIABLE: os.environ.get(variable, "")})
    except KeyFileError as error:
        fail(str(error))
    lock = lock or _asked("New passphrase", confirm=True)
    if lock.is_short:
        fail(f"the passphrase has fewer than {LEAST_PASSPHRASE} bytes; take a longer one")
    return lock


def _asked(prompt: str, *, confirm: bool) -> Lock:
    if not sys.stdin.isatty():
        fail(f"give the passphrase in a file (--passphrase-file) or in {PASSPHRASE_VARIABLE}")
    return Lock(typer.prompt(prompt, hide_input=True, confirmation_prompt=confirm, err=True).encode())
