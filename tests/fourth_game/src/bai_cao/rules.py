"""Rules of Bài Cào as data; a house variant is another file of this shape."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Final

import msgspec

from bai_cao.hand import HANDS
from referee.games.tables import HouseClock, RoundLimits, refuse, seat_fault

REASON: Final = "HAND"
"""Reason of every transfer; its subject is the hand that won."""


class Seats(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many seats a round may have, the dealer's included."""

    minimum: Annotated[int, msgspec.Meta(ge=2, le=6)]
    maximum: Annotated[int, msgspec.Meta(ge=2, le=6)]


class Clocks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Clock of a round: until it ends a seat may show its cards; cards that are not shown count all the same."""

    showing: HouseClock


class BaiCaoRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Rules of one Bài Cào ruleset; ValueError where they contradict each other."""

    seats: Seats
    clocks: Clocks
    round: RoundLimits

    def __post_init__(self) -> None:
        refuse(seat_fault(self.seats.minimum, self.seats.maximum), self.round.fault(self.clocks.showing.seconds))

    @property
    def payouts(self) -> Sequence[Fraction]:
        """All payouts, in stakes: a seat wins or loses one stake."""
        return (Fraction(1),)

    @property
    def named_codes(self) -> Mapping[str, Sequence[str]]:
        """Codes that results can show, by the table of ``[names]`` that names them."""
        return {"hand": HANDS, "reason": (REASON,)}
