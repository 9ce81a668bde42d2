"""Logs in memory that can be published, and the keys that sign them: every process makes the same ones."""

import hashlib
from collections.abc import Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from referee.evidence.merkle import leaf_hash, root_of_hashes
from referee.log import Checkpoint, CheckpointSigner

ORIGIN = "log.example/1"


class FixedSigner:
    """A key derived from a name, held by a second implementation of Ed25519."""

    def __init__(self, name: str) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(name.encode()).digest())
        self.public_key = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    def sign(self, message: bytes) -> bytes:
        """Return the signature."""
        return self._key.sign(message)


class MemoryLog:
    """A log that can be published at any of its sizes."""

    def __init__(self, leaves: Sequence[bytes], *, origin: str = ORIGIN) -> None:
        self.entries = list(leaves)
        self.signer = CheckpointSigner(FixedSigner(origin), key_name=origin)
        self._origin = origin
        self._rows = [[leaf_hash(leaf) for leaf in leaves]]
        while len(self._rows[-1]) >= 256:
            below = self._rows[-1]
            self._rows.append([root_of_hashes(below[at : at + 256]) for at in range(0, len(below) // 256 * 256, 256)])

    def leaves(self, start: int, stop: int) -> list[bytes]:
        """Return the leaves of a range."""
        return self.entries[start:stop]

    def tile(self, level: int, index: int, width: int) -> list[bytes]:
        """Return the first hashes of a tile."""
        return self._rows[level][256 * index :][:width] if level < len(self._rows) else []

    def checkpoint(self, size: int) -> Checkpoint:
        """Return the log's state at a size, with the root computed from all leaf hashes."""
        return Checkpoint(self._origin, size, root_of_hashes(self._rows[0][:size]))

    def note(self, size: int) -> bytes:
        """Return the signed checkpoint of a size."""
        return self.signer.sign(self.checkpoint(size))
