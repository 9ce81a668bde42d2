"""Prices of losing all three chi, over every hand that can win them: which faults cost too little, what can be owed.

A seat is at fault if it fouled, left before the showdown or did not open what it committed to. A fault must cost at
least what being swept by the same winner does, or it would be the best play of a weak hand. A sheet's own words may
allow less: those of ``mau_binh.maubinh_com`` for leaving, of ``mau_binh.classic`` for a flat foul. They never allow
less for an arrangement that stays shut, since its seat has seen every card.
"""

import enum
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple, assert_never

import msgspec

from referee.games.mau_binh.penalties import (
    Foul,
    FoulFlat,
    FoulLosesChi,
    FoulSwept,
    FourAcesFullSweep,
    FourAcesSweep,
    Leaving,
    LeavingBefore,
    LeavingInShowdown,
    NoSweep,
    Sweep,
    SweptByAll,
    SweptPairPlus,
    SweptPairTimes,
    Unopened,
    WinnerSweep,
    WinnerSweepTimes,
)
from referee.hands import Category

LARGEST_PLUS: Final = 2
"""Units that the sweep of the sheet adds whose flat foul may cost less."""
SMALLEST_FLAT: Final = 3
"""Units of that flat foul."""
LARGEST_TIMES: Final = 3
"""Multiplier of the sweep by every seat of the sheet whose departure may cost less."""
_FEWEST: Final = 2
_ACES: Final = {Category.FOUR_ACES: 4, Category.ROYAL_FLUSH: 1, Category.LOW_STRAIGHT_FLUSH: 1}
"""Aces that a hand of a category must hold, where that decides which hands are possible together."""
_ALL_ACES: Final = 4


class Fault(enum.StrEnum):
    """Way to lose all three chi by one's own doing."""

    FOUL = "FOUL"
    LEFT = "LEFT"
    SHUT = "SHUT"


class Won(NamedTuple):
    """Three chi won from a seat: their units, and whether the back is four aces, which a full sweep makes dearer."""

    chi: int
    is_aces: bool


class Losses(msgspec.Struct, frozen=True, dict=True, kw_only=True):
    """Tables that say what losing all three chi costs, at tables of these numbers of ``seats``.

    ``order`` and ``fronts`` go from weak to strong.
    """

    seats: range
    order: Sequence[Category]
    fronts: Sequence[Category]
    units: Sequence[Mapping[Category, int]]
    sweep: Sweep
    four_aces_sweep: FourAcesSweep
    foul: Foul
    leaving: Leaving
    winner_sweep: WinnerSweep

    @cached_property
    def hands(self) -> frozenset[Won]:
        """Every price of three lawful chi of one seat."""
        found = set()
        for place, back in enumerate(self.order):
            for below, middle in enumerate(self.order[: place + 1]):
                if _ACES.get(back, 0) + _ACES.get(middle, 0) <= _ALL_ACES:
                    for front in self.order[: below + 1]:
                        if front in self.fronts:
                            chi = zip(self.units, (back, middle, front), strict=True)
                            found.add(Won(sum(units[category] for units, category in chi), back is Category.FOUR_ACES))
        return frozenset(found)

    @property
    def most_added(self) -> int:
        """Most units that the winner's sweep adds for a lawful seat in a round with a seat at fault."""
        if not isinstance(self.winner_sweep, WinnerSweepTimes):
            return 0
        times = self.winner_sweep.multiplier
        return max(0, *(times * self._base(won) - self._lawful(won, by_all=False) for won in self.hands))

    @property
    def smallest_multiplier(self) -> int:
        """Smallest multiplier of a winner's sweep that changes an amount, whatever the seats and the way to lose."""
        prices = [(price, self._base(won)) for won in self.hands for price in self._prices(won)]
        return max(2, min(price // base + 1 for price, base in prices))

    def price(self, fault: Fault, won: Won, *, is_full: bool) -> int:
        """Return what a fault costs towards a winner; ``is_full``: the winner's four aces won from every seat.

        The winner's sweep is left out, which costs a seat the same whether it is at fault or not.
        """
        aces = self._added_by_aces if is_full and won.is_aces else 0
        swept = won.chi + aces if aces else self._swept(won.chi)
        if fault is Fault.LEFT:
            return swept if self.leaving.before_showdown is LeavingBefore.SWEPT else won.chi
        match self.foul:
            case FoulFlat():
                foul = self.foul.units
            case FoulSwept():
                foul = swept
            case FoulLosesChi():
                foul = won.chi + aces
            case _:
                assert_never(self.foul)
        return max(foul, swept) if fault is Fault.SHUT and self.foul.unopened is Unopened.FOUL_OR_SWEEP else foul

    def is_cheap(self, fault: Fault) -> bool:
        """Return whether a fault can cost less than being swept by the same winner.

        Between two seats who wins all three chi wins everything, so the winner's sweep is the least that it costs.
        """
        is_for_two = self.seats[-1] == _FEWEST
        times = self.winner_sweep.multiplier if is_for_two and isinstance(self.winner_sweep, WinnerSweepTimes) else 0
        return any(
            max(self.price(fault, won, is_full=is_full), times * self._base(won))
            < self._lawful(won, by_all=True, is_full=is_full)
            for won in self.hands
            for is_full in (False, True)
        )

    @property
    def allowed(self) -> tuple[Fault, ...]:
        """Faults that cost less than a sweep by a sheet's own words."""
        words = {Fault.FOUL: getattr(self.foul, "allowed_by", None), Fault.LEFT: self.leaving.allowed_by}
        return tuple([fault for fault, said in words.items() if said and self.is_cheap(fault)])

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the tables: a fault that costs too little, words and numbers without an effect."""
        times = self.winner_sweep.multiplier if isinstance(self.winner_sweep, WinnerSweepTimes) else None
        if times is not None and times < (smallest := self.smallest_multiplier):
            yield (
                f"winner_sweep.multiplier {times} never changes an amount, for a sweep and every fault cost as much"
                f' without it; write {smallest} or more, or kind = "NONE"'
            )
        if self.leaving.allowed_by is not None:  # else the file is of an earlier schema and taken as it is
            yield from self._cheap_faults()

    def _cheap_faults(self) -> Iterator[str]:
        most = max(self._lawful(won, by_all=True) for won in self.hands)
        said = getattr(self.foul, "allowed_by", None)
        if self.is_cheap(Fault.FOUL):
            if not (self._is_classic_foul and said):
                yield (
                    f"a foul of the kind {self.foul.__struct_config__.tag} can cost less than being swept by the same"
                    f' winner (up to {most}), so a weak hand would foul on purpose; write foul.kind = "SWEPT", or FLAT'
                    f" with units = {most} or more. A flat foul of {SMALLEST_FLAT} or more may cost less beside a sweep"
                    f" BETWEEN_TWO_PLUS of {LARGEST_PLUS} or less: then write the sheet's own words as foul.allowed_by"
                )
        elif said:
            yield 'foul.allowed_by allows nothing, for a foul costs no less than a sweep; write ""'
        if self.is_cheap(Fault.LEFT):
            if not (self._is_com_sweep and self.leaving.allowed_by):
                yield (
                    "leaving before the showdown can cost less than being swept by the same winner"
                    f' (up to {most}), so a weak hand would leave; write leaving.before_showdown = "SWEPT". It may cost'
                    f" less beside a sweep BY_EVERY_SEAT of {LARGEST_TIMES} or less: then write the sheet's own words"
                    " as leaving.allowed_by"
                )
        elif self.leaving.allowed_by:
            yield 'leaving.allowed_by allows nothing, for leaving costs no less than a sweep; write ""'
        if self.is_cheap(Fault.SHUT):
            yield (
                "an arrangement that is not opened can cost less than being swept by the same winner"
                f" (up to {most}), so who sees that it lost would keep it shut, which no words allow; write"
                ' foul.unopened = "FOUL_OR_SWEEP"'
            )

    @property
    def _is_classic_foul(self) -> bool:
        is_own = isinstance(self.sweep, SweptPairPlus) and self.sweep.units <= LARGEST_PLUS
        return is_own and isinstance(self.foul, FoulFlat) and self.foul.units >= SMALLEST_FLAT

    @property
    def _is_com_sweep(self) -> bool:
        return isinstance(self.sweep, SweptByAll) and self.sweep.multiplier <= LARGEST_TIMES

    @property
    def _added_by_aces(self) -> int:
        if not isinstance(self.four_aces_sweep, FourAcesFullSweep):
            return 0
        return self.four_aces_sweep.units - self.units[0][Category.FOUR_ACES]

    def _swept(self, chi: int) -> int:
        match self.sweep:
            case SweptByAll() | SweptPairTimes():
                return chi * self.sweep.multiplier
            case SweptPairPlus():
                return chi + self.sweep.units
            case NoSweep():
                return chi
            case _:
                assert_never(self.sweep)

    def _base(self, won: Won) -> int:
        """Return the units that the winner's sweep multiplies."""
        return won.chi + (self.sweep.units if isinstance(self.sweep, SweptPairPlus) else 0)

    def _lawful(self, won: Won, *, by_all: bool, is_full: bool = True) -> int:
        """Return what a lawful seat owes that lost all three chi; ``by_all``: to every other seat."""
        if is_full and won.is_aces and self._added_by_aces:
            return won.chi + self._added_by_aces
        return won.chi if isinstance(self.sweep, SweptByAll) and not by_all else self._swept(won.chi)

    def _prices(self, won: Won) -> Iterator[int]:
        """Yield what each way to lose costs towards a seat that won all three chi from everybody.

        With more than two seats one of the losers did not lose to all the others.
        """
        yield self._lawful(won, by_all=self.seats[-1] == _FEWEST)
        for fault in Fault:
            yield self.price(fault, won, is_full=True)
        if self.leaving.in_showdown is LeavingInShowdown.LOSES_LATER_CHI:
            # A winner that left while the last chi was shown is paid the chi alone by a seat at fault.
            yield won.chi + (self._added_by_aces if won.is_aces else 0)
