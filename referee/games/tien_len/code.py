"""The stable codes of Tiến Lên. Transcripts hold them, so they never change; their names for people are data."""

import enum
from typing import Final

from referee.games.fault import FaultKind


class Kind(enum.StrEnum):
    """The kind of a play."""

    SINGLE = "SINGLE"
    PAIR = "PAIR"
    TRIPLE = "TRIPLE"
    QUAD = "QUAD"
    RUN = "RUN"
    PAIR_RUN_3 = "PAIR_RUN_3"
    PAIR_RUN_4 = "PAIR_RUN_4"


class Victim(enum.StrEnum):
    """Plays that a chop can take."""

    TWO = "TWO"
    PAIR_OF_TWOS = "PAIR_OF_TWOS"
    PAIR_RUN_3 = "PAIR_RUN_3"
    QUAD = "QUAD"
    PAIR_RUN_4 = "PAIR_RUN_4"


class Price(enum.StrEnum):
    """Codes of prices: of cards left at the end, and of plays that were chopped."""

    CARD = "CARD"
    BLACK_TWO = "BLACK_TWO"
    RED_TWO = "RED_TWO"
    PAIR_OF_BLACK_TWOS = "PAIR_OF_BLACK_TWOS"
    PAIR_OF_MIXED_TWOS = "PAIR_OF_MIXED_TWOS"
    PAIR_OF_RED_TWOS = "PAIR_OF_RED_TWOS"
    PAIR_RUN_3 = "PAIR_RUN_3"
    QUAD = "QUAD"
    PAIR_RUN_4 = "PAIR_RUN_4"


class Chain(enum.StrEnum):
    """Who pays for chops that follow one another in a trick.

    LAST_VICTIM_PAYS_ALL (*chặt chồng*): the last victim alone pays the sum of the chain to the last chopper.
    EACH_VICTIM_PAYS: every chop is paid by its own victim to its own chopper.
    """

    LAST_VICTIM_PAYS_ALL = "LAST_VICTIM_PAYS_ALL"
    EACH_VICTIM_PAYS = "EACH_VICTIM_PAYS"


class OutOfTime(enum.StrEnum):
    """What happens to a seat whose time is up.

    PASS_OR_LOWEST_SINGLE: it passes, or, leading, plays its lowest card. LEAVE: it is treated as gone.
    """

    PASS_OR_LOWEST_SINGLE = "PASS_OR_LOWEST_SINGLE"  # noqa: S105 - the name of a choice, no password
    LEAVE = "LEAVE"


class Pattern(enum.StrEnum):
    """A pattern that wins at the deal (*tới trắng*)."""

    DRAGON_RUN = "DRAGON_RUN"
    PAIR_RUN_6 = "PAIR_RUN_6"
    FOUR_TRIPLES = "FOUR_TRIPLES"
    TWO_QUADS = "TWO_QUADS"
    TWELVE_OF_A_SUIT = "TWELVE_OF_A_SUIT"
    PAIR_RUN_5 = "PAIR_RUN_5"
    QUAD_OF_TWOS = "QUAD_OF_TWOS"
    SIX_PAIRS = "SIX_PAIRS"


class EndKind(enum.StrEnum):
    """How a round ended."""

    INSTANT_WIN = "INSTANT_WIN"
    OUT_OF_CARDS = "OUT_OF_CARDS"
    LAST_THREE_OF_SPADES = "LAST_THREE_OF_SPADES"
    STOPPED_THREE_OF_SPADES = "STOPPED_THREE_OF_SPADES"
    LAST_SEAT = "LAST_SEAT"


class Reason(enum.StrEnum):
    """Why money moves; the last three only where the ruleset has such a rule.

    UNTOUCHED (*cóng*): a loser has played no card. LEAVING: the additional price that a loser pays because it left.
    COMMISSION: the house's part of a seat's winnings.
    """

    CHOP = "CHOP"
    CHOP_CHAIN = "CHOP_CHAIN"
    LEFTOVER = "LEFTOVER"
    LAST_THREE_OF_SPADES = "LAST_THREE_OF_SPADES"
    STOPPED_THREE_OF_SPADES = "STOPPED_THREE_OF_SPADES"
    INSTANT_WIN = "INSTANT_WIN"
    UNTOUCHED = "UNTOUCHED"
    LEAVING = "LEAVING"
    COMMISSION = "COMMISSION"


class Fault(enum.StrEnum):
    """Faults of an event or of a settlement, in the order in which they are returned."""

    ROUND_OVER = "ROUND_OVER"
    CLOSED_TOO_EARLY = "CLOSED_TOO_EARLY"
    ROUND_NOT_OVER = "ROUND_NOT_OVER"
    UNKNOWN_SEAT = "UNKNOWN_SEAT"
    OUT_OF_ORDER = "OUT_OF_ORDER"
    ALREADY_LEFT = "ALREADY_LEFT"
    OUT_OF_TURN = "OUT_OF_TURN"
    PASSED_ALREADY = "PASSED_ALREADY"
    DEADLINE_PASSED = "DEADLINE_PASSED"
    NOT_OUT_OF_TIME = "NOT_OUT_OF_TIME"
    MUST_LEAD = "MUST_LEAD"
    CARD_TWICE = "CARD_TWICE"
    CARD_PLAYED_BEFORE = "CARD_PLAYED_BEFORE"
    CARD_NOT_HELD = "CARD_NOT_HELD"
    NOT_A_COMBINATION = "NOT_A_COMBINATION"
    DOES_NOT_BEAT = "DOES_NOT_BEAT"
    LACKS_LOWEST_CARD = "LACKS_LOWEST_CARD"


_KINDS: Final[dict[str, FaultKind]] = {
    Fault.CARD_TWICE: FaultKind.CARD,
    Fault.CARD_PLAYED_BEFORE: FaultKind.CARD,
    Fault.CARD_NOT_HELD: FaultKind.CARD,
    Fault.NOT_OUT_OF_TIME: FaultKind.TIMEOUT,
}


def fault_kind(code: str) -> FaultKind:
    """Return the kind of a fault."""
    return _KINDS.get(code, FaultKind.RULE)
