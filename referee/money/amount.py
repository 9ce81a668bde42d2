"""An amount: a whole number of the smallest unit of the table's currency."""

from typing import Final, NewType

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
