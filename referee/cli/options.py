"""Options that several commands share, and how a command ends when it cannot be carried out."""

import os
import sys
from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer
from rich.console import Console
from rich.markup import escape

from referee.rulesets import Catalogue, RulesetError, load_builtin, load_folder
from referee.server.keys import LEAST_PASSPHRASE, PASSPHRASE_VARIABLE, KeyFileError, Lock

FOUND: Final = 1
UNANSWERABLE: Final = 2
NEW_VARIABLE: Final = "REFEREE_NEW_PASSPHRASE"

DataFolder = Annotated[Path, typer.Option("--data", help="Folder with the log and the keys.")]
Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        envvar="REFEREE_DATABASE",
        help="A log in PostgreSQL, as postgresql://user@host/database; the keys stay in the data folder.",
    ),
]
RulesetFolder = Annotated[
    Path | None,
    typer.Option("--rulesets", help="Folder with your own rulesets, as TOML files.", exists=True, file_okay=False),
]
RootKey = Annotated[
    Path | None,
    typer.Option("--root", help="The root's private key, if it is kept elsewhere.", exists=True, dir_okay=False),
]
# A passphrase is never the value of a flag: the list of processes and the shell's history would show it.
PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file", help=f"A file with the passphrase of the private keys; or {PASSPHRASE_VARIABLE}."
    ),
]
NewPassphraseFile = Annotated[
    Path | None, typer.Option("--new-passphrase-file", help=f"A file with the new passphrase; or {NEW_VARIABLE}.")
]


def fail(message: str) -> NoReturn:
    """Print why the command cannot be carried out, and end it with exit code 2."""
    Console(stderr=True).print(f"[red]referee:[/] {escape(message)}", highlight=False, soft_wrap=True)
    raise typer.Exit(UNANSWERABLE)


def catalogue_of(folder: Path | None) -> Catalogue:
    """Return the built-in rulesets and those of the folder; end the command if one of its files is not a ruleset."""
    try:
        return load_builtin() if folder is None else load_folder(folder)
    except (RulesetError, OSError) as error:
        fail(str(error))


def lock_of(file: Path | None) -> Lock | None:
    """Return the lock of a passphrase, None if none was given; end the command if the file cannot be read."""
    try:
        return Lock.of(str(file or ""), os.environ)
    except KeyFileError as error:
        fail(str(error))


def lock_to_open(file: Path | None) -> Lock:
    """Return the lock of a passphrase; ask for it in a terminal if it was not given."""
    return lock_of(file) or _ask("Passphrase", confirm=False)


def lock_to_seal(file: Path | None, *, variable: str = PASSPHRASE_VARIABLE) -> Lock:
    """Return the lock to encrypt keys with; ask for its passphrase twice in a terminal if it was not given."""
    try:
        lock = Lock.of(str(file or ""), {PASSPHRASE_VARIABLE: os.environ.get(variable, "")})
    except KeyFileError as error:
        fail(str(error))
    lock = lock or _ask("New passphrase", confirm=True)
    if lock.is_short:
        fail(f"the passphrase has fewer than {LEAST_PASSPHRASE} bytes; choose a longer one")
    return lock


def _ask(prompt: str, *, confirm: bool) -> Lock:
    if not sys.stdin.isatty():
        fail(f"give the passphrase in a file (--passphrase-file) or in {PASSPHRASE_VARIABLE}")
    return Lock(typer.prompt(prompt, hide_input=True, confirmation_prompt=confirm, err=True).encode())
