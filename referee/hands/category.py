"""The kinds of hand that a ranking can list. Their order here means nothing; only the ranking's order counts."""

import enum


class Category(enum.StrEnum):
    """A kind of hand. The last three refine wider kinds and count only where a ranking lists them."""

    HIGH_CARD = "HIGH_CARD"
    PAIR = "PAIR"
    TWO_PAIR = "TWO_PAIR"
    THREE_OF_A_KIND = "THREE_OF_A_KIND"
    STRAIGHT = "STRAIGHT"
    FLUSH = "FLUSH"
    FULL_HOUSE = "FULL_HOUSE"
    FOUR_OF_A_KIND = "FOUR_OF_A_KIND"
    STRAIGHT_FLUSH = "STRAIGHT_FLUSH"
    LOW_STRAIGHT_FLUSH = "LOW_STRAIGHT_FLUSH"
    """A-2-3-4-5 of one suit (*hạ*); otherwise a STRAIGHT_FLUSH."""
    ROYAL_FLUSH = "ROYAL_FLUSH"
    """10-J-Q-K-A of one suit (*thượng*); otherwise a STRAIGHT_FLUSH."""
    FOUR_ACES = "FOUR_ACES"
    """Four aces; otherwise FOUR_OF_A_KIND."""


class AceLowStraight(enum.StrEnum):
    """The place of A-2-3-4-5 among the straights, plain or of one suit. 10-J-Q-K-A is always the strongest."""

    LOWEST = "LOWEST"
    """Below 2-3-4-5-6."""
    SECOND_HIGHEST = "SECOND_HIGHEST"
    """Between 9-10-J-Q-K and 10-J-Q-K-A."""
    NOT_A_STRAIGHT = "NOT_A_STRAIGHT"
    """No straight: a high card, or a flush."""
