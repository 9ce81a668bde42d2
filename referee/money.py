"""Money in whole minor units that move between seats, each time for a stated reason.

Amounts are integers up to 2**53 - 1, the largest that every JSON reader keeps exactly; there are no floats and no
rounding. A settlement is a list of transfers, so it sums to zero by construction.

>>> from referee.cards import Seat
>>> from referee.money import Amount, Transfer, net_amounts
>>> net_amounts([Transfer(Seat(0), Seat(1), Amount(300), "BACK", "PAIR")], seat_count=2)
(-300, 300)
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NewType, Self

import msgspec

from referee.cards import HOUSE, Seat

Amount = NewType("Amount", int)
"""Minor units of the table's currency."""

MAX_AMOUNT: Final = Amount(2**53 - 1)
"""The largest amount anywhere: the largest integer that every JSON reader keeps exactly."""
_TEXT = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")


class AmountError(ValueError):
    """An amount that is negative, too large or not whole."""


def checked_amount(value: int) -> Amount:
    """Return the value as an amount; raise AmountError unless ``0 <= value <= MAX_AMOUNT``."""
    if not 0 <= value <= MAX_AMOUNT:
        raise AmountError(f"{value} is no amount; amounts are whole minor units from 0 to 2^53-1")
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
    """Return the amount each seat won (positive) or lost (negative), by seat.

    The amounts sum to zero unless the house paid or was paid.
    """
    net = dict.fromkeys((*range(seat_count), HOUSE), 0)
    for transfer in transfers:
        amount = transfer.amount
        net[transfer.payer] -= amount
        net[transfer.payee] += amount
    del net[HOUSE]
    return tuple(net.values())


def house_net(transfers: Iterable[Transfer]) -> int:
    """Return the amount that the house won (positive) or lost (negative)."""
    return sum(
        (transfer.amount if transfer.payee == HOUSE else 0) - (transfer.amount if transfer.payer == HOUSE else 0)
        for transfer in transfers
    )


@dataclass(frozen=True, slots=True)
class Odds:
    """Exact odds: the payout of a bet for each unit staked, on top of the stake itself.

    >>> str(Odds.parse("3/2"))
    '3/2'
    """

    ratio: Fraction

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse odds such as ``50/1`` or ``3/2``; raise ValueError unless they are in lowest terms."""
        match = _TEXT.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} are no odds; write two whole numbers such as 3/2 or 50/1")
        ratio = Fraction(int(match[1]), int(match[2]))
        if f"{ratio.numerator}/{ratio.denominator}" != text:
            msg = f"{text!r} are odds that are not in lowest terms; write {ratio.numerator}/{ratio.denominator}"
            raise ValueError(msg)
        return cls(ratio)

    def __str__(self) -> str:
        return f"{self.ratio.numerator}/{self.ratio.denominator}"


def pays(stake: Amount, odds: Odds) -> Amount:
    """Return the winnings of a stake at these odds. They are never rounded: AmountError if they are not whole.

    >>> pays(Amount(200), Odds.parse("3/2"))
    300
    """
    won = stake * odds.ratio
    if won.denominator != 1:
        msg = f"a stake of {stake} at {odds} does not pay a whole amount; stake a multiple of {odds.ratio.denominator}"
        raise AmountError(msg)
    return checked_amount(won.numerator)
