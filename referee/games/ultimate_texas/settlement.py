"""Settlement: what each seat owes the house or is owed, once nothing is left to decide.

| seat against house | Play | Ante | Blind |
|---|---|---|---|
| wins | won | won if the house qualifies, else pushes | won by its paytable, pushes with a hand not listed |
| loses | lost | lost if the house qualifies, else pushes | lost |
| ties | pushes | pushes | pushes |
| folded | none made | lost | lost |

Trips looks at the seat's own hand alone: won by its paytable, lost with a hand not listed, and lost by a fold. A bet
that pushes moves nothing. All amounts are whole because the Ante is a multiple of the bet unit.

Source: the text that ``ultimate_texas.casino.toml`` quotes, "Thanh Toán", "Cược Trip (Tùy Chọn)" and, of a fold,
"Mất cược Ante, Blind và Trips (nếu có đặt)."
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

import msgspec

from referee.cards import HOUSE, Card, Seat
from referee.games.deal import open_cards
from referee.games.game import ResultValue, RoundNotOverError
from referee.games.ultimate_texas.code import FOLD_SUBJECT, Bet, Result
from referee.games.ultimate_texas.rules import HandRule, Ratio, UltimateTexasRules
from referee.games.ultimate_texas.stakes import Stake
from referee.games.ultimate_texas.state import SeatState, State, layout
from referee.hands import HandValue
from referee.hands.choice import Chosen
from referee.money import Amount, AmountError, Transfer, house_net, net_amounts


class SeatOutcome(msgspec.Struct, frozen=True):
    """Result of one seat, the value of its hand and the five cards that make it; a folded hand has them too."""

    result: Result
    value: HandValue
    best: tuple[Card, ...]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """Settlement of a round.

    ``seats`` and ``net`` go by seat; ``net`` of seats and house together is zero. ``transfers`` go by seat, for each in
    the order of Bet; all are with the house. ``winners`` are the seats that beat the house.
    """

    house_value: HandValue
    house_best: tuple[Card, ...]
    house_qualifies: bool
    seats: tuple[SeatOutcome, ...]
    transfers: tuple[Transfer, ...]
    winners: tuple[Seat, ...]
    net: tuple[int, ...]


def hand_value(rules: UltimateTexasRules, *, hole: Sequence[Card], board: Sequence[Card]) -> HandValue:
    """Return the value of two hole cards with five board cards; raise ValueError for other numbers of cards."""
    match rules.hands.rule:
        case HandRule.BEST_OF_SEVEN:
            return rules.ranker.best_of_seven((*hole, *board))
        case HandRule.TWO_PLUS_THREE:
            return rules.ranker.best_two_plus_three(hole=hole, board=board)
        case _:
            assert_never(rules.hands.rule)


def open_values(state: State) -> tuple[HandValue | None, ...]:
    """Return the value of each seat's hand with the open board, by seat.

    A value is None before the flop, and where the deal lacks the seat's cards or those of the board.
    """
    places, sections = layout(state.deal.seat_count), state.deal.sections
    opened = [sections[places.board(name)] for name in ("flop", "turn_river")[: len(state.open_sections)]]
    if not opened or None in opened:
        return (None,) * len(state.seats)
    board = [card for section in opened for card in section or ()]
    rules, hands = state.rules, sections[: len(state.seats)]
    if len(opened) == 1:
        return tuple([None if hole is None else rules.ranker.five((*hole, *board)) for hole in hands])
    return tuple([None if hole is None else hand_value(rules, hole=hole, board=board) for hole in hands])


def best_hand(rules: UltimateTexasRules, *, hole: Sequence[Card], board: Sequence[Card]) -> Chosen:
    """Return the value that ``hand_value`` returns and the five cards that make it, hole cards first, then the board's.

    Of equal choices of cards the first is returned. Raise ValueError as ``hand_value`` does.
    """
    match rules.hands.rule:
        case HandRule.BEST_OF_SEVEN:
            return rules.ranker.chosen_of_seven((*hole, *board))
        case HandRule.TWO_PLUS_THREE:
            return rules.ranker.chosen_two_plus_three(hole=hole, board=board)
        case _:
            assert_never(rules.hands.rule)


def settle(state: State) -> Outcome:
    """Settle a round in which every seat has played or folded.

    Raise RoundNotOverError if a seat has still to decide, DealError if a card is not open.
    """
    if not state.is_over:
        waiting = ", ".join(str(seat) for seat in state.waiting)
        raise RoundNotOverError(f"the round cannot be settled; still to decide: {waiting}")
    rules, places, cards = state.rules, layout(state.deal.seat_count), open_cards(state.deal)
    board = (*cards[places.board("flop")], *cards[places.board("turn_river")])
    house = best_hand(rules, hole=cards[places.board("house")], board=board)
    seats: list[SeatOutcome] = []
    transfers: list[Transfer] = []
    for index, (stake, seat) in enumerate(zip(state.stakes, state.seats, strict=True)):
        value, best = best_hand(rules, hole=cards[index], board=board)
        seats.append(SeatOutcome(_result(seat, value, house.value), value, best))
        for bet, won, subject in _moved(rules, stake, seat.multiple * stake.ante, seats[-1], house.value):
            if won:
                payer, payee = (HOUSE, Seat(index)) if won > 0 else (Seat(index), HOUSE)
                transfers.append(Transfer(payer, payee, Amount(abs(won)), bet, subject))
    return Outcome(
        house_value=house.value,
        house_best=house.cards,
        house_qualifies=house.value.category in rules.qualifying_categories,
        seats=tuple(seats),
        transfers=tuple(transfers),
        winners=tuple([Seat(seat) for seat, outcome in enumerate(seats) if outcome.result is Result.WON]),
        net=net_amounts(transfers, len(seats)),
    )


def encode_results(state: State, outcome: Outcome) -> Mapping[str, ResultValue]:
    """Encode the settlement for a transcript.

    The results are canonical JSON::

        {"events_hash": h_n,
         "house": {"best": [card, ..], "category": code, "net": n, "qualifies": 1 | 0},
         "seats": [{"best": [card, ..], "category": code, "net": n, "play_multiple": 0 | 1 | 2 | 3 | 4,
                    "result": "WON" | "LOST" | "TIED" | "FOLDED"}, ..],
         "transfers": [{"amount","from","reason","subject","to"}, ..]}

    where ``best`` are the five cards that count, hole cards first, then the board's in the order dealt. A seat that
    folded has them too, without effect. ``net`` of the house and the seats together is zero. The caller adds
    ``events_hash``.
    """
    seats: list[ResultValue] = [
        {
            "best": seat.best,
            "category": seat.value.category,
            "net": net,
            "play_multiple": decided.multiple,
            "result": seat.result,
        }
        for seat, decided, net in zip(outcome.seats, state.seats, outcome.net, strict=True)
    ]
    return {
        "house": {
            "best": outcome.house_best,
            "category": outcome.house_value.category,
            "net": house_net(outcome.transfers),
            "qualifies": 1 if outcome.house_qualifies else 0,
        },
        "seats": seats,
        "transfers": outcome.transfers,
    }


def trips_returns(state: State, outcome: Outcome) -> tuple[int, ...]:
    """Return what a unit of Trips gets back by the cards of each seat that bet on it, as if nobody folded."""
    units = [state.rules.trips_units.get(seat.value.category, -1) for seat in outcome.seats]
    return tuple([1 + won for won, stake in zip(units, state.stakes, strict=True) if stake.trips])


def _moved(
    rules: UltimateTexasRules, stake: Stake, play: int, outcome: SeatOutcome, house: HandValue
) -> Iterator[tuple[Bet, int, str]]:
    """Yield for each bet what the seat wins by it, negative for a loss and 0 for a push, and the transfer's subject."""
    hand, qualifies = outcome.value.category, house.category in rules.qualifying_categories
    match outcome.result:
        case Result.WON:
            if qualifies:
                yield Bet.ANTE, _paid(stake.ante, rules.ante_ratio), hand
            if (ratio := rules.blind_ratios.get(hand)) is not None:
                yield Bet.BLIND, _paid(stake.blind, ratio), hand
            yield Bet.PLAY, _paid(play, rules.play_ratio), hand
        case Result.LOST:
            if qualifies:
                yield Bet.ANTE, -stake.ante, house.category
            yield Bet.BLIND, -stake.blind, house.category
            yield Bet.PLAY, -play, house.category
        case Result.TIED:
            pass
        case Result.FOLDED:
            bets = ((Bet.ANTE, stake.ante), (Bet.BLIND, stake.blind), (Bet.TRIPS, stake.trips))
            yield from ((bet, -amount, FOLD_SUBJECT) for bet, amount in bets)
            return
        case _:
            assert_never(outcome.result)
    yield Bet.TRIPS, rules.trips_units.get(hand, -1) * stake.trips, hand


def _result(seat: SeatState, value: HandValue, house: HandValue) -> Result:
    if seat.has_folded:
        return Result.FOLDED
    if value.strength == house.strength:
        return Result.TIED
    return Result.WON if value.strength > house.strength else Result.LOST


def _paid(bet: int, ratio: Ratio) -> int:
    """Return the winnings of a bet; raise AmountError if they are not whole, which ``check_stakes`` rules out."""
    amount, rest = divmod(bet * ratio.numerator, ratio.denominator)
    if rest:
        raise AmountError(f"a bet of {bet} at {ratio.numerator}/{ratio.denominator} does not pay a whole amount")
    return amount
