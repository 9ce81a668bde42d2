"""The stable codes of Mậu Binh: chi, instant wins, transfer reasons, violations. Their names for people are data."""

import enum
from typing import Final

from referee.games.fault import FaultKind


class Chi(enum.StrEnum):
    """One of the three hands that thirteen cards are arranged in, in the order they are compared."""

    BACK = "BACK"
    """*Chi đầu* (chi 1 in the text of ``mau_binh.classic``): five cards, the strongest."""
    MIDDLE = "MIDDLE"
    """*Chi giữa* (chi 2): five cards."""
    FRONT = "FRONT"
    """*Chi cuối* (chi 3): three cards, the weakest."""


CHI: Final = (Chi.BACK, Chi.MIDDLE, Chi.FRONT)
"""The chi in the order they are compared."""

CHI_SIZES: Final = (5, 5, 3)
"""How many cards each chi holds, in the order of ``CHI``."""

HAND_SIZE: Final = 13


class Pattern(enum.StrEnum):
    """Pattern of thirteen dealt cards that can win at once (*thắng trắng*). A ruleset lists the patterns that do."""

    SUITED_DRAGON = "SUITED_DRAGON"
    """*Rồng cuốn*, *sảnh rồng đồng hoa*: 2 to A of one suit."""
    DRAGON = "DRAGON"
    """*Sảnh rồng*: 2 to A, not all of one suit."""
    THIRTEEN_RED = "THIRTEEN_RED"
    THIRTEEN_BLACK = "THIRTEEN_BLACK"
    FIVE_PAIRS_ONE_TRIPLE = "FIVE_PAIRS_ONE_TRIPLE"
    """*Năm đôi một sám*; four of a kind counts as two pairs."""
    TWELVE_BLACK_ONE_RED = "TWELVE_BLACK_ONE_RED"
    TWELVE_RED_ONE_BLACK = "TWELVE_RED_ONE_BLACK"
    SIX_PAIRS = "SIX_PAIRS"
    """*Lục phé bôn*: six pairs and any thirteenth card that does not make it five pairs and a triple."""
    THREE_FLUSHES = "THREE_FLUSHES"
    """*Ba thùng*: flushes of five, five and three cards; two may share a suit."""
    THREE_STRAIGHTS = "THREE_STRAIGHTS"
    """*Ba sảnh*: runs of five, five and three cards, the ace low or high."""


class Reason(enum.StrEnum):
    """Why a transfer is owed."""

    BACK = "BACK"
    MIDDLE = "MIDDLE"
    FRONT = "FRONT"
    SWEEP = "SWEEP"
    """The addition of a sweep. Subject: FOUL or LEFT if that is why the chi were lost, otherwise empty."""
    FOUR_ACES_SWEEP = "FOUR_ACES_SWEEP"
    """The addition for four aces in the back of a seat that won every chi."""
    FOUL = "FOUL"
    """The flat price of a foul."""
    INSTANT_WIN = "INSTANT_WIN"
    """Subject: the pattern."""
    WINNER_SWEEP = "WINNER_SWEEP"
    """The addition for winning all three chi against every other seat; only if the ruleset has it.

    Its subject is as that of SWEEP.
    """
    COMPENSATION = "COMPENSATION"
    """*Đền*: what a seat at fault pays in place of lawful seats, which would owe it as WINNER_SWEEP.

    Subject: FOUL or LEFT, the payer's fault.
    """
    COMMISSION = "COMMISSION"
    """The house's part of what a seat won in all; only where the ruleset has one."""


CHI_REASONS: Final = (Reason.BACK, Reason.MIDDLE, Reason.FRONT)
"""The reasons of a won chi, in the order of ``CHI``; their subject is the winning category or a ``Walkover``."""


class Walkover(enum.StrEnum):
    """Why a chi was won without comparing."""

    FOUL = "FOUL"
    LEFT = "LEFT"


class ViolationCode(enum.StrEnum):
    """Codes of all violations. FOULED codes and NOT_OPENED warn of an event that is accepted; all others refuse it."""

    BACK_WRONG_SIZE = "BACK_WRONG_SIZE"
    """The back does not have five cards: ``expected``, ``found``."""
    MIDDLE_WRONG_SIZE = "MIDDLE_WRONG_SIZE"
    """The middle does not have five cards."""
    FRONT_WRONG_SIZE = "FRONT_WRONG_SIZE"
    """The front does not have three cards."""
    CARD_NOT_DEALT = "CARD_NOT_DEALT"
    """``cards`` are in the arrangement and were not dealt to the seat."""
    CARD_TWICE = "CARD_TWICE"
    """``cards`` are in the arrangement more than once."""
    CARD_MISSING = "CARD_MISSING"
    """``cards`` were dealt to the seat and are in no chi."""
    FOULED_MIDDLE = "FOULED_MIDDLE"
    """The middle (``cards``) is stronger than the back (``against``)."""
    FOULED_FRONT = "FOULED_FRONT"
    """The front (``cards``) is stronger than the middle (``against``)."""
    NOT_OPENED = "NOT_OPENED"
    """The seat of a sealed round has not opened in time the arrangement that it committed to, which is a foul."""
    UNKNOWN_SEAT = "UNKNOWN_SEAT"
    """There is no such seat: ``expected`` seats, ``found`` index."""
    OUT_OF_ORDER = "OUT_OF_ORDER"
    """The event's time (``received_time``) is before that of the previous event or the deal (``expected``)."""
    ROUND_OVER = "ROUND_OVER"
    """An instant win ended the round at the deal, or the last chi has been shown (``deadline_time``)."""
    ALREADY_LEFT = "ALREADY_LEFT"
    """The seat has left."""
    DEADLINE_PASSED = "DEADLINE_PASSED"
    """The arrangement came after the arranging time."""
    SHOWDOWN_STARTED = "SHOWDOWN_STARTED"
    """The arrangement came after every seat had submitted; ``deadline_time`` is when the showdown began."""
    TOO_MANY_EVENTS = "TOO_MANY_EVENTS"
    """The seat has used its share of the round's events: at most ``expected``, this is number ``found``."""
    NOT_SEALED = "NOT_SEALED"
    """A commitment, or an arrangement with a nonce, in a round that is not sealed."""
    STILL_SEALED = "STILL_SEALED"
    """An arrangement while seats still commit: nothing is opened before every seat is bound."""
    STILL_OPENING = "STILL_OPENING"
    """The seat leaves after it could see the hands and before the showdown; opening ends at ``deadline_time``."""
    COMMITTING_OVER = "COMMITTING_OVER"
    """A commitment after the hands opened at ``deadline_time``."""
    NOT_COMMITTED = "NOT_COMMITTED"
    """An arrangement of a seat that has committed to none."""
    WRONG_OPENING = "WRONG_OPENING"
    """The arrangement and its nonce do not give the seat's commitment."""
    ALREADY_OPENED = "ALREADY_OPENED"
    """The seat has opened its commitment."""
    NOT_OUT_OF_TIME = "NOT_OUT_OF_TIME"
    """The seat has committed or opened, was out of time before, or has until ``deadline_time`` to do so."""
    ROUND_NOT_OVER = "ROUND_NOT_OVER"
    """The seat may still arrange its cards until ``deadline_time``, or must then be reported out of time."""
    CLOSED_TOO_EARLY = "CLOSED_TOO_EARLY"
    """The closing time lies before the deal or an event (``expected``, a time)."""


SIZE_CODES: Final = (ViolationCode.BACK_WRONG_SIZE, ViolationCode.MIDDLE_WRONG_SIZE, ViolationCode.FRONT_WRONG_SIZE)
"""The codes of a chi of the wrong size, in the order of ``CHI``."""

_KINDS: Final[dict[str, FaultKind]] = {
    ViolationCode.FOULED_MIDDLE: FaultKind.WARNING,
    ViolationCode.FOULED_FRONT: FaultKind.WARNING,
    ViolationCode.NOT_OPENED: FaultKind.WARNING,
    ViolationCode.CARD_NOT_DEALT: FaultKind.CARD,
    ViolationCode.CARD_TWICE: FaultKind.CARD,
    ViolationCode.CARD_MISSING: FaultKind.CARD,
    ViolationCode.NOT_OUT_OF_TIME: FaultKind.TIMEOUT,
    ViolationCode.NOT_COMMITTED: FaultKind.SEAL,
    ViolationCode.STILL_SEALED: FaultKind.SEAL,
    ViolationCode.WRONG_OPENING: FaultKind.SEAL,
}


def fault_kind(code: str) -> FaultKind:
    """Return the kind of a fault, RULE for a code that no other kind has.

    A foul is a WARNING, since the arrangement is accepted and loses; so is a commitment that its seat did not open.
    """
    return _KINDS.get(code, FaultKind.RULE)
