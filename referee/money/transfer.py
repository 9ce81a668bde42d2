"""Amounts in minor units, and transfers: one amount, from one seat to another, for one reason."""

from collections.abc import Iterable
from typing import Final, NewType

import msgspec

from referee.cards import HOUSE, Seat

Amount = NewType("Amount", int)
"""Minor units of the table's currency."""

MAX_AMOUNT: Final = Amount(2**53 - 1)
"""The largest amount anywhere: the largest integer that every JSON reader keeps exactly."""


class AmountError(ValueError):
    """An amount that is negative, too large or not whole."""


def checked_amount(value: int) -> Amount:
    """Return the value as an amount; raise AmountError unless ``0 <= value <= MAX_AMOUNT``."""
    if not 0 <= value <= MAX_AMOUNT:
        msg = f"{value} is no amount; amounts are whole minor units from 0 to 2^53-1"
        raise AmountError(msg)
    return Amount(value)


class Transfer(msgspec.Struct, frozen=True, gc=False, rename={"payer": "from", "payee": "to"}):
    """``amount`` minor units that ``payer`` owes ``payee``.

    ``reason`` is a stable code of the game's own list; ``subject`` is the code of the hand, pattern or bet that the
    reason is about, empty if there is none. Either seat may be HOUSE. In JSON the seats are ``from`` and ``to``.
    """

    payer: Seat
    payee: Seat
    amount: Amount
    reason: str
    subject: str = ""


def net_amounts(transfers: Iterable[Transfer], seat_count: int) -> tuple[int, ...]:
    """Return what each seat has won (positive) or lost; it sums to zero unless the house took part."""
    net = dict.fromkeys((*range(seat_count), HOUSE), 0)
    for transfer in transfers:
        amount = transfer.amount
        net[transfer.payer] -= amount
        net[transfer.payee] += amount
    del net[HOUSE]
    return tuple(net.values())


def house_net(transfers: Iterable[Transfer]) -> int:
    """Return what the house has won (positive) or lost."""
    return sum(
        (transfer.amount if transfer.payee == HOUSE else 0) - (transfer.amount if transfer.payer == HOUSE else 0)
        for transfer in transfers
    )
