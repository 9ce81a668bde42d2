"""Whether staying is best: ``python -m tests.games.staying [--deals N] [--seed S]`` prints the table of ``STAYING.md``.

At each decision a seat knows what its player has seen, and the others play the advice. Leaving, letting the clock run,
not opening and fouling on purpose are compared with playing the advice on: the same cards, dealt from a seed, are
settled by the game's law both ways. A player takes another option where what it has seen promises more of it, which is
estimated without the cards of that deal that it has not seen; so what is won where it is taken has no bias. Options
that are marked "all seen" are judged with every card open, which is more than the player knows and can only favour
them.
"""

import argparse
import math
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from tests.games import staying_mau_binh, staying_tien_len, staying_ultimate_texas
from tests.games.staying_trial import Trial

INTERVAL: Final = 1.96
FEW: Final = 10
"""Decisions from which on a spread is taken for one."""
RULESETS: Final[dict[str, tuple[tuple[int, ...], Callable[..., Iterator[Trial]]]]] = {
    "mau_binh.maubinh_com": ((2, 4), staying_mau_binh.trials),
    "mau_binh.classic": ((2, 4), staying_mau_binh.trials),
    "mau_binh.chi_2020": ((2, 4), staying_mau_binh.trials),
    "mau_binh.house_example": ((2, 4), staying_mau_binh.trials),
    "tien_len.mien_nam": ((2, 4), staying_tien_len.trials),
    "ultimate_texas.casino": ((1,), staying_ultimate_texas.trials),
    "ultimate_texas.two_plus_three": ((1,), staying_ultimate_texas.trials),
}
"""By ruleset: the numbers of seats, and what tries its deals."""
DEALS: Final = {"mau_binh": 1.0, "tien_len": 0.05, "ultimate_texas": 0.04}
"""Deals of each game, as a share of those asked for; a decision of Ultimate Texas Hold'em takes longest."""


class Row(NamedTuple):
    """What an option was worth beside the advice at one kind of table, in stakes.

    ``taken`` of ``decisions`` it promised more; ``gain`` is what was won more a decision where it was taken, with half
    the width of its interval of 95 %; ``always`` likewise if it were taken at every decision.
    """

    ruleset: str
    seats: int
    option: str
    decisions: int
    taken: int
    gain: tuple[float, float]
    always: tuple[float, float]
    is_certain: bool

    def is_better(self, *, errors: float = INTERVAL) -> bool:
        """Return whether the option beats the advice, where taken or always, by more than so many standard errors.

        One that was taken where every card was known beats it by what it won. Of a few others the spread says nothing.
        """
        if self.is_certain:
            return self.taken > 0
        means = [self.always] if self.taken < FEW else [self.always, self.gain]
        return any(mean > 0 and mean > width * errors / INTERVAL for mean, width in means)

    def __str__(self) -> str:
        """Return one line of the table."""
        share = 100 * self.taken / self.decisions
        gain = f"{self.gain[0]:+.3f} ± {self.gain[1]:.3f}" if self.taken else ""
        always = f"{self.always[0]:+.3f} ± {self.always[1]:.3f}"
        better = "**yes**" if self.is_better() else "no"
        return (
            f"| `{self.ruleset}` | {self.seats} | {self.option} | {self.decisions:,} | {self.taken:,} ({share:.1f} %) "
            f"| {gain} | {always} | {better} |"
        )


HEAD: Final = (
    "| ruleset | seats | option | decisions | taken | won more where taken | won more if always taken | better |\n"
    "|---|---|---|---|---|---|---|---|"
)


def rows(ruleset: str, seats: int, trials: Iterator[Trial]) -> list[Row]:
    """Return one row for each option of some trials."""
    by_option: dict[str, dict[int, list[Trial]]] = {}
    for trial in trials:
        by_option.setdefault(trial.option, {}).setdefault(trial.deal, []).append(trial)
    return [_row(ruleset, seats, option, list(deals.values())) for option, deals in by_option.items()]


def _row(ruleset: str, seats: int, option: str, deals: Sequence[Sequence[Trial]]) -> Row:
    every = [trial for deal in deals for trial in deal]
    taken = [[trial for trial in deal if trial.is_taken] for deal in deals]
    count = sum(len(deal) for deal in taken)
    certain = all(trial.is_certain for trial in every)
    return Row(ruleset, seats, option, len(every), count, _mean(taken), _mean(deals), certain)


def _mean(deals: Sequence[Sequence[Trial]]) -> tuple[float, float]:
    """Return the mean of what was won more, and half the width of its interval; decisions of one deal hang together."""
    count = sum(len(deal) for deal in deals)
    if not count:
        return 0.0, 0.0
    mean = sum(trial.gain for deal in deals for trial in deal) / count
    spread = sum(sum(trial.gain - mean for trial in deal) ** 2 for deal in deals)
    return mean, INTERVAL * math.sqrt(spread * len(deals) / max(1, len(deals) - 1)) / count


def table(*, deals: int, seed: int, rulesets: Sequence[str] = tuple(RULESETS)) -> Iterator[Row]:
    """Yield the rows of the table."""
    for ruleset in rulesets:
        tables, trials = RULESETS[ruleset]
        for seats in tables:
            count = max(1, int(deals * DEALS[ruleset.partition(".")[0]]))
            yield from rows(ruleset, seats, trials(ruleset, seats=seats, deals=count, seed=seed))


def main(arguments: Sequence[str]) -> None:
    """Print the table; progress goes to stderr."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=2_000, help="deals of each table of Mậu Binh; fewer of the others")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rulesets", nargs="+", default=list(RULESETS), choices=list(RULESETS))
    chosen = parser.parse_args(arguments)
    begun = time.process_time()
    sys.stdout.write(f"{HEAD}\n")
    for row in table(deals=chosen.deals, seed=chosen.seed, rulesets=chosen.rulesets):
        sys.stdout.write(f"{row}\n")
        sys.stdout.flush()
        sys.stderr.write(f"{time.process_time() - begun:.0f} s of processor time: {row.ruleset}, {row.option}\n")
    sys.stdout.write(
        f"\n{chosen.deals} deals, seed {chosen.seed}; {platform.machine()}, Python {platform.python_version()}\n"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
