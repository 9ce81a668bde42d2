"""Logs in memory that can be published, and the keys that sign them: every process makes the same ones."""

from collections.abc import Callable, Sequence

import pytest

from referee.evidence.merkle import leaf_hash, root_of_hashes
from referee.log import Checkpoint, CheckpointSigner
from tests.named_signer import NamedSigner

ORIGIN = "log.example/1"
MakeLog = Callable[..., "MemoryLog"]


class MemoryLog:
    """A log that can be published at any of its sizes."""

    def __init__(self, leaves: Sequence[bytes], *, origin: str = ORIGIN) -> None:
        self.entries = list(leaves)
        self.signer = CheckpointSigner(NamedSigner(origin), key_name=origin)
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


@pytest.fixture(scope="session")
def make_log() -> MakeLog:
    """Make a log of this many leaves that differs from other logs from ``common`` on."""
    made: dict[tuple[int, int | None, str], MemoryLog] = {}

    def make(size: int, *, common: int | None = None, origin: str = ORIGIN) -> MemoryLog:
        key = size, common, origin
        if key not in made:
            leaves = [
                b"leaf %d" % number + b"." * (number % 23) + (b"" if common is None or number < common else b"!")
                for number in range(size)
            ]
            made[key] = MemoryLog(leaves, origin=origin)
        return made[key]

    return make
