"""Private keys: made, kept and used in this file and nowhere else.

Each role has its own key: ``root`` names all others in the log, ``log`` signs checkpoints, ``shuffler`` signs deals,
``referee`` signs settlements. ``sealing`` is no signing key: it seals server seeds, and losing it leaves open rounds
unrevealable, which an audit cannot tell from foul play. Back the folder up.

A signing key's file holds one line in the C2SP signed-note form ``PRIVATE+KEY+<name>+<id>+<base64>``, readable by its
owner alone; a file that others can read is refused. Beside each stands its public key, ``<role>.pub``, so that a
process has the private keys that it signs with and no more: the others may live elsewhere, the root's in a safe.

While keys change, ``<role>.next.key`` is one that the log does not name yet, and ``log.retiring.key`` one that signs
checkpoints beside the new one.
"""

import base64
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final, Self

from nacl.signing import SigningKey

from referee.evidence.vkey import Algorithm, KeyTextError, VerifierKey

ROLES: Final = ("root", "log", "shuffler", "referee")
SEALING: Final = "sealing"
EVERY: Final = (*ROLES, SEALING)
"""All private keys of a deployment."""
SEED_SIZE: Final = 32
_PREFIX: Final = "PRIVATE+KEY"


class KeyFileError(ValueError):
    """A key file that is missing, unreadable, readable by others or not in the form this file writes."""


class KeySigner:
    """Signs with one private key. ``name`` and ``public_key`` (32 bytes) are what verifiers know it by."""

    def __init__(self, name: str, seed: bytes, algorithm: Algorithm = Algorithm.ED25519) -> None:
        self.name = name
        self._key = SigningKey(seed)
        self.public_key = bytes(self._key.verify_key)
        self.key = VerifierKey(name, self.public_key, algorithm)

    def sign(self, message: bytes) -> bytes:
        """The Ed25519 signature of the message; 64 bytes."""
        return self._key.sign(message).signature

    @property
    def verifier_key(self) -> str:
        """The public key as C2SP verifier key text."""
        return self.key.text

    def to_text(self) -> str:
        """The private key as one line of text."""
        secret = base64.b64encode(bytes([self.key.algorithm]) + bytes(self._key)).decode()
        return f"{_PREFIX}+{self.name}+{self.key.key_id.hex()}+{secret}"

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The key that a line of ``to_text`` holds; KeyFileError where it does not hold together."""
        try:
            prefix, secret_name, name, key_id, encoded = text.strip().split("+", 4)
            secret = base64.b64decode(encoded, validate=True)
            algorithm = Algorithm(secret[0])
        except (ValueError, IndexError):
            msg = "the text is no private key; it has the form PRIVATE+KEY+<name>+<id>+<base64>"
            raise KeyFileError(msg) from None
        if f"{prefix}+{secret_name}" != _PREFIX or len(secret) != 1 + SEED_SIZE:
            msg = "the text is no Ed25519 private key; it has the form PRIVATE+KEY+<name>+<id>+<base64>"
            raise KeyFileError(msg)
        signer = cls(name, secret[1:], algorithm)
        if signer.key.key_id.hex() != key_id:
            msg = f"the private key of {name} does not have the id {key_id} that its file names"
            raise KeyFileError(msg)
        return signer


@dataclass(frozen=True, slots=True)
class KeyFolder:
    """The keys of one deployment in one folder: the public ones of all roles, the private ones that were asked for."""

    folder: Path
    public: Mapping[str, VerifierKey]
    """The verifier key of each role."""
    _signers: Mapping[str, KeySigner] = field(repr=False)
    _sealing: bytes = field(repr=False)
    retiring: tuple[KeySigner, ...] = field(default=(), repr=False)
    """Keys that sign checkpoints beside the log's, until the log revokes them."""

    @classmethod
    def open_or_make(
        cls,
        folder: Path,
        *,
        origin: str,
        entropy: Callable[[int], bytes],
        private: Iterable[str] = EVERY,
        root: Path | None = None,
    ) -> Self:
        """The keys in the folder, those of ``private`` loaded; where there is none at all, new ones for the origin.

        New ones are made from ``entropy(32)``. The root's private key is at ``root``, or in the folder. A folder that
        lacks one that is asked for is refused: a key that went missing must not be replaced unseen.
        """
        paths = {role: folder / f"{role}.key" for role in EVERY}
        paths["root"] = root or paths["root"]
        if not any(path.exists() for path in (*paths.values(), *(folder / f"{role}.pub" for role in ROLES))):
            _make_all(paths, origin=origin, entropy=entropy)
        wanted = set(private)
        missing = sorted(f"{role}.key" for role in wanted if not paths[role].exists())
        if missing:
            msg = f"{folder} lacks {', '.join(missing)}; restore it from its backup, or say where it is"
            raise KeyFileError(msg)
        signers: dict[str, KeySigner] = {role: read_key(paths[role]) for role in ROLES if role in wanted}
        public: dict[str, VerifierKey] = {role: _public(folder, role, signers.get(role), paths[role]) for role in ROLES}
        retiring = folder / "log.retiring.key"
        return cls(
            folder=folder,
            public=MappingProxyType(public),
            _signers=MappingProxyType(signers),
            _sealing=_sealing_key(_read(paths[SEALING])) if SEALING in wanted else b"",
            retiring=(read_key(retiring),) if "log" in wanted and retiring.exists() else (),
        )

    def signer(self, role: str) -> KeySigner:
        """What signs for a role; KeyFileError where its private key was not asked for."""
        if role not in self._signers:
            msg = f"the private key of the {role} was not loaded"
            raise KeyFileError(msg)
        return self._signers[role]

    @property
    def log(self) -> KeySigner:
        """What signs checkpoints."""
        return self.signer("log")

    @property
    def shuffler(self) -> KeySigner:
        """What signs deals."""
        return self.signer("shuffler")

    @property
    def referee(self) -> KeySigner:
        """What signs settlements."""
        return self.signer("referee")

    @property
    def sealing(self) -> bytes:
        """The key that seals server seeds, 32 bytes; KeyFileError where it was not asked for."""
        if not self._sealing:
            msg = "the sealing key was not loaded"
            raise KeyFileError(msg)
        return self._sealing

    def has(self, role: str) -> bool:
        """Whether the private key of a role was loaded."""
        return role in self._signers

    def next(self, role: str, entropy: Callable[[int], bytes]) -> KeySigner:
        """The key that shall follow a role's, made and kept where none waits yet."""
        path = self._next_path(role)
        if not path.exists():
            write_key(path, KeySigner(self.public[role].name, entropy(SEED_SIZE)))
        return read_key(path)

    def waiting(self, role: str) -> KeySigner | None:
        """The key that was made to follow a role's, None where none was."""
        path = self._next_path(role)
        return read_key(path) if path.exists() else None

    def _next_path(self, role: str) -> Path:
        return self.folder / f"{role}.next.key"

    def adopt(self, role: str) -> None:
        """The key that waits is the role's own from the next start on; a log's old one goes on beside it.

        Each step can be done again, so a process that dies in between leaves nothing that the next one cannot finish.
        """
        own, retiring = self.folder / f"{role}.key", self.folder / "log.retiring.key"
        _write_public(self.folder, role, read_key(self._next_path(role)).key)
        if role == "log" and own.exists() and not retiring.exists():
            own.replace(retiring)
            _force(self.folder)
        self._next_path(role).replace(own)
        _force(self.folder)

    def retire(self) -> None:
        """The log's old key signs no more."""
        (self.folder / "log.retiring.key").unlink(missing_ok=True)
        _force(self.folder)


def read_public_keys(folder: Path) -> dict[str, str]:
    """The verifier key of each role in a key folder; KeyFileError where one is missing or unreadable."""
    return {role: _public(folder, role, None, folder / f"{role}.key", keep=False).text for role in ROLES}


def open_or_make_key(path: Path, *, name: str, algorithm: Algorithm, entropy: Callable[[int], bytes]) -> KeySigner:
    """The key in a file, made for this name where there is no file; KeyFileError where it is another's."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_key(path, KeySigner(name, entropy(SEED_SIZE), algorithm))
    signer = read_key(path)
    if (signer.name, signer.key.algorithm) != (name, algorithm):
        msg = f"{path} holds the key {signer.verifier_key}, not one called {name} of type {algorithm:#04x}"
        raise KeyFileError(msg)
    return signer


def read_key(path: Path) -> KeySigner:
    """The private key in a file that its owner alone can read; KeyFileError otherwise."""
    return KeySigner.from_text(_read(path))


def write_key(path: Path, signer: KeySigner) -> None:
    """The private key stands in a new file that its owner alone can read, durably."""
    _write(path, signer.to_text())
    _force(path.parent)


def _make_all(paths: Mapping[str, Path], *, origin: str, entropy: Callable[[int], bytes]) -> None:
    for path in paths.values():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    for role in ROLES:
        signer = KeySigner(origin if role == "log" else f"{origin}/{role}", entropy(SEED_SIZE))
        _write(paths[role], signer.to_text())
        _write_public(paths[SEALING].parent, role, signer.key)
    _write(paths[SEALING], entropy(SEED_SIZE).hex())
    _force(paths[SEALING].parent)


def _public(folder: Path, role: str, signer: KeySigner | None, path: Path, *, keep: bool = True) -> VerifierKey:
    """The public key of a role, from its file or else from the private key, which is kept in a file then."""
    public = folder / f"{role}.pub"
    if public.exists():
        try:
            key = VerifierKey.parse(public.read_text(encoding="ascii").strip())
        except (OSError, UnicodeDecodeError, KeyTextError) as error:
            msg = f"{public} cannot be read: {error}"
            raise KeyFileError(msg) from None
        if signer is not None and signer.key != key:
            msg = f"{path} is not the private key of {public}"
            raise KeyFileError(msg)
        return key
    key = (signer or read_key(path)).key
    if keep:
        _write_public(folder, role, key)
    return key


def _write_public(folder: Path, role: str, key: VerifierKey) -> None:
    draft = folder / f"{role}.pub.new"
    draft.write_text(key.text + "\n", encoding="ascii")
    draft.replace(folder / f"{role}.pub")


def _sealing_key(text: str) -> bytes:
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) != SEED_SIZE:
        msg = "sealing.key does not hold 64 hexadecimal digits; restore it from its backup"
        raise KeyFileError(msg)
    return key


def _write(path: Path, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())


def _force(folder: Path) -> None:
    """The folder's names are on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _read(path: Path) -> str:
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path} cannot be read: {error}"
        raise KeyFileError(msg) from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        msg = f"{path} can be read by others than its owner; run: chmod 600 {path}"
        raise KeyFileError(msg)
    return text
