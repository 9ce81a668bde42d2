"""Most that a seat can win or lose, so that too high a stake is refused before the deal and never at settlement."""

from collections.abc import Sequence
from typing import Final

from referee.games.commission import most_house_units
from referee.games.stakes import check_table_stake
from referee.games.tien_len.rules import HAND_SIZE, ChopPrices, LeftoverPrices, TienLenRules
from referee.verdict import Violation

_TWOS: Final = 4
_OTHERS: Final = 48


def max_units(rules: TienLenRules, *, seat_count: int) -> int:
    """Return a bound on the units that one seat or the house can win or lose in a round of so many seats.

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


def check_stakes(
    rules: TienLenRules, *, seat_count: int, stake: int, seat_stakes: Sequence[Sequence[int]], bet_unit: int
) -> tuple[Violation, ...]:
    """Check the table's stake for a round of ``seat_count`` seats; return all faults."""
    most = max_units(rules, seat_count=seat_count)
    return check_table_stake(stake=stake, seat_stakes=seat_stakes, bet_unit=bet_unit, most_units=most)


def _shares(prices: ChopPrices | LeftoverPrices) -> tuple[int, int, int]:
    """Return the share of one card in the price of each kind of group, rounded up."""
    return -(-prices.pair_run_3 // 6), -(-prices.quad // 4), -(-prices.pair_run_4 // 8)
