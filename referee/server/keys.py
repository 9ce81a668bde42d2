"""Private keys: their text, their files, and the passphrase over them; made and used in this file and nowhere else.

A signing key is one line in the C2SP signed-note form ``PRIVATE+KEY+<name>+<id>+<base64>``. Its file can be read by its
owner alone, who is the user that asks; a file that others can read, or that is another's, is refused.

With a passphrase the file holds another line, in which that one is encrypted::

    ENCRYPTED+KEY+argon2id+<passes>+<KiB>+base64(salt ‖ nonce ‖ box)

    box = XSalsa20-Poly1305(key, nonce, line)     key = Argon2id(passphrase, salt, passes, KiB, 1 lane), 32 bytes

The salt has 16 bytes and is shared by keys that were encrypted together, the nonce has 24 and is never used again.
Argon2id is RFC 9106's, by default with its second recommendation for passes and memory; the box is NaCl's secretbox.

It refuses to know whose keys these are; ``keyfolder`` knows.
"""

import base64
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Protocol, Self

from nacl.exceptions import CryptoError
from nacl.pwhash import argon2id
from nacl.secret import SecretBox
from nacl.signing import SigningKey

from referee.evidence.ed25519 import Signer
from referee.evidence.vkey import Algorithm, VerifierKey

SEED_SIZE: Final = 32
PASSPHRASE_VARIABLE: Final = "REFEREE_PASSPHRASE"  # noqa: S105 - its name
_CREDENTIALS: Final = "CREDENTIALS_DIRECTORY"
LEAST_PASSPHRASE: Final = 12
"""Bytes of the shortest passphrase that new keys are encrypted with."""
_PREFIX: Final = "PRIVATE+KEY"
_LOCKED: Final = "ENCRYPTED+KEY+argon2id"
_PASSES: Final = 3
_KIB: Final = 65_536
_MOST_PASSES: Final = 16
_MOST_KIB: Final = 1_048_576
_SALT_SIZE: Final = 16
_NONCE_SIZE: Final = 24


class KeyFileError(ValueError):
    """A key file that is missing, unreadable, readable by others or not in the form this file writes."""


class LockedKeyError(KeyFileError):
    """A key file that is encrypted, and no passphrase was given."""


class NamedSigner(Signer, Protocol):
    """Whatever holds a private key that verifiers know by a name; here, or in another process."""

    @property
    def name(self) -> str:
        """The key's name."""

    @property
    def key(self) -> VerifierKey:
        """The public key, with its name."""

    @property
    def verifier_key(self) -> str:
        """The public key as C2SP verifier key text."""


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


class Lock:
    """A passphrase over key files. The slow function that makes it a key is run once for each salt."""

    def __init__(self, passphrase: bytes, *, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._passphrase = passphrase
        self._entropy = entropy
        self._salt = b""
        self._made: dict[tuple[bytes, int, int], bytes] = {}

    def __repr__(self) -> str:
        return "Lock(…)"

    @classmethod
    def of(cls, file: str, environ: Mapping[str, str]) -> "Lock | None":
        """The lock of the passphrase in a file, or else in REFEREE_PASSPHRASE; None where neither is given.

        The file's last line break is none of it. KeyFileError where the file cannot be read, or by others too; what
        systemd hands over (``LoadCredential=``) is its affair, and is root's.
        """
        if file:
            handed = environ.get(_CREDENTIALS, "")
            is_handed = bool(handed) and Path(file).is_relative_to(handed)
            passphrase = _read(Path(file), is_checked=not is_handed).removesuffix("\n").removesuffix("\r")
        else:
            passphrase = environ.get(PASSPHRASE_VARIABLE, "")
        if not passphrase:
            if not file:
                return None
            msg = f"{file} holds no passphrase"
            raise KeyFileError(msg)
        return cls(passphrase.encode())

    @property
    def is_short(self) -> bool:
        """Whether new keys should not be encrypted with it."""
        return len(self._passphrase) < LEAST_PASSPHRASE

    def seal(self, text: str) -> str:
        """The line that holds this text encrypted; KeyFileError where the passphrase is too short for that."""
        if self.is_short:
            msg = f"the passphrase has fewer than {LEAST_PASSPHRASE} bytes; keys are not encrypted with so short a one"
            raise KeyFileError(msg)
        self._salt = self._salt or self._entropy(_SALT_SIZE)
        nonce = self._entropy(_NONCE_SIZE)
        box = SecretBox(self._key(self._salt, _PASSES, _KIB)).encrypt(text.encode("ascii"), nonce).ciphertext
        return f"{_LOCKED}+{_PASSES}+{_KIB}+{base64.b64encode(self._salt + nonce + box).decode()}"

    def open(self, line: str) -> str:
        """The text that a line of ``seal`` holds; KeyFileError where it is no such line or of another passphrase."""
        try:
            passes, kib, encoded = line.strip().removeprefix(f"{_LOCKED}+").split("+", 2)
            cost = int(passes), int(kib)
            held = base64.b64decode(encoded, validate=True)
        except ValueError:
            msg = f"the text is no encrypted key; it has the form {_LOCKED}+<passes>+<KiB>+<base64>"
            raise KeyFileError(msg) from None
        if not (1 <= cost[0] <= _MOST_PASSES and 8 <= cost[1] <= _MOST_KIB):  # noqa: PLR2004 - Argon2's own least
            msg = f"the encrypted key asks for {cost[0]} passes over {cost[1]} KiB, which is not done"
            raise KeyFileError(msg)
        salt, nonce, box = (
            held[:_SALT_SIZE],
            held[_SALT_SIZE : _SALT_SIZE + _NONCE_SIZE],
            held[_SALT_SIZE + _NONCE_SIZE :],
        )
        try:
            text = SecretBox(self._key(salt, *cost)).decrypt(box, nonce).decode("ascii")
        except (CryptoError, ValueError):
            msg = "the passphrase is not the one that the key was encrypted with, or its file is damaged"
            raise KeyFileError(msg) from None
        self._salt = self._salt or salt
        return text

    def fits(self, line: str) -> bool:
        """Whether this passphrase opens the line."""
        try:
            self.open(line)
        except KeyFileError:
            return False
        return True

    def _key(self, salt: bytes, passes: int, kib: int) -> bytes:
        cost = salt, passes, kib
        if cost not in self._made:
            self._made[cost] = argon2id.kdf(
                SecretBox.KEY_SIZE, self._passphrase, salt, opslimit=passes, memlimit=kib * 1024
            )
        return self._made[cost]


def is_locked(text: str) -> bool:
    """Whether a key file's text is encrypted."""
    return text.startswith(f"{_LOCKED}+")


def open_or_make_key(
    path: Path, *, name: str, algorithm: Algorithm, entropy: Callable[[int], bytes], lock: Lock | None = None
) -> KeySigner:
    """The key in a file, made for this name where there is no file; KeyFileError where it is another's."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_key(path, KeySigner(name, entropy(SEED_SIZE), algorithm), lock)
    signer = read_key(path, lock)
    if (signer.name, signer.key.algorithm) != (name, algorithm):
        msg = f"{path} holds the key {signer.verifier_key}, not one called {name} of type {algorithm:#04x}"
        raise KeyFileError(msg)
    return signer


def read_key(path: Path, lock: Lock | None = None) -> KeySigner:
    """The private key in a file that its owner alone can read; KeyFileError otherwise."""
    text = read_secret(path, lock)
    try:
        return KeySigner.from_text(text)
    except KeyFileError as error:
        msg = f"{path}: {error}"
        raise KeyFileError(msg) from None


def write_key(path: Path, signer: KeySigner, lock: Lock | None = None) -> None:
    """The private key stands in a new file that its owner alone can read, durably."""
    write_secret(path, signer.to_text(), lock)
    force(path.parent)


def read_secret(path: Path, lock: Lock | None) -> str:
    """The line that a key file holds, decrypted where it is encrypted; LockedKeyError where nothing can decrypt it."""
    text = _read(path)
    if not is_locked(text):
        return text
    if lock is None:
        msg = (
            f"{path} is encrypted; give its passphrase in a file (--passphrase-file, keys.passphrase_file) "
            f"or in {PASSPHRASE_VARIABLE}"
        )
        raise LockedKeyError(msg)
    try:
        return lock.open(text)
    except KeyFileError as error:
        msg = f"{path}: {error}"
        raise KeyFileError(msg) from None


def write_secret(path: Path, text: str, lock: Lock | None) -> None:
    """The line is in a new file that its owner alone can read, encrypted where there is a lock."""
    held = text if lock is None else lock.seal(text)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(held + "\n")
        file.flush()
        os.fsync(file.fileno())


def relock(path: Path, *, old: Lock, new: Lock | None) -> Callable[[], None] | None:
    """What puts a key file in its new state, whole: encrypted with ``new``, or plain without; None where it is so.

    The new file is written beside the old one by then, so that what can fail has failed for all files before the first
    one is changed. KeyFileError where the old one cannot be opened.
    """
    text = _read(path).strip()
    if is_locked(text):
        if new is not None and new.fits(text):
            return None
        text = read_secret(path, old).strip()
    elif new is None:
        return None
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    write_secret(draft, text, new)

    def finish() -> None:
        draft.replace(path)
        force(path.parent)

    return finish


def force(folder: Path) -> None:
    """The folder's names are on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def check_file(path: Path) -> None:
    """Nothing, where the file is this user's and closed to all others; KeyFileError with what to do otherwise."""
    try:
        found = path.stat()
    except OSError as error:
        msg = f"{path} cannot be read: {error}"
        raise KeyFileError(msg) from None
    if found.st_uid != os.geteuid():
        msg = (
            f"{path} belongs to user {found.st_uid}, and this process is user {os.geteuid()}; "
            f"run it as that user, or: chown {os.geteuid()} {path}"
        )
        raise KeyFileError(msg)
    if stat.S_IMODE(found.st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        msg = f"{path} can be read by others than its owner; run: chmod 600 {path}"
        raise KeyFileError(msg)


def _read(path: Path, *, is_checked: bool = True) -> str:
    if is_checked:
        check_file(path)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path} cannot be read: {error}"
        raise KeyFileError(msg) from None
