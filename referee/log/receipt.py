r"""A log receipt shows, without asking anybody, that a leaf stands in the log that signed a checkpoint.

The law: index, inclusion proof and checkpoint together; the leaf itself is the holder's. Its text form is a C2SP
tlog-proof, so common tools read it; one receipt has one text.

It refuses to know what the leaf says and whether the log shows the same tree to others: that is for witnesses.

Source: https://c2sp.org/tlog-proof
"""

import base64
import re
from collections.abc import Iterable
from typing import Final, NoReturn, Self

import msgspec

from referee.evidence.merkle import HASH_SIZE, LeafIndex, ProofError, leaf_hash, verify_inclusion
from referee.evidence.note import NoteError
from referee.evidence.vkey import VerifierKey
from referee.log.checkpoint import MAX_SIZE, Checkpoint, CheckpointError, open_checkpoint

FIRST_LINE: Final = "c2sp.org/tlog-proof@v1"
_INDEX: Final = re.compile(r"index (0|[1-9][0-9]{0,15})")
_HASH: Final = re.compile(r"[A-Za-z0-9+/]{43}=")
_MAX_PROOF: Final = 64


class ReceiptError(ValueError):
    """A receipt that does not show what it claims, or a text that is no receipt."""


class LogReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """Where a leaf stands and the proof of it, sibling first; ``checkpoint`` is a signed note's bytes."""

    index: LeafIndex
    leaf_hash: bytes
    proof: tuple[bytes, ...]
    checkpoint: bytes

    def verify(self, leaf: bytes, *, origin: str, keys: Iterable[VerifierKey]) -> Checkpoint:
        """The checkpoint under which this leaf stands in the log of this origin, signed by one of its keys.

        Raises ReceiptError where anything in the receipt does not hold, with the cause.
        """
        if leaf_hash(leaf) != self.leaf_hash:
            msg = "the receipt is for another leaf"
            raise ReceiptError(msg)
        try:
            checkpoint = open_checkpoint(self.checkpoint, origin=origin, keys=keys)
            verify_inclusion(
                self.leaf_hash, index=self.index, size=checkpoint.size, proof=self.proof, root=checkpoint.root
            )
        except (CheckpointError, NoteError, ProofError) as error:
            msg = f"the receipt does not hold: {error}"
            raise ReceiptError(msg) from error
        return checkpoint

    @property
    def text(self) -> bytes:
        """The receipt as a C2SP tlog-proof without extra data, which leaves out the leaf's hash."""
        lines = [FIRST_LINE, f"index {self.index}", *(base64.b64encode(node).decode("ascii") for node in self.proof)]
        return "".join(line + "\n" for line in lines).encode("ascii") + b"\n" + self.checkpoint

    @classmethod
    def parse(cls, text: bytes, *, leaf: bytes) -> Self:
        """The receipt for this leaf that a tlog-proof spells; ReceiptError where it spells none. It proves nothing yet.

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
        hashes = lines[2:]
        if len(hashes) > _MAX_PROOF or not all(_HASH.fullmatch(line) for line in hashes):
            _refuse("its proof is no list of hashes")
        proof = tuple(base64.b64decode(line) for line in hashes)
        receipt = cls(index=LeafIndex(int(place[1])), leaf_hash=leaf_hash(leaf), proof=proof, checkpoint=checkpoint)
        if any(len(node) != HASH_SIZE for node in proof) or receipt.text != text:
            _refuse("its proof is spelled otherwise than base64 does")
        return receipt


def _refuse(reason: str) -> NoReturn:
    msg = f"these bytes are no log receipt: {reason}"
    raise ReceiptError(msg)
