"""Reasons for a play as stable codes with numbers; the rulesets' texts have the words.

>>> AdviceReason("CHOPS").value
'CHOPS'
"""

import enum

import msgspec

from referee.cards import Card, Seat


class AdviceReason(enum.StrEnum):
    """A reason for a suggestion, or a warning about it, in the order in which reasons are listed."""

    LAST_CARDS = "LAST_CARDS"
    """It empties the hand, which wins."""
    NOTHING_BEATS = "NOTHING_BEATS"
    """No play beats the one on the table: the seat can only pass."""
    CHOPS = "CHOPS"
    """It chops, which pays ``units`` with the chain that it ends."""
    MAY_BE_LAST_THREE = "MAY_BE_LAST_THREE"
    """The one card of ``seat``, the seat to beat, is 3S with ``chance_permille``: beating it then pays ``units``."""
    GOES_FOR_THREE = "GOES_FOR_THREE"
    """It leaves 3S alone: ``units`` from each other seat if it holds; otherwise as much to each that had not passed."""
    KEEPS_THREE = "KEEPS_THREE"
    """It keeps 3S, ``cards``, to go out with: the seat has a card that nothing unseen beats."""
    LETS_OUT = "LETS_OUT"
    """A warning: ``seat`` has exactly as many cards as are played, and goes out if it can beat this."""
    BLOCKS = "BLOCKS"
    """``seat`` is near the end and has fewer cards than are played."""
    HIGHEST_FIRST = "HIGHEST_FIRST"
    """It leads the highest single, as ``seat`` has one card and goes out on any lower one."""
    LIKELY_HOLDS = "LIKELY_HOLDS"
    """It keeps the lead with a chance of ``chance_permille``."""
    KEEPS_GROUPS = "KEEPS_GROUPS"
    """It is a whole group of the best plan for the hand: nothing is broken."""
    BREAKS_GROUP = "BREAKS_GROUP"
    """A warning: it takes cards from ``cards``, which the best plan for the hand plays together."""
    SHEDS_MANY = "SHEDS_MANY"
    """It sheds ``cards``, four or more at once."""
    SHEDS_TWOS = "SHEDS_TWOS"
    """It sheds twos, ``cards``, that would cost ``units`` if left."""
    WEAKEST = "WEAKEST"
    """It is the weakest play that beats the one on the table."""
    SAVES_STRENGTH = "SAVES_STRENGTH"
    """Passing: the plays that would beat it are worth more later."""
    PLAYED_OUT = "PLAYED_OUT"
    """Over ``samples`` rounds played out it did best."""


class ReasonWithFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A reason with its facts; others are absent or empty."""

    reason: AdviceReason
    cards: tuple[Card, ...] = ()
    seat: Seat | None = None
    units: int | None = None
    chance_permille: int | None = None
    samples: int | None = None
