"""``referee keys``: the public keys, and their change."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.cli import keys_at_rest
from referee.cli.options import Database, DataFolder, PassphraseFile, fail, passphrase_of
from referee.server.folder_lock import FolderInUseError
from referee.server.key_folder import EVERY, ROLES, KeyFolder, is_encrypted_file
from referee.server.key_rotation import CHANGING, KeyRotation, KeyRotationError
from referee.server.keys import KeyFileError, Passphrase
from referee.server.options import DEFAULT_ORIGIN
from referee.storage import DataLossError, StoreError

app = typer.Typer(
    help="Print the public keys, as C2SP verifier keys, one role a line; change keys with a command below.",
    invoke_without_command=True,
)

_ROLES: Final = ", ".join(CHANGING)
RootKey = keys_at_rest.RootKey


@app.callback()
def keys(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    *,
    data: DataFolder = Path("referee-data"),
    make: Annotated[bool, typer.Option("--make", help="Make them where there are none.")] = False,
    origin: Annotated[str, typer.Option(help="Name of the log that new keys are for.")] = DEFAULT_ORIGIN,
    root: Annotated[
        Path | None, typer.Option(help="Where the root's private key is made, if not beside the others.")
    ] = None,
    public: Annotated[
        bool, typer.Option("--public", help="Do not look for private keys; they are kept elsewhere.")
    ] = False,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Print the public keys, as C2SP verifier keys, one role a line. Publish log and root where players find them.

    Private keys are checked to be there, but for the root's, which may be away. Encrypted ones are opened where their
    passphrase is given.
    """
    if context.invoked_subcommand is not None:
        return
    folder = data / "keys"
    if not make and not folder.exists():
        fail(f"{folder} does not exist; a server makes it on its first start, or add --make")
    try:
        passphrase = passphrase_of(passphrase_file)
        private = () if public else _checked(folder, is_openable=passphrase is not None)
        found = KeyFolder.open_or_make(
            folder, origin=origin, entropy=os.urandom, private=private, root=root, passphrase=passphrase
        )
    except KeyFileError as error:
        fail(str(error))
    for role in ROLES:
        typer.echo(f"{role}\t{found.public[role].text}")


@app.command()
def rotate(
    role: Annotated[str, typer.Argument(help=f"Whose key: {_ROLES}.")],
    *,
    data: DataFolder = Path("referee-data"),
    root: RootKey = None,
    database: Database = None,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Name a new key for a role in the log, while no server runs, and print it.

    The old key of shuffler or referee is revoked at once. A log's old key signs beside the new one until it is revoked:
    give the new one to witnesses and players first.
    """
    with _changing(data, root, database, passphrase_of(passphrase_file)) as rotation:
        typer.echo(f"{role}\t{rotation.rotate(role).text}")


@app.command()
def revoke(
    named: Annotated[str, typer.Argument(metavar="ROLE|KEY", help=f"A role ({_ROLES}), or a verifier key.")],
    *,
    data: DataFolder = Path("referee-data"),
    root: RootKey = None,
    database: Database = None,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Revoke a key in the log, while no server runs, and print it. What it signed before still counts.

    For a log that has two, its old key. A role without a key serves no more until ``rotate`` names a new one.
    """
    with _changing(data, root, database, passphrase_of(passphrase_file)) as rotation:
        typer.echo(f"revoked\t{rotation.revoke(named).text}")


def _checked(folder: Path, *, is_openable: bool) -> tuple[str, ...]:
    """Return the private keys to read: all but a root's kept elsewhere, and encrypted ones without a passphrase."""
    is_away = (folder / "root.pub").exists() and not (folder / "root.key").exists()
    there = (role for role in EVERY if role != "root" or not is_away)
    return tuple(role for role in there if is_openable or not is_encrypted_file(folder / f"{role}.key"))


@contextmanager
def _changing(
    data: Path, root: Path | None, database: str | None, passphrase: Passphrase | None
) -> Iterator[KeyRotation]:
    if not (data / "keys").exists():
        fail(f"{data} has no keys to change")
    try:
        with KeyRotation.of(data, root=root, entropy=os.urandom, database=database, passphrase=passphrase) as rotation:
            yield rotation
    except (KeyFileError, StoreError, FolderInUseError, KeyRotationError, OSError) as error:
        fail(str(error))
    except DataLossError as error:
        fail(f"{error}. The log is damaged and nothing was changed; restore {data} from its backup")


for _command in (keys_at_rest.encrypt, keys_at_rest.decrypt, keys_at_rest.passwd, keys_at_rest.agent):
    app.command()(_command)
