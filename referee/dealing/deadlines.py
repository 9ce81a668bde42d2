"""Deadlines of a round, and the bounds between which a header may set them. Times are in ms since 1970 UTC.

The deal's deadline follows OPEN by at most ten minutes. The round's deadline follows the deal's by a time that
the ruleset bounds.
"""

from typing import Final, NamedTuple

from referee.dealing.header import Header
from referee.games.game import RoundBounds

DEAL_MS: Final = 2 * 60 * 1000
"""Time from OPEN to the deal's deadline where the frontend asks for none."""
LONGEST_DEAL_MS: Final = 10 * 60 * 1000
"""Longest time from OPEN to the deal's deadline."""
ROUND_MS: Final = 15 * 60 * 1000
"""Time from the deal's deadline to the round's where the frontend asks for none, unless the ruleset needs longer."""
ANY_BOUNDS: Final = RoundBounds(1_000, 86_400_000)
"""Widest bounds that a ruleset may set, for a round whose ruleset is not known."""


class DeadlineFault(NamedTuple):
    """A deadline out of bounds: its field in the header, its time, and the earliest and latest time allowed."""

    field: str
    found: int
    earliest: int
    latest: int


def default_round_deadline(deal_deadline: int, bounds: RoundBounds) -> int:
    """Return the round's deadline for a frontend that asks for none; ``bounds`` are those of the ruleset."""
    return deal_deadline + max(ROUND_MS, bounds.shortest)


def deadline_fault(header: Header, bounds: RoundBounds, *, opened_time: int) -> DeadlineFault | None:
    """Return the first deadline of a header that is out of bounds, the deal's before the round's; None if none is.

    ``bounds`` are those of the header's ruleset.
    """
    due = header.deal_deadline
    for fault in (
        DeadlineFault("deal_deadline", due, opened_time + 1, opened_time + LONGEST_DEAL_MS),
        DeadlineFault("round_deadline", header.round_deadline, due + bounds.shortest, due + bounds.longest),
    ):
        if not fault.earliest <= fault.found <= fault.latest:
            return fault
    return None
