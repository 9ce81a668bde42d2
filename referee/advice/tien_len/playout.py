"""A round simulated to its end by the rules of ``referee.games.tien_len``, without their checks.

Lawful moves lead here to the same turns, end and payments as ``apply`` and ``settle`` do; the tests play whole rounds
both ways and compare. Only what the rest of the round needs is kept. Money is counted in stakes, by seat.

>>> from referee.cards import parse_cards
>>> from referee.games.tien_len import read_combination, set_of
>>> from referee.rulesets import get
>>> hands = [set_of(parse_cards("3S 2H")), set_of(parse_cards("4S AC"))]
>>> round = Playout(get("tien_len.mien_nam").rules, hands, turn=0)
>>> for text in ("2H", None, "3S"):
...     round.play(read_combination(set_of(parse_cards(text)))) if text else round.pass_turn()
>>> round.winner, round.net
(0, [26, -26])
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from referee.advice.tien_len.view import EVERYTHING, View
from referee.games.tien_len.chop import chop_units, chopped_by
from referee.games.tien_len.code import Chain
from referee.games.tien_len.combination import Combination
from referee.games.tien_len.leftover import price_leftover
from referee.games.tien_len.legality import CHOPPING
from referee.games.tien_len.order import RANK_OF_TWOS, THREE_OF_SPADES, CardSet
from referee.games.tien_len.rules import HAND_SIZE, TienLenRules


@dataclass(slots=True)
class Playout:
    """A round in progress: ``held`` by seat, ``turn``, the play to beat and its seat, and ``net`` stakes so far.

    A commission is not counted: it takes a part of the winnings, so it changes no play worth making. ``winner`` is None
    until the end; then all payments are in ``net``.
    """

    rules: TienLenRules
    held: list[CardSet]
    """A copy of the list given."""
    turn: int
    to_beat: Combination | None = None
    to_beat_seat: int = 0
    passed: int = 0
    gone: int = 0
    chain: int = 0
    """Unpaid stakes of the chops that end in ``to_beat``."""
    victim: int = 0
    played: CardSet = 0
    winner: int | None = None
    net: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.held = list(self.held)
        self.net = [0] * len(self.held)

    @classmethod
    def of(cls, view: View, held: Sequence[CardSet]) -> Self:
        """Build a round with these hands in which the seat on turn sees this view."""
        return cls(
            view.rules,
            list(held),
            view.seat,
            view.to_beat,
            view.to_beat_seat,
            view.passed,
            view.gone,
            view.chain,
            view.victim,
            played=EVERYTHING ^ view.unseen ^ view.hand,
        )

    def view(self) -> View:
        """Return the view of the seat on turn."""
        hand = self.held[self.turn]
        return View(
            self.rules,
            self.turn,
            hand,
            EVERYTHING ^ hand ^ self.played,
            tuple([held.bit_count() for held in self.held]),
            self.to_beat,
            self.to_beat_seat,
            self.passed,
            self.gone,
            self.chain,
            self.victim,
        )

    def play(self, combination: Combination) -> None:
        """Play a lawful combination for the seat on turn."""
        seat, beaten = self.turn, self.to_beat
        self.played |= combination.card_set
        if beaten is not None:
            self._chop(combination, beaten)
            if self.held[self.to_beat_seat] == THREE_OF_SPADES and self.rules.stopped_three_of_spades.applies:
                self.held[seat] ^= combination.card_set
                self._stop(seat)
                return
        rest = self.held[seat] ^ combination.card_set
        self.held[seat] = rest
        self.to_beat, self.to_beat_seat = combination, seat
        if not rest:
            self._pay_chain()
            self._end(seat, with_three=combination.card_set == THREE_OF_SPADES)
        elif self._is_last(seat):
            self._end_alone(seat)
        else:
            self._go_on(seat)

    def pass_turn(self) -> None:
        """Pass for the seat on turn."""
        seat = self.turn
        self.passed |= 1 << seat
        if self._is_last(seat):
            self._end_alone(seat)
        else:
            self._go_on(seat)

    def leave(self, seat: int) -> None:
        """Leave with a seat that has not left."""
        others = [other for other in range(len(self.held)) if other != seat and not self.gone >> other & 1]
        self.gone |= 1 << seat
        if not others or (len(others) == 1 and not self._can_answer(others[0])):
            self._end_alone(others[0] if others else seat)
        elif seat == self.turn:
            self._go_on(seat)

    def _is_last(self, seat: int) -> bool:
        """Return whether all seats but this one have left."""
        return self.gone == (1 << len(self.held)) - 1 ^ 1 << seat

    def _can_answer(self, seat: int) -> bool:
        return self.to_beat is not None and self.to_beat_seat != seat and not self.passed >> seat & 1

    def _end_alone(self, last: int) -> None:
        """End the round for the last seat; 3♠ pays if it still holds it, unless the cards left cost more."""
        self._pay_chain()
        self._end(last, with_three=bool(self.held[last] & THREE_OF_SPADES), is_alone=True)

    def _go_on(self, seat: int) -> None:
        count, out, owner = len(self.held), self.passed | self.gone, self.to_beat_seat
        owner = seat if self.to_beat is None else owner
        for step in range(1, count + 1):
            following = (seat + step) % count
            if following == owner or not out >> following & 1:
                break
        if following != owner:
            self.turn = following
            return
        self._pay_chain()
        self.to_beat = None
        self.passed = 0
        while self.gone >> following & 1:
            following = (following + 1) % count
        self.turn = following

    def _chop(self, combination: Combination, beaten: Combination) -> None:
        """Add a chop's price to the unpaid chain; first pay a chain that ends here or is paid chop by chop."""
        price = None
        if combination.kind in CHOPPING and (beaten.top >> 2 == RANK_OF_TWOS or beaten.kind in CHOPPING):
            price = chopped_by(self.rules.chops, combination, victim=beaten)
        if price is None or self.rules.chops.chain is Chain.EACH_VICTIM_PAYS:
            self._pay_chain()
        if price is not None:
            self.chain += chop_units(self.rules.chop_prices, price)
            self.victim = self.to_beat_seat

    def _pay_chain(self) -> None:
        """Pay the chain from the last victim to the seat that played last."""
        if self.chain:
            self.net[self.victim] -= self.chain
            self.net[self.to_beat_seat] += self.chain
            self.chain = 0

    def _stop(self, winner: int) -> None:
        """End the round for a seat that kept 3S and is beaten: it pays every seat that had not passed."""
        stopped, out = self.to_beat_seat, self.passed | self.gone
        self.to_beat_seat = winner
        self._pay_chain()
        units = self.rules.stopped_three_of_spades.units * self._times(stopped)
        for seat in range(len(self.held)):
            if seat != stopped and not out >> seat & 1:
                self.net[seat] += units
                self.net[stopped] -= units
        self.winner = winner

    def _end(self, winner: int, *, with_three: bool, is_alone: bool = False) -> None:
        three = self.rules.last_three_of_spades.units if with_three and self.rules.last_three_of_spades.applies else 0
        for seat, left in enumerate(self.held):
            if seat != winner:
                units = max(three, left_units(self.rules, left)) if is_alone or not three else three
                units *= self._times(seat)
                self.net[seat] -= units
                self.net[winner] += units
        self.winner = winner

    def _times(self, seat: int) -> int:
        """Return the factor of what a seat owes at the end; above 1 only for a seat that left."""
        return self.rules.leaving_multiplier if self.gone >> seat & 1 else 1


def left_units(rules: TienLenRules, hand: CardSet) -> int:
    """Return the price of a hand left at the end, in stakes; with thirteen cards the seat has played none."""
    units = sum(item.units for item in price_leftover(rules.leftover_prices, hand))
    return max(units, rules.untouched_units) if hand.bit_count() == HAND_SIZE else units
