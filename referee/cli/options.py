"""Options that several commands share, and ``fail``, which ends a command that cannot be carried out."""

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Final, NoReturn

import msgspec
import typer
from rich.console import Console
from rich.markup import escape

from referee.cli.exit_codes import UNANSWERABLE
from referee.evidence.printable import ascii_json, printable_lines
from referee.rulesets import Catalogue, load_builtin, load_folder
from referee.server.keys.private_key import LEAST_PASSPHRASE, PASSPHRASE_VARIABLE, Passphrase
from referee.server.settings.variable import variable_of

# If an option is also a setting of the server, its environment variable is the server's.
FOUND: Final = 1
NEW_VARIABLE: Final = "REFEREE_NEW_PASSPHRASE"
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
LONGEST_TIME: Final = 16
"""Digits of the longest time in ms that a leaf can have."""

DataFolder = Annotated[
    Path,
    typer.Option("--data", metavar="FOLDER", envvar=variable_of("log.data"), help="Folder with the log and the keys."),
]
Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        envvar=variable_of("log.database"),
        help="A log in PostgreSQL, by its URL (postgresql://...); the keys stay in the data folder.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON on standard output.")]
RulesetFolder = Annotated[
    Path | None,
    typer.Option(
        "--rulesets",
        envvar=variable_of("serve.rulesets"),
        help="Folder with your own rulesets, as TOML files.",
        exists=True,
        file_okay=False,
    ),
]
RootKey = Annotated[
    Path | None,
    typer.Option(
        "--root",
        envvar=variable_of("keys.root"),
        help="The root's private key, if it is kept elsewhere.",
        exists=True,
        dir_okay=False,
    ),
]
# No flag takes a passphrase as its value: the list of processes and the shell's history would show it.
PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        envvar=variable_of("keys.passphrase_file"),
        help=f"A file with the passphrase of the private keys; or {PASSPHRASE_VARIABLE}.",
    ),
]
NewPassphraseFile = Annotated[
    Path | None, typer.Option("--new-passphrase-file", help=f"A file with the new passphrase; or {NEW_VARIABLE}.")
]


def read_time(text: str) -> int:
    """Return a time in ms since 1970 UTC, of which ``text`` is the number, or which it writes with its zone.

    >>> read_time("1800000000123"), read_time("2027-01-15T08:00:00.123Z"), read_time("2027-01-15 08:00:00 UTC")
    (1800000000123, 1800000000123, 1800000000000)
    """
    if text.isascii() and text.isdecimal() and len(text) <= LONGEST_TIME:
        return int(text)
    try:
        moment = datetime.fromisoformat(text.replace(" UTC", "Z"))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or moment < EPOCH:
        raise typer.BadParameter(
            f"{text!a} is no time: write it with its zone, as 2026-11-24T12:00:00Z, or in ms since 1970 UTC"
        )
    return (moment - EPOCH) // timedelta(milliseconds=1)


AsOf = Annotated[
    int | None,
    typer.Option(
        "--as-of",
        metavar="TIME",
        parser=read_time,
        help="The time by which deadlines are judged, as 2026-11-24T12:00:00Z or in ms since 1970 UTC. Without it, a "
        "copy is judged as of the newest time in it, and a running log as of now.",
    ),
]


def fail(message: str) -> NoReturn:
    """Print the reason why the command cannot be carried out, and end it with exit code 2.

    Characters that are not printable ASCII are escaped, since the message may quote others.
    """
    Console(stderr=True).print(f"[red]referee:[/] {escape(printable_lines(message))}", highlight=False, soft_wrap=True)
    raise typer.Exit(UNANSWERABLE)


def print_json(value: object) -> None:
    """Print a value as indented JSON, for programs that read a command's output."""
    typer.echo(ascii_json(msgspec.json.format(msgspec.json.encode(value), indent=2).decode()))


def answer(value: object, text: str, *, as_json: bool) -> None:
    """Print a command's answer: ``value`` as JSON, or else the text."""
    if as_json:
        print_json(value)
    else:
        typer.echo(text)


def catalogue_of(folder: Path | None) -> Catalogue:
    """Return the built-in rulesets and those of the folder, if given; raise RulesetError if a file there is none."""
    return load_builtin() if folder is None else load_folder(folder)


def passphrase_of(file: Path | None) -> Passphrase | None:
    """Return the passphrase from the file or the environment; None without either. Raise KeyFileError on a bad file."""
    return Passphrase.of(str(file or ""), os.environ)


def passphrase_to_decrypt(file: Path | None) -> Passphrase:
    """Return the passphrase from the file or the environment; without either, ask for it in the terminal."""
    return passphrase_of(file) or _ask("Passphrase", confirm=False)


def passphrase_to_encrypt(file: Path | None, *, variable: str = PASSPHRASE_VARIABLE) -> Passphrase:
    """Return the passphrase to encrypt keys with; if none is given, ask for it twice in the terminal.

    End the command if it is too short.
    """
    passphrase = Passphrase.of(str(file or ""), {PASSPHRASE_VARIABLE: os.environ.get(variable, "")})
    passphrase = passphrase or _ask("New passphrase", confirm=True)
    if passphrase.is_short:
        fail(f"the passphrase has fewer than {LEAST_PASSPHRASE} bytes; choose a longer one")
    return passphrase


def _ask(prompt: str, *, confirm: bool) -> Passphrase:
    if not sys.stdin.isatty():
        fail(f"give the passphrase in a file (--passphrase-file) or in {PASSPHRASE_VARIABLE}")
    return Passphrase(typer.prompt(prompt, hide_input=True, confirmation_prompt=confirm, err=True).encode())
