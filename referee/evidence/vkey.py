"""Verifier keys as text, ``name+hash+key``, in the form of C2SP signed-note.

The hash is the first four bytes of SHA-256 over name, newline, algorithm and public key, in lowercase hex; the
key is base64 of the algorithm byte and the public key. One key has one text. The hash is a hint and decides nothing.
Names are ASCII without space and plus; a URL without its scheme is customary. An unsound public key is refused, because
messages that nobody signed could be verified with it.

>>> key = VerifierKey.parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
>>> key.name, key.algorithm, key.key_id.hex()
('PeterNeumann', <Algorithm.ED25519: 1>, 'c74f20a3')

Source: https://c2sp.org/signed-note
"""

import base64
import binascii
import enum
import hashlib
import re
from dataclasses import dataclass, field
from typing import Final, Self

from referee.evidence.ed25519 import PublicKeyError, check_public_key

KEY_ID_SIZE: Final = 4

_NAME: Final = re.compile(r"[!-*,-~]{1,255}")
_TEXT: Final = re.compile(r"([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})")


class KeyTextError(ValueError):
    """A text that is no verifier key, a name that no key can have, or an unsound public key."""


class Algorithm(enum.IntEnum):
    """Kinds of signature; the numbers are C2SP's signature type bytes."""

    ED25519 = 0x01
    """Ed25519 over the note's text."""
    COSIGNATURE_V1 = 0x04
    """A witness's timestamped Ed25519 over a checkpoint (C2SP tlog-cosignature)."""


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A named public key of 32 bytes; equal where name, algorithm and key are equal."""

    name: str
    public_key: bytes
    algorithm: Algorithm = Algorithm.ED25519
    key_id: bytes = field(init=False, compare=False)
    """The key's hint: the four bytes that precede its signatures in a note."""

    def __post_init__(self) -> None:
        if _NAME.fullmatch(self.name) is None:
            msg = f"{self.name!r} names no key; use 1-255 printable ASCII characters without space and plus"
            raise KeyTextError(msg)
        try:
            check_public_key(self.public_key)
        except PublicKeyError as error:
            raise KeyTextError(str(error)) from error
        hashed = hashlib.sha256(self.name.encode("ascii") + b"\n" + self._material)
        object.__setattr__(self, "key_id", hashed.digest()[:KEY_ID_SIZE])

    @property
    def _material(self) -> bytes:
        return bytes([self.algorithm]) + self.public_key

    @property
    def text(self) -> str:
        """The key's text form: name, key id and key material. ``VerifierKey.parse`` reads it."""
        return f"{self.name}+{self.key_id.hex()}+{base64.b64encode(self._material).decode('ascii')}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a key from its one text; raise KeyTextError for any other text."""
        match = _TEXT.fullmatch(text)
        if match is None and len(text.split()) > 1:
            raise KeyTextError(f"{text[:300]!r} is no verifier key: white space is in it; paste it as one line")
        if match is None:
            raise KeyTextError(f"{text[:300]!r} is no verifier key; write name+hash+base64")
        try:
            material = base64.b64decode(match[3], validate=True)
            algorithm = Algorithm(material[0])
        except (binascii.Error, ValueError) as error:
            raise KeyTextError(f"{text[:300]!r} is no verifier key: {error}") from error
        key = cls(match[1], material[1:], algorithm)
        if key.text != text:
            raise KeyTextError(f"{text[:300]!r} is no verifier key; with this name and key it would be {key.text}")
        return key
