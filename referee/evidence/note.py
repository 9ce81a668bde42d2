r"""Signed notes: a text, a blank line, and one line for each signature, in the form of C2SP signed-note.

The text ends in a newline and is what is signed; a signature names its key by name and four-byte hint. Known keys are
those that the caller verifies with. Signatures by other keys are ignored. A bad signature by a known key makes the note
invalid, and so does the lack of a signature by a known key. Base64 that is not in its canonical form is refused.

>>> from referee.evidence.vkey import VerifierKey
>>> peter = VerifierKey.parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
>>> note = Note.parse((
...     "If you think cryptography is the answer to your problem,\n"
...     "then you don't know what your problem is.\n\n"
...     "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
... ).encode())
>>> [key.name for key in note.verify([peter])]
['PeterNeumann']

Source: https://c2sp.org/signed-note and https://c2sp.org/tlog-cosignature
"""

import base64
import binascii
import re
from collections.abc import Iterable
from typing import Final, NoReturn, Self, assert_never

import msgspec

from referee.evidence.ed25519 import Signer, is_signature
from referee.evidence.vkey import KEY_ID_SIZE, Algorithm, VerifierKey

MAX_NOTE_SIZE: Final = 65_535
MAX_SIGNATURES: Final = 100

_SIGNATURE_LINE: Final = re.compile(r"— ([^ +]+) ([A-Za-z0-9+/]+={0,2})")
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f]")
_TIME_SIZE: Final = 8
_LARGEST_TIME: Final = 2**63 - 1


class NoteError(ValueError):
    """Bytes that are not a signed note, or a note that no known key signed."""


class NoteSignature(msgspec.Struct, frozen=True):
    """One signature line: the signer's name, the key's hint, and the signature's bytes."""

    name: str
    key_id: bytes
    signature: bytes

    def format(self) -> str:
        """Return the line, newline included."""
        return f"— {self.name} {base64.b64encode(self.key_id + self.signature).decode('ascii')}\n"


class Note(msgspec.Struct, frozen=True):
    """A text and its signatures, in their order; not verified yet."""

    text: str
    signatures: tuple[NoteSignature, ...]

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read a note of at most 65,535 bytes and 100 signatures; raise NoteError for any other bytes."""
        if len(data) > MAX_NOTE_SIZE:
            _refuse(f"it has more than {MAX_NOTE_SIZE} bytes")
        try:
            whole = data.decode("utf-8")
        except UnicodeDecodeError:
            _refuse("it is not UTF-8")
        text, blank, tail = whole.rpartition("\n\n")
        if not blank or not tail.endswith("\n"):
            _refuse("it has no blank line with signature lines below")
        if _CONTROL.search(whole):
            _refuse("it has a control character")
        lines = tail[:-1].split("\n")
        if len(lines) > MAX_SIGNATURES:
            _refuse(f"it has more than {MAX_SIGNATURES} signatures")
        return cls(text + "\n", tuple(_parse_line(line) for line in lines))

    def format(self) -> bytes:
        """Encode the note; ``Note.parse`` reads it back."""
        return f"{self.text}\n{''.join(line.format() for line in self.signatures)}".encode()

    def verify(self, keys: Iterable[VerifierKey]) -> tuple[VerifierKey, ...]:
        """Verify the note and return those of the keys that signed it, each once, in the order of the lines.

        Raise NoteError if a signature by one of the keys is bad, if none of them signed the note, or if two different
        keys share name and hint.
        """
        keys_by_line: dict[tuple[str, bytes], VerifierKey] = {}
        for key in keys:
            if keys_by_line.setdefault((key.name, key.key_id), key) != key:
                raise NoteError(f"two keys are called {key.name}+{key.key_id.hex()}")
        signers: dict[VerifierKey, None] = {}
        for line in self.signatures:
            signer = keys_by_line.get((line.name, line.key_id))
            if signer is None:
                continue
            message, signature = _signed(self.text, line, signer.algorithm)
            if not is_signature(signature, message, signer.public_key):
                raise NoteError(f"the signature under {signer.name}+{signer.key_id.hex()} is not by that key")
            signers[signer] = None
        if not signers:
            raise NoteError("no known key has signed the note")
        return tuple(signers)

    def cosignature_times(self, key: VerifierKey) -> tuple[int, ...]:
        """Return the times of a witness's cosignatures in seconds since 1970 UTC, in the order of the lines.

        Empty unless the key's algorithm is COSIGNATURE_V1. The caller must have verified the note with this key.
        """
        if key.algorithm is not Algorithm.COSIGNATURE_V1:
            return ()
        return tuple(
            int.from_bytes(line.signature[:_TIME_SIZE], "big")
            for line in self.signatures
            if (line.name, line.key_id) == (key.name, key.key_id)
        )

    def with_signature(self, signature: NoteSignature) -> Self:
        """Return the note with one more signature line, the last."""
        return msgspec.structs.replace(self, signatures=(*self.signatures, signature))


def cosign_note(note: Note, *, name: str, signer: Signer, time: int) -> Note:
    """Return the note with a witness's cosignature/v1 as its last line; ``time`` is in seconds since 1970 UTC."""
    key = VerifierKey(name, signer.public_key, Algorithm.COSIGNATURE_V1)
    signature = signer.sign(_cosigned(note.text, time))
    return note.with_signature(NoteSignature(name, key.key_id, time.to_bytes(_TIME_SIZE, "big") + signature))


def _parse_line(line: str) -> NoteSignature:
    match = _SIGNATURE_LINE.fullmatch(line)
    if match is None or any(letter.isspace() for letter in match[1]):
        _refuse(f"{line[:100]!r} is not a signature line")
    try:
        decoded = base64.b64decode(match[2], validate=True)
    except binascii.Error:
        _refuse(f"{line[:100]!r} is not a signature line")
    signature = NoteSignature(match[1], decoded[:KEY_ID_SIZE], decoded[KEY_ID_SIZE:])
    if not signature.signature or signature.format() != line + "\n":
        _refuse(f"{line[:100]!r} is not a signature line")
    return signature


def _signed(text: str, line: NoteSignature, algorithm: Algorithm) -> tuple[bytes, bytes]:
    match algorithm:
        case Algorithm.ED25519:
            return text.encode(), line.signature
        case Algorithm.COSIGNATURE_V1:
            time = int.from_bytes(line.signature[:_TIME_SIZE], "big")
            return _cosigned(text, min(time, _LARGEST_TIME)), line.signature[_TIME_SIZE:]
        case _:
            assert_never(algorithm)


def _cosigned(text: str, time: int) -> bytes:
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def _refuse(reason: str) -> NoReturn:
    raise NoteError(f"these bytes are not a signed note: {reason}")
