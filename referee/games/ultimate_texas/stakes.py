"""The bets of a seat before the cards: the Ante, a Blind of the same amount, and Trips if it likes.

Source: the text that ``ultimate_texas.casino.toml`` quotes, "Đặt cược Ante và Blind với giá trị bằng nhau."; "Tùy
chọn: Đặt cược Trip để có cơ hội nhận thưởng thêm theo bảng trả thưởng." The Ante is a multiple of the ruleset's bet
unit, so that every payout is whole; Trips is any whole amount, 0 for none. A ruleset may limit both.

>>> Stake(ante=Amount(10), trips=Amount(5)).blind
10
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from referee.cards import Seat
from referee.games.stakes import StakeFault
from referee.games.ultimate_texas.code import ViolationCode
from referee.games.ultimate_texas.rules import Limits, UltimateTexasRules
from referee.money import MAX_AMOUNT, Amount
from referee.verdict import Violation


class Stake(msgspec.Struct, frozen=True, kw_only=True):
    """The bets of one seat before the deal, in minor units; ``check_stakes`` checks whether they are lawful."""

    ante: Amount
    trips: Amount

    @property
    def blind(self) -> Amount:
        """Blind, which equals the Ante."""
        return self.ante


def stakes_of(seat_stakes: Iterable[Sequence[int]]) -> tuple[Stake, ...]:
    """Return the stakes of all seats, from (Ante, Trips) by seat."""
    return tuple([Stake(ante=Amount(ante), trips=Amount(trips)) for ante, trips in seat_stakes])


class MostUnits(NamedTuple):
    """Most that one seat can win or lose: for each bet unit of its Ante, and for each unit of its Trips."""

    ante: int
    trips: int


def max_units(rules: UltimateTexasRules, *, bet_unit: int) -> MostUnits:
    """Return the most that one seat can win or lose: largest play bet, best Blind and best Trips, or all its bets."""
    return MostUnits(ante=math.ceil(rules.most_antes * bet_unit), trips=max([1, *rules.trips_units.values()]))


def check_stakes(
    rules: UltimateTexasRules, *, seat_count: int, stake: int, seat_stakes: Sequence[Sequence[int]], bet_unit: int
) -> tuple[Violation, ...]:
    """Check the stakes of a round, (Ante, Trips) by seat; return all faults.

    The table's stake is the bet unit. STAKES_TOO_HIGH, last, is about all seats together, because the house plays
    against them all: the amount that they could win or lose in this round must not exceed the largest amount.
    """
    faults: list[Violation] = []
    if stake != bet_unit:
        faults.append(Violation(code=StakeFault.STAKE_NOT_THE_BET_UNIT, expected=bet_unit, found=stake))
    del seat_count  # each seat has its own stake, so the number of stakes is checked
    stakes = stakes_of(seat_stakes)
    if len(stakes) < rules.seats.minimum:
        faults.append(Violation(code=ViolationCode.TOO_FEW_SEATS, expected=rules.seats.minimum, found=len(stakes)))
    if len(stakes) > rules.seats.maximum:
        faults.append(Violation(code=ViolationCode.TOO_MANY_SEATS, expected=rules.seats.maximum, found=len(stakes)))
    for index, seat_stake in enumerate(stakes):
        faults += _bet_faults(rules, Seat(index), seat_stake, bet_unit)
    if _at_risk(rules, stakes, bet_unit) > MAX_AMOUNT:
        faults.append(Violation(code=ViolationCode.STAKES_TOO_HIGH, expected=MAX_AMOUNT))
    return tuple(faults)


def _bet_faults(rules: UltimateTexasRules, seat: Seat, stake: Stake, bet_unit: int) -> Iterator[Violation]:
    """Yield the faults of one seat's bets under the bet unit and the limits of the ruleset."""
    limits = rules.limits
    smallest_ante, smallest_trips = bet_unit, 0
    largest_ante = largest_trips = int(MAX_AMOUNT)
    if isinstance(limits, Limits):
        smallest_ante, largest_ante = limits.smallest_ante, limits.largest_ante
        smallest_trips, largest_trips = limits.smallest_trips if stake.trips else 0, limits.largest_trips
    if stake.ante < smallest_ante:
        yield Violation(code=ViolationCode.ANTE_TOO_LOW, seat=seat, expected=smallest_ante, found=stake.ante)
    if stake.ante > largest_ante:
        yield Violation(code=ViolationCode.ANTE_TOO_HIGH, seat=seat, expected=largest_ante, found=stake.ante)
    if stake.ante % bet_unit:
        yield Violation(code=ViolationCode.ANTE_NOT_A_MULTIPLE, seat=seat, expected=bet_unit, found=stake.ante)
    if stake.trips < smallest_trips:
        yield Violation(code=ViolationCode.TRIPS_TOO_LOW, seat=seat, expected=smallest_trips, found=stake.trips)
    if stake.trips > largest_trips:
        yield Violation(code=ViolationCode.TRIPS_TOO_HIGH, seat=seat, expected=largest_trips, found=stake.trips)


def _at_risk(rules: UltimateTexasRules, stakes: Sequence[Stake], bet_unit: int) -> int:
    most = max_units(rules, bet_unit=bet_unit)
    bet_units = sum(-(-max(stake.ante, 0) // bet_unit) for stake in stakes)
    return bet_units * most.ante + sum(max(stake.trips, 0) for stake in stakes) * most.trips
