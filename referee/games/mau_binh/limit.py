"""How much a round can move, so that a stake is refused at opening and never at settlement.

>>> from referee.rulesets import get
>>> max_units(get("mau_binh.classic").rules, seat_count=2)
26
"""

from typing import assert_never

from referee.games.mau_binh.code import Code
from referee.games.mau_binh.rules import (
    FoulFlat,
    FourAcesFullSweep,
    MauBinhRules,
    NoSweep,
    SweptByAll,
    SweptPairPlus,
    SweptPairTimes,
)
from referee.money import MAX_AMOUNT
from referee.verdict import Violation


def max_units(rules: MauBinhRules, *, seat_count: int) -> int:
    """No seat wins or loses more stakes than this in one round, whatever the cards; the bound need not be reached."""
    back, middle, front = (max(units.values()) for units in rules.units)
    chi = back + middle + front
    match rules.sweep:
        case SweptByAll() | SweptPairTimes():
            swept = chi * rules.sweep.multiplier
        case SweptPairPlus():
            swept = chi + rules.sweep.units
        case NoSweep():
            swept = chi
        case _:
            assert_never(rules.sweep)
    prices = [swept, *(win.units for win in rules.instant_wins)]
    if isinstance(rules.four_aces_sweep, FourAcesFullSweep):
        prices.append(rules.four_aces_sweep.units + middle + front)
    if isinstance(rules.foul, FoulFlat):
        prices.append(rules.foul.units)
    return max(prices) * (seat_count - 1)


def max_stake(rules: MauBinhRules, *, seat_count: int) -> int:
    """The highest stake with which every amount of a round stays within what amounts can be."""
    return MAX_AMOUNT // max_units(rules, seat_count=seat_count)


def check_stake(rules: MauBinhRules, *, seat_count: int, stake: int, bet_unit: int) -> tuple[Violation, ...]:
    """Everything wrong with a stake for a round of so many seats; empty when it may be opened with it."""
    faults = []
    if stake < bet_unit:
        faults.append(Violation(code=Code.STAKE_TOO_LOW, expected=bet_unit, found=stake))
    if stake % bet_unit:
        faults.append(Violation(code=Code.STAKE_NOT_A_MULTIPLE, expected=bet_unit, found=stake))
    most = max_stake(rules, seat_count=seat_count)
    if stake > most:
        faults.append(Violation(code=Code.STAKE_TOO_HIGH, expected=most - most % bet_unit, found=stake))
    return tuple(faults)
