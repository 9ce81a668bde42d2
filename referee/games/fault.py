"""Kinds of faults, by which generic code classifies violation codes of games that it does not know."""

import enum


class FaultKind(enum.IntEnum):
    """Kind of a fault, the gravest last."""

    WARNING = 0
    """The event is accepted, and the rules have a price for it."""
    RULE = 1
    """The event breaks a rule of the game."""
    CARD = 2
    """The event uses cards that its seat could not use."""
    TIMEOUT = 3
    """A seat was reported out of time while it had time left."""
    SEAL = 4
    """The event breaks the order of committing and opening, or is not what its seat committed to."""


def rule_fault(code: str) -> FaultKind:
    """Return RULE for every code; for games that name no other kinds."""
    del code
    return FaultKind.RULE
