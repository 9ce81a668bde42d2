r"""Log receipts: the offline proof that a leaf is in the log that signed a checkpoint.

A receipt is index, inclusion proof and checkpoint; the holder keeps the leaf. Its text is a C2SP tlog-proof, so common
tools read it; a receipt has exactly one text. That the log shows everyone the same tree is not proved here, but by
witnesses.

Source: https://c2sp.org/tlog-proof
"""

import re
from collections.abc import Iterable
from typing import Final, NoReturn, Self

import msgspec

from referee.evidence.merkle import LeafIndex, ProofError, leaf_hash, verify_inclusion
from referee.evidence.note import NoteError
from referee.evidence.vkey import VerifierKey
from referee.log.checkpoint import MAX_SIZE, Checkpoint, CheckpointError, open_checkpoint
from referee.log.proof import parse_lines, proof_lines

FIRST_LINE: Final = "c2sp.org/tlog-proof@v1"
_INDEX: Final = re.compile(r"index (0|[1-9][0-9]{0,15})")
_MAX_PROOF: Final = 64


class ReceiptError(ValueError):
    """A receipt that does not prove what it claims, or a text that is no receipt."""


class LogReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """A leaf's index and hash, and its inclusion proof, sibling first; ``checkpoint`` is a signed note's bytes."""

    index: LeafIndex
    leaf_hash: bytes
    proof: tuple[bytes, ...]
    checkpoint: bytes

    def verify(self, leaf: bytes, *, origin: str, keys: Iterable[VerifierKey]) -> Checkpoint:
        """Verify that the leaf is in the log of this origin; return the checkpoint, which one of ``keys`` signed.

        Raises ReceiptError, with the cause, if anything in the receipt does not hold.
        """
        if leaf_hash(leaf) != self.leaf_hash:
            raise ReceiptError("the receipt is for another leaf")
        try:
            checkpoint = open_checkpoint(self.checkpoint, origin=origin, keys=keys)
            verify_inclusion(
                self.leaf_hash, index=self.index, size=checkpoint.size, proof=self.proof, root=checkpoint.root
            )
        except (CheckpointError, NoteError, ProofError) as error:
            raise ReceiptError(f"the receipt does not hold: {error}") from error
        return checkpoint

    @property
    def text(self) -> bytes:
        """Receipt as a C2SP tlog-proof without extra data; the leaf's hash is not in the text."""
        lines = [FIRST_LINE, f"index {self.index}", *proof_lines(self.proof)]
        return "".join(line + "\n" for line in lines).encode("ascii") + b"\n" + self.checkpoint

    @classmethod
    def parse(cls, text: bytes, *, leaf: bytes) -> Self:
        """Parse a tlog-proof as the receipt for this leaf, without verifying it; raise ReceiptError if it is not one.

        Extra data is refused, as no receipt has it.
        """
        head, blank, checkpoint = text.partition(b"\n\n")
        try:
            lines = head.decode("ascii").split("\n")
        except UnicodeDecodeError:
            _refuse("it is not ASCII above the checkpoint")
        if not blank or lines[0] != FIRST_LINE:
            _refuse(f"its first line is not {FIRST_LINE}, or it has no checkpoint")
        place = _INDEX.fullmatch(lines[1]) if len(lines) > 1 else None
        if place is None or int(place[1]) >= MAX_SIZE:
            _refuse("its second line is no index")
        try:
            proof = parse_lines(lines[2:], most=_MAX_PROOF)
        except ValueError as error:
            _refuse(str(error))
        return cls(index=LeafIndex(int(place[1])), leaf_hash=leaf_hash(leaf), proof=proof, checkpoint=checkpoint)


def _refuse(reason: str) -> NoReturn:
    raise ReceiptError(f"these bytes are no log receipt: {reason}")
