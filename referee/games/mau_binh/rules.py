"""Rules of Mậu Binh as data: each number and each difference between rule texts is a field, none has a default.

A house variant is another file of this shape, never code. Where rules differ in kind the field is a tagged union or a
closed enum. Units are stakes. The tables about losing all three chi are in ``penalties``.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Final, TypeAlias, assert_never

import msgspec

from referee.games.commission import CommissionRule, NoCommission, most_house_units
from referee.games.mau_binh.bounds import Losses
from referee.games.mau_binh.code import CHI, Chi, Pattern, Reason, Walkover
from referee.games.mau_binh.penalties import (
    Foul,
    FoulFlat,
    FourAcesFullSweep,
    FourAcesSweep,
    Leaving,
    NoSweep,
    NoWinnerSweep,
    Sweep,
    SweptByAll,
    SweptPairPlus,
    SweptPairTimes,
    Units,
    WinnerSweep,
    WinnerSweepTimes,
)
from referee.games.stakes import table_stake_check
from referee.games.tables import HouseClock, RoundLimits, Seconds, Sourced, TextClock, refuse, seat_fault, since
from referee.hands import Category, Ranking, RankingRules


class Seats(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How many seats a round may have."""

    minimum: Annotated[int, msgspec.Meta(ge=2, le=4)]
    maximum: Annotated[int, msgspec.Meta(ge=2, le=4)]


class SentOut(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="SENT_OUT"):
    """A seat that is not ready this long after another was is sent out of the room."""

    seconds: Seconds


class NoReadyClock(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="NONE"):
    """Nobody is sent out."""


ReadyClock: TypeAlias = SentOut | NoReadyClock


class Clocks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Clocks for being ready, arranging after the deal, opening a sealed arrangement, and showing each chi."""

    ready: ReadyClock
    arranging: TextClock
    opening: HouseClock
    showdown_chi: TextClock

    @property
    def ready_limit(self) -> int | None:
        """Milliseconds after which a seat that is not ready is sent out of the room; None where nobody is."""
        match self.ready:
            case SentOut():
                return self.ready.seconds * 1000
            case NoReadyClock():
                return None
            case _:
                assert_never(self.ready)


class RankingTable(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Order of the hands."""

    rules: RankingRules


class SpecialValue(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Price of a chi won with a hand of this category, in place of the ordinary price."""

    chi: Chi
    category: Category
    units: Units


class Values(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Prices of a won chi, by the category of the winning hand."""

    ordinary: Units
    special: tuple[SpecialValue, ...]


class InstantWinValue(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A pattern that wins at once: its rank ``place`` (1 is the strongest, equal places tie) and price ``units``."""

    pattern: Pattern
    place: Annotated[int, msgspec.Meta(ge=1)]
    units: Units


class Suggestions(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Whether a player may ask the referee for an arrangement."""

    allowed: bool


class MauBinhRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """Rules of one Mậu Binh ruleset. Raises ValueError if its tables contradict each other."""

    seats: Seats
    clocks: Clocks
    round: RoundLimits
    ranking: RankingTable
    values: Values
    sweep: Sweep
    four_aces_sweep: FourAcesSweep
    foul: Foul
    leaving: Leaving
    instant_wins: tuple[InstantWinValue, ...]
    suggestions: Suggestions
    commission: Annotated[CommissionRule, since(2)] = NoCommission()
    winner_sweep: Annotated[WinnerSweep, since(2)] = NoWinnerSweep()

    def __post_init__(self) -> None:
        needed = self.clocks.arranging.seconds + self.clocks.opening.seconds
        refuse(
            seat_fault(self.seats.minimum, self.seats.maximum),
            self.round.fault(needed),
            ""
            if self.ranking.rules.three_card_order
            else "ranking.rules.three_card_order is empty, but the front has three cards",
            *self._value_faults(),
            *self._instant_win_faults(),
        )
        refuse(*self.losses.faults())  # which reads the units of the tables above

    def _value_faults(self) -> Iterator[str]:
        stated = [(special.chi, special.category) for special in self.values.special]
        for chi, category in stated:
            ranked = self.ranking.rules.three_card_order if chi is Chi.FRONT else self.ranking.rules.order
            if category not in ranked:
                yield f"values.special names {category} in the {chi}, where the ranking does not list it"
            if stated.count((chi, category)) > 1:
                yield f"values.special names {category} in the {chi} more than once"
        if isinstance(self.four_aces_sweep, FourAcesFullSweep):
            if Category.FOUR_ACES not in self.ranking.rules.order:
                yield "four_aces_sweep pays for FOUR_ACES, which the ranking does not list"
            if self.four_aces_sweep.units <= self.units[0][Category.FOUR_ACES]:
                yield "four_aces_sweep.units is no more than FOUR_ACES are worth in the BACK without it"

    def _instant_win_faults(self) -> Iterator[str]:
        patterns = [win.pattern for win in self.instant_wins]
        for pattern in patterns:
            if patterns.count(pattern) > 1:
                yield f"instant_wins names {pattern} more than once"
        places = [win.place for win in self.instant_wins]
        if places != sorted(places) or sorted(set(places)) != list(range(1, len(set(places)) + 1)):
            yield "instant_wins must go from strong to weak, with places 1, 2, 3 and so on; equal places tie"

    @cached_property
    def ranker(self) -> Ranking:
        """Ranking of these rules."""
        return Ranking.of(self.ranking.rules)

    @cached_property
    def units(self) -> tuple[Mapping[Category, int], ...]:
        """Worth of a chi won with a category: one mapping a chi, each with every category."""
        special = {(value.chi, value.category): value.units for value in self.values.special}
        return tuple(
            {category: special.get((chi, category), self.values.ordinary) for category in Category} for chi in CHI
        )

    @cached_property
    def losses(self) -> Losses:
        """Prices of losing all three chi, for every hand that can win them."""
        return Losses(
            seats=range(self.seats.minimum, self.seats.maximum + 1),
            order=self.ranking.rules.order,
            fronts=self.ranking.rules.three_card_order,
            units=self.units,
            sweep=self.sweep,
            four_aces_sweep=self.four_aces_sweep,
            foul=self.foul,
            leaving=self.leaving,
            winner_sweep=self.winner_sweep,
        )

    @cached_property
    def instant_win_values(self) -> Mapping[Pattern, InstantWinValue]:
        """Patterns that win at once, from strong to weak."""
        return {win.pattern: win for win in self.instant_wins}

    @cached_property
    def most_units(self) -> int:
        """Most stakes that two seats' cards can cost one of them in a round, what it pays in others' place apart."""
        swept = self._most_own_units
        if isinstance(self.winner_sweep, WinnerSweepTimes):
            plus = self.sweep.units if isinstance(self.sweep, SweptPairPlus) else 0
            swept = max(swept, self.winner_sweep.multiplier * (self._most_chi_units + plus))
        return swept

    @cached_property
    def _most_chi_units(self) -> int:
        return sum(max(units.values()) for units in self.units)

    @cached_property
    def _most_own_units(self) -> int:
        """Most stakes that two seats' cards can cost one of them without the winner's sweep."""
        _, middle, front = (max(units.values()) for units in self.units)
        chi = self._most_chi_units
        match self.sweep:
            case SweptByAll() | SweptPairTimes():
                swept = chi * self.sweep.multiplier
            case SweptPairPlus():
                swept = chi + self.sweep.units
            case NoSweep():
                swept = chi
            case _:
                assert_never(self.sweep)
        prices = [swept, *(win.units for win in self.instant_wins)]
        if isinstance(self.four_aces_sweep, FourAcesFullSweep):
            prices.append(self.four_aces_sweep.units + middle + front)
        if isinstance(self.foul, FoulFlat):
            prices.append(self.foul.units)
        return max(prices)

    def most_lost(self, seat_count: int) -> int:
        """Return a bound on the stakes that a seat can lose: its own prices, and what it pays in others' place."""
        thirds = seat_count - 2
        at_fault = self.most_units + thirds * (self._most_own_units + self.losses.most_added)
        return max(self.most_units * (seat_count - 1), at_fault)

    @cached_property
    def arranging_ms(self) -> int:
        """Milliseconds from the deal to the first moment at which an arrangement is too late."""
        return self.clocks.arranging.seconds * 1000

    @cached_property
    def opening_ms(self) -> int:
        """Milliseconds that the seats of a sealed round have to open their arrangements."""
        return self.clocks.opening.seconds * 1000

    @cached_property
    def showdown_chi_ms(self) -> int:
        """Milliseconds for which each chi is shown."""
        return self.clocks.showdown_chi.seconds * 1000

    @property
    def payouts(self) -> tuple[Fraction, ...]:
        """Every price of this ruleset in stakes; each must be whole when a stake is one ``bet_unit``."""
        numbers = [self.values.ordinary, *(value.units for value in self.values.special)]
        numbers += [win.units for win in self.instant_wins]
        numbers += [part.units for part in (self.sweep, self.four_aces_sweep, self.foul) if hasattr(part, "units")]
        return tuple(Fraction(number) for number in numbers)

    @property
    def _absent_reasons(self) -> frozenset[Reason]:
        """Reasons for which nobody ever pays under these rules."""
        absent = {
            Reason.COMMISSION: isinstance(self.commission, NoCommission),
            Reason.WINNER_SWEEP: (has_none := isinstance(self.winner_sweep, NoWinnerSweep)),
            Reason.COMPENSATION: has_none or self.seats.maximum == 2,  # noqa: PLR2004 - no third seat
        }
        return frozenset([reason for reason, is_absent in absent.items() if is_absent])

    @property
    def named_codes(self) -> Mapping[str, tuple[str, ...]]:
        """Codes that results of this ruleset can show, by the table that names them."""
        return {
            "chi": CHI,
            "category": self.ranking.rules.order,
            "pattern": tuple(self.instant_win_values),
            "reason": tuple([reason for reason in Reason if reason not in self._absent_reasons]),
            "walkover": tuple(Walkover),
        }


def max_units(rules: MauBinhRules, *, seat_count: int) -> int:
    """Return a bound on the stakes that one seat or the house can win or lose in a round, whatever the cards.

    >>> from referee.rulesets import get
    >>> max_units(get("mau_binh.classic").rules, seat_count=2)
    26
    """
    most = rules.most_lost(seat_count)
    return max(most, most_house_units(rules.commission, most_units=most, seat_count=seat_count))


check_stakes: Final = table_stake_check(max_units)
"""Check of the table's stake for a round of some seats."""
