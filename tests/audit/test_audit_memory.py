"""An audit's memory does not grow with the log."""

import tracemalloc
from collections.abc import Iterator

from audit_builder import LOG, Auditor, LogBuilder, NamedSigner, Table

from referee.evidence.merkle import Frontier, leaf_hash
from referee.log import Checkpoint, CheckpointSigner

ORIGIN = "log.example/1"
PLAYED = 30


class Recurring:
    """A log of any length that holds few leaves: one table's rounds, then the same under other names of equal length.

    The tables' ids are part of signed leaves, so a copy is a round whose shuffler's signature does not hold; what an
    audit keeps of it is the same.
    """

    def __init__(self, entries: list[bytes], *, copies: int) -> None:
        self._entries, self._copies = entries, copies
        frontier = Frontier.of(leaf_hash(leaf) for leaf in self._all())
        signer = NamedSigner(LOG.name)
        self.size = frontier.size
        head = Checkpoint(ORIGIN, frontier.size, frontier.root)
        self.checkpoint = CheckpointSigner(signer, key_name=signer.name).sign(head)

    def leaves(self, start: int, stop: int) -> Iterator[bytes]:
        """All leaves; the audit asks for no others."""
        assert (start, stop) == (0, self.size)
        return self._all()

    def _all(self) -> Iterator[bytes]:
        for _ in range(self._copies):
            yield from self._entries


def peak(audit: Auditor, source: Recurring) -> int:
    tracemalloc.start()
    try:
        audit(source)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
