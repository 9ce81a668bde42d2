"""Proofs of a stored log, which are verified as long as no check has passed all its leaves."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Final

from referee.evidence.merkle import ProofError, leaf_hash, verify_consistency, verify_inclusion
from referee.log import consistency_proof, inclusion_proof, tree_root
from referee.log.proof import MissingNodeError, WholeTiles
from referee.storage.record import DataLossError, Head


class Proving(ABC):
    """A log that proves its leaves by its stored hashes."""

    def __init__(self) -> None:
        self._whole: Final = WholeTiles(self)
        self.unpassed: tuple[range, ...] = ()
        """Indices of leaves that no check has passed since this store was opened; whatever is read from one of these
        leaves is first proved to the head. Empty where nothing checks the log, as in commands that only read."""
        self.on_damage: Callable[[DataLossError], None] = lambda _: None
        """Called with the error of a proof that does not hold, before it is raised."""

    @abstractmethod
    def head(self) -> Head:
        """Return the newest head."""

    @abstractmethod
    def tile(self, level: int, index: int, width: int) -> list[bytes]:
        """Return the first ``width`` (1-256) hashes of a tile, in order; fewer if the log has fewer."""

    def _prove(self, start: int, leaves: Sequence[bytes]) -> None:
        """Prove those of the leaves from index ``start`` on that no check has passed to the head."""
        if not self.unpassed:
            return
        unpassed = [index for index in range(start, start + len(leaves)) if any(index in one for one in self.unpassed)]
        if unpassed:
            head = self.head()
            for index in unpassed:
                self._inclusion(index, head.size, leaf=leaf_hash(leaves[index - start]), root=head.root)

    def _root(self, size: int) -> bytes:
        """Return the root of the first ``size`` leaves, proved to the head."""
        head = self.head()
        self._consistency(size, head.size, root=head.root)
        return tree_root(self._whole, size)

    def _inclusion(self, index: int, size: int, *, leaf: bytes = b"", root: bytes = b"") -> tuple[bytes, ...]:
        """Return an inclusion proof; with a ``root``, verify that it leads there from the leaf hash ``leaf``."""
        try:
            proof = inclusion_proof(self._whole, index=index, size=size)
            if root:
                verify_inclusion(leaf, index=index, size=size, proof=proof, root=root)
        except (MissingNodeError, ProofError) as error:
            raise self._damaged(f"leaf {index} is not proved to the tree of {size} leaves: {error}") from error
        return proof

    def _consistency(self, old_size: int, new_size: int, *, root: bytes = b"") -> tuple[bytes, ...]:
        """Return a consistency proof; with a ``root``, verify that it leads there."""
        try:
            proof = consistency_proof(self._whole, old_size=old_size, new_size=new_size)
            if root:
                old_root = tree_root(self._whole, old_size)
                verify_consistency(old_size=old_size, new_size=new_size, old_root=old_root, new_root=root, proof=proof)
        except (MissingNodeError, ProofError) as error:
            raise self._damaged(f"the tree of {new_size} leaves does not continue {old_size}: {error}") from error
        return proof

    def _damaged(self, message: str) -> DataLossError:
        error = DataLossError(message)
        self.on_damage(error)
        return error
