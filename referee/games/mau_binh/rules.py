"""Rules of Mậu Binh as data: each number and each difference between rule texts is a field, none has a default.

A house variant is another file of this shape, never code. Where rules differ in kind the field is a tagged union or a
closed enum. Units are stakes.

>>> import msgspec
>>> msgspec.convert({"kind": "BETWEEN_TWO_TIMES", "multiplier": 3, "source": "s", "quote": "q"}, type=Sweep).multiplier
3
"""

import enum
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Final, TypeAlias, assert_never

import msgspec

from referee.games.commission import CommissionRule, NoCommission, most_house_units
from referee.games.mau_binh.code import CHI, Chi, Pattern, Reason, Walkover
from referee.games.stakes import table_stake_check
from referee.games.tables import HouseClock, RoundLimits, Seconds, Sourced, Text, TextClock, refuse, seat_fault, since
from referee.hands import Category, Ranking, RankingRules

Units: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
"""A number of stakes."""


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


class SweptByAll(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="BY_EVERY_SEAT"):
    """A seat that loses all three chi to every other seat pays everything it owes ``multiplier`` times.

    If another seat fouled or left before the showdown, that seat lost to it, so it is not swept.
    """

    multiplier: Annotated[int, msgspec.Meta(ge=2, le=1000)]


class SweptPairTimes(
    Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="BETWEEN_TWO_TIMES"
):
    """A seat that loses all three chi to another pays that seat ``multiplier`` times the sum of the three."""

    multiplier: Annotated[int, msgspec.Meta(ge=2, le=1000)]


class SweptPairPlus(
    Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="BETWEEN_TWO_PLUS"
):
    """A seat that loses all three chi to another pays that seat the sum of the three and these units."""

    units: Units


class NoSweep(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="NONE"):
    """Losing all three chi costs the three chi."""


Sweep: TypeAlias = SweptByAll | SweptPairTimes | SweptPairPlus | NoSweep


class FourAcesFullSweep(
    Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="BACK_BECOMES_WORTH"
):
    """Four aces in the back of a seat that wins all three chi from every opponent are worth ``units``.

    Each of those opponents owes that in place of the ordinary value of four aces, and no sweep multiplies what is owed
    to that seat.
    """

    units: Units


class NoFourAcesSweep(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="NONE"):
    """Four aces are worth the same whatever the other seats lose."""


FourAcesSweep: TypeAlias = FourAcesFullSweep | NoFourAcesSweep


class Unopened(enum.StrEnum):
    """Penalty to each lawful seat for a committed arrangement that is not opened in time."""

    FOUL = "FOUL"
    FOUL_OR_SWEEP = "FOUL_OR_SWEEP"
    """The foul or the sweep, whichever costs more."""


NotOpened: TypeAlias = Annotated[
    Unopened,
    msgspec.Meta(description="On a sealed table: what it costs not to open in time what the seat committed to."),
]


class FoulSwept(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="SWEPT"):
    """A fouled seat loses all three chi to every seat that is not, and each of these losses is a sweep."""

    unopened: NotOpened


class FoulLosesChi(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="LOSES_CHI"):
    """A fouled seat loses all three chi to every seat that is not, and no sweep comes of it."""

    unopened: NotOpened


class FoulFlat(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="FLAT"):
    """A fouled seat pays these units to every seat that is not, whatever the chi are worth."""

    units: Units
    unopened: NotOpened


Foul: TypeAlias = FoulSwept | FoulLosesChi | FoulFlat


class LeavingBefore(enum.StrEnum):
    """Penalty to each lawful seat that stays for leaving before the showdown.

    The seat loses all three chi. SWEPT: each of these losses is a sweep. LOSES_CHI: none of them is.
    """

    SWEPT = "SWEPT"
    LOSES_CHI = "LOSES_CHI"


class LeavingInShowdown(enum.StrEnum):
    """Effect of leaving while a chi is shown on the chi after it."""

    LOSES_LATER_CHI = "LOSES_LATER_CHI"
    ARRANGEMENT_COUNTS = "ARRANGEMENT_COUNTS"


class Leaving(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What leaving costs: before the showdown all three chi, with or without a sweep; during it the later chi or none.

    ``quote`` is the text's sentence about leaving before the showdown, or else the sentence nearest to that.
    """

    before_showdown: Annotated[
        LeavingBefore,
        msgspec.Meta(description="Leaving before the showdown loses all three chi; whether that is a sweep."),
    ]
    in_showdown: Annotated[
        LeavingInShowdown, msgspec.Meta(description="Whether leaving while a chi is shown loses the chi after it.")
    ]


class InstantWinValue(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A pattern that wins at once: its rank ``place`` (1 is the strongest, equal places tie) and price ``units``."""

    pattern: Pattern
    place: Annotated[int, msgspec.Meta(ge=1)]
    units: Units


class Suggestions(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Whether a player may ask the referee for an arrangement."""

    allowed: bool


class NoWinnerSweep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="NONE"):
    """A seat that wins all three chi against every other seat is paid by the sweep alone."""


class WinnerSweepTimes(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="MULTIPLIED"
):
    """A seat that wins all three chi against every other seat is paid ``multiplier`` times.

    It counts only if every other seat has a lawful arrangement and stayed until the showdown; a seat that leaves while
    a chi is shown is judged by its cards. Of several multipliers between two seats the dearest alone counts.
    """

    multiplier: Annotated[int, msgspec.Meta(ge=2, le=1000)]
    reason: Text


WinnerSweep: TypeAlias = WinnerSweepTimes | NoWinnerSweep


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
    def instant_win_values(self) -> Mapping[Pattern, InstantWinValue]:
        """Patterns that win at once, from strong to weak."""
        return {win.pattern: win for win in self.instant_wins}

    @cached_property
    def most_units(self) -> int:
        """Most stakes that one seat can win from or lose to another in a round, whatever the cards."""
        back, middle, front = (max(units.values()) for units in self.units)
        chi = back + middle + front
        match self.sweep:
            case SweptByAll() | SweptPairTimes():
                swept = chi * self.sweep.multiplier
            case SweptPairPlus():
                swept = chi + self.sweep.units
            case NoSweep():
                swept = chi
            case _:
                assert_never(self.sweep)
        if isinstance(self.winner_sweep, WinnerSweepTimes):
            plus = self.sweep.units if isinstance(self.sweep, SweptPairPlus) else 0
            swept = max(swept, self.winner_sweep.multiplier * (chi + plus))
        prices = [swept, *(win.units for win in self.instant_wins)]
        if isinstance(self.four_aces_sweep, FourAcesFullSweep):
            prices.append(self.four_aces_sweep.units + middle + front)
        if isinstance(self.foul, FoulFlat):
            prices.append(self.foul.units)
        return max(prices)

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
            Reason.WINNER_SWEEP: isinstance(self.winner_sweep, NoWinnerSweep),
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
    most = rules.most_units * (seat_count - 1)
    return max(most, most_house_units(rules.commission, most_units=most, seat_count=seat_count))


check_stakes: Final = table_stake_check(max_units)
"""Check of the table's stake for a round of some seats."""
