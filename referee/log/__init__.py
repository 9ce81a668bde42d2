"""The rules and formats of the log: steps of rounds, checkpoints, proofs, tiles and receipts, without clock or store.

A leaf is opaque bytes. It takes a step of a table's round (``slot``) or belongs to none. The tree over the leaves is
that of RFC 6962; its head is signed as a C2SP checkpoint.

>>> from referee.evidence.merkle import Frontier, grow, leaf_hash
>>> from referee.log import Checkpoint
>>> growth = grow(Frontier(), [leaf_hash(b"first")])
>>> print(Checkpoint("log.example/1", growth.frontier.size, growth.frontier.root).body, end="")
log.example/1
1
oa8DAjHKL9IOzzDFKUuvj2kyHQm7FqxTiFzNF6OFKA0=
"""

from referee.log.checkpoint import Checkpoint, CheckpointError, CheckpointSigner, open_checkpoint
from referee.log.proof import Tiles, consistency_proof, inclusion_proof, tree_frontier, tree_root
from referee.log.receipt import LogReceipt, ReceiptError
from referee.log.slot import (
    FIRST_ROUND,
    NO_LEAF,
    AbortStep,
    DealStep,
    OpenStep,
    RevealStep,
    SettleStep,
    Slot,
    SlotError,
    SlotKey,
    SlotReason,
    Stage,
    Step,
    StepKind,
    Unseal,
    UnsealStep,
    advance,
)

__all__ = [
    "FIRST_ROUND",
    "NO_LEAF",
    "AbortStep",
    "Checkpoint",
    "CheckpointError",
    "CheckpointSigner",
    "DealStep",
    "LogReceipt",
    "OpenStep",
    "ReceiptError",
    "RevealStep",
    "SettleStep",
    "Slot",
    "SlotError",
    "SlotKey",
    "SlotReason",
    "Stage",
    "Step",
    "StepKind",
    "Tiles",
    "Unseal",
    "UnsealStep",
    "advance",
    "consistency_proof",
    "inclusion_proof",
    "open_checkpoint",
    "tree_frontier",
    "tree_root",
]
