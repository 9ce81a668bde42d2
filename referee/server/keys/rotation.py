"""Replacing keys by leaves of the log that the root signs, while no server runs.

A new key of the shuffler or the referee is added and the old one revoked in one append. The log's key changes in two
steps: the new key signs checkpoints beside the old one until the old one is revoked, so that witnesses and auditors who
know one of them can follow. A new private key is on the disk before the log names it; a process killed in between is
completed by the next one. The root's key cannot change.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Self

import msgspec

from referee.dealing.leaf import KeyLeaf, sign_leaf
from referee.evidence.vkey import KeyTextError, VerifierKey
from referee.log import CheckpointSigner
from referee.server.folder_lock import lock_folder
from referee.server.keys.folder import KeyFolder, check_keys_exist
from referee.server.keys.private_key import KeyFileError, NamedSigner, Passphrase
from referee.server.keys.registry import KeyRegistry
from referee.server.keys.signed_head import HeadRecord, SignedHead
from referee.storage import Append, Store, Writer, check_store, is_missing, log_place, open_store

LOCK_SECONDS: Final = 5.0
"""Time in which a process that has just ended frees the log's lock."""
CHANGING: Final[tuple[Literal["log", "shuffler", "referee"], ...]] = ("log", "shuffler", "referee")
"""The roles whose keys can change."""


class KeyRotationError(ValueError):
    """An impossible change of keys; nothing was changed."""


@dataclass(frozen=True, slots=True)
class KeyRotation:
    """A log whose keys are being changed by the holder of its root key."""

    store: Store
    keys: KeyFolder
    register: KeyRegistry
    entropy: Callable[[int], bytes]

    @classmethod
    @contextmanager
    def of(  # noqa: PLR0913 - options of the command
        cls,
        data: Path,
        *,
        root: Path | None,
        entropy: Callable[[int], bytes],
        database: str | None = None,
        passphrase: Passphrase | None = None,
        progress: Callable[[int, int], None] = lambda _done, _size: None,
    ) -> Iterator[Self]:
        """Open a data folder for a change of keys; the root's private key is in ``root``, or else in the folder.

        The log is in the folder, or in ``database``; no server may run on it, on whichever machine. ``progress`` is
        called with the leaves verified and the number of all. Raises FolderInUseError, LogInUseError, KeyFileError,
        LostLeavesError, StoreError or DataLossError.
        """
        folder, place = data / "keys", log_place(data, database)
        with ExitStack() as opened:
            opened.enter_context(lock_folder(data, alone=True))
            signed = SignedHead.read(folder, place=place)
            if is_missing(data, database):
                signed.check_no_log()
            store = open_store(data, database=database)
            opened.callback(store.close)
            opened.enter_context(store.lock(alone=True)).take(seconds=LOCK_SECONDS)
            check_keys_exist(folder, origin=store.origin, leaves=store.head().size, root=root)
            public = KeyFolder.open(folder, private=(), passphrase=passphrase)
            register = KeyRegistry(public.public["root"])
            head = check_store(store, progress=progress, visit=register.read)
            signed.check_log(store, head)
            signed.check_keys(KeyRegistry.of(store, public.public["root"], head=head).leaves)
            finish(public, register)
            keys = KeyFolder.open(folder, private=("root", "log"), root=root, passphrase=passphrase)
            yield cls(store, keys, register, entropy)
            HeadRecord(folder, KeyRegistry.of(store, public.public["root"]).leaves).keep(store.head())

    def rotate(self, role: str) -> VerifierKey:
        """Name a new key for a role and return it; revoke the old one unless it is the log's."""
        _check_role(role)
        if role == "log" and self.keys.retiring:
            msg = "the log's old key still signs beside the new one; revoke it first: referee keys revoke log"
            raise KeyRotationError(msg)
        new = self.keys.next(role, self.entropy)
        leaves = [_leaf("ADD", new.key, role)]
        if role != "log":
            leaves += [_leaf("REVOKE", key, role) for key in self.register.in_force(role)]
        also: list[NamedSigner] = [self.keys.signer("log")] if role == "log" else list(self.keys.retiring)
        self._append(leaves, signer=new if role == "log" else self.keys.signer("log"), also=also)
        self.keys.adopt(role)
        return new.key

    def revoke(self, named: str) -> VerifierKey:
        """Revoke a verifier key, or a role's key (of the log's two the old one), and return it."""
        role, key = self._meant(named)
        if role == "log" and key not in [one.key for one in self.keys.retiring]:
            msg = "this key signs the log's checkpoints; name a new one first: referee keys rotate log"
            raise KeyRotationError(msg)
        also: list[NamedSigner] = [one for one in self.keys.retiring if one.key != key]
        self._append([_leaf("REVOKE", key, role)], signer=self.keys.signer("log"), also=also)
        if role == "log":
            self.keys.retire()
        return key

    def _meant(self, named: str) -> tuple[str, VerifierKey]:
        if "+" not in named:
            _check_role(named)
            keys = self.register.in_force(named)
            if not keys:
                raise KeyRotationError(f"no key of {named} is in force; name one: referee keys rotate {named}")
            return named, keys[0]
        try:
            key = VerifierKey.parse(named)
        except KeyTextError as error:
            raise KeyRotationError(str(error)) from None
        for role in CHANGING:
            if key in self.register.in_force(role):
                return role, key
        raise KeyRotationError(f"{named} is not in force in this log; `referee keys` prints those that are")

    def _append(self, leaves: list[KeyLeaf], *, signer: NamedSigner, also: list[NamedSigner]) -> None:
        root = self.keys.signer("root")
        appends = [Append(leaf=sign_leaf(leaf, root)) for leaf in leaves]
        signing = CheckpointSigner(signer, key_name=signer.name, also=also)
        with Writer(self.store, signing, origin=self.store.origin) as writer:
            writer.submit(*appends).result()


def finish(keys: KeyFolder, register: KeyRegistry) -> None:
    """Complete a change of keys that a killed process began."""
    for role in CHANGING:
        waiting = keys.waiting(role)
        if waiting is not None and waiting.key in register.in_force(role):
            keys.adopt(role)
    if len(register.in_force("log")) == 1 and register.has_revoked("log"):
        keys.retire()


def check_in_force(keys: KeyFolder, register: KeyRegistry) -> None:
    """Verify that the log names every key that was loaded; raise KeyFileError otherwise."""
    for role in CHANGING:
        if not keys.has(role):
            continue
        signers = (keys.signer(role), *(keys.retiring if role == "log" else ()))
        for signer in signers:
            if signer.key not in register.in_force(role):
                raise KeyFileError(
                    f"the log does not name {signer.verifier_key} as a key of the {role}, or has revoked it; "
                    "copy the keys folder from the machine on which they were changed, or from a backup, or name a new "
                    f"key: referee keys rotate {role}"
                )


def _check_role(role: str) -> None:
    if role not in CHANGING:
        raise KeyRotationError(f"the key of {role!r} cannot change; roles are {', '.join(CHANGING)}")


def _leaf(action: Literal["ADD", "REVOKE"], key: VerifierKey, role: str) -> KeyLeaf:
    return msgspec.convert({"action": action, "key": key.text, "role": role}, KeyLeaf)
