"""Leaves that open rounds of made-up tables, and the one key of their log."""

import hashlib
from typing import Final

from referee.evidence.merkle import EMPTY_ROOT
from referee.log import NO_LEAF, Checkpoint, CheckpointSigner, OpenStep, SlotKey
from referee.storage import Append, Store
from tests.named_signer import NamedSigner

ORIGIN: Final = "log.example/1"


SIGNER: Final = CheckpointSigner(NamedSigner(ORIGIN), key_name=ORIGIN)


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
