"""START leaves of a log: the program, rulesets and settings by which a server judges; its last START is in force.

>>> leaf = StartLeaf("referee", "editable", "3.13.5", (StartRuleset("ab" * 32, "a.b", "1.0.0"),), "cd" * 32, 0, "1.0")
>>> history = StartHistory()
>>> history.add(leaf, leaf_index=3)
>>> history.names("ab" * 32), history.names("cd" * 32)
(True, False)
"""

from collections import Counter, deque
from contextlib import suppress
from typing import Final

import msgspec

from referee.dealing.leaf import START_TYPE, StartLeaf, StartRuleset, parse
from referee.evidence.dsse import Envelope

__all__ = ["MAX_STARTS", "StartHistory", "StartLeaf", "StartRecord", "StartRuleset"]

MAX_STARTS: Final = 200
"""Number of newest START leaves that are kept; ``count`` counts all."""
_MARK: Final = START_TYPE.encode("ascii")


class StartRecord(msgspec.Struct, frozen=True):
    """A START and its place in the log."""

    leaf_index: int
    start: StartLeaf


class StartHistory:
    """START leaves of a log while its leaves are read in order."""

    def __init__(self) -> None:
        self._kept: deque[StartRecord] = deque(maxlen=MAX_STARTS)
        self._named: Counter[str] = Counter()
        self._in_force: dict[str, StartLeaf] = {}
        self.count = 0
        """Number of START leaves so far."""

    @property
    def records(self) -> tuple[StartRecord, ...]:
        """The newest START leaves, in the log's order."""
        return tuple(self._kept)

    def visit(self, data: bytes, *, leaf_index: int) -> None:
        """Apply the bytes of a leaf if it is a well-formed START; ignore any other leaf."""
        if _MARK not in data:
            return
        with suppress(ValueError):  # the audit reports such a leaf when it reads it
            envelope = Envelope.parse(data)
            if envelope.payload_type == START_TYPE:
                self.add(parse(envelope.payload, StartLeaf), leaf_index=leaf_index)

    def add(self, leaf: StartLeaf, *, leaf_index: int) -> None:
        """Apply a START: it takes the place of the last one of its instance."""
        self.count += 1
        self._kept.append(StartRecord(leaf_index, leaf))
        before = self.last(leaf.instance)
        if before is not None:
            self._named.subtract([ruleset.digest for ruleset in before.rulesets])
        self._named.update([ruleset.digest for ruleset in leaf.rulesets])
        self._in_force[leaf.instance] = leaf

    def last(self, instance: str) -> StartLeaf | None:
        """Return the START in force of an instance, or None if it has none."""
        return self._in_force.get(instance)

    def names(self, ruleset_digest: str) -> bool:
        """Return whether a START in force names a ruleset, by its digest in hex."""
        return self._named[ruleset_digest] > 0
