"""``referee keys``: public keys and their change, encryption of private keys, and the agent that holds them."""

import grp
import json
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.cli.command import Commands
from referee.cli.options import (
    NEW_VARIABLE,
    AsJson,
    Database,
    DataFolder,
    NewPassphraseFile,
    PassphraseFile,
    RootKey,
    answer,
    fail,
    passphrase_of,
    passphrase_to_decrypt,
    passphrase_to_encrypt,
    print_json,
)
from referee.cli.progress import progress_bar
from referee.evidence.printable import error_words
from referee.server.keys.folder import ROLES, KeyFolder, check_keys_exist, has_keys, private_roles, read_signers
from referee.server.keys.private_key import KeyFileError, Passphrase, reencrypt
from referee.server.keys.rotation import CHANGING, KeyRotation
from referee.server.keys.signing_agent import SigningAgent
from referee.server.process import log_lines
from referee.server.process.stopping import until_asked
from referee.server.settings.configuration import DEFAULT_ORIGIN
from referee.storage import DataLossError, NotFoundedError, StoreError, is_missing, open_reader

app = Commands(
    examples=["referee keys --public", "referee keys --make --origin play.example.com/log"],
    help="Print the public keys, as C2SP verifier keys, one role a line; change keys with a command below.",
    invoke_without_command=True,
)

_ROLES: Final = ", ".join(CHANGING)


@app.callback()
def keys(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    *,
    data: DataFolder = Path("referee-data"),
    make: Annotated[bool, typer.Option("--make", help="Make them where there are none.")] = False,
    origin: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the log that new keys are for.")
    ] = DEFAULT_ORIGIN,
    root: Annotated[
        Path | None, typer.Option(help="Where the root's private key is made, if not beside the others.")
    ] = None,
    public: Annotated[
        bool, typer.Option("--public", help="Do not look for private keys; they are kept elsewhere.")
    ] = False,
    database: Database = None,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Print the public keys, as C2SP verifier keys, one role a line. Publish log and root where players find them.

    No keys are made if the data folder or the database has a log already, since only the log's own keys can continue
    it. The command checks that the private keys are there, except the root's, which may be kept elsewhere. It decrypts
    encrypted keys if their passphrase is given.
    """
    if context.invoked_subcommand is not None:
        return
    folder = data / "keys"
    if not has_keys(folder, root=root):
        _check_no_log(data, database, root)
        if not make:
            fail(f"{folder} holds no keys; a server makes them on its first start, or add --make")
    passphrase = passphrase_of(passphrase_file)
    private = () if public else private_roles(folder, is_openable=passphrase is not None)
    found = KeyFolder.open_or_make(
        folder, origin=origin, entropy=os.urandom, private=private, root=root, passphrase=passphrase
    )
    keys = {role: found.public[role].text for role in ROLES}
    answer(keys, "\n".join(f"{role}\t{key}" for role, key in keys.items()), as_json=as_json)


@app.command(examples=["referee keys rotate log --root root.key", "referee keys rotate referee --json"])
def rotate(  # noqa: PLR0913 - one parameter an option
    role: Annotated[str, typer.Argument(metavar="ROLE", help=f"Whose key: {_ROLES}.")],
    *,
    data: DataFolder = Path("referee-data"),
    root: RootKey = None,
    database: Database = None,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Name a new key for a role in the log, while no server runs, and print it.

    The old key of the shuffler or the referee is revoked at once. The log's old key signs beside the new key until you
    revoke it: give the new key to witnesses and players first.
    """
    with _changing(data, root, database, passphrase_of(passphrase_file)) as rotation:
        key = rotation.rotate(role).text
    answer({"role": role, "key": key}, f"{role}\t{key}", as_json=as_json)


@app.command(examples=["referee keys revoke shuffler", "referee keys revoke shuffler --json"])
def revoke(  # noqa: PLR0913 - one parameter an option
    named: Annotated[str, typer.Argument(metavar="ROLE|KEY", help=f"A role ({_ROLES}), or a verifier key.")],
    *,
    data: DataFolder = Path("referee-data"),
    root: RootKey = None,
    database: Database = None,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Revoke a key in the log, while no server runs, and print it. Its earlier signatures remain valid.

    The role log means the older of its two keys. A role without a key cannot serve until rotate names a new one.
    """
    with _changing(data, root, database, passphrase_of(passphrase_file)) as rotation:
        key = rotation.revoke(named).text
    answer({"revoked": key}, f"revoked\t{key}", as_json=as_json)


@app.command(examples=["referee keys encrypt --root root.key --json"])
def encrypt(
    *,
    data: DataFolder = Path("referee-data"),
    root: RootKey = None,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Encrypt the private keys with a passphrase.

    Keys that are already encrypted with it stay as they are. Make a new backup afterwards. The server needs the
    passphrase from its next start on. If you forget the passphrase, the keys are lost.
    """
    files = _files(data, root)
    passphrase = passphrase_to_encrypt(passphrase_file)
    _relocked(files, old=passphrase, new=passphrase, done="encrypted", as_json=as_json)


@app.command(examples=["referee keys decrypt --passphrase-file old.key"])
def decrypt(
    *,
    data: DataFolder = Path("referee-data"),
    root: RootKey = None,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Write the private keys as unencrypted files that only their owner can read."""
    files = _files(data, root)
    _relocked(files, old=passphrase_to_decrypt(passphrase_file), new=None, done="decrypted", as_json=as_json)


@app.command(examples=["referee keys passwd --new-passphrase-file new.key"])
def passwd(
    *,
    data: DataFolder = Path("referee-data"),
    root: RootKey = None,
    passphrase_file: PassphraseFile = None,
    new_passphrase_file: NewPassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Encrypt the private keys with another passphrase. Copies of the old files still open with the old one."""
    files = _files(data, root)
    old = passphrase_to_decrypt(passphrase_file)
    new = passphrase_to_encrypt(new_passphrase_file, variable=NEW_VARIABLE)
    _relocked(files, old=old, new=new, done="encrypted anew", as_json=as_json)


@app.command()
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
    """Hold the private keys and sign for servers that call over a Unix socket (keys.signer), until stopped.

    Prints one JSON line with the verifier keys once it answers. The root's key is needed only for a server's first
    start.
    """
    log_lines.configure(quiet=False)
    signers = read_signers(keys, role or [], passphrase_of(passphrase_file))
    with until_asked() as stop:
        try:
            number = grp.getgrnam(group).gr_gid if group else None
            answering = SigningAgent(socket, signers, group=number).start()
        except (OSError, KeyError) as error:
            fail(f"{socket}: {error_words(error)}")
        ready = {"event": "ready", "socket": str(socket), "keys": {one: signers[one].verifier_key for one in signers}}
        typer.echo(json.dumps(ready))
        stop.wait()
        answering.close()


def _check_no_log(data: Path, database: str | None, root: Path | None) -> None:
    """Raise KeyFileError if there is a log already for which keys would be made.

    A database that cannot be reached is taken to have no log.
    """
    if is_missing(data, database):
        return
    try:
        with closing(open_reader(data, database=database)) as reader:
            check_keys_exist(data / "keys", origin=reader.origin, leaves=reader.head().size, root=root)
    except NotFoundedError:
        return
    except StoreError:
        if database is None:
            raise


@contextmanager
def _changing(
    data: Path, root: Path | None, database: str | None, passphrase: Passphrase | None
) -> Iterator[KeyRotation]:
    try:
        with (
            progress_bar("verifying the log") as bar,
            KeyRotation.of(
                data, root=root, entropy=os.urandom, database=database, passphrase=passphrase, progress=bar
            ) as rotation,
        ):
            yield rotation
    except DataLossError as error:
        fail(f"{error}. The log is damaged and nothing was changed; restore {data} from its backup")


def _files(data: Path, root: Path | None) -> list[Path]:
    """List the private key files of a data folder, and the root's file ``root``; end the command if there are none."""
    files = sorted((data / "keys").glob("*.key"))
    if root is not None and root not in files:
        files.append(root)
    if not files:
        fail(f"{data / 'keys'} holds no private keys")
    return files


def _relocked(files: list[Path], *, old: Passphrase, new: Passphrase | None, done: str, as_json: bool) -> None:
    """Encrypt each file with the new passphrase, or decrypt it, and print the result of each.

    ``new`` is None to decrypt. If one file cannot be read, none is changed.
    """
    try:
        steps = {path: reencrypt(path, old=old, new=new) for path in files}
    except (KeyFileError, OSError) as error:
        fail(f"{error_words(error)}; nothing was changed")
    for path, finish in steps.items():
        if finish is not None:
            try:
                finish()
            except OSError as error:
                fail(f"{path}: {error_words(error)}; run the command again")
        if not as_json:
            typer.echo(f"{path}\t{'as it was' if finish is None else done}")
    if as_json:
        results = {path: "as it was" if finish is None else done for path, finish in steps.items()}
        print_json({"files": [{"file": str(path), "result": result} for path, result in results.items()]})
