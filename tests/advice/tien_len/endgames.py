"""Leads of singles against a seat with one card left: ``python -m tests.advice.tien_len.endgames --rounds 2000``.

The quick advice plays whole rounds against itself, and each lead is counted of a seat that has two cards or more, all
of them singles, while an opponent has one card. So does the advice without the rule that the highest single goes first
there. At a table of two the best lead is known exactly: the opponent's card
is any unseen one, it is played where it beats the lead, and then the round is over. ``value_of`` tries every order of
the leads by that alone, without the advice or its playouts.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Final, NamedTuple

from referee.advice.tien_len.playout import Playout
from referee.advice.tien_len.policy import WEIGHTS, Weights, choose
from referee.advice.tien_len.view import View
from referee.games.tien_len import Kind, TienLenRules
from referee.games.tien_len.instant_win import find_instant_win
from referee.games.tien_len.leftover import price_leftover
from referee.games.tien_len.order import THREE_OF_SPADES, CardSet
from tests.builtin import rules_as
from tests.randomness import random_from

SEATS: Final = (2, 3, 4)
WITHOUT: Final = WEIGHTS._replace(last_card=0.0)
"""The weights without the rule."""


class Count(NamedTuple):
    """Positions at tables of one size.

    ``lower``: the highest single was not led. ``lower_without_three``: nor does the seat hold 3♠, which has its own
    price. ``worse``: at a table of two, another lead is worth more; ``lost`` is how much more, in stakes a position.
    """

    seats: int
    positions: int
    lower: int
    lower_without_three: int
    worse: int
    lost: Fraction

    def __str__(self) -> str:
        """Return one line of the table."""
        line = (
            f"{self.seats} seats  {self.positions:>6,} positions  "
            f"{self.lower:>6,} without the highest led, {self.lower_without_three:>6,} of them without 3♠"
        )
        if self.seats > min(SEATS):
            return line
        return f"{line}  {self.worse:>6,} worse than the best lead, by {float(self.lost):.4f} stakes a position"


def count(rules: TienLenRules, *, seats: int, rounds: int, seed: int, weights: Weights = WEIGHTS) -> Count:
    """Count the leads of some rounds."""
    positions = lower = without_three = worse = 0
    lost = Fraction(0)
    for view in leads(rules, seats=seats, rounds=rounds, seed=seed, weights=weights):
        positions += 1
        play = choose(view, weights)
        assert play is not None
        if play.top != view.hand.bit_length() - 1:
            lower += 1
            without_three += not view.hand & THREE_OF_SPADES
        if seats == min(SEATS):
            values = {card: value_of(rules, view.hand, view.unseen, lead=card) for card in cards_in(view.hand)}
            difference = max(values.values()) - values[play.card_set]
            worse += difference > 0
            lost += difference
    return Count(seats, positions, lower, without_three, worse, lost / max(1, positions))


def leads(rules: TienLenRules, *, seats: int, rounds: int, seed: int, weights: Weights) -> Iterator[View]:
    """Yield what seats saw that led one of their singles against a seat with one card."""
    chance = random_from(seed)
    for _ in range(rounds):
        places = chance.sample(range(52), 13 * seats)
        hands = [sum([1 << place for place in places[seat::seats]]) for seat in range(seats)]
        if find_instant_win(rules.instant_wins, tuple(hands)) is not None:
            continue
        playout = Playout(rules, hands, turn=chance.randrange(seats))
        while playout.winner is None:
            view = playout.view()
            if is_counted(view):
                yield view
            play = choose(view, weights)
            if play is None:
                playout.pass_turn()
            else:
                playout.play(play)


def is_counted(view: View) -> bool:
    """Return whether a seat leads from singles alone while an opponent has one card."""
    return (
        view.to_beat is None
        and view.hand.bit_count() > 1
        and any(view.counts[seat] == 1 for seat in view.opponents())
        and all(play.kind is Kind.SINGLE for play in view.plays())
    )


@cache
def value_of(rules: TienLenRules, hand: CardSet, unseen: CardSet, *, lead: CardSet) -> Fraction:
    """Return the average win of leading a single at a table of two, then leading best, against one unseen card."""
    rest = hand ^ lead
    cards = list(cards_in(unseen))
    if not rest:
        return Fraction(sum(won_from(rules, card, last=lead) for card in cards), len(cards))
    lost = rules.stopped_three_of_spades.units if rest == THREE_OF_SPADES else left(rules, rest)
    below = sum([card for card in cards if card < lead])
    higher = len(cards) - below.bit_count()
    total = Fraction(-lost * higher)
    if below:
        total += below.bit_count() * max([value_of(rules, rest, below, lead=card) for card in cards_in(rest)])
    return total / len(cards)


def won_from(rules: TienLenRules, card: CardSet, *, last: CardSet) -> int:
    """Return what an opponent pays that keeps its card."""
    return rules.last_three_of_spades.units if last == THREE_OF_SPADES else left(rules, card)


def left(rules: TienLenRules, hand: CardSet) -> int:
    """Return what a hand left costs."""
    return sum(item.units for item in price_leftover(rules.leftover_prices, hand))


def cards_in(cards: CardSet) -> Iterator[CardSet]:
    """Yield each card as a set."""
    while cards:
        card = cards & -cards
        yield card
        cards ^= card


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2_000, help="rounds of each number of seats")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    rules = rules_as(TienLenRules, "tien_len.mien_nam")
    for name, weights in (("without the rule", WITHOUT), ("with it", WEIGHTS)):
        sys.stdout.write(f"{name}\n")
        for seats in SEATS:
            counted = count(rules, seats=seats, rounds=chosen.rounds, seed=chosen.seed, weights=weights)
            sys.stdout.write(f"{counted}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
