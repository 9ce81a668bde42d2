"""Populations learned by self-play to a fixed point: all seats follow the advice that the last population gives.

The rounds are played in equal steps. In the first all seats arrange for the greatest sum of strengths; in each later
one by the advice that follows from the hands of the later half of the steps before it. Answering only the last step
would cycle for ever: strong fronts make strong middles pay, and the other way round. Answering the mean of many steps
(fictitious play) converges. The hands of the later half of all steps are the population.

Splits are valued by their strengths alone, without the levels of each hand (``levels``): these change which kickers go
where in a few hands of a hundred, and no count by more than chance.

Hands are dealt at each allowed number of seats in turn. Rounds that an instant win ends at the deal are not counted.
Everything is whole numbers, and the deals are the plain output of PCG64, which numpy guarantees to keep, so the same
rounds and seed give the same bytes on any machine.

>>> from referee.rulesets import get
>>> ruleset = get("mau_binh.classic")
>>> origin = Origin(
...     ruleset_id=ruleset.id,
...     ruleset_version=ruleset.version,
...     ruleset_digest=ruleset.digest.hex(),
...     sweep=sweep_kind(ruleset.rules),
...     rounds=64,
...     seed=1,
... )
>>> population = learn(ruleset.rules, origin=origin)
>>> population == learn(ruleset.rules, origin=origin), population.origin.rounds
(True, 64)
"""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from referee.advice.mau_binh.advisor import Advisor, splitter_of
from referee.advice.mau_binh.population import HandPopulation, Origin
from referee.advice.mau_binh.splits import PAIRS, Ints, Splits
from referee.cards import DECK, Card
from referee.games.mau_binh import HAND_SIZE, MauBinhRules, instant_win_of

STEPS: Final = 32

_FIVES: Final = 7462
_THREES: Final = 455

PlayedHand = tuple[tuple[Card, ...], tuple[int, int, int]]
"""Cards of a hand, and the strengths of its back, middle and front."""
Choose = Callable[[Splits, int], tuple[int, int]]
"""Function from the splits of a hand and the number of seats to the place of one split."""


def learn(
    rules: MauBinhRules,
    *,
    origin: Origin,
    progress: Callable[[int], None] = lambda _rounds: None,
    settled: Callable[[float], None] = lambda _distance: None,
) -> HandPopulation:
    """Learn the population of players of these rules.

    ``progress`` is called with each round played, ``settled`` after each step but the first with the distance of its
    hands from the population that they answer (``HandPopulation.distance``), which at a fixed point is only chance.
    Raises ValueError if there are too few rounds to count any hand in a step.
    """
    dealer = _deals(origin.seed)
    choose: Choose = greatest_sum
    steps: list[Ints] = []
    answered: HandPopulation | None = None
    while True:
        played = _played(rules, dealer, choose, rounds=origin.rounds // STEPS, progress=progress)
        hands = [strengths for _, strengths in played]
        if not hands:
            raise ValueError(f"{origin.rounds} rounds are too few to learn from in {STEPS} steps; play more")
        if answered is not None:
            settled(HandPopulation.counted(rules.ranker, hands, origin=origin).distance(answered))
        steps.append(np.array(hands, dtype=np.int64))
        answered = HandPopulation.counted(rules.ranker, np.concatenate(steps[len(steps) // 2 :]), origin=origin)
        if len(steps) == STEPS:
            return answered
        choose = _by_advice(rules, answered)


def advised_hands(
    rules: MauBinhRules, population: HandPopulation, *, rounds: int, seed: int, progress: Callable[[int], None]
) -> Iterator[PlayedHand]:
    """Yield every hand of ``rounds`` rounds in which all seats follow the advice that the population gives."""
    yield from _played(rules, _deals(seed), _by_advice(rules, population), rounds=rounds, progress=progress)


def sweep_kind(rules: MauBinhRules) -> str:
    """Return the ``kind`` of the table ``sweep`` in a ruleset file with these rules."""
    return str(rules.sweep.__struct_config__.tag)


def greatest_sum(splits: Splits, _seat_count: int) -> tuple[int, int]:
    """Return the place of the split with the greatest sum of strengths, each as a share of the strongest of its chi."""
    sums = (splits.backs + splits.middles) * _THREES + splits.fronts[:, np.newaxis] * _FIVES
    front, pair = divmod(int(np.where(splits.fouled, -1, sums).argmax()), PAIRS)
    return front, pair


def _by_advice(rules: MauBinhRules, population: HandPopulation) -> Choose:
    """Return the function that chooses the split of the highest value against this population."""
    advisors = {
        seat_count: Advisor.of(rules, population, seat_count=seat_count)
        for seat_count in range(rules.seats.minimum, rules.seats.maximum + 1)
    }

    def choose(splits: Splits, seat_count: int) -> tuple[int, int]:
        front, pair = divmod(int(advisors[seat_count].values(splits).argmax()), PAIRS)
        return front, pair

    return choose


def _played(
    rules: MauBinhRules,
    dealer: Iterator[list[tuple[Card, ...]]],
    choose: Choose,
    *,
    rounds: int,
    progress: Callable[[int], None],
) -> Iterator[PlayedHand]:
    """Yield every hand of ``rounds`` rounds."""
    splitter = splitter_of(rules.ranker)
    for number in range(rounds):
        seat_count = rules.seats.minimum + number % (rules.seats.maximum - rules.seats.minimum + 1)
        hands = next(dealer)[:seat_count]
        if not any(instant_win_of(rules, hand) for hand in hands):
            for hand in hands:
                splits = splitter.split(hand)
                place = choose(splits, seat_count)
                yield hand, (int(splits.backs[place]), int(splits.middles[place]), int(splits.fronts[place[0]]))
        progress(1)


def _deals(seed: int) -> Iterator[list[tuple[Card, ...]]]:
    """Yield deals without end: four hands of thirteen, each sorted by number."""
    words = np.random.PCG64(seed)
    size = len(DECK)
    while True:
        order = words.random_raw(size).argsort(kind="stable").tolist()
        yield [
            tuple([DECK[place] for place in sorted(order[start : start + HAND_SIZE])])
            for start in range(0, size, HAND_SIZE)
        ]
