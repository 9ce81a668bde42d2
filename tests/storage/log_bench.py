"""A signer, and short ways to speak to a store."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from referee.log import (
    NO_LEAF,
    AbortStep,
    Checkpoint,
    CheckpointSigner,
    DealStep,
    LogReceipt,
    OpenStep,
    RevealStep,
    SettleStep,
    SlotError,
    SlotKey,
    Step,
    Unseal,
    UnsealStep,
)
from referee.storage import Append, Reader, Store, Writer

ORIGIN = "log.example/1"
StoreType = TypeVar("StoreType", bound=Store)


class FixedSigner:
    """One key, held by a second implementation of Ed25519."""

    def __init__(self) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
        self.public_key = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    def sign(self, message: bytes) -> bytes:
        """Sign a message."""
        return self._key.sign(message)


def digest(*parts: object) -> bytes:
    """32 bytes that stand for these parts."""
    return hashlib.sha256(repr(parts).encode()).digest()


@dataclass(frozen=True)
class Place:
    """A place where one log is kept, a folder or a URL as a command would name it, and how it is opened."""

    name: str
    open: Callable[[], Store]
    open_reader: Callable[[], Reader]


class Bench:
    """A signer, and appends made from few words: round n of a table has ids and decks that follow from both."""

    origin = ORIGIN

    def __init__(self) -> None:
        self.signer = CheckpointSigner(FixedSigner(), key_name=ORIGIN)

    @contextmanager
    def writing(
        self, store: StoreType, *, probe: Callable[[str], None] = lambda _: None
    ) -> Iterator[tuple[StoreType, Writer]]:
        """Write to a store for the block, and close it then."""
        with closing(store), Writer(store, self.signer, origin=ORIGIN, probe=probe) as writer:
            yield store, writer

    def refusal(self, writer: Writer, kind: str, *words: Any, **more: Any) -> SlotError:  # noqa: ANN401 - as append takes
        """Return why an append of these words is refused; fail the test if it is not."""
        with pytest.raises(SlotError) as refused:
            writer.append(self.append(kind, *words, **more))
        return refused.value

    def settle_round(self, writer: Writer, table: str, number: int, previous: bytes) -> bytes:
        """Append a whole round; return the hash of the leaf that ended it."""
        writer.append(self.append("OPEN", table, number, previous=previous))
        writer.append(self.append("DEAL", table, number))
        ended = writer.append(self.append("SETTLE", table, number))
        writer.append(self.append("REVEAL", table, number))
        return ended.receipt.leaf_hash

    def verify(self, leaf: bytes, receipt: LogReceipt) -> Checkpoint:
        """Verify the receipt and return its checkpoint."""
        return receipt.verify(leaf, origin=ORIGIN, keys=[self.signer.key])

    def step(self, kind: str, table: str, number: int, *, previous: bytes = NO_LEAF, **facts: int) -> Step:
        """Return a step of this kind; ABORT is that of a round that was dealt, ABANDON of one that was not.

        UNSEAL opens cards after event 1, UNSEAL-2 after event 2 of the same course, and UNSEAL-FORK after event 2 of
        another. SETTLE is of a round without openings, SETTLE-1 and SETTLE-2 of one with one or two.
        """
        key, round_id, deck_root = SlotKey(table, number), digest("id", table, number), digest("deck", table, number)
        deadlines = {"deal_deadline": 1_000, "round_deadline": 2_000} | facts
        course = {event: digest("history", table, number, event) for event in (1, 2)}
        fork = {event: digest("fork", table, number, event) for event in (1, 2)}
        unseals = [Unseal(event, history) for event, history in course.items()]

        def settled(count: int) -> SettleStep:
            return SettleStep(key, round_id=round_id, deck_root=deck_root, unseals=tuple(unseals[:count]))

        steps: dict[str, Callable[[], Step]] = {
            "OPEN": lambda: OpenStep(key, round_id=round_id, previous_leaf=previous, **deadlines),
            "DEAL": lambda: DealStep(key, round_id=round_id, deck_root=deck_root),
            "UNSEAL": lambda: UnsealStep(key, round_id=round_id, unseal=unseals[0], course=course),
            "UNSEAL-2": lambda: UnsealStep(key, round_id=round_id, unseal=unseals[1], course=course),
            "UNSEAL-FORK": lambda: UnsealStep(key, round_id=round_id, unseal=Unseal(2, fork[2]), course=fork),
            "SETTLE": lambda: settled(0),
            "SETTLE-1": lambda: settled(1),
            "SETTLE-2": lambda: settled(2),
            "ABORT": lambda: AbortStep(key, round_id=round_id, deck_root=deck_root),
            "ABANDON": lambda: AbortStep(key, round_id=round_id, deck_root=None),
            "REVEAL": lambda: RevealStep(key, round_id=round_id),
        }
        return steps[kind]()

    def append(
        self,
        kind: str,
        table: str = "t",
        number: int = 1,
        *,
        variant: str = "",
        previous: bytes = NO_LEAF,
        **facts: int,
    ) -> Append:
        """Return an append whose leaf and request digest follow from its words; ``variant`` makes another request."""
        words = f"{kind} {number} of {table} {variant}"
        return Append(
            leaf=words.encode(),
            step=self.step(kind, table, number, previous=previous, **facts),
            request_digest=digest(words),
            memo=f"memo of {words}".encode(),
        )
