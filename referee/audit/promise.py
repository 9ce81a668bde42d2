"""Log receipts that people hold: what the log once promised to have, it has.

The law: a receipt that holds by itself names a leaf, its place and a tree that the log signed. The leaf must stand at
that place, and the tree be one that this log grew through. A receipt handed over without its leaf is taken to be for
the leaf that stands there: where it then does not hold, the log's tree of that size decides whether the promise was of
another history or the receipt is spoilt. A receipt whose proof is too long or too short, whose index lies outside its
tree, or whose leaf is really an inner node, proves nothing.

It refuses to know what leaves say.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from referee.audit.finding import Code, Difference, Finding
from referee.audit.source import Promise
from referee.evidence.merkle import Frontier, ProofError, root_from_inclusion
from referee.evidence.note import NoteError
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint, CheckpointError, LogReceipt, ReceiptError, open_checkpoint


@dataclass(slots=True, kw_only=True)
class _Held:
    """A receipt while the log goes by: the leaf hash at its place, and whether the tree of its size is the log's."""

    number: int
    receipt: LogReceipt
    checkpoint: Checkpoint
    has_leaf: bool
    standing: bytes | None = None
    is_grown: bool | None = None

    @property
    def is_kept(self) -> bool:
        """Whether the leaf that was promised stands at its place, as far as the receipt tells."""
        if self.standing is None:
            return False
        return self.standing == self.receipt.leaf_hash if self.has_leaf else self.leads_to_root(self.standing)

    def leads_to_root(self, hashed: bytes) -> bool:
        """Whether the proof leads from a leaf hash to the root that was signed."""
        receipt, checkpoint = self.receipt, self.checkpoint
        try:
            root = root_from_inclusion(hashed, index=receipt.index, size=checkpoint.size, proof=receipt.proof)
        except ProofError:
            return False
        return root == checkpoint.root


class Promises:
    """The receipts of an audit. ``sizes`` are those of the trees that must be compared."""

    def __init__(self, promises: Sequence[Promise], *, origin: str, keys: Iterable[VerifierKey]) -> None:
        keys = tuple(keys)
        self.refused: list[Finding] = []
        self._held: list[_Held] = []
        for number, promise in enumerate(promises):
            try:
                self._held.append(_opened(number, promise, origin=origin, keys=keys))
            except (CheckpointError, NoteError, ReceiptError) as error:
                self.refused.append(Finding.of(Code.LOG_RECEIPT_REFUSED, f"log receipt {number} is refused: {error}"))
        self._places = frozenset(int(held.receipt.index) for held in self._held)
        self.sizes = frozenset(held.checkpoint.size for held in self._held)

    def take(self, index: int, hashed: bytes) -> None:
        """The leaf at an index has this hash."""
        if index not in self._places:
            return
        for held in self._held:
            if held.receipt.index == index:
                held.standing = hashed

    def compare(self, frontier: Frontier) -> None:
        """The log grew through this tree."""
        for held in self._held:
            if held.checkpoint.size == frontier.size:
                held.is_grown = held.checkpoint.root == frontier.root

    def close(self, checkpoint: str, *, size: int) -> Iterator[Finding]:
        """What the receipts come to, once every leaf has gone by; the log's own checkpoint as text, and its size."""
        yield from self.refused
        for held in self._held:
            if held.is_kept and held.is_grown:
                continue
            note = held.receipt.checkpoint.decode(errors="replace")
            difference = Difference("checkpoint", checkpoint, note)
            if held.is_kept:
                if held.is_grown is None:
                    code, what = Code.LOG_TRUNCATED, f"once signed that it has {held.checkpoint.size} leaves, of {size}"
                else:
                    code = Code.SPLIT_VIEW if held.checkpoint.size == size else Code.HISTORY_REWRITTEN
                    what = "signed two checkpoints of which neither continues the other"
                yield Finding.of(code, f"by log receipt {held.number} the log {what}", difference=difference)
            elif held.is_grown and not held.has_leaf:
                detail = f"log receipt {held.number} does not prove the leaf that stands at its index"
                yield Finding.of(Code.LOG_RECEIPT_REFUSED, detail, leaf_index=held.receipt.index)
            else:
                detail = f"log receipt {held.number} promises leaf {held.receipt.index}, which is not in the log"
                if held.standing is not None:
                    detail += "; another stands in its place"
                yield Finding.of(
                    Code.PROMISED_LEAF_ABSENT, detail, leaf_index=held.receipt.index, difference=difference
                )


def _opened(number: int, promise: Promise, *, origin: str, keys: tuple[VerifierKey, ...]) -> _Held:
    """A receipt that holds by itself; ReceiptError, CheckpointError or NoteError for one that does not."""
    receipt = LogReceipt.parse(promise.receipt, leaf=promise.leaf or b"")
    if promise.leaf is not None:
        checkpoint = receipt.verify(promise.leaf, origin=origin, keys=keys)
    else:
        checkpoint = open_checkpoint(receipt.checkpoint, origin=origin, keys=keys)
        try:
            root_from_inclusion(receipt.leaf_hash, index=receipt.index, size=checkpoint.size, proof=receipt.proof)
        except ProofError as error:
            raise ReceiptError(str(error)) from error
    return _Held(number=number, receipt=receipt, checkpoint=checkpoint, has_leaf=promise.leaf is not None)
