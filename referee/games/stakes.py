"""Stakes of a round: the check for games that are played for the table's stake, and the error for faulty stakes."""

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from referee.games.deal import DealtRound
from referee.games.game import GameRules, StakesError
from referee.money import MAX_AMOUNT
from referee.verdict import Violation


@runtime_checkable
class UnitBets(Protocol):
    """Rules that name bets of their own, which must be multiples of the file's bet unit."""

    @property
    def unit_bets(self) -> Mapping[str, int]:
        """Bets in minor units, by the path of their field."""


class StakeFault(enum.StrEnum):
    """Faults of a table's stake."""

    STAKE_TOO_LOW = "STAKE_TOO_LOW"
    STAKE_NOT_A_MULTIPLE = "STAKE_NOT_A_MULTIPLE"
    STAKE_TOO_HIGH = "STAKE_TOO_HIGH"
    STAKE_NOT_THE_BET_UNIT = "STAKE_NOT_THE_BET_UNIT"
    """The seats bet on their own, so the table's stake must be the bet unit."""
    SEAT_STAKES_NOT_TAKEN = "SEAT_STAKES_NOT_TAKEN"
    """The game is played for the table's stake; seats have no stakes of their own."""


def require_stakes(rules: GameRules, deal: DealtRound, check_stakes: Callable[..., tuple[Violation, ...]]) -> None:
    """Raise StakesError for the faults that a game's check finds in the stakes of a deal."""
    faults = check_stakes(
        rules, seat_count=deal.seat_count, stake=deal.stake, seat_stakes=deal.seat_stakes, bet_unit=deal.bet_unit
    )
    if faults:
        raise StakesError(faults)


def table_stake_check(max_units: Callable[..., int]) -> Callable[..., tuple[Violation, ...]]:
    """Return the ``check_stakes`` of a game that is played for the table's stake.

    A seat can win or lose at most ``max_units(rules, seat_count=n)`` stakes in a round.
    """

    def check_stakes(
        rules: GameRules, *, seat_count: int, stake: int, seat_stakes: Sequence[Sequence[int]], bet_unit: int
    ) -> tuple[Violation, ...]:
        """Check the table's stake for a round of ``seat_count`` seats; return all faults."""
        most = max_units(rules, seat_count=seat_count)
        return check_table_stake(stake=stake, seat_stakes=seat_stakes, bet_unit=bet_unit, most_units=most)

    return check_stakes


def check_table_stake(
    *, stake: int, seat_stakes: Sequence[Sequence[int]], bet_unit: int, most_units: int
) -> tuple[Violation, ...]:
    """Check the stake of a game in which a seat can win or lose at most ``most_units`` stakes; return all faults."""
    faults = []
    if stake < bet_unit:
        faults.append(Violation(code=StakeFault.STAKE_TOO_LOW, expected=bet_unit, found=stake))
    if stake % bet_unit:
        faults.append(Violation(code=StakeFault.STAKE_NOT_A_MULTIPLE, expected=bet_unit, found=stake))
    most = MAX_AMOUNT // max(1, most_units)
    if stake > most:
        faults.append(Violation(code=StakeFault.STAKE_TOO_HIGH, expected=most - most % bet_unit, found=stake))
    if seat_stakes:
        faults.append(Violation(code=StakeFault.SEAT_STAKES_NOT_TAKEN, found=len(seat_stakes)))
    return tuple(faults)
