"""The parts of ``found`` that every game shares."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from referee.money import Transfer

FoundValue: TypeAlias = "str | int | Sequence[FoundValue] | Mapping[str, FoundValue]"
"""What a found part is made of; text in it is codes and hexadecimal digits."""


def transfers_json(transfers: Iterable[Transfer]) -> list[FoundValue]:
    """Transfers as they stand in a transcript, in their order; seats by number, 255 the house."""
    return [
        {
            "amount": transfer.amount,
            "from": transfer.payer,
            "reason": transfer.reason,
            "subject": transfer.subject,
            "to": transfer.payee,
        }
        for transfer in transfers
    ]
