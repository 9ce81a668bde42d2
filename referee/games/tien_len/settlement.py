"""Who pays whom when a round has ended: transfers in units times the stake, each with its reason.

| reason | subject | who pays whom |
|---|---|---|
| CHOP | what was chopped | a chopped seat its chopper |
| CHOP_CHAIN | what was chopped last | the last victim of a chain the last chopper, the sum of the chain |
| LEFTOVER | what is left | each loser the winner, one transfer for each price |
| LAST_THREE_OF_SPADES | - | each loser the winner, in place of cards left |
| STOPPED_THREE_OF_SPADES | - | the stopped seat every other seat still in that trick; nobody pays for cards left |
| INSTANT_WIN | the pattern | every other seat the winner; nothing else is paid |

Chops come first, in the order played, then the end by paying seat. What comes to nothing is left out. A seat that left
is a loser like any other, its cards count as left, and a chop that took its play is paid.

Source: 002_0fe8d9549e6acb7c.txt; the sentences stand with the numbers in the ruleset's data.
"""

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from referee.cards import Seat
from referee.games.tien_len.chop import chop_units
from referee.games.tien_len.code import Chain, EndKind, Price, Reason
from referee.games.tien_len.leftover import price_leftover
from referee.games.tien_len.order import CardSet
from referee.games.tien_len.rules import ChopPrices, LeftoverPrices, TienLenRules
from referee.games.tien_len.state import HAND_SIZE, Chop, Ending, State
from referee.money import Amount, Transfer

_TWOS: Final = 4
_OTHERS: Final = 48


class RoundNotOverError(ValueError):
    """A round was to be settled that has not ended."""


def settle(state: State, *, stake: Amount) -> tuple[Transfer, ...]:
    """Everything that is paid for a round; raises RoundNotOverError before its end."""
    if state.ending is None:
        msg = f"the round is not over after {state.event_count} events; seat {state.turn} is on turn"
        raise RoundNotOverError(msg)
    return (*chop_transfers(state, stake=stake), *_end_transfers(state, state.ending, stake))


def chop_transfers(state: State, *, stake: Amount) -> tuple[Transfer, ...]:
    """What is paid for the chops played so far; a chain in the trick that is on can still grow until it ends."""
    rules = state.rules
    match rules.chops.chain:
        case Chain.EACH_VICTIM_PAYS:
            chains: list[tuple[Chop, ...]] = [(chop,) for chop in state.chops]
        case Chain.LAST_VICTIM_PAYS_ALL:
            chains = list(_chains(state.chops))
        case _:
            assert_never(rules.chops.chain)
    return tuple(_pay_chain(rules.chop_prices, chain, stake) for chain in chains if _worth(rules.chop_prices, chain))


def max_units(rules: TienLenRules, *, seat_count: int) -> int:
    """The most units that any one seat can win, or lose, in a round of so many seats: a bound, not always reached.

    At the end nobody pays for more than thirteen cards, each at most at the dearest price that a card can have by
    itself or as its share of a group. A card is chopped at most once, at its dearest share again, and one seat may pay
    for all chops.
    """
    left, chopped = rules.leftover_prices, rules.chop_prices
    card_left = max(left.card, left.black_two, left.red_two, *_shares(left))
    dearest_end = max(
        HAND_SIZE * card_left,
        rules.last_three_of_spades.units,
        rules.stopped_three_of_spades.units,
        *(rule.units for rule in rules.instant_wins),
    )
    pairs = (chopped.pair_of_black_twos, chopped.pair_of_mixed_twos, chopped.pair_of_red_twos)
    card_chopped = max(_shares(chopped))
    two_chopped = max(chopped.black_two, chopped.red_two, card_chopped, *(-(-pair // 2) for pair in pairs))
    return dearest_end * (seat_count - 1) + _TWOS * two_chopped + _OTHERS * card_chopped


def _shares(prices: ChopPrices | LeftoverPrices) -> tuple[int, int, int]:
    """What a card costs at most as its share of each group, rounded up."""
    return -(-prices.pair_run_3 // 6), -(-prices.quad // 4), -(-prices.pair_run_4 // 8)


def _chains(chops: Sequence[Chop]) -> Iterator[tuple[Chop, ...]]:
    first = 0
    for place in range(1, len(chops) + 1):
        if place == len(chops) or chops[place].link == 1:
            yield tuple(chops[first:place])
            first = place


def _worth(prices: ChopPrices, chain: Sequence[Chop]) -> int:
    return sum(chop_units(prices, chop.price) for chop in chain)


def _pay_chain(prices: ChopPrices, chain: Sequence[Chop], stake: Amount) -> Transfer:
    last = chain[-1]
    reason = Reason.CHOP if len(chain) == 1 else Reason.CHOP_CHAIN
    return Transfer(last.victim, last.chopper, Amount(_worth(prices, chain) * stake), reason, last.price)


def _end_transfers(state: State, ending: Ending, stake: Amount) -> Iterator[Transfer]:
    rules, winner = state.rules, ending.winner
    losers = [Seat(seat) for seat in range(state.seat_count) if seat != winner]
    match ending.kind:
        case EndKind.OUT_OF_CARDS | EndKind.LAST_SEAT:
            for loser in losers:
                yield from _leftover_transfers(rules.leftover_prices, state.held[loser], loser, winner, stake)
        case EndKind.LAST_THREE_OF_SPADES:
            amount = Amount(rules.last_three_of_spades.units * stake)
            yield from (Transfer(loser, winner, amount, Reason.LAST_THREE_OF_SPADES) for loser in losers if amount)
        case EndKind.STOPPED_THREE_OF_SPADES:
            amount = Amount(rules.stopped_three_of_spades.units * stake)
            if ending.stopped is not None and amount:
                reason = Reason.STOPPED_THREE_OF_SPADES
                yield from (Transfer(ending.stopped, seat, amount, reason) for seat in ending.compensated)
        case EndKind.INSTANT_WIN:
            if ending.instant_win is not None and ending.instant_win.units:
                amount, pattern = Amount(ending.instant_win.units * stake), ending.instant_win.pattern
                yield from (Transfer(loser, winner, amount, Reason.INSTANT_WIN, pattern) for loser in losers)
        case _:
            assert_never(ending.kind)


def _leftover_transfers(
    prices: LeftoverPrices, hand: CardSet, loser: Seat, winner: Seat, stake: Amount
) -> Iterator[Transfer]:
    units: dict[Price, int] = {}
    for item in price_leftover(prices, hand):
        units[item.price] = units.get(item.price, 0) + item.units
    for price, total in units.items():
        if total:
            yield Transfer(loser, winner, Amount(total * stake), Reason.LEFTOVER, price)
