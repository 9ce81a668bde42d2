"""Rules of Tiến Lên as data: every number with the sentence it comes from, and no defaults.

A house variant is another data file. What is the same at every table (the order of the cards, what a combination is,
passing, how a round ends) is code in the modules beside this one. ``units`` are multiples of the stake (*cược*).

>>> import msgspec
>>> msgspec.convert({"units": 26, "source": "s", "quote": "q"}, type=Penalty).units
26
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Final, TypeAlias

import msgspec

from referee.games.commission import CommissionRule, NoCommission, most_house_units
from referee.games.stakes import table_stake_check
from referee.games.tables import RoundLimits, Seconds, Sourced, Text, refuse, seat_fault, since
from referee.games.tien_len.code import Chain, EndKind, Kind, OutOfTime, Pattern, Price, Reason, Victim

Units: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
"""A number of stakes."""

HAND_SIZE: Final = 13
_TWOS_OF_A_COLOUR: Final = 2
_TWOS: Final = 4
_OTHERS: Final = 48

SeatCount: TypeAlias = Annotated[int, msgspec.Meta(ge=2, le=4)]
"""Two to four: thirteen cards each is all that 52 cards give."""


class Seats(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How many seats a round may have."""

    minimum: SeatCount
    maximum: SeatCount


class Chops(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The plays that each of the three chopping kinds takes, and who pays for a chain of chops.

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
    """Units that one seat pays another, in a rule that a house may switch off.

    Where the rule does not apply, ``units`` are 0 and the three of spades is a card like any other.
    """

    units: Units
    applies: Annotated[bool, msgspec.Meta(description="Whether the rule is played."), since(2)] = True

    def __post_init__(self) -> None:
        refuse(
            "units = 0 does not switch the rule off; write 1 or more, or applies = false, which schema 2 has"
            if self.applies and not self.units
            else "",
            f"the rule does not apply, so its units {self.units} would never be paid; write units = 0"
            if self.units and not self.applies
            else "",
        )


class Turn(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The length of a turn, and what happens to a seat whose time is up."""

    out_of_time: OutOfTime
    seconds: Seconds


class NoUntouched(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="NONE"):
    """A loser that has played no card pays for its cards like any other."""


class Untouched(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="UNTOUCHED"
):
    """*Cóng*: a loser that has played no card pays these units in place of its cards, where that is more.

    A card that was played because the seat's time was up counts as played.
    """

    untouched_units: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    reason: Text


Leftover: TypeAlias = Untouched | NoUntouched


class NoLeaving(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="NONE"):
    """A seat that left pays like any other loser."""


class LeavingTimes(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="MULTIPLIED"
):
    """A seat that left pays ``multiplier`` times what it owes for cards left or for 3♠; chops cost the usual price.

    A seat out of time leaves where ``turn.out_of_time`` says so, and then pays as one that left.
    """

    multiplier: Annotated[int, msgspec.Meta(ge=2, le=1000)]
    reason: Text


Leaving: TypeAlias = LeavingTimes | NoLeaving


class DrawnLead(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="first", tag="DRAWN"):
    """Where no winner leads, a seat is drawn, and may lead anything."""


class LowestCardLead(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="first", tag="LOWEST_CARD"
):
    """Where no winner leads, the seat that was dealt the lowest card does, and its first play holds that card.

    If it leaves before it has played, nobody has to play that card.
    """

    reason: Text


LeadRule: TypeAlias = LowestCardLead | DrawnLead


class TienLenRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Rules of one Tiến Lên ruleset. ``instant_wins`` lists the patterns that win at the deal, the strongest first.

    Raises ValueError if a code is listed twice, or if bounds or prices contradict each other.
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
    commission: Annotated[CommissionRule, since(2)] = NoCommission()
    leftover: Annotated[Leftover, since(2)] = NoUntouched()
    leaving: Annotated[Leaving, since(2)] = NoLeaving()
    lead: Annotated[LeadRule, since(2)] = DrawnLead()

    def __post_init__(self) -> None:
        refuse(
            seat_fault(self.seats.minimum, self.seats.maximum),
            self.round.fault(self.turn.seconds),
            _doubles("instant_wins", [win.pattern for win in self.instant_wins]),
            _doubles("chops.pair_run_3", self.chops.pair_run_3),
            _doubles("chops.quad", self.chops.quad),
            _doubles("chops.pair_run_4", self.chops.pair_run_4),
            self._untouched_fault(),
        )

    def _untouched_fault(self) -> str:
        """Return the fault of ``untouched_units`` if thirteen cards left always cost as much, else an empty text."""
        if isinstance(self.leftover, NoUntouched):
            return ""
        left = self.leftover_prices
        twos = _TWOS_OF_A_COLOUR * (min(left.black_two - left.card, 0) + min(left.red_two - left.card, 0))
        least = HAND_SIZE * left.card + twos
        if self.leftover.untouched_units > least:
            return ""
        return (
            f"leftover.untouched_units {self.leftover.untouched_units} never counts, for thirteen cards left cost"
            f' {least} or more; write {least + 1} or more, or kind = "NONE"'
        )

    @property
    def leaving_multiplier(self) -> int:
        """Factor of what a seat that left pays for cards left or 3♠; 1 if the rules have none."""
        return 1 if isinstance(self.leaving, NoLeaving) else self.leaving.multiplier

    @property
    def untouched_units(self) -> int:
        """Least units that a loser pays if it has played no card; 0 if the rules name none."""
        return 0 if isinstance(self.leftover, NoUntouched) else self.leftover.untouched_units

    @property
    def payouts(self) -> tuple[Fraction, ...]:
        """Every price of this ruleset in stakes; each must be whole when a stake is one bet unit."""
        chop, left = self.chop_prices, self.leftover_prices
        numbers = (
            *(chop.black_two, chop.red_two, chop.pair_of_black_twos, chop.pair_of_mixed_twos, chop.pair_of_red_twos),
            *(chop.pair_run_3, chop.quad, chop.pair_run_4),
            *(left.card, left.black_two, left.red_two, left.pair_run_3, left.quad, left.pair_run_4),
            *(win.units for win in self.instant_wins),
            *(self.last_three_of_spades.units, self.stopped_three_of_spades.units, self.untouched_units),
        )
        return tuple(Fraction(number) for number in numbers)

    @property
    def _absent_reasons(self) -> frozenset[Reason]:
        """Reasons for which nobody ever pays under these rules."""
        absent = {
            Reason.COMMISSION: isinstance(self.commission, NoCommission),
            Reason.UNTOUCHED: isinstance(self.leftover, NoUntouched),
            Reason.LEAVING: isinstance(self.leaving, NoLeaving),
            Reason.LAST_THREE_OF_SPADES: not self.last_three_of_spades.applies,
            Reason.STOPPED_THREE_OF_SPADES: not self.stopped_three_of_spades.applies,
        }
        return frozenset([reason for reason, is_absent in absent.items() if is_absent])

    @property
    def _endings(self) -> tuple[EndKind, ...]:
        """Endings that a round can have under these rules."""
        absent = {
            EndKind.LAST_THREE_OF_SPADES: not self.last_three_of_spades.applies,
            EndKind.STOPPED_THREE_OF_SPADES: not self.stopped_three_of_spades.applies,
        }
        return tuple([kind for kind in EndKind if not absent.get(kind)])

    @property
    def named_codes(self) -> Mapping[str, tuple[str, ...]]:
        """Codes that results of this ruleset can show, by the table that names them."""
        return {
            "kind": tuple(Kind),
            "pattern": tuple(win.pattern for win in self.instant_wins),
            "price": tuple(Price),
            "reason": tuple([reason for reason in Reason if reason not in self._absent_reasons]),
            "ending": self._endings,
        }


def _doubles(table: str, codes: Sequence[str]) -> str:
    """Return the fault of a table that lists a code more than once; empty if there is none."""
    twice = [code for code in dict.fromkeys(codes) if codes.count(code) > 1]
    return f"{table} lists {', '.join(twice)} more than once" if twice else ""


def max_units(rules: TienLenRules, *, seat_count: int) -> int:
    """Return a bound on the units that one seat or the house can win or lose in a round of ``seat_count`` seats.

    At the end no seat pays for more than thirteen cards, each at most at the dearest price that a card can have by
    itself or as its share of a group; a seat that left pays some times that. A card is chopped at most once, at its
    dearest share again, and one seat may pay for all chops.
    """
    left, chopped = rules.leftover_prices, rules.chop_prices
    card_left = max(left.card, left.black_two, left.red_two, *_shares(left))
    dearest_end = rules.leaving_multiplier * max(
        HAND_SIZE * card_left,
        rules.last_three_of_spades.units,
        rules.stopped_three_of_spades.units,
        rules.untouched_units,
        *(rule.units for rule in rules.instant_wins),
    )
    pairs = (chopped.pair_of_black_twos, chopped.pair_of_mixed_twos, chopped.pair_of_red_twos)
    card_chopped = max(_shares(chopped))
    two_chopped = max(chopped.black_two, chopped.red_two, card_chopped, *(-(-pair // 2) for pair in pairs))
    most = dearest_end * (seat_count - 1) + _TWOS * two_chopped + _OTHERS * card_chopped
    return max(most, most_house_units(rules.commission, most_units=most, seat_count=seat_count))


check_stakes: Final = table_stake_check(max_units)
"""Check of the table's stake for a round of some seats."""


def _shares(prices: ChopPrices | LeftoverPrices) -> tuple[int, int, int]:
    """Return the share of one card in the price of each kind of group, rounded up."""
    return -(-prices.pair_run_3 // 6), -(-prices.quad // 4), -(-prices.pair_run_4 // 8)
