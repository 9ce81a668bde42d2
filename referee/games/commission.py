"""Commission (*xâu*, *phế*): the house's part of what a seat won, in games that seats play against one another.

It is the only amount that is ever rounded, always downwards.

>>> from referee.money import Amount
>>> rule = Commission(permille=25, cap_units=10, reason="The house's part.")
>>> paid = [Transfer(Seat(0), Seat(1), Amount(999), "BACK")]
>>> [(part.payer, part.payee, part.amount) for part in commission_transfers(rule, paid, seat_count=2, stake=100)]
[(1, 255, 24)]
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, TypeAlias

import msgspec

from referee.cards import HOUSE, Seat
from referee.games.game import ResultValue
from referee.games.tables import Text
from referee.money import Amount, Transfer, house_net, net_amounts

COMMISSION: Final = "COMMISSION"
"""Reason of a transfer of commission; it has no subject."""

_PERMILLE: Final = 1000


class NoCommission(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="NONE"):
    """The house takes nothing."""


class Commission(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="OF_WINNINGS"
):
    """After all else, each seat that won on balance pays the house a part of its winnings. ``reason`` says why."""

    permille: Annotated[
        int, msgspec.Meta(ge=1, le=1000, description="Thousandths of what the seat won, rounded down to a minor unit.")
    ]
    cap_units: Annotated[
        int, msgspec.Meta(ge=1, le=1_000_000, description="The most that a seat pays in a round, in stakes.")
    ]
    reason: Text


CommissionRule: TypeAlias = Commission | NoCommission


def commission_transfers(
    rule: CommissionRule, transfers: Sequence[Transfer], *, seat_count: int, stake: int
) -> tuple[Transfer, ...]:
    """Return what the winners of these transfers pay the house, in the order of seats; no transfer has the amount 0."""
    if isinstance(rule, NoCommission):
        return ()
    cap = rule.cap_units * stake
    parts = [
        (Seat(seat), min(net * rule.permille // _PERMILLE, cap))
        for seat, net in enumerate(net_amounts(transfers, seat_count))
    ]
    return tuple([Transfer(seat, HOUSE, Amount(part), COMMISSION) for seat, part in parts if part > 0])


def most_house_units(rule: CommissionRule, *, most_units: int, seat_count: int) -> int:
    """Return an upper bound on the stakes that the house takes in a round if no seat wins more than ``most_units``."""
    if isinstance(rule, NoCommission):
        return 0
    part = -(-most_units * rule.permille // _PERMILLE)
    return min(part, rule.cap_units) * (seat_count - 1)


def house_part(rule: CommissionRule, transfers: Sequence[Transfer]) -> int | None:
    """Return the house's net amount of a settlement's transfers; None under rules without a commission."""
    return None if isinstance(rule, NoCommission) else house_net(transfers)


def house_result(rule: CommissionRule, transfers: Sequence[Transfer]) -> Mapping[str, ResultValue]:
    """Return the member ``house`` of a transcript's results; an empty mapping without a commission."""
    part = house_part(rule, transfers)
    return {} if part is None else {"house": {"net": part}}
