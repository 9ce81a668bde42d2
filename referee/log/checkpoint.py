r"""A checkpoint says: the log of this origin had this many leaves and this root. Signed, it is a C2SP note.

The law: three lines, origin, size in decimal and root in base64, and nothing after them; one checkpoint has one body.
A log never signs two checkpoints of which neither continues the other; that is the storage's duty.

It refuses to know the time, and whether the root is the right one.

>>> print(Checkpoint("log.example/1", 0, EMPTY_ROOT).body, end="")
log.example/1
0
47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=

Source: https://c2sp.org/tlog-checkpoint
"""

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

from referee.evidence.ed25519 import Signer
from referee.evidence.merkle import EMPTY_ROOT, HASH_SIZE
from referee.evidence.note import Note, NoteSignature
from referee.evidence.vkey import Algorithm, VerifierKey

MAX_SIZE: Final = 2**53 - 1

_ORIGIN: Final = re.compile(r"[!-~]([ -~]{0,253}[!-~])?")
_BODY: Final = re.compile(r"([^\n]+)\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\n")


class CheckpointError(ValueError):
    """A text that is no checkpoint, or a checkpoint of another log or without its log's signature."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Origin (1-255 ASCII characters), number of leaves, and root of 32 bytes."""

    origin: str
    size: int
    root: bytes

    def __post_init__(self) -> None:
        if _ORIGIN.fullmatch(self.origin) is None:
            msg = f"{self.origin[:100]!r} is no origin; use 1-255 printable ASCII characters"
            raise CheckpointError(msg)
        if not 0 <= self.size <= MAX_SIZE or len(self.root) != HASH_SIZE:
            msg = f"no log has {self.size} leaves and a root of {len(self.root)} bytes"
            raise CheckpointError(msg)
        if self.size == 0 and self.root != EMPTY_ROOT:
            msg = "the root of an empty log is SHA-256 of nothing"
            raise CheckpointError(msg)

    @property
    def body(self) -> str:
        """The text that is signed, its last newline included."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode('ascii')}\n"

    @classmethod
    def parse(cls, body: str) -> Self:
        """The checkpoint that a note's text spells; CheckpointError for anything but three such lines."""
        match = _BODY.fullmatch(body)
        if match is None:
            msg = f"{body[:300]!r} is no checkpoint of three lines"
            raise CheckpointError(msg)
        checkpoint = cls(match[1], int(match[2]), base64.b64decode(match[3]))
        if checkpoint.body != body:
            msg = f"{body[:300]!r} spells its root otherwise than base64 does"
            raise CheckpointError(msg)
        return checkpoint


class CheckpointSigner:
    """What signs a log's checkpoints: a key, and the name it signs under, by custom the log's origin.

    ``also`` are keys that sign below it under the same name, while a log changes its key.
    """

    def __init__(self, signer: Signer, *, key_name: str, also: Iterable[Signer] = ()) -> None:
        signers = (signer, *also)
        self._signers = tuple((one, VerifierKey(key_name, one.public_key)) for one in signers)
        self.key: Final = self._signers[0][1]

    def sign(self, checkpoint: Checkpoint) -> bytes:
        """The signed note of this checkpoint, with the signatures of these keys alone."""
        body = checkpoint.body
        text = body.encode("ascii")
        return Note(
            body, tuple(NoteSignature(key.name, key.key_id, signer.sign(text)) for signer, key in self._signers)
        ).format()


def open_checkpoint(note: bytes, *, origin: str, keys: Iterable[VerifierKey]) -> Checkpoint:
    """The checkpoint in a signed note that is of this origin and bears a good signature by one of the log's keys.

    Raises NoteError where the note is malformed or a known key's signature is bad or missing, CheckpointError where
    the text is no checkpoint or of another origin. Signatures by other keys, such as witnesses', are passed over.
    """
    signed = Note.parse(note)
    signed.verify([key for key in keys if key.algorithm is Algorithm.ED25519])
    checkpoint = Checkpoint.parse(signed.text)
    if checkpoint.origin != origin:
        msg = f"the checkpoint is of {checkpoint.origin!r}, not of {origin!r}"
        raise CheckpointError(msg)
    return checkpoint
