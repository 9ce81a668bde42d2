"""``referee keys encrypt``, ``decrypt``, ``passwd`` and ``agent``: private keys where they lie, and who holds them."""

import grp
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from referee.cli import logging
from referee.cli.options import (
    NEW_VARIABLE,
    DataFolder,
    NewPassphraseFile,
    PassphraseFile,
    fail,
    passphrase_of,
    passphrase_to_decrypt,
    passphrase_to_encrypt,
)
from referee.cli.stopping import until_asked
from referee.server.key_folder import ROLES
from referee.server.keys import KeyFileError, NamedSigner, Passphrase, read_key, reencrypt
from referee.server.signing_agent import SigningAgent

RootKey = Annotated[
    Path | None,
    typer.Option("--root", help="The root's private key, where it is kept elsewhere.", exists=True, dir_okay=False),
]


def encrypt(
    *, data: DataFolder = Path("referee-data"), root: RootKey = None, passphrase_file: PassphraseFile = None
) -> None:
    """Encrypt the private keys with a passphrase; what is encrypted with it already stays. Back them up anew then.

    The server needs the passphrase from its next start on. Who forgets it has lost the keys.
    """
    files = _files(data, root)
    passphrase = passphrase_to_encrypt(passphrase_file)
    _relocked(files, old=passphrase, new=passphrase, done="encrypted")


def decrypt(
    *, data: DataFolder = Path("referee-data"), root: RootKey = None, passphrase_file: PassphraseFile = None
) -> None:
    """Write the private keys as plain files that their owner alone can read."""
    files = _files(data, root)
    _relocked(files, old=passphrase_to_decrypt(passphrase_file), new=None, done="decrypted")


def passwd(
    *,
    data: DataFolder = Path("referee-data"),
    root: RootKey = None,
    passphrase_file: PassphraseFile = None,
    new_passphrase_file: NewPassphraseFile = None,
) -> None:
    """Encrypt the private keys with another passphrase. Copies of the old files still open with the old one."""
    files = _files(data, root)
    old = passphrase_to_decrypt(passphrase_file)
    _relocked(
        files, old=old, new=passphrase_to_encrypt(new_passphrase_file, variable=NEW_VARIABLE), done="encrypted anew"
    )


def agent(
    *,
    keys: Annotated[Path, typer.Option("--keys", help="Folder with the private keys, away from the server's data.")],
    socket: Annotated[Path, typer.Option("--socket", help="Where to answer, as /run/referee/signer.sock.")],
    role: Annotated[
        list[str] | None, typer.Option(help=f"A role to sign for: {', '.join(ROLES)}; all that are there by default.")
    ] = None,
    group: Annotated[str, typer.Option(help="A group that may ask, too; otherwise this user alone may.")] = "",
    passphrase_file: PassphraseFile = None,
) -> None:
    """Hold the private keys and sign for servers that ask over a Unix socket (keys.signer), until stopped.

    Prints one JSON line with the verifier keys once it answers. The root's key is needed for the first start alone.
    """
    logging.configure(quiet=False)
    signers = _signers(keys, role or [], passphrase_of(passphrase_file))
    with until_asked() as stop:
        try:
            number = grp.getgrnam(group).gr_gid if group else None
            answering = SigningAgent(socket, signers, group=number).start()
        except (OSError, KeyError) as error:
            fail(f"{socket}: {error}")
        ready = {"event": "ready", "socket": str(socket), "keys": {one: signers[one].verifier_key for one in signers}}
        sys.stdout.write(json.dumps(ready) + "\n")
        sys.stdout.flush()
        stop.wait()
        answering.close()


def _signers(keys: Path, roles: list[str], passphrase: Passphrase | None) -> dict[str, NamedSigner]:
    unknown = sorted(set(roles) - set(ROLES))
    if unknown:
        fail(f"--role {unknown[0]} is no role that signs; there are {', '.join(ROLES)}")
    try:
        found: dict[str, NamedSigner] = {
            one: read_key(keys / f"{one}.key", passphrase)
            for one in ROLES
            if one in roles or (not roles and (keys / f"{one}.key").exists())
        }
    except KeyFileError as error:
        fail(str(error))
    if not found:
        fail(f"{keys} holds no key to sign with")
    return found


def _files(data: Path, root: Path | None) -> list[Path]:
    """List the private keys of a data folder, the root's at its own place."""
    files = sorted((data / "keys").glob("*.key"))
    if root is not None and root not in files:
        files.append(root)
    if not files:
        fail(f"{data / 'keys'} holds no private keys")
    return files


def _relocked(files: list[Path], *, old: Passphrase, new: Passphrase | None, done: str) -> None:
    try:
        steps = {path: reencrypt(path, old=old, new=new) for path in files}
    except (KeyFileError, OSError) as error:
        fail(f"{error}; nothing was changed")
    for path, finish in steps.items():
        if finish is not None:
            try:
                finish()
            except OSError as error:
                fail(f"{path}: {error}; run the command again")
        typer.echo(f"{path}\t{'as it was' if finish is None else done}")
