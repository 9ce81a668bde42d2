"""The table's stake: a multiple of the bet unit, from one unit up to what can be settled within 2^53-1."""

import pytest

from referee.games.stakes import StakeFault, check_table_stake
from referee.money import MAX_AMOUNT


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
