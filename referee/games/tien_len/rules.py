"""Rules of Tiến Lên as data: every number with the sentence it comes from, and no defaults.

A house variant is another data file. What is the same at every table (the order of the cards, what a combination is,
passing, how a round ends) is code in the modules beside this one. ``units`` are multiples of the stake (*cược*).

>>> import msgspec
>>> msgspec.convert({"units": 26, "source": "s", "quote": "q"}, type=Penalty).units
26
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, TypeAlias

import msgspec

from referee.games.tables import RoundLimits, Seconds, Sourced, refuse, seat_fault
from referee.games.tien_len.code import Chain, EndKind, Kind, OutOfTime, Pattern, Price, Reason, Victim

Units: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
"""A number of stakes."""

SeatCount: TypeAlias = Annotated[int, msgspec.Meta(ge=2, le=4)]
"""Two to four: thirteen cards each is all that 52 cards give."""


class Seats(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How many seats a round may have."""

    minimum: SeatCount
    maximum: SeatCount


class Chops(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What each of the three chopping kinds takes, and who pays for a chain of chops.

    A kind that is not listed under itself is still beaten by a higher one of the kind, but nothing is paid for that.
    """

    pair_run_3: tuple[Victim, ...]
    quad: tuple[Victim, ...]
    pair_run_4: tuple[Victim, ...]
    chain: Chain


class ChopPrices(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Units that the chopped seat pays, by what was chopped."""

    black_two: Units
    red_two: Units
    pair_of_black_twos: Units
    pair_of_mixed_twos: Units
    pair_of_red_twos: Units
    pair_run_3: Units
    quad: Units
    pair_run_4: Units


class LeftoverPrices(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Units that a loser pays for the cards left: each card, and groups in place of their cards."""

    card: Units
    black_two: Units
    red_two: Units
    pair_run_3: Units
    quad: Units
    pair_run_4: Units


class InstantWinValue(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A pattern that wins at the deal, and the units that every other seat then pays."""

    pattern: Pattern
    units: Units


class Penalty(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Units that one seat pays another."""

    units: Units


class Turn(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What follows when a turn's time is up, and how long a turn lasts."""

    out_of_time: OutOfTime
    seconds: Seconds


class TienLenRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What one Tiến Lên ruleset says. ``instant_wins`` lists the patterns that win at the deal, the strongest first.

    ValueError where a code is listed twice or more seats are wanted than are let in.
    """

    seats: Seats
    chops: Chops
    chop_prices: ChopPrices
    leftover_prices: LeftoverPrices
    instant_wins: tuple[InstantWinValue, ...]
    last_three_of_spades: Penalty
    stopped_three_of_spades: Penalty
    turn: Turn
    round: RoundLimits

    def __post_init__(self) -> None:
        refuse(
            seat_fault(self.seats.minimum, self.seats.maximum),
            self.round.fault(self.turn.seconds),
            _doubles("instant_wins", [win.pattern for win in self.instant_wins]),
            _doubles("chops.pair_run_3", self.chops.pair_run_3),
            _doubles("chops.quad", self.chops.quad),
            _doubles("chops.pair_run_4", self.chops.pair_run_4),
        )

    @property
    def payouts(self) -> tuple[Fraction, ...]:
        """Every price of this ruleset in stakes; each must be whole when a stake is one bet unit."""
        chop, left = self.chop_prices, self.leftover_prices
        numbers = (
            *(chop.black_two, chop.red_two, chop.pair_of_black_twos, chop.pair_of_mixed_twos, chop.pair_of_red_twos),
            *(chop.pair_run_3, chop.quad, chop.pair_run_4),
            *(left.card, left.black_two, left.red_two, left.pair_run_3, left.quad, left.pair_run_4),
            *(win.units for win in self.instant_wins),
            *(self.last_three_of_spades.units, self.stopped_three_of_spades.units),
        )
        return tuple(Fraction(number) for number in numbers)

    @property
    def named_codes(self) -> Mapping[str, tuple[str, ...]]:
        """Codes that results of this ruleset can show, by the table that names them."""
        return {
            "kind": tuple(Kind),
            "pattern": tuple(win.pattern for win in self.instant_wins),
            "price": tuple(Price),
            "reason": tuple(Reason),
            "ending": tuple(EndKind),
        }


def _doubles(table: str, codes: Sequence[str]) -> str:
    """Return what is wrong with a table that lists a code twice; empty where it does not."""
    twice = [code for code in dict.fromkeys(codes) if codes.count(code) > 1]
    return f"{table} lists {', '.join(twice)} more than once" if twice else ""
