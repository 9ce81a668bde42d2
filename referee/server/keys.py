"""Private keys: made, kept and used in this file and nowhere else.

Each role has its own key: ``root`` names all others in the log, ``log`` signs checkpoints, ``shuffler`` signs deals,
``referee`` signs settlements. ``sealing`` is no signing key: it seals server seeds, and losing it leaves open rounds
unrevealable, which an audit cannot tell from foul play. Back the folder up.

A signing key's file holds one line in the C2SP signed-note form ``PRIVATE+KEY+<name>+<id>+<base64>``, readable by its
owner alone. A file that others can read is refused.
"""

import base64
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from nacl.signing import SigningKey

from referee.evidence import vkey

ROLES: Final = ("root", "log", "shuffler", "referee")
SEED_SIZE: Final = 32
_PREFIX: Final = "PRIVATE+KEY"
_ED25519: Final = b"\x01"


class KeyFileError(ValueError):
    """A key file that is missing, unreadable, readable by others or not in the form this file writes."""


class KeySigner:
    """Signs with one private key. ``name`` and ``public_key`` (32 bytes) are what verifiers know it by."""

    def __init__(self, name: str, seed: bytes) -> None:
        self.name = name
        self._key = SigningKey(seed)
        self.public_key = bytes(self._key.verify_key)

    def sign(self, message: bytes) -> bytes:
        """The Ed25519 signature of the message; 64 bytes."""
        return self._key.sign(message).signature

    @property
    def verifier_key(self) -> str:
        """The public key as C2SP verifier key text."""
        return vkey.VerifierKey(self.name, self.public_key).text

    def to_text(self) -> str:
        """The private key as one line of text."""
        key = vkey.VerifierKey(self.name, self.public_key)
        secret = base64.b64encode(_ED25519 + bytes(self._key)).decode()
        return f"{_PREFIX}+{self.name}+{key.key_id.hex()}+{secret}"

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The key that a line of ``to_text`` holds; KeyFileError where it does not hold together."""
        try:
            prefix, secret_name, name, key_id, encoded = text.strip().split("+", 4)
            secret = base64.b64decode(encoded, validate=True)
        except ValueError:
            msg = "the text is no private key; it has the form PRIVATE+KEY+<name>+<id>+<base64>"
            raise KeyFileError(msg) from None
        if f"{prefix}+{secret_name}" != _PREFIX or secret[:1] != _ED25519 or len(secret) != 1 + SEED_SIZE:
            msg = "the text is no Ed25519 private key; it has the form PRIVATE+KEY+<name>+<id>+<base64>"
            raise KeyFileError(msg)
        signer = cls(name, secret[1:])
        if vkey.VerifierKey(name, signer.public_key).key_id.hex() != key_id:
            msg = f"the private key of {name} does not have the id {key_id} that its file names"
            raise KeyFileError(msg)
        return signer


@dataclass(frozen=True, slots=True)
class KeyFolder:
    """All keys of one deployment, as ``<role>.key`` files in one folder, and ``sealing.key`` beside them."""

    root: KeySigner
    log: KeySigner
    shuffler: KeySigner
    referee: KeySigner
    sealing: bytes

    @classmethod
    def open_or_make(cls, folder: Path, *, origin: str, entropy: Callable[[int], bytes]) -> Self:
        """The keys in the folder; where it has none at all, new ones made from ``entropy(32)`` for the origin.

        A folder with only some of the keys is refused: a key that went missing must not be replaced unseen.
        """
        paths = {role: folder / f"{role}.key" for role in (*ROLES, "sealing")}
        present = [role for role, path in paths.items() if path.exists()]
        if not present:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for role in ROLES:
                name = origin if role == "log" else f"{origin}/{role}"
                _write(paths[role], KeySigner(name, entropy(SEED_SIZE)).to_text())
            _write(paths["sealing"], entropy(SEED_SIZE).hex())
        elif len(present) != len(paths):
            missing = sorted(set(paths) - set(present))
            msg = f"{folder} lacks {', '.join(f'{role}.key' for role in missing)}; restore the folder from its backup"
            raise KeyFileError(msg)
        return cls(
            **{role: KeySigner.from_text(_read(paths[role])) for role in ROLES},
            sealing=_sealing_key(_read(paths["sealing"])),
        )


def read_public_keys(folder: Path) -> dict[str, str]:
    """The verifier key of each role in a key folder; KeyFileError where one is missing or unreadable."""
    return {role: KeySigner.from_text(_read(folder / f"{role}.key")).verifier_key for role in ROLES}


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
