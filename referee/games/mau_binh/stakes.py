"""How much a round can move, so that a stake that is too high is refused at opening and never at settlement.

>>> from referee.rulesets import get
>>> max_units(get("mau_binh.classic").rules, seat_count=2)
26
"""

from collections.abc import Sequence

from referee.games.game import check_table_stake
from referee.games.mau_binh.rules import (
    MauBinhRules,
)
from referee.verdict import Violation


def max_units(rules: MauBinhRules, *, seat_count: int) -> int:
    """Return a bound on the stakes that one seat can win or lose in a round, whatever the cards."""
    return rules.most_units * (seat_count - 1)


def check_stakes(
    rules: MauBinhRules, *, seat_count: int, stake: int, seat_stakes: Sequence[Sequence[int]], bet_unit: int
) -> tuple[Violation, ...]:
    """Check the stake of a round of so many seats; return all faults."""
    most = max_units(rules, seat_count=seat_count)
    return check_table_stake(stake=stake, seat_stakes=seat_stakes, bet_unit=bet_unit, most_units=most)
