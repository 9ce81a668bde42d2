r"""A signed note: a text, a blank line, and one line for each signature, as C2SP signed-note spells it.

The law: the text ends in a newline and is what is signed; a signature names its key by name and four-byte hint.
Signatures by unknown keys are passed over, a bad one by a known key condemns the note, and a note without a good
signature by a known key says nothing. One note has one spelling here: base64 that decodes but would be written
otherwise is refused.

It refuses to know what the text says, which keys deserve trust, and private keys.

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
from dataclasses import dataclass, replace
from typing import Final, NoReturn, Self, assert_never

from referee.evidence.ed25519 import Signer, is_signature
from referee.evidence.vkey import KEY_ID_SIZE, Algorithm, VerifierKey

MAX_NOTE_SIZE: Final = 65_535
MAX_SIGNATURES: Final = 100

_SIGNATURE_LINE: Final = re.compile(r"— ([^ +]+) ([A-Za-z0-9+/]+={0,2})")
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f]")
_TIME_SIZE: Final = 8
_LARGEST_TIME: Final = 2**63 - 1


class NoteError(ValueError):
    """Bytes that are no signed note, or a note that the known keys do not vouch for."""


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line: who is said to have signed, the key's hint, and the signature's own bytes."""

    name: str
    key_id: bytes
    signature: bytes

    def format(self) -> str:
        """The line, newline included."""
        return f"— {self.name} {base64.b64encode(self.key_id + self.signature).decode('ascii')}\n"


@dataclass(frozen=True, slots=True)
class Note:
    """A text and its signatures, in their order; nothing is known of their truth until ``verify`` has answered."""

    text: str
    signatures: tuple[NoteSignature, ...]

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """The note that these bytes spell; NoteError where no note is spelled so.

        At most 65,535 bytes and 100 signatures.
        """
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
        """The bytes of the note; ``Note.parse`` reads them back."""
        return f"{self.text}\n{''.join(line.format() for line in self.signatures)}".encode()

    def verify(self, keys: Iterable[VerifierKey]) -> tuple[VerifierKey, ...]:
        """The keys among these whose signatures the note bears, each once, in the order of the lines.

        Raises NoteError where a known key's signature is bad, where two of the keys share name and hint, and where
        no signature is by a known key.
        """
        known: dict[tuple[str, bytes], VerifierKey] = {}
        for key in keys:
            if known.setdefault((key.name, key.key_id), key) != key:
                msg = f"two keys are called {key.name}+{key.key_id.hex()}"
                raise NoteError(msg)
        found: dict[VerifierKey, None] = {}
        for line in self.signatures:
            signer = known.get((line.name, line.key_id))
            if signer is None:
                continue
            message, signature = _signed(self.text, line, signer.algorithm)
            if not is_signature(signature, message, signer.public_key):
                msg = f"the signature by {signer.name}+{signer.key_id.hex()} is not its own"
                raise NoteError(msg)
            found[signer] = None
        if not found:
            msg = "no known key has signed the note"
            raise NoteError(msg)
        return tuple(found)

    def cosignature_times(self, key: VerifierKey) -> tuple[int, ...]:
        """The seconds since 1970 UTC that a witness's cosignatures name, in the order of the lines.

        Empty for a key that makes none. True only of a note that ``verify`` accepted with this key.
        """
        if key.algorithm is not Algorithm.COSIGNATURE_V1:
            return ()
        return tuple(
            int.from_bytes(line.signature[:_TIME_SIZE], "big")
            for line in self.signatures
            if (line.name, line.key_id) == (key.name, key.key_id)
        )

    def with_signature(self, signature: NoteSignature) -> Self:
        """The note with one more line below the others."""
        return replace(self, signatures=(*self.signatures, signature))


def sign_note(text: str, *, name: str, signer: Signer) -> Note:
    """The note of this text with one Ed25519 signature by ``signer`` under the key name ``name``.

    Raises NoteError where the text cannot stand in a note, KeyTextError where the name names no key.
    """
    if not text.endswith("\n") or _CONTROL.search(text):
        _refuse("its text does not end in a newline or has a control character")
    key = VerifierKey(name, signer.public_key)
    return Note(text, (NoteSignature(name, key.key_id, signer.sign(text.encode())),))


def cosign_note(note: Note, *, name: str, signer: Signer, time: int) -> Note:
    """The note with a witness's cosignature/v1 below the others; ``time`` is in seconds since 1970 UTC."""
    key = VerifierKey(name, signer.public_key, Algorithm.COSIGNATURE_V1)
    signature = signer.sign(_cosigned(note.text, time))
    return note.with_signature(NoteSignature(name, key.key_id, time.to_bytes(_TIME_SIZE, "big") + signature))


def _parse_line(line: str) -> NoteSignature:
    match = _SIGNATURE_LINE.fullmatch(line)
    if match is None or any(letter.isspace() for letter in match[1]):
        _refuse(f"{line[:100]!r} is no signature line")
    try:
        decoded = base64.b64decode(match[2], validate=True)
    except binascii.Error:
        _refuse(f"{line[:100]!r} is no signature line")
    signature = NoteSignature(match[1], decoded[:KEY_ID_SIZE], decoded[KEY_ID_SIZE:])
    if not signature.signature or signature.format() != line + "\n":
        _refuse(f"{line[:100]!r} is no signature line")
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
    msg = f"these bytes are no signed note: {reason}"
    raise NoteError(msg)
