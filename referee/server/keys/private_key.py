"""Private keys: their text, their files and the passphrase that encrypts them. No other module signs.

A key is one line, ``PRIVATE+KEY+<name>+<id>+<base64>`` (C2SP signed-note), in a file that only its owner can read. With
a passphrase the file holds that line encrypted::

    ENCRYPTED+KEY+argon2id+<passes>+<KiB>+base64(salt ‖ nonce ‖ box)

    box = XSalsa20-Poly1305(key, nonce, line)     key = Argon2id(passphrase, salt, passes, KiB, 1 lane), 32 bytes

The salt has 16 bytes and is shared by keys that were encrypted together; the nonce has 24 and is never reused. Passes
and memory are the second recommendation of RFC 9106; the box is NaCl's secretbox.
"""

import abc
import base64
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Self

from nacl.bindings import crypto_sign, crypto_sign_seed_keypair
from nacl.exceptions import CryptoError
from nacl.pwhash import argon2id
from nacl.secret import SecretBox

from referee.evidence.ed25519 import SIGNATURE_SIZE
from referee.evidence.outside import OutsideError, read_text
from referee.evidence.printable import error_words
from referee.evidence.vkey import Algorithm, VerifierKey

SEED_SIZE: Final = 32
MOST_BYTES: Final = 64 << 10
"""Bytes of a key's or a passphrase's file that are read."""
PASSPHRASE_VARIABLE: Final = "REFEREE_PASSPHRASE"  # noqa: S105 - its name
_CREDENTIALS: Final = "CREDENTIALS_DIRECTORY"
LEAST_PASSPHRASE: Final = 12
"""Length in bytes of the shortest passphrase that encrypts new keys."""
_PREFIX: Final = "PRIVATE+KEY"
_ENCRYPTED: Final = "ENCRYPTED+KEY+argon2id"
_PASSES: Final = 3
_KIB: Final = 65_536
_MOST_PASSES: Final = 16
_MOST_KIB: Final = 1_048_576
_SALT_SIZE: Final = 16


class KeyFileError(ValueError):
    """A key file that is missing, unreadable, readable by others or malformed."""


class NamedSigner(abc.ABC):
    """Signer whose key has a name; the private key may be in another process.

    ``public_key`` has 32 bytes, ``verifier_key`` is the C2SP verifier key text of ``key``.
    """

    def __init__(self, key: VerifierKey) -> None:
        self.key = key
        self.name = key.name
        self.public_key = key.public_key
        self.verifier_key = key.text

    @abc.abstractmethod
    def sign(self, message: bytes) -> bytes:
        """Return the Ed25519 signature of a message, 64 bytes; raise SignerUnavailableError without one."""


class KeySigner(NamedSigner):
    """Signer with one private key in this process."""

    def __init__(self, name: str, seed: bytes, algorithm: Algorithm = Algorithm.ED25519) -> None:
        self._seed = seed
        public_key, self._secret = crypto_sign_seed_keypair(seed)
        super().__init__(VerifierKey(name, public_key, algorithm))

    def sign(self, message: bytes) -> bytes:
        """Return the Ed25519 signature of a message, 64 bytes."""
        return crypto_sign(message, self._secret)[:SIGNATURE_SIZE]

    def to_text(self) -> str:
        """Encode the private key as one line."""
        secret = base64.b64encode(bytes([self.key.algorithm]) + self._seed).decode()
        return f"{_PREFIX}+{self.name}+{self.key.key_id.hex()}+{secret}"

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Parse a line of ``to_text``; raise KeyFileError for any other text."""
        try:
            prefix, secret_name, name, key_id, encoded = text.strip().split("+", 4)
            secret = base64.b64decode(encoded, validate=True)
            algorithm = Algorithm(secret[0])
        except (ValueError, IndexError):
            raise KeyFileError("the text is not a private key; its form is PRIVATE+KEY+<name>+<id>+<base64>") from None
        if f"{prefix}+{secret_name}" != _PREFIX or len(secret) != 1 + SEED_SIZE:
            raise KeyFileError("the text is not an Ed25519 private key; its form is PRIVATE+KEY+<name>+<id>+<base64>")
        signer = cls(name, secret[1:], algorithm)
        if signer.key.key_id.hex() != key_id:
            msg = f"the private key of {name} has the id {signer.key.key_id.hex()}, and its file names {key_id}"
            raise KeyFileError(msg)
        return signer


class GuardedSigner(NamedSigner):
    """A signer that calls ``check``, which may raise SignerUnavailableError, before each signature."""

    def __init__(self, signer: NamedSigner, check: Callable[[], None]) -> None:
        super().__init__(signer.key)
        self._signer = signer
        self._check = check

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message, 64 bytes, unless the check raises."""
        self._check()
        return self._signer.sign(message)


class Passphrase:
    """Passphrase of key files. Argon2id runs once for each salt."""

    def __init__(self, passphrase: bytes, *, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._passphrase = passphrase
        self._entropy = entropy
        self._salt = b""
        self._made: dict[tuple[bytes, int, int], bytes] = {}

    def __repr__(self) -> str:
        return "Passphrase(…)"

    @classmethod
    def of(cls, file: str, environ: Mapping[str, str]) -> "Passphrase | None":
        """Read the passphrase from a file, or else from REFEREE_PASSPHRASE; return None where neither is given.

        A final line break is removed. Raises KeyFileError for a file that cannot be read or that others can read; files
        passed by systemd (``LoadCredential=``) belong to root and are exempt.
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
            raise KeyFileError(f"{file} holds no passphrase; write it on one line")
        return cls(passphrase.encode())

    @property
    def is_short(self) -> bool:
        """Whether it is too short to encrypt new keys."""
        return len(self._passphrase) < LEAST_PASSPHRASE

    def encrypt(self, text: str) -> str:
        """Encrypt a text into one line; raise KeyFileError for a passphrase that is too short."""
        if self.is_short:
            raise KeyFileError(
                f"the passphrase has fewer than {LEAST_PASSPHRASE} bytes, too few to encrypt keys; choose a longer one"
            )
        self._salt = self._salt or self._entropy(_SALT_SIZE)
        box = SecretBox(self._key(self._salt, _PASSES, _KIB))
        sealed = box.encrypt(text.encode("ascii"), self._entropy(SecretBox.NONCE_SIZE))  # which begins with the nonce
        return f"{_ENCRYPTED}+{_PASSES}+{_KIB}+{base64.b64encode(self._salt + sealed).decode()}"

    def decrypt(self, line: str) -> str:
        """Decrypt a line of ``encrypt``; raise KeyFileError for another line or passphrase."""
        try:
            passes, kib, encoded = line.strip().removeprefix(f"{_ENCRYPTED}+").split("+", 2)
            cost = int(passes), int(kib)
            held = base64.b64decode(encoded, validate=True)
        except ValueError:
            msg = f"the text is not an encrypted key; its form is {_ENCRYPTED}+<passes>+<KiB>+<base64>"
            raise KeyFileError(msg) from None
        if not (1 <= cost[0] <= _MOST_PASSES and 8 <= cost[1] <= _MOST_KIB):  # noqa: PLR2004 - Argon2's own least
            most = f"{_MOST_PASSES} passes and {_MOST_KIB} KiB"
            msg = f"the encrypted key asks for {cost[0]} passes over {cost[1]} KiB; at most {most} are allowed"
            raise KeyFileError(msg)
        salt = held[:_SALT_SIZE]
        try:
            text = SecretBox(self._key(salt, *cost)).decrypt(held[_SALT_SIZE:]).decode("ascii")
        except (CryptoError, ValueError):
            raise KeyFileError("the key was encrypted with another passphrase, or its file is damaged") from None
        self._salt = self._salt or salt
        return text

    def fits(self, line: str) -> bool:
        """Return whether this passphrase decrypts the line."""
        try:
            self.decrypt(line)
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


def is_encrypted(text: str) -> bool:
    """Return whether a key file's text is encrypted."""
    return text.startswith(f"{_ENCRYPTED}+")


def open_or_make_key(
    path: Path,
    *,
    name: str,
    algorithm: Algorithm,
    entropy: Callable[[int], bytes],
    passphrase: Passphrase | None = None,
) -> KeySigner:
    """Read a key file, or make it; raise KeyFileError for a key of another name or type."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_key(path, KeySigner(name, entropy(SEED_SIZE), algorithm), passphrase)
    signer = read_key(path, passphrase)
    if (signer.name, signer.key.algorithm) != (name, algorithm):
        raise KeyFileError(f"{path} holds the key {signer.verifier_key}, not one named {name} of type {algorithm:#04x}")
    return signer


def read_key(path: Path, passphrase: Passphrase | None = None) -> KeySigner:
    """Read the private key of a file that only its owner can read; raise KeyFileError otherwise."""
    text = read_secret(path, passphrase)
    try:
        return KeySigner.from_text(text)
    except KeyFileError as error:
        raise KeyFileError(f"{path}: {error}") from None


def write_key(path: Path, signer: KeySigner, passphrase: Passphrase | None = None) -> None:
    """Write a private key durably to a new file that only its owner can read."""
    write_secret(path, signer.to_text(), passphrase)
    force(path.parent)


def read_secret(path: Path, passphrase: Passphrase | None) -> str:
    """Read the line of a key file and decrypt it; raise KeyFileError without a passphrase for it."""
    text = _read(path)
    if not is_encrypted(text):
        return text
    if passphrase is None:
        raise KeyFileError(
            f"{path} is encrypted; give its passphrase in a file (--passphrase-file, keys.passphrase_file) "
            f"or in {PASSPHRASE_VARIABLE}"
        )
    try:
        return passphrase.decrypt(text)
    except KeyFileError as error:
        raise KeyFileError(f"{path}: {error}") from None


def write_secret(path: Path, text: str, passphrase: Passphrase | None) -> None:
    """Write a line to a new file that only its owner can read; encrypt it where there is a passphrase."""
    held = text if passphrase is None else passphrase.encrypt(text)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(held + "\n")
        file.flush()
        os.fsync(file.fileno())


def reencrypt(path: Path, *, old: Passphrase, new: Passphrase | None) -> Callable[[], None] | None:
    """Write a key file's new state beside it: encrypted with ``new``, or plain for None.

    Return the function that replaces the file, so that every file can be prepared before the first is changed; None
    where nothing changes. Raises KeyFileError where the file cannot be decrypted.
    """
    text = _read(path).strip()
    if is_encrypted(text):
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
    """Force a folder's names to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def check_file(path: Path) -> None:
    """Verify that a file belongs to this user and is closed to others; raise KeyFileError otherwise."""
    try:
        found = path.stat()
    except OSError as error:
        raise KeyFileError(f"{path} cannot be read: {error_words(error)}") from None
    if found.st_uid != os.geteuid():
        raise KeyFileError(
            f"{path} belongs to user {found.st_uid}, and this process runs as user {os.geteuid()}; "
            f"run it as that user, or: chown {os.geteuid()} {path}"
        )
    if stat.S_IMODE(found.st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        raise KeyFileError(f"{path} can be read by users other than its owner; run: chmod 600 {path}")


def _read(path: Path, *, is_checked: bool = True) -> str:
    if is_checked:
        check_file(path)
    try:
        return read_text(path.read_bytes(), most=MOST_BYTES).replace("\r\n", "\n")
    except (OSError, OutsideError) as error:
        raise KeyFileError(f"{path} cannot be read: {error_words(error)}") from None
