"""What each seat owes the house or is owed, once nothing is left to decide.

| seat against house | Play | Ante | Blind |
|---|---|---|---|
| wins | won | won if the house qualifies, else pushes | won by its paytable, pushes with a hand not listed |
| loses | lost | lost if the house qualifies, else pushes | lost |
| ties | pushes | pushes | pushes |
| folded | none made | lost | lost |

Trips looks at the seat's own hand alone: won by its paytable, lost with a hand not listed, and lost by a fold. A bet
that pushes moves nothing. All amounts are whole because the Ante is a multiple of the bet unit.

Source: 004_c8c49b7352941e86.txt, "Thanh Toán", "Cược Trip (Tùy Chọn)" and, of a fold, "Mất cược Ante, Blind và Trips
(nếu có đặt)." This module does not know in which order the seats decided.
"""

from collections.abc import Sequence
from typing import assert_never

import msgspec

from referee.cards import HOUSE, Card, Seat, spell
from referee.games.ultimate_texas.code import FOLD_SUBJECT, Bet, Result
from referee.games.ultimate_texas.rules import HandRule, Ratio, UltimateTexasRules
from referee.games.ultimate_texas.stakes import Stake
from referee.games.ultimate_texas.state import SeatState, State
from referee.hands import Category, Chosen, HandValue
from referee.money import Amount, AmountError, Transfer


class CardsError(ValueError):
    """Cards that no round can be settled with: too few, too many, or one of them twice."""


class TableCards(msgspec.Struct, frozen=True, kw_only=True):
    """All cards of a round: two for each seat, by seat, two for the house, five on the board in dealing order.

    Raises CardsError unless they are as many and all different.
    """

    hands: tuple[tuple[Card, ...], ...]
    house: tuple[Card, ...]
    board: tuple[Card, ...]

    def __post_init__(self) -> None:
        for hole in (*self.hands, self.house):
            if len(hole) != 2:  # noqa: PLR2004 - hole cards are two
                msg = f"two hole cards are needed, not {spell(hole) or 'none'}"
                raise CardsError(msg)
        if len(self.board) != 5:  # noqa: PLR2004 - the board is five
            msg = f"five board cards are needed, not {spell(self.board) or 'none'}"
            raise CardsError(msg)
        cards = [card for hole in self.hands for card in hole] + [*self.house, *self.board]
        if len(set(cards)) != len(cards):
            twice = sorted({card.text for card in cards if cards.count(card) > 1})
            msg = f"{' '.join(twice)} stands more than once"
            raise CardsError(msg)


class SeatOutcome(msgspec.Struct, frozen=True):
    """What became of one seat, and the value of its hand; a folded hand has one too, though nothing hangs on it."""

    result: Result
    value: HandValue


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a round comes to.

    ``seats`` stand by seat. ``transfers`` stand by seat, and for each in the order of Bet; all are with the house, none
    is of nothing.
    """

    house_value: HandValue
    house_qualifies: bool
    seats: tuple[SeatOutcome, ...]
    transfers: tuple[Transfer, ...]


class UnfinishedRoundError(ValueError):
    """A round was to be settled in which a seat has still to decide; ``check_settlement`` says which."""


def hand_value(rules: UltimateTexasRules, *, hole: Sequence[Card], board: Sequence[Card]) -> HandValue:
    """The value of the hand that two hole cards make with five board cards; ValueError unless they are that many."""
    match rules.hands.rule:
        case HandRule.BEST_OF_SEVEN:
            return rules.ranker.best_of_seven((*hole, *board))
        case HandRule.TWO_PLUS_THREE:
            return rules.ranker.best_two_plus_three(hole=hole, board=board)
        case _:
            assert_never(rules.hands.rule)


def best_hand(rules: UltimateTexasRules, *, hole: Sequence[Card], board: Sequence[Card]) -> Chosen:
    """The five cards that make that hand, for showing, with its value: hole cards first, then the board's.

    Of equal choices the first; ValueError as ``hand_value``.
    """
    match rules.hands.rule:
        case HandRule.BEST_OF_SEVEN:
            return rules.ranker.chosen_of_seven((*hole, *board))
        case HandRule.TWO_PLUS_THREE:
            return rules.ranker.chosen_two_plus_three(hole=hole, board=board)
        case _:
            assert_never(rules.hands.rule)


def settle(state: State, cards: TableCards) -> Outcome:
    """The outcome of a round in which every seat has played or folded.

    Raises UnfinishedRoundError where one has still to decide, CardsError where there are not as many hands as seats.
    """
    if not state.is_over:
        waiting = ", ".join(str(seat) for seat in state.waiting)
        msg = f"the round cannot be settled; still to decide: {waiting}"
        raise UnfinishedRoundError(msg)
    if len(cards.hands) != len(state.seats):
        msg = f"{len(cards.hands)} hands do not match {len(state.seats)} seats"
        raise CardsError(msg)
    rules = state.rules
    house = hand_value(rules, hole=cards.house, board=cards.board)
    qualifies = house.category in rules.qualifying_categories
    seats: list[SeatOutcome] = []
    transfers: list[Transfer] = []
    for index, (stake, seat, hole) in enumerate(zip(state.stakes, state.seats, cards.hands, strict=True)):
        value = hand_value(rules, hole=hole, board=cards.board)
        result = _result(seat, value, house)
        seats.append(SeatOutcome(result, value))
        bets = _Bets(rules, Seat(index), stake, seat.multiple, transfers)
        match result:
            case Result.WON:
                bets.win(value.category, house_qualifies=qualifies)
                bets.settle_trips(value.category)
            case Result.LOST:
                bets.lose(house.category, house_qualifies=qualifies)
                bets.settle_trips(value.category)
            case Result.TIED:
                bets.settle_trips(value.category)
            case Result.FOLDED:
                bets.fold()
            case _:
                assert_never(result)
    return Outcome(house_value=house, house_qualifies=qualifies, seats=tuple(seats), transfers=tuple(transfers))


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
    """What a bet pays at these odds; AmountError where that is not whole, which ``check_stakes`` rules out."""
    amount, rest = divmod(bet * ratio.numerator, ratio.denominator)
    if rest:
        msg = f"a bet of {bet} at {ratio.numerator}/{ratio.denominator} does not pay a whole amount"
        raise AmountError(msg)
    return amount
