"""Transfers on the wire."""

from collections.abc import Iterable

from referee.money import Transfer
from referee.v1.money_pb2 import Transfer as Message


def write_transfers(transfers: Iterable[Transfer]) -> list[Message]:
    """The transfers in their order."""
    return [
        Message(
            payer=transfer.payer,
            payee=transfer.payee,
            amount_minor=transfer.amount,
            reason=transfer.reason,
            subject=transfer.subject,
        )
        for transfer in transfers
    ]
