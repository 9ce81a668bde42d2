"""Suggested arrangements that another one dominates: ``python -m tests.advice.mau_binh.kickers [HANDS]``.

An arrangement is dominated if another of the same cards has, whatever the others hold, no worse a hand in any chi and a
better one in some. The arrangements that the advice names are counted, and those that it would name by strengths alone,
kickers included that no opponent can meet. What these lose is the difference of the values, at a table of four.
"""

import random
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from referee.advice.mau_binh.advisor import Advisor, splitter_of
from referee.advice.mau_binh.levels import Levels
from referee.advice.mau_binh.populations import Populations
from referee.advice.mau_binh.splits import PAIRS, Ints, Splits
from referee.advice.mau_binh.suggestion import SCALE
from referee.cards import DECK, Card
from referee.games.mau_binh import MauBinhRules, instant_win_of
from referee.rulesets import Ruleset, get

RULESETS: Final = ("mau_binh.maubinh_com", "mau_binh.classic", "mau_binh.chi_2020")
SEATS: Final = 4


class Count(NamedTuple):
    """Hands counted, and how many have a dominated arrangement: the best ``before``, by strengths, any named ``after``.

    ``most`` and ``mean`` are what the best by strengths loses to the best of the advice, in stakes.
    """

    hands: int
    before: int
    after: int
    most: float
    mean: float


def count(ruleset: Ruleset, *, seats: int, hands: int, seed: int, suggestions: int = 1) -> Count:
    """Count over random hands that do not win at the deal."""
    rules = ruleset.rules
    if not isinstance(rules, MauBinhRules):
        raise TypeError(ruleset.id)
    population = Populations.builtin().population_for(rules, digest=ruleset.digest)
    advisor, splitter = Advisor.of(rules, population, seat_count=seats), splitter_of(rules.ranker)
    luck = random.Random(seed)  # noqa: S311 - a count that repeats itself
    before = after = counted = 0
    losses: list[float] = []
    while counted < hands:
        cards = sorted(luck.sample(DECK, 13), key=lambda card: card.number)
        if instant_win_of(rules, cards) is not None:
            continue
        counted += 1
        named = advisor.suggest(cards, count=suggestions)
        splits, levels = splitter.split(cards), advisor.levels(cards)
        by_strength = best_by_strengths(splits, advisor.values(splits))
        before += is_dominated(splits, levels, by_strength)
        after += any(is_dominated(splits, levels, strengths_of(rules, one.arrangement.chi)) for one in named)
        back, middle, three = (int(levels.of(chi)[strength]) for chi, strength in enumerate(by_strength))
        worth = advisor.table.value(back=back, middle=middle, front=three)
        losses.append((named[0].expected - worth) / SCALE)
    return Count(hands, before, after, max(losses), sum(losses) / hands)


def best_by_strengths(splits: Splits, values: Ints) -> tuple[int, int, int]:
    """Return the strengths of the split worth most, the strongest among equals."""
    fronts, pairs = np.divmod(np.flatnonzero(values == values.max()), PAIRS)
    held = splits.backs[fronts, pairs], splits.middles[fronts, pairs], splits.fronts[fronts]
    back, middle, front = max(zip(*[strengths.tolist() for strengths in held], strict=True))
    return back, middle, front


def is_dominated(splits: Splits, levels: Levels, strengths: tuple[int, int, int]) -> bool:
    """Return whether a lawful split of the hand dominates one with these strengths; prices rise with strengths."""
    of_chi = (splits.backs, splits.middles, splits.fronts[:, np.newaxis])
    differences = [levels.of(chi)[held] - levels.of(chi)[strengths[chi]] for chi, held in enumerate(of_chi)]
    no_worse = ~splits.fouled & np.logical_and.reduce([difference >= 0 for difference in differences[:2]])
    no_worse &= differences[2] >= 0
    return bool((no_worse & ((differences[0] > 0) | (differences[1] > 0) | (differences[2] > 0))).any())


def strengths_of(rules: MauBinhRules, chi: Sequence[Sequence[Card]]) -> tuple[int, int, int]:
    """Return the strengths of back, middle and front."""
    back, middle, front = chi
    return rules.ranker.five_strength(back), rules.ranker.five_strength(middle), rules.ranker.three_strength(front)


def main(hands: int) -> None:
    """Print the counts."""
    for ruleset_id in RULESETS:
        counted = count(get(ruleset_id), seats=SEATS, hands=hands, seed=1, suggestions=3)
        sys.stdout.write(
            f"{ruleset_id:<22} {counted.hands:>6,} hands, best by strengths dominated {counted.before:>5,} "
            f"({100 * counted.before / counted.hands:.1f} %), by at most {counted.most:.3f} stakes, "
            f"{counted.mean:.4f} on average; of three suggestions {counted.after:,}\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000)
