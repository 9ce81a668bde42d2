"""The stable codes of Ultimate Texas Hold'em: streets, decisions, sections, bets, results, violations.

Names for people are data elsewhere; codes never change once a transcript has shown them.

>>> Decision.PLAY_4X.multiple, Decision.CHECK.multiple
(4, 0)
>>> Street.FLOP.following
<Street.RIVER: 'RIVER'>
"""

import enum
from types import MappingProxyType
from typing import Final

from referee.games.fault import FaultKind


class Street(enum.StrEnum):
    """Stage of a round: which cards of the board the seats see when they decide."""

    PREFLOP = "PREFLOP"
    """*Vòng trước flop*: hole cards only."""
    FLOP = "FLOP"
    """*Vòng flop*: three cards of the board."""
    RIVER = "RIVER"
    """*Vòng turn và river*: all five cards of the board. The last street on which seats decide."""
    SHOWDOWN = "SHOWDOWN"
    """*So bài*: nothing is left to decide."""

    @property
    def following(self) -> "Street":
        """Street after this one; the showdown follows itself."""
        return _FOLLOWING[self]


_FOLLOWING: Final = MappingProxyType(
    {
        Street.PREFLOP: Street.FLOP,
        Street.FLOP: Street.RIVER,
        Street.RIVER: Street.SHOWDOWN,
        Street.SHOWDOWN: Street.SHOWDOWN,
    }
)


class Section(enum.StrEnum):
    """Cards that lie face down until a street closes."""

    FLOP = "FLOP"
    """Three cards of the board; they open when everybody has decided before the flop."""
    TURN_RIVER = "TURN_RIVER"
    """The other two; they open when everybody has decided on the flop."""
    HOUSE = "HOUSE"
    """The house's two hole cards; they open when everybody has decided on the river."""


class Decision(enum.StrEnum):
    """What an event reports of a seat: its decision, its timeout or its leaving."""

    CHECK = "CHECK"
    """Goes on without a bet."""
    PLAY_4X = "PLAY_4X"
    """*Tố*: a play bet of four times the Ante. The other three likewise."""
    PLAY_3X = "PLAY_3X"
    PLAY_2X = "PLAY_2X"
    PLAY_1X = "PLAY_1X"
    FOLD = "FOLD"
    """*Bỏ bài*: gives up Ante, Blind and Trips."""
    TIMEOUT = "TIMEOUT"
    """Ran out of time: checks where it may, otherwise folds. It may decide again on the next street."""
    LEAVE = "LEAVE"
    """Left the table: from then on checks where it may, otherwise folds. A play bet that is made remains."""

    @property
    def multiple(self) -> int:
        """Play bet in Antes; 0 for a decision that is no play bet."""
        return _MULTIPLES.get(self, 0)


_MULTIPLES: Final = MappingProxyType(
    {Decision.PLAY_4X: 4, Decision.PLAY_3X: 3, Decision.PLAY_2X: 2, Decision.PLAY_1X: 1}
)


class Bet(enum.StrEnum):
    """A bet, and so the reason of a transfer; listed in the order that a seat's transfers have."""

    ANTE = "ANTE"
    BLIND = "BLIND"
    PLAY = "PLAY"
    TRIPS = "TRIPS"


class Result(enum.StrEnum):
    """Result of a seat against the house."""

    WON = "WON"
    LOST = "LOST"
    TIED = "TIED"
    FOLDED = "FOLDED"


FOLD_SUBJECT: Final = "FOLD"
"""The subject of a transfer that a fold caused; of any other it is the category of the hand that decided."""


class ViolationCode(enum.StrEnum):
    """Every way to break a rule."""

    ROUND_OVER = "ROUND_OVER"
    """Every seat has played or folded; nothing is left to decide."""
    UNKNOWN_SEAT = "UNKNOWN_SEAT"
    """There is no such seat: ``expected`` seats, ``found`` index."""
    OUT_OF_ORDER = "OUT_OF_ORDER"
    """The event's time (``received_time``) is before that of the previous event or the deal (``expected``)."""
    ALREADY_LEFT = "ALREADY_LEFT"
    """The seat has left."""
    ALREADY_PLAYED = "ALREADY_PLAYED"
    """The seat has made its play bet (``found``, in Antes); it decides nothing more in this round."""
    ALREADY_FOLDED = "ALREADY_FOLDED"
    """The seat has folded."""
    ALREADY_CHECKED = "ALREADY_CHECKED"
    """The seat has checked on this street; it decides again on the next."""
    OUT_OF_TURN = "OUT_OF_TURN"
    """Another seat decides first (``expected``); only where the ruleset has the seats decide in order."""
    DEADLINE_PASSED = "DEADLINE_PASSED"
    """Decided (``received_time``) when the street's time was up (``deadline_time``)."""
    NOT_OUT_OF_TIME = "NOT_OUT_OF_TIME"
    """Reported out of time (``received_time``) while it may decide until ``deadline_time``."""
    CHECK_NOT_OFFERED = "CHECK_NOT_OFFERED"
    """On the river a seat plays or folds."""
    FOLD_NOT_OFFERED = "FOLD_NOT_OFFERED"
    """Before the river a seat checks or plays."""
    PLAY_NOT_OFFERED = "PLAY_NOT_OFFERED"
    """This street has no such play bet (``found``, in Antes); ``expected`` is the largest it has."""
    ROUND_NOT_OVER = "ROUND_NOT_OVER"
    """The seat has still to decide, so nothing can be settled."""
    CLOSED_TOO_EARLY = "CLOSED_TOO_EARLY"
    """The closing time (``received_time``) lies before the deal or an event (``expected``, a time)."""
    TOO_FEW_SEATS = "TOO_FEW_SEATS"
    """``expected`` seats at least, ``found`` were named."""
    TOO_MANY_SEATS = "TOO_MANY_SEATS"
    """``expected`` seats at most, ``found`` were named."""
    ANTE_TOO_LOW = "ANTE_TOO_LOW"
    """The Ante (``found``) is less than the bet unit or the ruleset's smallest (``expected``)."""
    ANTE_TOO_HIGH = "ANTE_TOO_HIGH"
    """The Ante (``found``) is more than the ruleset's largest (``expected``)."""
    ANTE_NOT_A_MULTIPLE = "ANTE_NOT_A_MULTIPLE"
    """The Ante (``found``) is no multiple of the bet unit (``expected``)."""
    TRIPS_TOO_LOW = "TRIPS_TOO_LOW"
    """Trips (``found``) is negative, or a bet below the ruleset's smallest (``expected``)."""
    TRIPS_TOO_HIGH = "TRIPS_TOO_HIGH"
    """Trips (``found``) is more than the ruleset's largest (``expected``)."""
    STAKES_TOO_HIGH = "STAKES_TOO_HIGH"
    """The seats together could win or lose more than amounts can be (``expected``)."""


def fault_kind(code: str) -> FaultKind:
    """Return the kind of a fault; no decision shows cards."""
    return FaultKind.TIMEOUT if code == ViolationCode.NOT_OUT_OF_TIME else FaultKind.RULE
