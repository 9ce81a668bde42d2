"""The table's stake: a multiple of the bet unit, from one unit up to what can be settled within 2^53-1.

The house's commission, which that bound counts in, is worked out here with fractions.
"""

import itertools
import math
from fractions import Fraction

import msgspec
import pytest

from referee.cards import HOUSE, Seat
from referee.games.commission import Commission, NoCommission, commission_transfers, most_house_units
from referee.games.stakes import StakeFault, check_table_stake
from referee.money import MAX_AMOUNT, Amount, Transfer


@pytest.mark.parametrize(
    ("stake", "expected"),
    [
        (-4, [("STAKE_TOO_LOW", 4)]),
        (0, [("STAKE_TOO_LOW", 4)]),
        (3, [("STAKE_TOO_LOW", 4), ("STAKE_NOT_A_MULTIPLE", 4)]),
        (4, []),
        (5, [("STAKE_NOT_A_MULTIPLE", 4)]),
        (8, []),
        (900_719_925_474_096, []),
        (900_719_925_474_099, [("STAKE_NOT_A_MULTIPLE", 4)]),
        (900_719_925_474_100, [("STAKE_TOO_HIGH", 900_719_925_474_096)]),
    ],
)
def test_stake_is_a_multiple_between_the_bet_unit_and_what_can_be_settled(
    stake: int, expected: list[tuple[str, int]]
) -> None:
    """Ten stakes of 900,719,925,474,099 are the most that 2^53-1 holds, and 096 is the last multiple of four below."""
    assert MAX_AMOUNT == 2**53 - 1
    faults = check_table_stake(stake=stake, seat_stakes=(), bet_unit=4, most_units=10)
    assert [(fault.code, fault.expected) for fault in faults] == expected
    assert all(fault.found == stake for fault in faults)


@pytest.mark.parametrize("most_units", [0, 1])
def test_game_without_prices_takes_any_amount(most_units: int) -> None:
    assert check_table_stake(stake=MAX_AMOUNT, seat_stakes=(), bet_unit=1, most_units=most_units) == ()
    (fault,) = check_table_stake(stake=MAX_AMOUNT + 1, seat_stakes=(), bet_unit=1, most_units=most_units)
    assert (fault.code, fault.expected) == (StakeFault.STAKE_TOO_HIGH, MAX_AMOUNT)


def test_seats_have_no_stakes_of_their_own() -> None:
    (fault,) = check_table_stake(stake=1, seat_stakes=((2, 0), (2, 0), (2, 0)), bet_unit=1, most_units=1)
    assert (fault.code, fault.found) == (StakeFault.SEAT_STAKES_NOT_TAKEN, 3)


@pytest.mark.parametrize(("permille", "cap"), [(1, 1), (50, 3), (370, 6), (999, 1000), (1000, 1000)])
@pytest.mark.parametrize("stake", [1, 7, 1000])
def test_winners_pay_a_part_of_what_they_won_and_together_no_more_than_the_bound(
    permille: int, cap: int, stake: int
) -> None:
    """Of two seats that each win some stakes of the third."""
    rule = Commission(permille=permille, cap_units=cap, reason="test")
    for won in itertools.product((0, 1, 2, 5, 20), repeat=2):
        transfers = [
            Transfer(Seat(2), Seat(seat), Amount(units * stake), "HAND") for seat, units in enumerate(won) if units
        ]
        due = [min(math.floor(Fraction(units * stake * permille, 1000)), cap * stake) for units in won]
        paid = commission_transfers(rule, transfers, seat_count=3, stake=stake)
        assert paid == tuple(
            [Transfer(Seat(seat), HOUSE, Amount(part), "COMMISSION") for seat, part in enumerate(due) if part]
        )
        most = most_house_units(rule, most_units=max(won), seat_count=3)
        assert most == 2 * min(math.ceil(Fraction(max(won) * permille, 1000)), cap)
        assert sum(due) <= most * stake


def test_house_without_commission_takes_nothing() -> None:
    won = [Transfer(Seat(1), Seat(0), Amount(5_000), "HAND")]
    assert commission_transfers(NoCommission(), won, seat_count=2, stake=1000) == ()
    assert most_house_units(NoCommission(), most_units=5, seat_count=2) == 0


@pytest.mark.parametrize(
    "members", [{"kind": "NONE"}, {"kind": "OF_WINNINGS", "permille": 1, "cap_units": 1, "reason": "test"}]
)
def test_rule_of_a_commission_has_no_other_members(members: dict[str, object]) -> None:
    assert isinstance(msgspec.convert(members, Commission | NoCommission), Commission | NoCommission)
    with pytest.raises(msgspec.ValidationError, match="unknown field `other`"):
        msgspec.convert(members | {"other": 1}, Commission | NoCommission)
