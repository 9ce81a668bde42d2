r"""C2SP checkpoints: three lines with a log's origin, size in decimal and root in base64, signed as a note.

A checkpoint has exactly one text. Nothing here keeps a log from signing two checkpoints of which neither continues the
other: its store does.

>>> print(Checkpoint("log.example/1", 0, EMPTY_ROOT).body, end="")
log.example/1
0
47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=

Source: https://c2sp.org/tlog-checkpoint
"""

import base64
import re
from collections.abc import Iterable
from typing import Final, Self

import msgspec

from referee.evidence.ed25519 import Signer
from referee.evidence.merkle import EMPTY_ROOT, HASH_SIZE
from referee.evidence.note import Note, NoteSignature
from referee.evidence.vkey import Algorithm, VerifierKey

MAX_SIZE: Final = 2**53 - 1

_ORIGIN: Final = re.compile(r"[!-~]([ -~]{0,253}[!-~])?")
_BODY: Final = re.compile(r"([^\n]+)\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\n")


class CheckpointError(ValueError):
    """A text that is no checkpoint, or a checkpoint of another log."""


class Checkpoint(msgspec.Struct, frozen=True):
    """State of a log: its name, how many leaves it has, and the root that commits to all of them."""

    origin: str
    """Name of the log, of 1 to 255 printable ASCII characters."""
    size: int
    """Number of leaves."""
    root: bytes
    """Root of the tree of the leaves; 32 bytes."""

    def __post_init__(self) -> None:
        if _ORIGIN.fullmatch(self.origin) is None:
            raise CheckpointError(f"{self.origin[:100]!r} is no origin; use 1-255 printable ASCII characters")
        if not 0 <= self.size <= MAX_SIZE or len(self.root) != HASH_SIZE:
            msg = f"a log has 0 to 2^53-1 leaves and a root of {HASH_SIZE} bytes, not {self.size} and {len(self.root)}"
            raise CheckpointError(msg)
        if self.size == 0 and self.root != EMPTY_ROOT:
            raise CheckpointError(f"the root of an empty log is {EMPTY_ROOT.hex()}, not {self.root.hex()}")

    @property
    def body(self) -> str:
        """Text that is signed, with its last newline."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode('ascii')}\n"

    @classmethod
    def parse(cls, body: str) -> Self:
        """Parse a note's text; raise CheckpointError unless it is the one spelling of a checkpoint."""
        match = _BODY.fullmatch(body)
        if match is None:
            raise CheckpointError(f"{body[:300]!r} is no checkpoint: three lines with origin, size and root")
        checkpoint = cls(match[1], int(match[2]), base64.b64decode(match[3]))
        if checkpoint.body != body:
            raise CheckpointError(f"the root in {body[:300]!r} is not canonical base64")
        return checkpoint


class CheckpointSigner:
    """The key that signs a log's checkpoints, and the name it signs under, by convention the log's origin.

    The keys in ``also`` sign as well, under the same name, while a log changes its key.
    """

    def __init__(self, signer: Signer, *, key_name: str, also: Iterable[Signer] = ()) -> None:
        signers = (signer, *also)
        self._signers = tuple((each, VerifierKey(key_name, each.public_key)) for each in signers)
        self.key: Final = self._signers[0][1]

    def sign(self, checkpoint: Checkpoint) -> bytes:
        """Return the checkpoint as a note with one signature by each of the keys."""
        body = checkpoint.body
        text = body.encode("ascii")
        return Note(
            body, tuple(NoteSignature(key.name, key.key_id, signer.sign(text)) for signer, key in self._signers)
        ).format()


def open_checkpoint(note: bytes, *, origin: str, keys: Iterable[VerifierKey]) -> Checkpoint:
    """Verify that a signed note is of this origin and signed by one of the log's keys; return its checkpoint.

    Raises NoteError if the note is malformed, none of ``keys`` signed it, or a signature under the name of one of them
    is bad; CheckpointError if the text is no checkpoint or of another origin. Signatures by other keys, such as
    witnesses', are ignored.
    """
    signed = Note.parse(note)
    signed.verify([key for key in keys if key.algorithm is Algorithm.ED25519])
    checkpoint = Checkpoint.parse(signed.text)
    if checkpoint.origin != origin:
        raise CheckpointError(f"the checkpoint is of {checkpoint.origin!r}, not of {origin!r}")
    return checkpoint
