"""A published log whose leaves and receipts are proved from its tiles, under a checkpoint that is verified."""

from collections.abc import Iterable
from typing import Self

from referee.evidence.merkle import LeafIndex, ProofError, leaf_hash, verify_consistency, verify_inclusion
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint, LogReceipt, consistency_proof, inclusion_proof, open_checkpoint
from referee.log.proof import TILE_WIDTH, MissingNodeError
from referee.log.tile import TileError
from referee.tiles import Place, PublishedLog, read_note


class ProvedLog(PublishedLog):
    """A published log at one checkpoint; what it returns is verified."""

    @classmethod
    def open(cls, place: Place, *, origin: str, keys: Iterable[VerifierKey]) -> Self:
        """Open the published log; verify that its checkpoint is of this origin and signed by one of the keys."""
        note = read_note(place)
        return cls(place, note, open_checkpoint(note, origin=origin, keys=keys))

    def leaf(self, index: int) -> bytes:
        """Return a verified leaf; raise IndexError outside the log, TileError if the tiles do not prove it."""
        return self._proved(index)[0]

    def receipt(self, index: int) -> LogReceipt:
        """Return the verified receipt of a leaf; raise as ``leaf`` does."""
        leaf, proof = self._proved(index)
        return LogReceipt(index=LeafIndex(index), leaf_hash=leaf_hash(leaf), proof=proof, checkpoint=self.note)

    def continuation(self, old: Checkpoint) -> tuple[bytes, ...]:
        """Return the verified consistency proof from an older checkpoint of this log to its own.

        Raises IndexError if the other checkpoint is larger, TileError if the tiles do not prove that it is continued.
        """
        try:
            proof = consistency_proof(self, old_size=old.size, new_size=self.size)
            verify_consistency(
                old_size=old.size, new_size=self.size, old_root=old.root, new_root=self.checkpoint.root, proof=proof
            )
        except (MissingNodeError, ProofError) as error:
            raise TileError(f"the tiles do not show that {self.size} leaves continue {old.size}: {error}") from error
        return proof

    def _proved(self, index: int) -> tuple[bytes, tuple[bytes, ...]]:
        try:
            proof = inclusion_proof(self, index=index, size=self.size)
            leaf = self.entries([index // TILE_WIDTH])[0][index % TILE_WIDTH]
            verify_inclusion(leaf_hash(leaf), index=index, size=self.size, proof=proof, root=self.checkpoint.root)
        except (MissingNodeError, ProofError) as error:
            raise TileError(f"leaf {index} is not proved: {error}") from error
        return leaf, proof
