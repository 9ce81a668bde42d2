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

from collections.abc import Sequence
from typing import assert_never

import msgspec

from referee.cards import HOUSE, Card, Seat
from referee.games.deal import open_cards
from referee.games.game import RoundNotOverError
from referee.games.ultimate_texas.code import FOLD_SUBJECT, Bet, Result
from referee.games.ultimate_texas.rules import HandRule, Ratio, UltimateTexasRules
from referee.games.ultimate_texas.stakes import Stake
from referee.games.ultimate_texas.state import SeatState, State, layout
from referee.hands import Category, Chosen, HandValue
from referee.money import Amount, AmountError, Transfer, net_amounts


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


def open_value(state: State, seat: Seat) -> HandValue | None:
    """Return the value of a seat's hand with the open board; None before the flop and if the deal lacks these cards."""
    places, sections = layout(state.deal.seat_count), state.deal.sections
    opened = [sections[places.board(name)] for name in ("flop", "turn_river")[: len(state.open_sections)]]
    hole, board = sections[seat], [card for section in opened for card in section or ()]
    if hole is None or not opened or None in opened:
        return None
    return (
        state.rules.ranker.five((*hole, *board))
        if len(opened) == 1
        else hand_value(state.rules, hole=hole, board=board)
    )


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
    qualifies = house.value.category in rules.qualifying_categories
    seats: list[SeatOutcome] = []
    transfers: list[Transfer] = []
    for index, (stake, seat) in enumerate(zip(state.stakes, state.seats, strict=True)):
        value, best = best_hand(rules, hole=cards[index], board=board)
        result = _result(seat, value, house.value)
        seats.append(SeatOutcome(result, value, best))
        bets = _Bets(rules, Seat(index), stake, seat.multiple, transfers)
        match result:
            case Result.WON:
                bets.win(value.category, house_qualifies=qualifies)
                bets.settle_trips(value.category)
            case Result.LOST:
                bets.lose(house.value.category, house_qualifies=qualifies)
                bets.settle_trips(value.category)
            case Result.TIED:
                bets.settle_trips(value.category)
            case Result.FOLDED:
                bets.fold()
            case _:
                assert_never(result)
    return Outcome(
        house_value=house.value,
        house_best=house.cards,
        house_qualifies=qualifies,
        seats=tuple(seats),
        transfers=tuple(transfers),
        winners=tuple([Seat(seat) for seat, outcome in enumerate(seats) if outcome.result is Result.WON]),
        net=net_amounts(transfers, len(seats)),
    )


def trips_returns(state: State, outcome: Outcome) -> tuple[int, ...]:
    """Return what a unit of Trips gets back by the cards of each seat that bet on it, as if nobody folded."""
    units = [state.rules.trips_units.get(seat.value.category, -1) for seat in outcome.seats]
    return tuple([1 + won for won, stake in zip(units, state.stakes, strict=True) if stake.trips])


class _Bets:
    """The bets of one seat, which become transfers between it and the house."""

    def __init__(
        self, rules: UltimateTexasRules, seat: Seat, stake: Stake, multiple: int, transfers: list[Transfer]
    ) -> None:
        self._rules, self._seat, self._stake, self._transfers = rules, seat, stake, transfers
        self._play = multiple * stake.ante

    def win(self, hand: Category, *, house_qualifies: bool) -> None:
        rules, stake = self._rules, self._stake
        if house_qualifies:
            self._take(Bet.ANTE, _paid(stake.ante, rules.ante_ratio), hand)
        if (ratio := rules.blind_ratios.get(hand)) is not None:
            self._take(Bet.BLIND, _paid(stake.blind, ratio), hand)
        self._take(Bet.PLAY, _paid(self._play, rules.play_ratio), hand)

    def lose(self, house_hand: Category, *, house_qualifies: bool) -> None:
        if house_qualifies:
            self._give(Bet.ANTE, self._stake.ante, house_hand)
        self._give(Bet.BLIND, self._stake.blind, house_hand)
        self._give(Bet.PLAY, self._play, house_hand)

    def fold(self) -> None:
        self._give(Bet.ANTE, self._stake.ante, FOLD_SUBJECT)
        self._give(Bet.BLIND, self._stake.blind, FOLD_SUBJECT)
        self._give(Bet.TRIPS, self._stake.trips, FOLD_SUBJECT)

    def settle_trips(self, hand: Category) -> None:
        units = self._rules.trips_units.get(hand)
        if units is None:
            self._give(Bet.TRIPS, self._stake.trips, hand)
        else:
            self._take(Bet.TRIPS, units * self._stake.trips, hand)

    def _take(self, bet: Bet, amount: int, subject: str) -> None:
        if amount:
            self._transfers.append(Transfer(HOUSE, self._seat, Amount(amount), bet, subject))

    def _give(self, bet: Bet, amount: int, subject: str) -> None:
        if amount:
            self._transfers.append(Transfer(self._seat, HOUSE, Amount(amount), bet, subject))


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
