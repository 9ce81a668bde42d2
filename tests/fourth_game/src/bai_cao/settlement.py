"""Settlement: each seat compares its hand with the dealer's and wins or loses the stake; an equal hand is a push.

The results of a transcript are::

    {"events_hash": h_n, "seats": [{"hand": code, "net": n, "result": "DEALER" | "WON" | "LOST" | "TIED"}, ..],
     "transfers": [{"amount","from","reason","subject","to"}, ..], "winners": [seat, ..]}
"""

import enum
from collections.abc import Mapping
from typing import Final

import msgspec

from bai_cao.hand import Hand, hand_of
from bai_cao.round import State
from bai_cao.rules import REASON
from referee.cards import Seat
from referee.games import ResultValue
from referee.games.deal import open_cards
from referee.money import Amount, Transfer, net_amounts

DEALER: Final = Seat(0)


class Result(enum.StrEnum):
    """Result of a seat."""

    DEALER = "DEALER"
    WON = "WON"
    LOST = "LOST"
    TIED = "TIED"


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """Settlement of a round; ``hands``, ``seats`` and ``net`` go by seat. ``winners`` have won money."""

    hands: tuple[Hand, ...]
    seats: tuple[Result, ...]
    transfers: tuple[Transfer, ...]
    winners: tuple[Seat, ...]
    net: tuple[int, ...]


def settle(state: State) -> Outcome:
    """Settle a round; raise DealError if a hand is not open."""
    hands = tuple([hand_of(cards) for cards in open_cards(state.deal)])
    stake, house = Amount(state.deal.stake), hands[DEALER]
    results, transfers = [Result.DEALER], []
    for seat, hand in enumerate(hands[1:], start=1):
        if hand.strength > house.strength:
            results.append(Result.WON)
            transfers.append(Transfer(DEALER, Seat(seat), stake, REASON, hand))
        elif hand.strength < house.strength:
            results.append(Result.LOST)
            transfers.append(Transfer(Seat(seat), DEALER, stake, REASON, house))
        else:
            results.append(Result.TIED)
    net = net_amounts(transfers, len(hands))
    return Outcome(
        hands=hands,
        seats=tuple(results),
        transfers=tuple(transfers),
        winners=tuple([Seat(seat) for seat, amount in enumerate(net) if amount > 0]),
        net=net,
    )


def encode_results(state: State, outcome: Outcome) -> Mapping[str, ResultValue]:
    """Encode the settlement for a transcript."""
    del state
    seats: list[ResultValue] = [
        {"hand": hand, "net": net, "result": result}
        for hand, net, result in zip(outcome.hands, outcome.net, outcome.seats, strict=True)
    ]
    return {"seats": seats, "transfers": outcome.transfers, "winners": outcome.winners}
