"""Aborts: when a round may end without a settlement, for which reason, and which seats are to blame.

==============  ===========================================  ============================  =================
reason          lawful where                                 lawful from                   blames
==============  ===========================================  ============================  =================
OPERATOR        not dealt, and no seat's seed was received   OPEN                          nobody
VOID            not dealt, all seeds received, and they      OPEN                          nobody
                give no deck
SEED_MISSING    not dealt, a seed or a commitment was        after the deal's deadline     the seats without
                received, and a seed is missing                                            a seed
DEADLINE        dealt and not settled; or not dealt, and     after the round's deadline;   nobody
                neither a seed nor a commitment received     if not dealt, the deal's
==============  ===========================================  ============================  =================

Once a seat's seed is received somebody could know the cards, so the operator may not give the round up any more. A
round that has all its seeds is to be dealt; a server that lost its ruleset, and has not got it back by the deal's
deadline, ends it by DEADLINE. An audit reports such a round, and deals and scores its deck.
"""

import enum
from collections.abc import Sequence
from typing import Literal, TypeAlias

from referee.dealing.header import is_past

AbortReason: TypeAlias = Literal["SEED_MISSING", "DEADLINE", "OPERATOR", "VOID"]


class AbortFault(enum.Enum):
    """Why an abort is not lawful."""

    TOO_EARLY = enum.auto()
    """The deadline has not passed: the round's if it is dealt, otherwise the deal's."""
    SEED_RECEIVED = enum.auto()
    """The operator gives up a round after a seat's seed was received or the round was dealt."""
    WRONG_REASON = enum.auto()
    """Another reason follows from the seeds, the commitments and the deal."""
    NOT_DEALT = enum.auto()
    """All seeds were received, so the round was to be dealt, and it was not."""


def overdue_reason(*, is_dealt: bool, seeds: Sequence[object], commitments: Sequence[object]) -> AbortReason:
    """Return the reason for aborting an overdue round. Seeds and commitments go by seat, empty for a seat without one.

    >>> overdue_reason(is_dealt=False, seeds=["", "ab"], commitments=["", ""])
    'SEED_MISSING'
    """
    is_expected = any(seeds) or any(commitments)
    return "SEED_MISSING" if not is_dealt and is_expected and not all(seeds) else "DEADLINE"


def abort_faults(  # noqa: PLR0913 - the facts that decide
    reason: AbortReason,
    *,
    is_dealt: bool,
    seeds: Sequence[object],
    commitments: Sequence[object],
    deadline: int,
    time: int,
) -> tuple[AbortFault, ...]:
    """Return why a round may not be aborted at a time, in the order of ``AbortFault``; empty if it may be aborted.

    Seeds and commitments go by seat, empty for a seat without one. ``deadline`` is the round's deadline if it is dealt,
    otherwise the deal's. Whether the seeds of a VOID round give a deck is not checked.
    """
    faults = []
    if not is_past(deadline, time=time) and (is_dealt or reason not in {"OPERATOR", "VOID"}):
        faults.append(AbortFault.TOO_EARLY)
    if reason == "OPERATOR":
        if is_dealt or any(seeds):
            faults.append(AbortFault.SEED_RECEIVED)
    elif reason == "VOID":
        if is_dealt or not all(seeds):
            faults.append(AbortFault.WRONG_REASON)
    elif reason != overdue_reason(is_dealt=is_dealt, seeds=seeds, commitments=commitments):
        faults.append(AbortFault.WRONG_REASON)
    elif not is_dealt and all(seeds):
        faults.append(AbortFault.NOT_DEALT)
    return tuple(faults)


def blamed_seats(reason: AbortReason, seeds: Sequence[object]) -> tuple[int, ...]:
    """Return the seats at fault, ascending: the seats without a seed if the reason is SEED_MISSING, otherwise none."""
    return tuple([seat for seat, seed in enumerate(seeds) if not seed]) if reason == "SEED_MISSING" else ()
