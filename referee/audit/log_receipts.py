"""Log receipts that people kept, checked against the log: the promised leaf must be at its index.

A valid receipt names a leaf, its index and a tree that the log signed. The leaf must be at that index, and the log must
have had that tree when it had that size. A receipt without its leaf is checked with the leaf at its index. If the proof
then fails and the log had the same tree, the receipt is spoilt; if it had another tree, the log promised another
history. A receipt with a proof of the wrong length, an index outside its tree, or an inner node for its leaf proves
nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from referee.audit.documents import KeptReceipt
from referee.evidence.merkle import Frontier, ProofError, root_from_inclusion
from referee.evidence.note import NoteError
from referee.evidence.vkey import VerifierKey
from referee.finding import Code, Difference, Finding
from referee.log import Checkpoint, CheckpointError, LogReceipt, ReceiptError, open_checkpoint


@dataclass(slots=True, kw_only=True)
class _Open:
    """A receipt during an audit: the hash of the log's leaf at its index, and whether its tree is the log's.

    Both are None until the leaves were read that far.
    """

    number: int
    receipt: LogReceipt
    checkpoint: Checkpoint
    has_leaf: bool
    hash_at_place: bytes | None = None
    is_same_tree: bool | None = None

    @property
    def is_kept(self) -> bool:
        """Whether the promised leaf is at its index; without its leaf, whether the proof holds for the leaf there."""
        if self.hash_at_place is None:
            return False
        return self.hash_at_place == self.receipt.leaf_hash if self.has_leaf else self._proves(self.hash_at_place)

    def _proves(self, hashed: bytes) -> bool:
        receipt, checkpoint = self.receipt, self.checkpoint
        try:
            root = root_from_inclusion(hashed, index=receipt.index, size=checkpoint.size, proof=receipt.proof)
        except ProofError:
            return False
        return root == checkpoint.root


class LogReceiptCheck:
    """Check of kept log receipts against one log.

    ``add_leaf`` must get the leaf of each index in ``places``, ``compare`` the tree of each size in ``sizes``.
    """

    def __init__(self, receipts: Sequence[KeptReceipt], *, origin: str, keys: Iterable[VerifierKey]) -> None:
        keys = tuple(keys)
        self._refused: list[Finding] = []
        self._open: list[_Open] = []
        for number, kept in enumerate(receipts):
            try:
                self._open.append(_opened(number, kept, origin=origin, keys=keys))
            except (CheckpointError, NoteError, ReceiptError) as error:
                self._refused.append(Finding.of(Code.LOG_RECEIPT_REFUSED, f"log receipt {number} is refused: {error}"))
        self.places = frozenset(int(one.receipt.index) for one in self._open)
        self.sizes = frozenset(one.checkpoint.size for one in self._open)

    def add_leaf(self, index: int, hashed: bytes) -> None:
        """Record the hash of the leaf at an index."""
        if index in self.places:
            for one in self._open:
                if one.receipt.index == index:
                    one.hash_at_place = hashed

    def compare(self, tree: Frontier | Checkpoint) -> None:
        """Compare a tree of the log's first leaves with the receipts for a tree of its size."""
        for one in self._open:
            if one.checkpoint.size == tree.size:
                one.is_same_tree = one.checkpoint.root == tree.root

    def close(self, checkpoint: str, *, size: int) -> Iterator[Finding]:
        """Yield the findings; call it once all leaves are read.

        ``checkpoint`` is the text of the log's own checkpoint, ``size`` its number of leaves.
        """
        yield from self._refused
        for one in self._open:
            if one.is_kept and one.is_same_tree:
                continue
            note = one.receipt.checkpoint.decode(errors="replace")
            difference = Difference("checkpoint", checkpoint, note)
            if one.is_kept:
                if one.is_same_tree is None:
                    code, what = Code.LOG_TRUNCATED, f"once signed that it has {one.checkpoint.size} leaves, of {size}"
                else:
                    code = Code.SPLIT_VIEW if one.checkpoint.size == size else Code.HISTORY_REWRITTEN
                    what = "signed two checkpoints of which neither continues the other"
                yield Finding.of(code, f"by log receipt {one.number} the log {what}", difference=difference)
            elif one.is_same_tree and not one.has_leaf:
                detail = f"log receipt {one.number} does not prove the leaf at its index"
                yield Finding.of(Code.LOG_RECEIPT_REFUSED, detail, leaf_index=one.receipt.index)
            else:
                detail = f"log receipt {one.number} promises leaf {one.receipt.index}, which is not in the log"
                if one.hash_at_place is not None:
                    detail += "; another leaf is in its place"
                yield Finding.of(Code.PROMISED_LEAF_ABSENT, detail, leaf_index=one.receipt.index, difference=difference)


def _opened(number: int, kept: KeptReceipt, *, origin: str, keys: tuple[VerifierKey, ...]) -> _Open:
    """Parse a receipt and verify it by itself; raise ReceiptError, CheckpointError or NoteError if it is invalid."""
    receipt = LogReceipt.parse(kept.receipt, leaf=kept.leaf or b"")
    if kept.leaf is not None:
        checkpoint = receipt.verify(kept.leaf, origin=origin, keys=keys)
    else:
        checkpoint = open_checkpoint(receipt.checkpoint, origin=origin, keys=keys)
        try:
            root_from_inclusion(receipt.leaf_hash, index=receipt.index, size=checkpoint.size, proof=receipt.proof)
        except ProofError as error:
            raise ReceiptError(str(error)) from error
    return _Open(number=number, receipt=receipt, checkpoint=checkpoint, has_leaf=kept.leaf is not None)
