"""Rules of Ultimate Texas Hold'em as data: every number and every choice is a field, none has a default.

A house variant is another file of this shape, never code. Odds are texts such as ``3/2``, paid on top of the bet.

>>> import msgspec
>>> msgspec.convert({"hand": "FLUSH", "odds": "6/4", "source": "s", "quote": "q"}, type=Payout)
Traceback (most recent call last):
...
msgspec.ValidationError: '6/4' are odds that are not in lowest terms; write 3/2
"""

import enum
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

import msgspec

from referee.games.tables import HouseClock, RoundLimits, Sourced, Text, refuse, seat_fault, since
from referee.games.ultimate_texas.code import FOLD_SUBJECT, Bet, Decision, Result, Section, Street
from referee.hands import Category, Ranking, RankingRules
from referee.money import MAX_AMOUNT, Odds

_ANTE_AND_BLIND: Final = 2
"""The bets of a seat other than Play and Trips, in Antes."""

_DECIDING_STREETS: Final = 3
"""Before the flop, on the flop, on the river."""

Multiple: TypeAlias = Literal[1, 2, 3, 4]
"""A play bet in Antes; the decisions PLAY_1X to PLAY_4X name them."""


class Ratio(NamedTuple):
    """Odds as two whole numbers in lowest terms: so many units for so many staked."""

    numerator: int
    denominator: int


class HandRule(enum.StrEnum):
    """Which five cards make a hand, for seats and house alike."""

    BEST_OF_SEVEN = "BEST_OF_SEVEN"
    """The best five of hole cards and board."""
    TWO_PLUS_THREE = "TWO_PLUS_THREE"
    """Both hole cards and three cards of the board."""


class Order(enum.StrEnum):
    """In which order the seats decide on a street."""

    ANY = "ANY"
    """In any order: each seat is alone against the house, and no card opens before the street closes."""
    BY_SEAT = "BY_SEAT"
    """In the order of the deal, one after the other."""


class Seats(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How many seats a round may have, the house not counted, and in which order they decide."""

    minimum: Annotated[int, msgspec.Meta(ge=1, le=6)]
    maximum: Annotated[int, msgspec.Meta(ge=1, le=6)]
    order: Order


class Hands(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which five cards make a hand."""

    rule: HandRule


class RankingTable(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Order of the hands."""

    rules: RankingRules


class PlayBets(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The play bets of one street, in Antes, the smallest first."""

    multiples: tuple[Multiple, ...]

    def __post_init__(self) -> None:
        if not self.multiples or list(self.multiples) != sorted(set(self.multiples)):
            msg = f"multiples {list(self.multiples)} must name each play bet once, the smallest first, and one at least"
            raise ValueError(msg)


class Streets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The play bets of each street. Before the river a seat may check instead; on the river it plays or folds."""

    preflop: PlayBets
    flop: PlayBets
    river: PlayBets


class Clocks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Clock of each street: within it a seat decides, after it others may report the seat out of time."""

    street: HouseClock


class Qualifying(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The weakest category with which the house qualifies; with a weaker hand it neither wins nor loses the Ante."""

    category: Category


class Payout(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Odds that a bet pays with a hand of this category."""

    hand: Category
    odds: Text

    def __post_init__(self) -> None:
        Odds.parse(self.odds)


class FlatOdds(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Odds that a bet pays with any winning hand."""

    odds: Text

    def __post_init__(self) -> None:
        Odds.parse(self.odds)


BetAmount: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=MAX_AMOUNT)]
"""A bet in minor units."""


class NoLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="NONE"):
    """The Ante is at least the bet unit, Trips any amount."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="BOUNDED"):
    """The smallest and largest Ante, and the smallest and largest Trips of a seat that bets it, in minor units.

    Both limits of the Ante are multiples of the bet unit.
    """

    smallest_ante: BetAmount
    largest_ante: BetAmount
    smallest_trips: BetAmount
    largest_trips: BetAmount
    reason: Text


BetLimits: TypeAlias = Limits | NoLimits


class UltimateTexasRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """Rules of an Ultimate Texas Hold'em ruleset, one field for each part of its file; ValueError if parts contradict.

    ``blind`` and ``trips`` are paytables, strong to weak. A Blind that beats the house with a hand that its table does
    not list pushes; Trips with such a hand loses.
    """

    seats: Seats
    hands: Hands
    ranking: RankingTable
    streets: Streets
    clocks: Clocks
    round: RoundLimits
    qualifying: Qualifying
    ante: FlatOdds
    play: FlatOdds
    blind: tuple[Payout, ...]
    trips: tuple[Payout, ...]
    limits: Annotated[BetLimits, since(2)] = NoLimits()

    def __post_init__(self) -> None:
        refuse(
            seat_fault(self.seats.minimum, self.seats.maximum),
            self.round.fault(_DECIDING_STREETS * self.clocks.street.seconds),
            ""
            if self.qualifying.category in self.ranking.rules.order
            else f"qualifying names {self.qualifying.category}, which the ranking does not list",
            *self._paytable_faults("blind", self.blind),
            *self._paytable_faults("trips", self.trips),
            *[
                f"trips pays {payout.odds} for {payout.hand}; Trips is any whole amount, so its odds must be whole"
                for payout in self.trips
                if _ratio(payout.odds).denominator != 1
            ],
            *self._limit_faults(),
        )

    def _limit_faults(self) -> Iterator[str]:
        if isinstance(self.limits, Limits):
            for bet, smallest, largest in (
                ("ante", self.limits.smallest_ante, self.limits.largest_ante),
                ("trips", self.limits.smallest_trips, self.limits.largest_trips),
            ):
                if smallest > largest:
                    yield (
                        f"limits.smallest_{bet} {smallest} is more than limits.largest_{bet} {largest},"
                        " so no bet is lawful; exchange them"
                    )

    def _paytable_faults(self, table: str, payouts: tuple[Payout, ...]) -> Iterator[str]:
        order = self.ranking.rules.order
        unknown = [payout.hand for payout in payouts if payout.hand not in order]
        for hand in unknown:
            yield f"{table} names {hand}, which the ranking does not list"
        places = [order.index(payout.hand) for payout in payouts if payout.hand in order]
        if places != sorted(set(places), reverse=True):
            yield f"{table} must name each hand once, from strong to weak"

    @cached_property
    def ranker(self) -> Ranking:
        """Ranking of these rules."""
        return Ranking.of(self.ranking.rules)

    @cached_property
    def qualifying_categories(self) -> frozenset[Category]:
        """Categories with which the house qualifies."""
        order = self.ranking.rules.order
        return frozenset(order[order.index(self.qualifying.category) :])

    @cached_property
    def multiples(self) -> Mapping[Street, tuple[int, ...]]:
        """Play bets of each street in Antes, the smallest first; none at the showdown."""
        return {
            Street.PREFLOP: self.streets.preflop.multiples,
            Street.FLOP: self.streets.flop.multiples,
            Street.RIVER: self.streets.river.multiples,
            Street.SHOWDOWN: (),
        }

    @cached_property
    def multiples_offered(self) -> tuple[int, ...]:
        """Play bets of all streets in Antes, the smallest first."""
        return tuple(sorted({multiple for multiples in self.multiples.values() for multiple in multiples}))

    @cached_property
    def ante_ratio(self) -> Ratio:
        """Odds of the Ante."""
        return _ratio(self.ante.odds)

    @cached_property
    def play_ratio(self) -> Ratio:
        """Odds of the play bet."""
        return _ratio(self.play.odds)

    @cached_property
    def blind_ratios(self) -> Mapping[Category, Ratio]:
        """Odds of the Blind by the winning hand; it pays nothing for a hand not listed."""
        return {payout.hand: _ratio(payout.odds) for payout in self.blind}

    @cached_property
    def trips_units(self) -> Mapping[Category, int]:
        """Payout of each unit of Trips by the seat's own hand; it loses with a hand not listed."""
        return {payout.hand: _ratio(payout.odds).numerator for payout in self.trips}

    @cached_property
    def most_antes(self) -> Fraction:
        """Most that a seat can win or lose in Antes, without Trips: by its best hand, or all that it bets."""
        largest = self.multiples_offered[-1]
        best_blind = max((Fraction(*ratio) for ratio in self.blind_ratios.values()), default=Fraction(0))
        won = largest * Fraction(*self.play_ratio) + Fraction(*self.ante_ratio) + best_blind
        return max(won, Fraction(largest + _ANTE_AND_BLIND))

    @property
    def payouts(self) -> tuple[Fraction, ...]:
        """Every price of this ruleset in Antes; each must be whole when the Ante is one bet unit.

        Trips is not among them: it need be no multiple of anything, and its odds are whole.
        """
        play = [Fraction(*self.play_ratio) * multiple for multiple in self.multiples_offered]
        return (Fraction(*self.ante_ratio), *play, *(Fraction(*ratio) for ratio in self.blind_ratios.values()))

    @property
    def unit_bets(self) -> Mapping[str, int]:
        """Bets that the file names and that must be multiples of its bet unit, by field."""
        if isinstance(self.limits, NoLimits):
            return {}
        limits = self.limits
        return {"limits.smallest_ante": limits.smallest_ante, "limits.largest_ante": limits.largest_ante}

    @property
    def named_codes(self) -> Mapping[str, tuple[str, ...]]:
        """Codes that results of this ruleset can show, by the table that names them."""
        return {
            "category": self.ranking.rules.order,
            "bet": tuple(Bet),
            "decision": tuple(Decision),
            "street": tuple(Street),
            "section": tuple(Section),
            "result": tuple(Result),
            "subject": (FOLD_SUBJECT,),
        }


def _ratio(odds: str) -> Ratio:
    ratio = Odds.parse(odds).ratio
    return Ratio(ratio.numerator, ratio.denominator)
