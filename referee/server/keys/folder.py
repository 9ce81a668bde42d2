"""The keys of one deployment: the roles, their files, and how a key is replaced.

``root`` names all other keys in the log, ``log`` signs checkpoints, ``shuffler`` signs deals, ``referee`` signs
settlements. ``sealing`` encrypts server seeds: without it open rounds cannot be revealed, which an audit cannot
distinguish from fraud, so back the folder up. Public keys are in ``<role>.pub``; a process needs only the private keys
that it uses. The log has not named ``<role>.next.key`` yet; ``log.retiring.key`` signs beside the log's new key.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final, Self

from referee.evidence.outside import OutsideError, pasted, read_text
from referee.evidence.printable import error_words
from referee.evidence.vkey import KeyTextError, VerifierKey
from referee.log import CheckpointSigner
from referee.server.keys.private_key import (
    MOST_BYTES,
    SEED_SIZE,
    GuardedSigner,
    KeyFileError,
    KeySigner,
    NamedSigner,
    Passphrase,
    force,
    is_encrypted,
    read_key,
    read_secret,
    write_key,
    write_secret,
)
from referee.server.keys.remote_signer import AgentClient

ROLES: Final = ("root", "log", "shuffler", "referee")
SEALING: Final = "sealing"
EVERY: Final = (*ROLES, SEALING)
"""All private keys of a deployment."""


@dataclass(frozen=True, slots=True)
class KeyFolder:
    """Keys of one folder: the public key of each role and the private keys that were loaded."""

    folder: Path
    public: Mapping[str, VerifierKey]
    """Verifier key of each role."""
    _signers: Mapping[str, NamedSigner] = field(repr=False)
    _sealing: bytes = field(repr=False)
    retiring: tuple[KeySigner, ...] = field(default=(), repr=False)
    """Keys that sign checkpoints beside the log's until the log revokes them."""
    passphrase: Passphrase | None = field(default=None, repr=False)
    """Passphrase that encrypts new keys; None for a folder of plain keys."""

    @classmethod
    def open_or_make(  # noqa: PLR0913 - where keys are and what opens them
        cls,
        folder: Path,
        *,
        origin: str,
        entropy: Callable[[int], bytes],
        private: Iterable[str] = EVERY,
        root: Path | None = None,
        passphrase: Passphrase | None = None,
        agent: AgentClient | None = None,
    ) -> Self:
        """Load the ``private`` keys of a folder as ``open`` does; make all keys where there are none.

        New keys are made from ``entropy(32)``, for a new log of this origin only. ``passphrase`` encrypts them.
        """
        if not has_keys(folder, root=root):
            _make_all(_paths(folder, root), origin=origin, entropy=entropy, passphrase=passphrase, agent=agent)
        return cls.open(folder, private=private, root=root, passphrase=passphrase, agent=agent)

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        private: Iterable[str] = EVERY,
        root: Path | None = None,
        passphrase: Passphrase | None = None,
        agent: AgentClient | None = None,
    ) -> Self:
        """Load the ``private`` keys of a folder; raise KeyFileError for one that is missing.

        The root's private key is in ``root``, or else in the folder. ``passphrase`` decrypts keys. An ``agent`` signs
        instead of the folder's signing keys.
        """
        paths = _paths(folder, root)
        wanted = set(private)
        here = wanted if agent is None else wanted - set(ROLES)
        missing = sorted(f"{role}.key" for role in here if not paths[role].exists())
        if missing:
            raise KeyFileError(f"{folder} lacks {', '.join(missing)}; restore it from a backup, or name its file")
        signers: dict[str, NamedSigner] = {role: read_key(paths[role], passphrase) for role in ROLES if role in here}
        if agent is not None:
            signers |= {role: agent.signer(role) for role in ROLES if role in wanted}
        public: dict[str, VerifierKey] = {
            role: _public(folder, role, signers.get(role), paths[role], passphrase=passphrase) for role in ROLES
        }
        retiring = folder / "log.retiring.key"
        return cls(
            folder=folder,
            public=MappingProxyType(public),
            _signers=MappingProxyType(signers),
            _sealing=_sealing_key(read_secret(paths[SEALING], passphrase)) if SEALING in wanted else b"",
            retiring=(read_key(retiring, passphrase),) if "log" in here and retiring.exists() else (),
            passphrase=passphrase if any(is_encrypted_file(path) for path in paths.values()) else None,
        )

    def signer(self, role: str) -> NamedSigner:
        """Return the signer of a role; raise KeyFileError where its private key was not loaded."""
        if role not in self._signers:
            raise KeyFileError(f"the private key of {role} was not loaded")
        return self._signers[role]

    @property
    def checkpoint_signer(self) -> CheckpointSigner:
        """Signer of the log's checkpoints, with the keys that sign beside it."""
        signer = self.signer("log")
        return CheckpointSigner(signer, key_name=signer.name, also=self.retiring)

    @property
    def sealing(self) -> bytes:
        """Key that encrypts server seeds, 32 bytes; raises KeyFileError where it was not loaded."""
        if not self._sealing:
            raise KeyFileError("the sealing key was not loaded")
        return self._sealing

    def guarded(self, check: Callable[[], None]) -> Self:
        """Return the same keys; before each signature ``check`` is called, which may raise SignerUnavailableError."""
        signers: dict[str, NamedSigner] = {role: GuardedSigner(one, check) for role, one in self._signers.items()}
        return replace(self, _signers=MappingProxyType(signers))

    def has(self, role: str) -> bool:
        """Return whether the private key of a role was loaded."""
        return role in self._signers

    def next(self, role: str, entropy: Callable[[int], bytes]) -> KeySigner:
        """Return the key that will replace a role's; make it where there is none."""
        path = self._next_path(role)
        if not path.exists():
            write_key(path, KeySigner(self.public[role].name, entropy(SEED_SIZE)), self.passphrase)
        return read_key(path, self.passphrase)

    def waiting(self, role: str) -> KeySigner | None:
        """Return the key that was made to replace a role's, or None."""
        path = self._next_path(role)
        return read_key(path, self.passphrase) if path.exists() else None

    def _next_path(self, role: str) -> Path:
        return self.folder / f"{role}.next.key"

    def adopt(self, role: str) -> None:
        """Replace a role's key file by its next one; keep the log's old key as the retiring one.

        Each step can be repeated, so that a process killed in between is completed by the next one.
        """
        own, retiring = self.folder / f"{role}.key", self.folder / "log.retiring.key"
        _write_public(self.folder, role, read_key(self._next_path(role), self.passphrase).key)
        if role == "log" and own.exists() and not retiring.exists():
            own.replace(retiring)
            force(self.folder)
        self._next_path(role).replace(own)
        force(self.folder)

    def retire(self) -> None:
        """Remove the log's old key."""
        (self.folder / "log.retiring.key").unlink(missing_ok=True)
        force(self.folder)


def has_keys(folder: Path, *, root: Path | None = None) -> bool:
    """Return whether there is any key, public or private, in a folder or in the root's own place."""
    paths = _paths(folder, root).values()
    return any(path.exists() for path in (*paths, *(folder / f"{role}.pub" for role in ROLES)))


def check_keys_exist(folder: Path, *, origin: str, leaves: int, root: Path | None = None) -> None:
    """Raise KeyFileError if there are no keys for a log that exists, because new ones could not continue it."""
    if not has_keys(folder, root=root):
        raise KeyFileError(
            f"{folder} has no keys, and the log of {origin} exists with {leaves} leaves, which no other keys can "
            "continue; no key was made. A backup of the log has no keys in it: copy the keys folder from its own "
            f"backup, or from another server of this log, to {folder}"
        )


def read_public_keys(folder: Path) -> dict[str, str]:
    """Return the verifier key of each role; raise KeyFileError where one is missing or unreadable."""
    return {
        role: _public(folder, role, None, folder / f"{role}.key", passphrase=None, keep=False).text for role in ROLES
    }


def is_encrypted_file(path: Path) -> bool:
    """Return whether a key file exists and is encrypted; read no further than that."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return is_encrypted(file.read(64))
    except OSError:
        return False


def private_roles(folder: Path, *, is_openable: bool) -> tuple[str, ...]:
    """Return the roles whose private keys are in a folder to be read.

    Left out are the root's key if it is kept elsewhere, and encrypted keys unless ``is_openable``.
    """
    is_away = (folder / "root.pub").exists() and not (folder / "root.key").exists()
    there = (role for role in EVERY if role != "root" or not is_away)
    return tuple(role for role in there if is_openable or not is_encrypted_file(folder / f"{role}.key"))


def read_signers(folder: Path, roles: Sequence[str], passphrase: Passphrase | None) -> dict[str, NamedSigner]:
    """Read the private keys of some roles, or without any of those whose keys are there; raise KeyFileError."""
    unknown = sorted(set(roles) - set(ROLES))
    if unknown:
        raise KeyFileError(f"{unknown[0]} is no role that signs; there are {', '.join(ROLES)}")
    files = {role: folder / f"{role}.key" for role in ROLES}
    found: dict[str, NamedSigner] = {
        role: read_key(file, passphrase)
        for role, file in files.items()
        if role in roles or (not roles and file.exists())
    }
    if not found:
        raise KeyFileError(f"{folder} holds no key to sign with")
    return found


def _paths(folder: Path, root: Path | None) -> dict[str, Path]:
    """Return the file of each private key."""
    return {role: folder / f"{role}.key" for role in EVERY} | ({} if root is None else {"root": root})


def _make_all(
    paths: Mapping[str, Path],
    *,
    origin: str,
    entropy: Callable[[int], bytes],
    passphrase: Passphrase | None,
    agent: AgentClient | None,
) -> None:
    here = EVERY if agent is None else (SEALING,)
    folder = paths[SEALING].parent
    for role in here:
        paths[role].parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    for role in ROLES:
        if agent is None:
            signer = KeySigner(origin if role == "log" else f"{origin}/{role}", entropy(SEED_SIZE))
            write_secret(paths[role], signer.to_text(), passphrase)
            _write_public(folder, role, signer.key)
        else:
            _write_public(folder, role, agent.signer(role).key)
    write_secret(paths[SEALING], entropy(SEED_SIZE).hex(), passphrase)
    force(folder)


def _public(  # noqa: PLR0913 - a role's two files, and how to open the private one
    folder: Path, role: str, signer: NamedSigner | None, path: Path, *, passphrase: Passphrase | None, keep: bool = True
) -> VerifierKey:
    """Return the public key of a role from its file, or else from the private key; write the file where ``keep``."""
    public = folder / f"{role}.pub"
    if public.exists():
        try:
            key = VerifierKey.parse(pasted(read_text(public.read_bytes(), most=MOST_BYTES)))
        except (OSError, OutsideError, KeyTextError) as error:
            raise KeyFileError(f"{public} cannot be read: {error_words(error)}") from None
        if signer is not None and signer.key != key:
            raise KeyFileError(f"{path} is not the private key of {public}")
        return key
    if signer is None and not path.exists():
        msg = f"{public} is missing; copy it from a backup of the keys, or from another server of this log"
        raise KeyFileError(msg)
    key = (signer or read_key(path, passphrase)).key
    if keep:
        _write_public(folder, role, key)
    return key


def _write_public(folder: Path, role: str, key: VerifierKey) -> None:
    draft = folder / f"{role}.pub.new"
    draft.touch(mode=0o600)
    draft.write_text(key.text + "\n", encoding="ascii")
    draft.replace(folder / f"{role}.pub")


def _sealing_key(text: str) -> bytes:
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) != SEED_SIZE:
        raise KeyFileError("sealing.key does not hold 64 hexadecimal digits; restore it from a backup")
    return key
