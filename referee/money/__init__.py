"""Money in whole minor units that move between seats, each time for a stated reason.

There are no floats, no rounding and nothing beyond 2**53 - 1, which every JSON reader keeps. A settlement is a list of
transfers, so it sums to zero by construction.

>>> from referee.cards import Seat
>>> from referee.money import Amount, Transfer, net_amounts
>>> net_amounts([Transfer(Seat(0), Seat(1), Amount(300), "BACK", "PAIR")], seat_count=2)
(-300, 300)
"""

from referee.money.odds import Odds, pays
from referee.money.transfer import MAX_AMOUNT, Amount, AmountError, Transfer, checked_amount, house_net, net_amounts

__all__ = [
    "MAX_AMOUNT",
    "Amount",
    "AmountError",
    "Odds",
    "Transfer",
    "checked_amount",
    "house_net",
    "net_amounts",
    "pays",
]
