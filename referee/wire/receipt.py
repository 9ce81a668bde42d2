"""Log receipts on the wire."""

from referee.storage import Logged
from referee.v1.round_pb2 import LogReceipt


def write_logged(logged: Logged) -> LogReceipt:
    """A leaf with its place in the log and the proof of it."""
    receipt = logged.receipt
    return LogReceipt(
        leaf_index=receipt.index,
        leaf_hash=receipt.leaf_hash,
        leaf=logged.leaf,
        inclusion_proof=receipt.proof,
        checkpoint=receipt.checkpoint.decode(),
    )
