"""The deal that a round starts from: its seats, stakes, cards by section, and leader."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

import msgspec

from referee.cards import Card, Seat, spell
from referee.games.layout import Layout
from referee.games.lead import LeaderBy

Sections: TypeAlias = tuple[tuple[Card, ...] | None, ...]
"""Cards by section of the layout, the stock left out; None for a section that is not open."""


class SeatLimits(Protocol):
    """Smallest and largest number of seats."""

    @property
    def minimum(self) -> int:
        """Smallest number."""

    @property
    def maximum(self) -> int:
        """Largest number."""


class DealError(ValueError):
    """Cards, a number of seats or a leader that no round can start from or be settled with."""


class DealtRound(msgspec.Struct, frozen=True, kw_only=True):
    """Start of a round; ``dealt_time`` in ms since 1970 UTC, ``leader`` and ``leader_by`` None without a leader.

    ``stake``, ``seat_stakes`` (one tuple a seat, or none) and ``round_id`` are those of the round's header.
    """

    seat_count: int
    stake: int
    sections: Sections
    dealt_time: int
    seat_stakes: tuple[tuple[int, ...], ...] = ()
    bet_unit: int = 1
    leader: Seat | None = None
    leader_by: LeaderBy | None = None
    is_sealed: bool = False
    round_id: bytes = bytes(32)

    @property
    def hands(self) -> Sections:
        """Cards of each seat; None for a hand that is not open."""
        return self.sections[: self.seat_count]


def check_deal(deal: DealtRound, layout_of: Callable[[int], Layout], *, seats: SeatLimits) -> None:
    """Raise DealError for a wrong number of seats, sections or cards, or a card that is dealt twice."""
    if not seats.minimum <= deal.seat_count <= seats.maximum:
        raise DealError(f"{deal.seat_count} seats were dealt to; the table has {seats.minimum} to {seats.maximum}")
    layout = layout_of(deal.seat_count)
    if len(deal.sections) != len(layout.shown):
        raise DealError(f"the deal has {len(deal.sections)} sections; hands and board are {len(layout.shown)}")
    cards: list[Card] = []
    for section, (size, opened) in enumerate(zip(layout.sizes, deal.sections, strict=False)):
        if opened is not None:
            if len(opened) != size:
                raise DealError(f"section {section} has {size} cards, not {len(opened)}: {spell(opened) or 'none'}")
            cards += opened
    if len(set(cards)) != len(cards):
        msg = f"dealt more than once: {spell([card for card in dict.fromkeys(cards) if cards.count(card) > 1])}"
        raise DealError(msg)


def check_open_deal(
    deal: DealtRound, layout_of: Callable[[int], Layout], *, seats: SeatLimits
) -> tuple[tuple[Card, ...], ...]:
    """Check the deal of a game whose cards are all open from the deal on, and return them as ``open_cards`` does."""
    if deal.is_sealed:
        raise DealError("the deal is sealed, and a table of this game cannot be sealed")
    check_deal(deal, layout_of, seats=seats)
    return open_cards(deal)


def open_cards(deal: DealtRound) -> tuple[tuple[Card, ...], ...]:
    """Return all cards but the stock, by section; raise DealError if a section is not open."""
    opened = tuple([section for section in deal.sections if section is not None])
    if len(opened) != len(deal.sections):
        closed = ", ".join(str(index) for index, section in enumerate(deal.sections) if section is None)
        raise DealError(f"the round cannot be settled; sections that are not open: {closed}")
    return opened
