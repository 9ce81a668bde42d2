"""The exact value of each decision of a seat, from its own cards and the open board.

The value is the mean amount that the seat wins or loses, over all cards that can still be dealt, if it decides best
from there on. Ante, Blind and play bet are valued in Antes, Trips in units of Trips; the best option maximises their
sum under the seat's own stakes, because a fold gives up Trips as well. The cards of other seats count as unseen, as in
the published analyses of the game.

One case is not exact. Before the flop, with Trips above nothing but below ``Prices.sure_trips`` Antes (a quarter with
the usual paytable), a hand that Trips pays is sometimes folded and sometimes not, by the ratio of the stakes. Checking
then has the value of the better of the two strategies on either side, which is a lower bound and marked as one. Under
the rulesets that come with the referee it is less than 1/200 of an Ante too low, and the best option is never in doubt.

>>> from referee.cards import parse_cards
>>> from referee.games.ultimate_texas import Stake
>>> from referee.rulesets import get
>>> rules = get("ultimate_texas.casino").rules
>>> hole, board = parse_cards("2S 7H"), parse_cards("KC QD JC 9D 4H")
>>> for option in advise(rules, Stake(ante=100, trips=0), hole=hole, board=board):
...     print(option.decision, option.antes)
PLAY_1X -2339/990
FOLD -2
"""

from collections.abc import Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final

import numpy as np

from referee.advice.ultimate_texas.option import Option, best_of
from referee.advice.ultimate_texas.preflop import WAYS, KindSums, PreflopTable, kind_of
from referee.advice.ultimate_texas.price import Prices, Whole
from referee.advice.ultimate_texas.showdown import HOUSES, RUNOUTS, on_flop, on_river
from referee.cards import Card
from referee.games.ultimate_texas import Decision, Stake, UltimateTexasRules

WAYS_BY_BOARD: Final = MappingProxyType({0: WAYS, 3: RUNOUTS * HOUSES, 5: HOUSES})
"""Number of ways to go on that are counted, by the number of cards on the board."""

_PLAYS: Final = {decision.multiple: decision for decision in Decision if decision.multiple}
_FLOP, _RIVER = 3, 5


class NoTableError(LookupError):
    """No table of values before the flop exists for the prices of a ruleset."""


def advise(
    rules: UltimateTexasRules,
    stake: Stake,
    *,
    hole: Sequence[Card],
    board: Sequence[Card],
    table: PreflopTable | None = None,
) -> tuple[Option, ...]:
    """Value the options of a seat that has made no play bet: CHECK, play bets from the smallest, FOLD, in this order.

    ``board`` is empty, the flop, or all five cards. ``table`` is needed before the flop only; raises NoTableError
    without.
    """
    if len(board) == _RIVER:
        return _on_river(rules, hole=hole, board=board)
    if len(board) == _FLOP:
        return _on_flop(rules, stake, hole=hole, flop=board)
    if board:
        raise ValueError(f"a board has 0, 3 or 5 open cards, not {len(board)}")
    if table is None:
        msg = "there is no table of values before the flop for this ruleset; `referee odds --table` makes one"
        raise NoTableError(msg)
    return _before_flop(rules, stake, table.kinds[kind_of(hole)])


def _on_river(rules: UltimateTexasRules, *, hole: Sequence[Card], board: Sequence[Card]) -> tuple[Option, ...]:
    prices, tally = Prices.of(rules), on_river(rules, hole=hole, board=board)
    stays, play = tally.bets(prices)
    trips = Fraction(int(prices.trips[tally.own[0]]))
    plays = [
        Option(
            decision=_PLAYS[multiple],
            antes=Fraction(int(stays[0]) + multiple * int(play[0]), HOUSES * prices.unit),
            trips=trips,
        )
        for multiple in prices.river
    ]
    return (*plays, Option(decision=Decision.FOLD, antes=Fraction(-2), trips=Fraction(-1)))


def _on_flop(
    rules: UltimateTexasRules, stake: Stake, *, hole: Sequence[Card], flop: Sequence[Card]
) -> tuple[Option, ...]:
    prices, tally = Prices.of(rules), on_flop(rules, hole=hole, flop=flop)
    stays, play = tally.bets(prices)
    ways = RUNOUTS * HOUSES * prices.unit
    paid = prices.trips[tally.own]
    trips = Fraction(int(paid.sum()), RUNOUTS)
    plays = [
        Option(decision=_PLAYS[multiple], antes=Fraction(int((stays + multiple * play).sum()), ways), trips=trips)
        for multiple in prices.flop
    ]
    goes_on = best_plays(stays, play, prices)
    folds = _folds(goes_on, paid, stake, prices)
    check = Option(
        decision=Decision.CHECK,
        antes=Fraction(int(np.where(folds, prices.fold * HOUSES, goes_on).sum()), ways),
        trips=Fraction(int(np.where(folds, -1, paid).sum()), RUNOUTS),
    )
    return (check, *plays)


def best_plays(stays: Whole, play: Whole, prices: Prices) -> Whole:
    """Return the sums in units with the best of the river's play bets, case by case."""
    best = stays + prices.river[0] * play
    for multiple in prices.river[1:]:
        np.maximum(best, stays + multiple * play, out=best)
    return best


def _folds(goes_on: Whole, paid: Whole, stake: Stake, prices: Prices) -> np.typing.NDArray[np.bool_]:
    """Return for each runout whether folding is worth more than going on; in whole numbers of any size."""
    lost = goes_on - prices.fold * HOUSES
    if not stake.trips:
        return lost < 0
    kept = (paid + 1) * (HOUSES * prices.unit)
    return lost.astype(object) * stake.ante + kept.astype(object) * stake.trips < 0  # type: ignore[no-any-return] # numpy's object arrays are untyped


def _before_flop(rules: UltimateTexasRules, stake: Stake, sums: KindSums) -> tuple[Option, ...]:
    prices = Prices.of(rules)
    ways = WAYS * prices.unit
    trips = Fraction(sums.trips, WAYS)
    sure = Option(decision=Decision.CHECK, antes=Fraction(sums.check_sure, ways), trips=trips)
    light = Option(
        decision=Decision.CHECK, antes=Fraction(sums.check, ways), trips=Fraction(sums.trips - sums.given_up, WAYS)
    )
    if not stake.trips:
        check = light
    elif stake.trips >= prices.sure_trips * stake.ante:
        check = sure
    else:
        bound = best_of([light, sure], stake)
        check = Option(decision=Decision.CHECK, antes=bound.antes, trips=bound.trips, is_lower_bound=True)
    plays = [
        Option(decision=_PLAYS[multiple], antes=Fraction(sums.stays + multiple * sums.play, ways), trips=trips)
        for multiple in prices.preflop
    ]
    return (check, *plays)
