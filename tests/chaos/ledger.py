"""Record of the answers that callers got, to be compared with the log afterwards.

An answer counts once it has arrived. A failed call may have taken effect or not, so nothing follows from it;
an acknowledged leaf must stay in the log forever, at the index in its receipt, once.
"""

import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from google.protobuf.message import Message

from referee.v1.round_pb2 import LogReceipt
from tests.driver.refusal import reason_of

HANG_SECONDS: Final = 75.0
"""A call that takes longer hangs: the longest wait inside a server is 30 s for its log, behind 15 s for a lock."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """One leaf that was answered: which step of which round, and the receipt's parts."""

    kind: str
    table: str
    number: int
    leaf: bytes
    index: int
    checkpoint: str
    proof: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Settlement:
    """A settlement that was answered, and the question, to ask it once more."""

    acknowledged: Acknowledged
    game: str
    request: Message


@dataclass(slots=True)
class Ledger:
    """Written by any number of threads."""

    acknowledged: list[Acknowledged] = field(default_factory=list)
    settled: list[Settlement] = field(default_factory=list)
    checkpoints: set[str] = field(default_factory=set)
    statuses: Counter[str] = field(default_factory=Counter)
    """Calls that failed, by code and reason, each try counted."""
    retried: int = 0
    answered: int = 0
    abandoned: Counter[str] = field(default_factory=Counter)
    """Rounds given up, by the status that ended them."""
    faults: list[str] = field(default_factory=list)
    """What must never be seen, as it was seen."""
    longest: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def acknowledge(self, kind: str, table: str, number: int, receipt: LogReceipt) -> Acknowledged:
        """Record an acknowledged leaf."""
        parts = (receipt.leaf, receipt.leaf_index, receipt.checkpoint, tuple(receipt.inclusion_proof))
        acknowledged = Acknowledged(kind, table, number, *parts)
        with self._lock:
            self.acknowledged.append(acknowledged)
        return acknowledged

    def settle(self, acknowledged: Acknowledged, game: str, request: Message) -> None:
        """Record an acknowledged settlement."""
        with self._lock:
            self.settled.append(Settlement(acknowledged, game, request))

    def see(self, checkpoint: str) -> None:
        """Record a checkpoint."""
        with self._lock:
            self.checkpoints.add(checkpoint)

    def fault(self, words: str) -> None:
        """Record something that must never be seen."""
        with self._lock:
            self.faults.append(words)

    def abandon(self, status: str) -> None:
        """Count an abandoned round."""
        with self._lock:
            self.abandoned[status] += 1

    def ended(self, method: str, status: str, *, seconds: float) -> None:
        """Record the status of an ended call."""
        with self._lock:
            self.longest = max(self.longest, seconds)
            if seconds > HANG_SECONDS:
                self.faults.append(f"{method} took {seconds:.0f} s and ended with {status}")
            if status == "OK":
                self.answered += 1
            else:
                self.statuses[status] += 1

    def again(self) -> None:
        """Count a retry."""
        with self._lock:
            self.retried += 1

    def outside(self, allowed: Iterable[str]) -> list[str]:
        """Return a fault for each status that is not allowed; ``CODE/*`` allows each reason of a code.

        A question for advice may always be refused while others wait, or while its process starts again.
        """
        known = {*allowed, "RESOURCE_EXHAUSTED/ADVICE_BUSY", "UNAVAILABLE/ADVICE_LOST"}
        return [
            f"{count} calls ended with {status}"
            for status, count in sorted(self.statuses.items())
            if status not in known and f"{status.partition('/')[0]}/*" not in known
        ]


def status_of(error: Any) -> str:  # noqa: ANN401 - an RpcError, or a call that has ended
    """Return the code of a failed call, followed by a slash and its reason if it has one."""
    reason = reason_of(error)
    return f"{error.code().name}/{reason}" if reason else str(error.code().name)
