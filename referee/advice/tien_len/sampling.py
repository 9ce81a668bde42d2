"""The value of candidates in money: the unseen cards are dealt many times, and each round is played to its end.

The answer depends on the view, the candidates and the number of samples alone: the deals come from a generator seeded
with a hash of the view, so the same position gives the same answer on any machine. In every sample each candidate meets
the same hands, and every seat continues by the policy. Candidates are halved twice as samples go on. The policy's own
choice is replaced only by a candidate that did better by more than the error of the difference. No conclusion is drawn
from the passes of other seats.
"""

import hashlib
import math
import random
from collections.abc import Sequence
from typing import Final, NamedTuple

from referee.advice.stopping import pause
from referee.advice.tien_len.playout import Playout
from referee.advice.tien_len.policy import WEIGHTS, Weighed, Weights, choose
from referee.advice.tien_len.view import View
from referee.evidence import canonical
from referee.games.tien_len.combination import Combination
from referee.games.tien_len.order import CardSet

MOST_CANDIDATES: Final = 8
STAGES: Final = 3


class Sampled(NamedTuple):
    """A candidate with its result: stakes won on average (negative: lost) over ``samples`` rounds.

    ``error`` is the standard error of that average.
    """

    weighed: Weighed
    stakes: float
    error: float
    samples: int


def sample(view: View, candidates: Sequence[Weighed], *, samples: int, weights: Weights = WEIGHTS) -> list[Sampled]:
    """Sample the candidates; return them best first. The first is the one to choose.

    ``candidates`` are in the policy's order, the first being its choice. Those that were dropped come last.
    """
    chance = random.Random(_seed(view))  # noqa: S311 - sampled opinions, never a deal
    kept = list(range(min(MOST_CANDIDATES, len(candidates))))
    results: list[list[int]] = [[] for _ in candidates]
    dropped: list[int] = []
    for stage in range(STAGES):
        for _ in range(max(1, samples // STAGES)):
            pause()
            hands = _deal(view, chance)
            for place in kept:
                results[place].append(_played_out(view, hands, candidates[place].play, weights))
        if stage < STAGES - 1 and len(kept) > 2:  # noqa: PLR2004 - two are compared to the end
            in_order = sorted(kept[1:], key=lambda place: -sum(results[place]))
            half = max(1, len(kept) // 2 - 1) if stage else max(1, (len(kept) + 1) // 2 - 1)
            dropped = [*in_order[half:], *dropped]
            kept = [kept[0], *in_order[:half]]
    chosen = _chosen(kept, results)
    rest = sorted([place for place in kept if place != chosen], key=lambda place: -sum(results[place]))
    return [_result(candidates[place], results[place]) for place in (chosen, *rest, *dropped)]


def _chosen(kept: Sequence[int], results: Sequence[Sequence[int]]) -> int:
    """Return the policy's choice, or the best one if it did better by more than the difference's error."""
    own = kept[0]
    best = max(kept, key=lambda place: sum(results[place]))
    differences = [better - usual for better, usual in zip(results[best], results[own], strict=True)]
    mean, error = _mean_and_error(differences)
    return best if mean > error else own


def _played_out(view: View, hands: Sequence[CardSet], play: Combination | None, weights: Weights) -> int:
    """Play a round with these hands to its end after this play; return the stakes that the seat won or lost."""
    playout = Playout.of(view, hands)
    if play is None:
        playout.pass_turn()
    else:
        playout.play(play)
    while playout.winner is None:
        following = choose(playout.view(), weights)
        if following is None:
            playout.pass_turn()
        else:
            playout.play(following)
    return playout.net[view.seat]


def _deal(view: View, chance: random.Random) -> list[CardSet]:
    """Deal random hands that agree with the view: this seat's own, and for others as many unseen cards as they hold."""
    unseen = [place for place in range(52) if view.unseen >> place & 1]
    chance.shuffle(unseen)
    hands = []
    for seat, count in enumerate(view.counts):
        if seat == view.seat:
            hands.append(view.hand)
        else:
            hands.append(sum([1 << place for place in unseen[:count]]))
            unseen = unseen[count:]
    return hands


def _seed(view: View) -> int:
    """Hash the view to a number."""
    to_beat = 0 if view.to_beat is None else view.to_beat.card_set
    numbers = (
        *(view.seat, view.hand, view.unseen, to_beat, view.to_beat_seat, view.passed, view.gone, view.chain),
        *(view.victim, *view.counts),
    )
    return int.from_bytes(hashlib.sha256(canonical.encode(numbers)).digest(), "big")


def _result(weighed: Weighed, results: Sequence[int]) -> Sampled:
    mean, error = _mean_and_error(results)
    return Sampled(weighed, mean, error, len(results))


def _mean_and_error(numbers: Sequence[int]) -> tuple[float, float]:
    count = len(numbers)
    mean = sum(numbers) / count
    spread = sum((number - mean) ** 2 for number in numbers) / max(1, count - 1)
    return mean, math.sqrt(spread / count)
