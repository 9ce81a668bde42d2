"""Policies play one another for money: ``python -m tests.advice.mau_binh.tournament [DEALS] [parts] [RULESET ...]``.

Each deal is played four times, so that every policy sits in every seat once and holds each hand once; what a policy
wins is averaged over the four rounds, and those averages, one a deal, are independent. The rounds are settled by the
game itself. Deals that an instant win ends are dealt again: they ask for no arrangement.

- *advice*: worth most by the advisor, knowing its own thirteen cards alone.
- *back first*: the strongest back there is, then the strongest middle, then the strongest front.
- *greatest sum*: the greatest sum of the three strengths, each beside the strongest of its kind.
- *random*: any split that does not foul.

With the word ``parts`` the advice plays against itself without parts of its model: the three chi of an opponent taken
to be independent, and sweeps left out.
"""

import itertools
import math
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import msgspec
import numpy as np

from referee.advice.mau_binh.advisor import Advisor
from referee.advice.mau_binh.populations import Populations
from referee.advice.mau_binh.self_play import greatest_sum
from referee.advice.mau_binh.splits import Splits, Splitter
from referee.cards import DECK, Card, Seat
from referee.games.mau_binh import GAME, Arrange, MauBinhRules, instant_win_of
from referee.games.mau_binh.penalties import NoFourAcesSweep, NoSweep
from referee.rulesets import Ruleset, get
from tests.games.rounds import hands_deal, settled

Place: TypeAlias = tuple[int, int]
Policy: TypeAlias = Callable[[Splits], Place]
Hand: TypeAlias = tuple[Card, ...]

RULESETS: Final = ("mau_binh.maubinh_com", "mau_binh.classic", "mau_binh.chi_2020")
ADVICE: Final = "advice"
SEATS: Final = 4
PAIRS: Final = 126
Z: Final = 3.29
"""Half the width of a confidence interval of 99.9 %, in standard errors."""


@dataclass(slots=True)
class Winnings:
    """What was won a round, in stakes: a mean and how sure it is."""

    sums: float = 0.0
    squares: float = 0.0
    count: int = 0

    def add(self, amount: float) -> None:
        """One more independent amount."""
        self.sums += amount
        self.squares += amount * amount
        self.count += 1

    @property
    def mean(self) -> float:
        """The mean."""
        return self.sums / self.count

    @property
    def margin(self) -> float:
        """How far the true mean may be from this one, with a confidence of 99.9 %."""
        variance = (self.squares - self.sums * self.sums / self.count) / (self.count - 1)
        return Z * math.sqrt(variance / self.count)


@dataclass(slots=True)
class Report:
    """Winnings of each policy from all others a round, and from each other one."""

    rounds: int = 0
    totals: dict[str, Winnings] = field(default_factory=dict)
    against: dict[tuple[str, str], Winnings] = field(default_factory=dict)


def back_first(splits: Splits) -> Place:
    """Choose the strongest back, then middle, then front."""
    order = (splits.backs * 10_000 + splits.middles) * 1_000 + splits.fronts[:, np.newaxis]
    return place_of(int(np.where(splits.fouled, -1, order).argmax()))


def random_lawful(luck: random.Random) -> Policy:
    """Any lawful split."""

    def choose(splits: Splits) -> Place:
        lawful = np.flatnonzero(~splits.fouled)
        return place_of(int(lawful[luck.randrange(len(lawful))]))

    return choose


def by_advice(ruleset: Ruleset, *, seat_count: int = SEATS) -> Policy:
    """Choose the split of the highest value."""
    rules = rules_of(ruleset)
    population = Populations.builtin().population_for(rules, digest=ruleset.digest)
    return _by(Advisor.of(rules, population, seat_count=seat_count))


def standard_policies(ruleset: Ruleset, *, seed: int) -> dict[str, Policy]:
    """Return the four policies."""
    return {
        ADVICE: by_advice(ruleset),
        "back first": back_first,
        "greatest sum": lambda splits: greatest_sum(splits, SEATS),
        "random": random_lawful(random.Random(seed)),  # noqa: S311 - a tournament that repeats itself
    }


def parts_of_the_model(ruleset: Ruleset) -> dict[str, Policy]:
    """Return the advice, whole and without parts of its model, and the strongest of the other policies."""
    rules = rules_of(ruleset)
    population = Populations.builtin().population_for(rules, digest=ruleset.digest)
    shares = [
        np.bincount(population.of_bin(chi), count) / population.size for chi, count in enumerate(population.counts)
    ]
    joint = np.rint(np.einsum("i,j,k->ijk", *shares) * 2**30).astype(np.int64)
    no_sweep = NoSweep(source="", quote="")
    no_aces = NoFourAcesSweep(source="", quote="")
    without = msgspec.structs.replace(rules, sweep=no_sweep, four_aces_sweep=no_aces)
    return {
        ADVICE: by_advice(ruleset),
        "independent": _by(Advisor.of(rules, replace(population, joint=joint), seat_count=SEATS)),
        "no sweeps": _by(Advisor.of(without, population, seat_count=SEATS)),
        "greatest sum": lambda splits: greatest_sum(splits, SEATS),
    }


def _by(advisor: Advisor) -> Policy:
    return lambda splits: place_of(int(advisor.values(splits, advisor.levels(splits.cards)).argmax()))


def play(ruleset: Ruleset, policies: Mapping[str, Policy], *, deals: int, seed: int) -> Report:
    """Play the deals, each once for every rotation of the seats, and return a report."""
    rules, names, report = rules_of(ruleset), tuple(policies), Report()
    report.totals = {name: Winnings() for name in names}
    report.against = {pair: Winnings() for pair in itertools.permutations(names, 2)}
    splitter = Splitter(rules.ranker)
    for hands in itertools.islice(_deals(rules, seed, len(names)), deals):
        chosen = [_chosen(splitter, hand, policies) for hand in hands]
        won: dict[tuple[str, str], int] = dict.fromkeys(report.against, 0)
        for turn in range(len(names)):
            seated = [names[(seat + turn) % len(names)] for seat in range(len(names))]
            events = [chosen[seat][name] for seat, name in enumerate(seated)]
            for payer, payee, amount in _settled(rules, hands, events):
                won[seated[payee], seated[payer]] += amount
                won[seated[payer], seated[payee]] -= amount
            report.rounds += 1
        for pair, amount in won.items():
            report.against[pair].add(amount / len(names))
        for name in names:
            total = sum(amount for (mine, _), amount in won.items() if mine == name)
            report.totals[name].add(total / len(names))
    return report


def rules_of(ruleset: Ruleset) -> MauBinhRules:
    """Return the rules of a ruleset of this game."""
    if not isinstance(ruleset.rules, MauBinhRules):
        raise TypeError(ruleset.id)
    return ruleset.rules


def place_of(index: int) -> Place:
    """Return the front and pair of an index into all splits."""
    front, pair = divmod(index, PAIRS)
    return front, pair


def _deals(rules: MauBinhRules, seed: int, seat_count: int) -> Iterator[tuple[Hand, ...]]:
    luck = random.Random(seed)  # noqa: S311 - a tournament that repeats itself
    while True:
        deck = luck.sample(DECK, 13 * seat_count)
        hands = tuple(tuple(deck[start : start + 13]) for start in range(0, len(deck), 13))
        if not any(instant_win_of(rules, hand) for hand in hands):
            yield hands


def _chosen(splitter: Splitter, hand: Hand, policies: Mapping[str, Policy]) -> dict[str, tuple[Hand, Hand, Hand]]:
    splits = splitter.split(hand)
    return {name: splits.arrangement(*policy(splits)).chi for name, policy in policies.items()}


def _settled(
    rules: MauBinhRules, hands: tuple[Hand, ...], chosen: Sequence[tuple[Hand, Hand, Hand]]
) -> Iterator[tuple[int, int, int]]:
    events = [Arrange(Seat(seat), *chi, time=0) for seat, chi in enumerate(chosen)]
    outcome = settled(GAME, rules, hands_deal(hands), events, closed_time=0).outcome
    if outcome.fouls:
        raise AssertionError(outcome.fouls)
    for transfer in outcome.transfers:
        yield transfer.payer, transfer.payee, transfer.amount


def main(deals: int, rulesets: Sequence[str], *, parts: bool) -> None:
    """Print the tables."""
    for ruleset_id in rulesets or RULESETS:
        ruleset = get(ruleset_id)
        start = time.process_time()
        policies = parts_of_the_model(ruleset) if parts else standard_policies(ruleset, seed=1)
        report = play(ruleset, policies, deals=deals, seed=2)
        seconds = time.process_time() - start
        sys.stdout.write(f"{ruleset_id}, {report.rounds:,} rounds of {SEATS} seats, {deals:,} deals, {seconds:.0f} s\n")
        for name, total in report.totals.items():
            sys.stdout.write(f"  {name:<13}{total.mean:>+8.3f} ± {total.margin:.3f} stakes a round\n")
        for (mine, other), won in report.against.items():
            if mine == ADVICE:
                sys.stdout.write(f"  advice from {other:<13}{won.mean:>+8.3f} ± {won.margin:.3f}\n")
        sys.stdout.write("\n")
        sys.stdout.flush()


if __name__ == "__main__":
    words = [word for word in sys.argv[2:] if word != "parts"]
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30_000, words, parts="parts" in sys.argv[2:])
