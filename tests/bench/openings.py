"""Leaves that open rounds of made-up tables, and the one key of their log."""

import hashlib
from typing import Final

from nacl.signing import SigningKey

from referee.evidence.merkle import EMPTY_ROOT
from referee.log import NO_LEAF, Checkpoint, CheckpointSigner, OpenStep, SlotKey
from referee.storage import Append, Store

ORIGIN: Final = "log.example/1"


class BenchKey:
    """One key that is known to all."""

    def __init__(self) -> None:
        self._key = SigningKey(bytes(32))
        self.public_key = bytes(self._key.verify_key)

    def sign(self, message: bytes) -> bytes:
        """Sign a message."""
        return self._key.sign(message).signature


SIGNER: Final = CheckpointSigner(BenchKey(), key_name=ORIGIN)


def found(store: Store) -> None:
    """Create an empty log."""
    store.found(ORIGIN, SIGNER.sign(Checkpoint(ORIGIN, 0, EMPTY_ROOT)))


def opening_of(table: str, number: int, *, leaf: bytes, memo: bytes = b"") -> Append:
    """Return the append that opens the first round of a table, which is named by a word and a number."""
    slot = SlotKey(f"{table}-{number}", 1)
    return Append(
        leaf=leaf,
        step=OpenStep(slot, round_id=bytes(32), previous_leaf=NO_LEAF, deal_deadline=number, round_deadline=number + 1),
        request_digest=hashlib.sha256(b"%d" % number).digest(),
        memo=memo,
    )
