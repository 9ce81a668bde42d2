"""Log receipts on the wire."""

from referee.storage import Logged
from referee.v1.round_pb2 import LogReceipt


def fill_logged(message: LogReceipt, logged: Logged) -> None:
    """The empty message holds the leaf with its place in the log and the proof of it."""
    receipt = logged.receipt
    message.leaf_index = receipt.index
    message.leaf_hash = receipt.leaf_hash
    message.leaf = logged.leaf
    message.inclusion_proof.extend(receipt.proof)
    message.checkpoint = receipt.checkpoint.decode()


def write_logged(logged: Logged) -> LogReceipt:
    """A leaf with its place in the log and the proof of it."""
    message = LogReceipt()
    fill_logged(message, logged)
    return message
