"""A new log begins by naming its keys, signed by the root key, and it does so once, whoever else begins it.

The law: the keys are named in the transaction that finds the log empty. Of several servers that start on one empty
store at a time one names them; the others have the same keys and go on, or have others and do not start.
"""

from referee.dealing.leaf import KEY_TYPE, KeyLeaf, encode
from referee.evidence.dsse import Envelope
from referee.log import CheckpointSigner
from referee.server.keyfolder import KeyFolder
from referee.server.keys import KeyFileError
from referee.server.register import KeyRegister
from referee.server.rotation import CHANGING, check_in_force
from referee.storage import Append, DataLossError, Head, RelationalStore
from referee.storage.batch import append_batch


class _FoundedError(Exception):
    """Another server was first."""


def name_keys(store: RelationalStore, keys: KeyFolder) -> KeyRegister:
    """The keys that the log names, once it names some: these, where nobody named any; KeyFileError for other ones."""
    root, signer = keys.signer("root"), keys.signer("log")
    named = [KeyLeaf(action="ADD", key=keys.public[role].text, role=role) for role in CHANGING]
    appends = [Append(leaf=Envelope.signed(KEY_TYPE, encode(leaf), root).to_bytes()) for leaf in named]
    try:
        append_batch(store, CheckpointSigner(signer, key_name=signer.name), [appends], check_head=_check_empty)
    except _FoundedError:
        try:
            register = KeyRegister.of(store, keys.public["root"])
            check_in_force(keys, register)
        except (DataLossError, KeyFileError) as error:
            msg = (
                f"another server has just begun this log with other keys than those in {keys.folder}: all servers of a "
                f"log have the same ones; copy its keys folder here ({error})"
            )
            raise KeyFileError(msg) from None
        return register
    return KeyRegister.of(store, keys.public["root"])


def _check_empty(head: Head) -> None:
    if head.size:
        raise _FoundedError
