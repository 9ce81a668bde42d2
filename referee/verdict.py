"""Verdicts: the violations of all rules that an event, a stake or a settlement breaks. An empty verdict means lawful.

Violations are returned, not raised. Each game has its own list of stable codes; their texts are data.
"""

import msgspec

from referee.cards import Card, Seat


class Violation(msgspec.Struct, frozen=True, kw_only=True):
    """A broken rule: ``code`` from the game's list, and the facts that belong to this code; other fields stay empty.

    ``cards`` are the offending cards, ``against`` the cards they are measured with (the play to beat, the weaker
    hand). ``expected`` and ``found`` are counts, numbers or amounts. Times are milliseconds since 1970 UTC.
    """

    code: str
    seat: Seat | None = None
    cards: tuple[Card, ...] = ()
    against: tuple[Card, ...] = ()
    expected: int | None = None
    found: int | None = None
    deadline_time: int | None = None
    received_time: int | None = None
