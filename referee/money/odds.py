"""Exact odds: ``3/2`` pays three for two, and a payout that is not whole is refused, never rounded."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from referee.money.transfer import Amount, AmountError, checked_amount

_TEXT = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True)
class Odds:
    """The payout of a bet for each unit staked, on top of the stake itself.

    >>> str(Odds.parse("3/2"))
    '3/2'
    """

    ratio: Fraction

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse odds such as ``50/1`` or ``3/2``; raise ValueError unless they are in lowest terms."""
        match = _TEXT.fullmatch(text)
        if match is None:
            msg = f"{text!r} are no odds; write two whole numbers such as 3/2 or 50/1"
            raise ValueError(msg)
        ratio = Fraction(int(match[1]), int(match[2]))
        if f"{ratio.numerator}/{ratio.denominator}" != text:
            msg = f"{text!r} are odds that are not in lowest terms; write {ratio.numerator}/{ratio.denominator}"
            raise ValueError(msg)
        return cls(ratio)

    def __str__(self) -> str:
        return f"{self.ratio.numerator}/{self.ratio.denominator}"


def pays(stake: Amount, odds: Odds) -> Amount:
    """Return the winnings of a stake at these odds; raise AmountError if they would not be whole.

    >>> pays(Amount(200), Odds.parse("3/2"))
    300
    """
    won = stake * odds.ratio
    if won.denominator != 1:
        msg = f"a stake of {stake} at {odds} does not pay a whole amount; stake a multiple of {odds.ratio.denominator}"
        raise AmountError(msg)
    return checked_amount(won.numerator)
