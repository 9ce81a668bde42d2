"""Who pays whom when a round has ended: transfers in units times the stake, each with its reason.

| reason | subject | payer | payee |
|---|---|---|---|
| CHOP | what was chopped | the chopped seat | its chopper |
| CHOP_CHAIN | what was chopped last | the last victim of a chain: the sum of the chain | the last chopper |
| LEFTOVER | what is left | each loser: one transfer for each price | the winner |
| LAST_THREE_OF_SPADES | - | each loser, in place of cards left; also if the last seat still holds 3♠ | the winner |
| STOPPED_THREE_OF_SPADES | - | the stopped seat; nobody pays for cards left | each other seat still in that trick |
| INSTANT_WIN | the pattern | every other seat; nothing else is paid | the winner |
| UNTOUCHED | - | a loser that has played no card, in place of a lower LEFTOVER | the winner |
| LEAVING | - | a seat that left: what it owes at the end beyond a seat that stayed | whom it pays at the end |
| COMMISSION | - | each seat that won in all | the house |

Chops come first, in the order played, then the end by paying seat, each with LEAVING last, then COMMISSION. The last
three reasons are paid only where the ruleset has such a rule. Transfers of nothing are left out. A seat that left is a
loser like any other, its cards count as left, and a chop or a stop that took its play is paid. To a last seat with 3♠
it pays for its cards where these cost more, so that leaving saves nothing.

Source: the text that ``tien_len.mien_nam.toml`` quotes, a sentence beside each number.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import assert_never

import msgspec

from referee.cards import Seat
from referee.games.commission import commission_transfers, house_result
from referee.games.game import ResultValue, RoundNotOverError
from referee.games.tien_len.chop import chop_units
from referee.games.tien_len.code import Chain, EndKind, Price, Reason
from referee.games.tien_len.leftover import price_leftover
from referee.games.tien_len.order import THREE_OF_SPADES
from referee.games.tien_len.rules import ChopPrices
from referee.games.tien_len.state import Chop, Ending, State
from referee.money import Amount, Transfer, net_amounts


class Outcome(msgspec.Struct, frozen=True):
    """Settlement of a round. There is one winner, who may lead the table's next round.

    ``net`` goes by seat; with the house's it sums to zero.
    """

    transfers: tuple[Transfer, ...]
    winners: tuple[Seat, ...]
    net: tuple[int, ...]


def settle(state: State) -> Outcome:
    """Settle a round at its deal's stake; raise RoundNotOverError before its end."""
    if state.ending is None:
        raise RoundNotOverError(f"the round is not over after {state.event_count} events; seat {state.turn} is on turn")
    stake = Amount(state.deal.stake)
    paid = (*chop_transfers(state), *_with_leaving(state, _end_transfers(state, state.ending, stake)))
    commission = commission_transfers(state.rules.commission, paid, seat_count=state.seat_count, stake=stake)
    transfers = paid + commission
    return Outcome(transfers, (state.ending.winner,), net_amounts(transfers, state.seat_count))


def encode_results(state: State, outcome: Outcome) -> Mapping[str, ResultValue]:
    """Encode the settlement for a transcript; raise RoundNotOverError before the round's end.

    The results are canonical JSON::

        {"ending": code, "events_hash": h_n,
         "seats": [{"instant_win": pattern, "left": [card number, ..], "net": n}, ..],
         "transfers": [{"amount","from","reason","subject","to"}, ..], "winners": [seat], "house": {"net": n}}

    where ``house`` is left out unless the ruleset has a commission, ``ending`` is an ``EndKind``, ``left`` are the
    cards that the seat still held, weakest first, ``instant_win`` is empty for all but the seat that won at the deal,
    and ``winners`` holds the one seat that leads the table's next round. The caller adds ``events_hash``.
    """
    ending = state.ending
    if ending is None:
        raise RoundNotOverError(f"seat {state.turn} is on turn")
    win = ending.instant_win
    return {
        "ending": ending.kind,
        "seats": [
            {
                "instant_win": win.pattern if win is not None and win.seat == seat else "",
                "left": state.cards_of(Seat(seat)),
                "net": net,
            }
            for seat, net in enumerate(outcome.net)
        ],
        "transfers": outcome.transfers,
        "winners": outcome.winners,
        **house_result(state.rules.commission, outcome.transfers),
    }


def chop_transfers(state: State) -> tuple[Transfer, ...]:
    """Return the transfers for the chops so far; the chain of the current trick can still grow until the trick ends."""
    rules, stake = state.rules, Amount(state.deal.stake)
    match rules.chops.chain:
        case Chain.EACH_VICTIM_PAYS:
            chains: list[tuple[Chop, ...]] = [(chop,) for chop in state.chops]
        case Chain.LAST_VICTIM_PAYS_ALL:
            chains = list(_chains(state.chops))
        case _:
            assert_never(rules.chops.chain)
    return tuple(_pay_chain(rules.chop_prices, chain, stake) for chain in chains if _worth(rules.chop_prices, chain))


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
        case EndKind.LAST_SEAT if rules.last_three_of_spades.applies and state.held[winner] & THREE_OF_SPADES:
            for loser in losers:
                yield from _dearer_transfers(state, loser, winner, stake)
        case EndKind.OUT_OF_CARDS | EndKind.LAST_SEAT:
            for loser in losers:
                yield from _leftover_transfers(state, loser, winner, stake)
        case EndKind.LAST_THREE_OF_SPADES:
            yield from _last_three_transfers(state, losers, winner, stake)
        case EndKind.STOPPED_THREE_OF_SPADES:
            amount = Amount(rules.stopped_three_of_spades.units * stake)
            if ending.stopped is not None:
                reason = Reason.STOPPED_THREE_OF_SPADES
                yield from (Transfer(ending.stopped, seat, amount, reason) for seat in ending.compensated)
        case EndKind.INSTANT_WIN:
            if ending.instant_win is not None and ending.instant_win.units:
                amount, pattern = Amount(ending.instant_win.units * stake), ending.instant_win.pattern
                yield from (Transfer(loser, winner, amount, Reason.INSTANT_WIN, pattern) for loser in losers)
        case _:
            assert_never(ending.kind)


def _with_leaving(state: State, transfers: Iterable[Transfer]) -> Iterator[Transfer]:
    """Yield the transfers at the end of a round; a LEAVING transfer follows those of each seat that left to a payee."""
    more = state.rules.leaving_multiplier - 1
    for (payer, payee), group in itertools.groupby(transfers, key=lambda transfer: (transfer.payer, transfer.payee)):
        paid = list(group)
        yield from paid
        if more and state.has_left(payer):
            yield Transfer(payer, payee, Amount(more * sum(part.amount for part in paid)), Reason.LEAVING)


def _last_three_transfers(state: State, losers: Sequence[Seat], winner: Seat, stake: Amount) -> Iterator[Transfer]:
    amount = Amount(state.rules.last_three_of_spades.units * stake)
    return (Transfer(loser, winner, amount, Reason.LAST_THREE_OF_SPADES) for loser in losers)


def _dearer_transfers(state: State, loser: Seat, winner: Seat, stake: Amount) -> Iterable[Transfer]:
    """Return the transfers for 3♠ of a seat that left, or for its cards where they cost more: leaving saves nothing."""
    leftover = list(_leftover_transfers(state, loser, winner, stake))
    three = list(_last_three_transfers(state, [loser], winner, stake))
    return max(three, leftover, key=lambda transfers: sum(transfer.amount for transfer in transfers))


def _leftover_transfers(state: State, loser: Seat, winner: Seat, stake: Amount) -> Iterator[Transfer]:
    units: dict[Price, int] = {}
    for item in price_leftover(state.rules.leftover_prices, state.held[loser]):
        units[item.price] = units.get(item.price, 0) + item.units
    untouched = state.rules.untouched_units if state.held[loser] == state.dealt[loser] else 0
    if untouched > sum(units.values()):
        yield Transfer(loser, winner, Amount(untouched * stake), Reason.UNTOUCHED)
        return
    for price, total in units.items():
        if total:
            yield Transfer(loser, winner, Amount(total * stake), Reason.LEFTOVER, price)
