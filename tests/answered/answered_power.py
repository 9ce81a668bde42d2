"""Power and null of the questions about answered hands: run ``python -m tests.answered.answered_power RULESET``.

Deals of four hands without an instant win are made once. Each serves every kind of player: it has the values of a
seat's best arrangements as a thief knows them, from dealt samples of the 26 cards that neither it nor its partner
holds, and as the audit scores them. Printed are the rounds until the mean logarithm of the e-value of a pair or triple
reaches 5 standard deviations, 1 in 3.5 million, with an interval of two standard errors over deals, what the thieves
gain in a round against hands arranged as advised, and how often honest pairs come near.

Rounds of honest pairs are drawn again from the deals with every other hand as the known one, so that their null is
exact whatever the number of deals.
"""

import argparse
import math
import random
import sys
from collections.abc import Iterator
from typing import Final

import numpy as np

from referee.answered.choices import (
    CARD_TEMPERATURE,
    HAND_TEMPERATURE,
    OWN,
    Choices,
    growth_alone,
)
from referee.answered.stakes import WARY
from referee.answered.swap import log_growth, scores
from referee.answered.values import CANDIDATES, Floats, Hand, Valuer
from referee.cards import DECK
from tests.answered.seen_rounds import dealt, laid_out, values_of

SEATS: Final = 4
SHRUNK: Final = 0.65
"""Part of a sampled value's distance from the own value that a thief trusts."""
BOUND: Final = math.log(3.5e6)
_NONE: Final = -99.0
_OTHERS: Final = np.array([[other for other in range(SEATS) if other != seat] for seat in range(SEATS)])


def deal_of(values: Valuer, luck: random.Random, *, samples: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the values of each seat's candidates: own, and by other seat pooled, by card tables and by whole hands."""
    hands = [values.hand(cards) for cards in dealt(values, luck)]
    shape = SEATS, SEATS - 1, CANDIDATES
    own, pooled, cards, whole = np.full((SEATS, CANDIDATES), _NONE), *[np.full(shape, _NONE) for _ in range(3)]
    for seat, hand in enumerate(hands):
        count, others = len(hand.candidates.levels), [hands[other] for other in _OTHERS[seat]]
        own[seat, :count] = values.own(hand.candidates)
        cards[seat, :, :count] = values.by_cards(hand, hand.candidates, others)
        whole[seat, :, :count] = values.by_hands(
            hand.candidates, np.stack([other.candidates.strengths[0] for other in others])
        )
    for first in range(SEATS):
        for second in range(first + 1, SEATS):
            pair = hands[first], hands[second]
            for (seat, other), won in zip(
                ((first, second), (second, first)), _sampled(values, pair, luck, samples=samples), strict=True
            ):
                mine = 2 * own[seat, : len(won)]
                place = int(np.flatnonzero(_OTHERS[seat] == other)[0])
                pooled[seat, place, : len(won)] = mine + SHRUNK * (won - mine)
    return own, pooled, cards, whole


def _sampled(values: Valuer, pair: tuple[Hand, Hand], luck: random.Random, *, samples: int) -> Iterator[Floats]:
    """Yield the mean win of the candidates of two hands from two opponents, over samples of the other cards."""
    unseen = [card for card in DECK if card not in pair[0].cards and card not in pair[1].cards]
    others = []
    for _ in range(samples):
        luck.shuffle(unseen)
        others += [values.best(half) for half in (unseen[:13], unseen[13:])]
    for hand in pair:
        yield 2 * values.by_hands(hand.candidates, np.stack(others)).mean(axis=0)


class Measured:
    """Deals of one ruleset, and what kinds of players do in them; choices are arrays by deal, seat and other seat."""

    def __init__(self, own: Floats, pooled: Floats, cards: Floats, whole: Floats) -> None:
        self.pooled, self.cards, self.whole = pooled, cards, whole
        self.own = np.broadcast_to(own[:, :, np.newaxis], self.pooled.shape)
        self.advised = self.own.argmax(axis=-1)
        self._luck = np.random.default_rng(1)

    @classmethod
    def made(cls, values: Valuer, luck: random.Random, *, deals: int, samples: int) -> "Measured":
        """Make deals."""
        made = []
        for number in range(deals):
            made.append(deal_of(values, luck, samples=samples))
            _say(f"deal {number + 1} of {deals}")
        own, pooled, cards, whole = [np.array(one) for one in zip(*made, strict=True)]
        return cls(own, pooled, cards, whole)

    def noisy(self, values: Floats, temperature: float) -> Floats:
        """Choose by values with an error of this temperature."""
        if temperature:
            values = values / temperature + self._luck.gumbel(size=values.shape)
        choice: Floats = values.argmax(axis=-1)
        return choice

    def sometimes(self, choice: Floats, share: float) -> Floats:
        """Choose so in a share of the rounds, else as advised."""
        return np.where(self._luck.random(choice.shape) < share, choice, self.advised)

    def gaining(self, least: float) -> Floats:
        """Choose by pooled values only where that gains more than so many stakes."""
        best = self.pooled.argmax(axis=-1)
        gain = _at(self.pooled, best) - _at(self.pooled, self.advised)
        return np.where(gain > least, best, self.advised)

    def factors(self, choice: Floats, *, by_hands: bool = False) -> Floats:
        """Return the factor of a stake on each other seat's hand in each round."""
        values = self.whole + OWN * self.own if by_hands else self.cards
        temperature = HAND_TEMPERATURE if by_hands else CARD_TEMPERATURE
        grown = np.ones(choice.shape)
        for place in np.ndindex(choice.shape[:2]):
            chosen = values[place][:, choice[place]]
            grown[place] = np.exp(np.diagonal(log_growth(scores(values[place], chosen, temperature=temperature))))
        return grown

    def gain(self, choice: Floats) -> Floats:
        """Return what a choice wins more than the advice from the two hands that are not its partner's."""
        gains = [
            (_at(self.whole[:, :, other, np.newaxis], choice) - _at(self.whole[:, :, other, np.newaxis], self.advised))
            for other in range(SEATS - 1)
        ]
        total = sum(gains)
        return total - np.stack([gains[place][:, :, place] for place in range(SEATS - 1)], axis=-1)


def both(factors: Floats) -> Floats:
    """Return the factor of a stake on both directions, by deal and pair of seats."""
    pairs = [(first, second) for first in range(SEATS) for second in range(first + 1, SEATS)]
    return np.stack([(factors[:, one, two - 1] + factors[:, two, one]) / 2 for one, two in pairs], axis=1)


def against_fourth(factors: Floats) -> Floats:
    """Return the factor of a stake on three seats against the fourth, by deal and fourth seat."""
    places = [[(seat, fourth - (fourth > seat)) for seat in range(SEATS) if seat != fourth] for fourth in range(SEATS)]
    return np.stack([np.mean([factors[:, seat, place] for seat, place in one], axis=0) for one in places], axis=1)


def rounds_needed(factors: Floats) -> str:
    """Write the rounds until the mean logarithm reaches the bound, with an interval of two standard errors."""
    found = []
    for part in (1.0, WARY):
        of_deals = np.log1p(part * (factors - 1)).reshape(len(factors), -1).mean(axis=1)
        mean, error = of_deals.mean(), of_deals.std() / math.sqrt(len(of_deals))
        means = (mean, mean + 2 * error, mean - 2 * error)
        found.append([(BOUND + math.log(2)) / one if one > 0 else math.inf for one in means])
    needed, least, most = min(found)
    return f"{needed:,.0f} ({least:,.0f} to {most:,.0f})"


def null_of(factors: Floats, luck: np.random.Generator, *, pairs: int, rounds: int) -> tuple[float, int, int, int]:
    """Return the highest e-value, and how many pairs ever reach 1,000, 3.5 million and 10^9, of honest pairs."""
    bold = np.log(factors).reshape(-1)
    cautious = np.log1p(WARY * np.expm1(bold))
    highest = []
    for _ in range(pairs):
        drawn = luck.integers(len(bold), size=rounds)
        highest.append((np.logaddexp(np.cumsum(bold[drawn]), np.cumsum(cautious[drawn])) - math.log(2)).max())
    return max(highest), *[int(np.sum(np.array(highest) >= math.log(least))) for least in (1e3, 3.5e6, 1e9)]


def alone(values: Valuer, luck: random.Random, *, deals: int) -> Iterator[tuple[float, float]]:
    """Yield the growth of stakes on one who knows all hands and does best against them, and on one who does not."""
    for _ in range(deals):
        cards = dealt(values, luck)
        hands = [values.hand(one) for one in cards]
        best = np.stack([hand.candidates.strengths[0] for hand in hands[1:]])
        knows = int(values.by_hands(hands[0].candidates, best).sum(axis=0).argmax())
        grown = []
        for place in (knows, 0):
            chi = laid_out(values, cards[0], hands[0].candidates.strengths[place].tolist())
            grown.append(growth_alone(values, Choices(tuple(cards), (chi, None, None, None)), (0,))[0])
        yield grown[0], grown[1]


def main() -> None:
    """Print the measurement of one ruleset."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ruleset")
    parser.add_argument("--deals", type=int, default=3_000)
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--pairs", type=int, default=5_000, help="honest pairs of each style")
    parser.add_argument("--rounds", type=int, default=1_000, help="rounds of an honest pair")
    given = parser.parse_args()
    values, luck = values_of(given.ruleset, SEATS), random.Random(1)  # noqa: S311 - deals that repeat themselves
    measured = Measured.made(values, luck, deals=given.deals, samples=given.samples)
    sys.stdout.write(f"{given.ruleset}, {given.deals:,} deals, {given.samples} samples a thief's value\n")
    for line in lines_of(measured, pairs=given.pairs, rounds=given.rounds):
        sys.stdout.write(f"{line}\n")
    grown = np.exp(list(alone(values, luck, deals=given.deals)))
    sys.stdout.write(
        f"one who knows all: {rounds_needed(grown[:, 0])} rounds; advised: mean factor {grown[:, 1].mean():.3f}\n"
    )


def lines_of(measured: Measured, *, pairs: int, rounds: int) -> Iterator[str]:
    """Yield the lines of pairs, triples and honest pairs."""
    deals = len(measured.cards)
    noisy, pooled = measured.noisy, measured.pooled
    always = noisy(pooled, 0)
    kinds: dict[str, Floats] = {
        **{f"pools, T = {one}": noisy(pooled, one) for one in (0, 0.2, 0.5, 1)},
        **{f"pools in {one:.0%} of rounds": measured.sometimes(always, one) for one in (0.5, 0.1)},
        **{f"only where it gains > {one}": measured.gaining(one) for one in (0.3, 0.6)},
    }
    for name, choice in kinds.items():
        factors = measured.factors(choice)
        gain = 2 * measured.gain(choice).reshape(deals, -1).mean(axis=1)
        yield (
            f"pair {name}: {rounds_needed(both(factors))} rounds; one direction {rounds_needed((1 + factors) / 2)}; "
            f"gains {gain.mean():.2f} +- {gain.std() / math.sqrt(deals):.2f} stakes a round"
        )
    for temperature in (0, 0.5, 1):
        factors = measured.factors(noisy(measured.whole + 0.01 * measured.own, temperature), by_hands=True)
        yield (f"triple, T = {temperature}: {rounds_needed(against_fourth(factors))} rounds")
    draw = np.random.default_rng(2)
    for temperature in (0, 0.2, 0.5, 1, 2):
        choice = np.broadcast_to(noisy(measured.own[:, :, :1], temperature), measured.advised.shape)
        factors = both(measured.factors(choice))
        most, *reached = null_of(factors, draw, pairs=pairs, rounds=rounds)
        yield (
            f"{pairs:,} honest pairs, T = {temperature}: mean factor {factors.mean():.6f}; ever 1,000, 3.5 "
            f"million and 10^9: {reached}; highest 10^{most / math.log(10):.1f}"
        )


def _at(values: Floats, choice: Floats) -> Floats:
    shape = (*choice.shape, values.shape[-1])
    return np.take_along_axis(np.broadcast_to(values, shape), choice[..., np.newaxis].astype(np.intp), axis=-1)[..., 0]


def _say(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text:<40}\r")


if __name__ == "__main__":
    main()
