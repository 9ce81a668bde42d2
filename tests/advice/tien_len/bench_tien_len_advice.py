"""How long advice takes: ``python -m tests.advice.tien_len.bench_tien_len_advice`` prints processor time a question.

Positions are those of rounds of four that play the lowest legal card, each seen once, so that little is remembered of
their hands.
"""

import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

from referee.advice.tien_len.playout import Playout
from referee.advice.tien_len.policy import choose, weigh
from referee.advice.tien_len.sampling import sample
from referee.advice.tien_len.view import View
from referee.games.tien_len import TienLenRules
from tests.advice.tien_len.tournament import lowest_legal
from tests.builtin import rules_as

ROUNDS = 300
SAMPLED = 40


def positions(seed: int) -> list[View]:
    """Return what the seats on turn saw in some rounds."""
    chance = random.Random(seed)  # noqa: S311 - the same rounds every time
    found = []
    for _ in range(ROUNDS):
        places = chance.sample(range(52), 52)
        hands = [sum([1 << place for place in places[seat::4]]) for seat in range(4)]
        playout = Playout(rules_as(TienLenRules, "tien_len.mien_nam"), hands, turn=0)
        while playout.winner is None:
            found.append(playout.view())
            play = lowest_legal(playout)
            if play is None:
                playout.pass_turn()
            else:
                playout.play(play)
    return found


def measure(name: str, ask: Callable[[View], object], views: Sequence[View]) -> None:
    """Print mean, 99th percentile and the slowest."""
    taken = []
    for view in views:
        start = time.process_time_ns()
        ask(view)
        taken.append((time.process_time_ns() - start) / 1e6)
    taken.sort()
    mean, slow = sum(taken) / len(taken), taken[len(taken) * 99 // 100]
    sys.stdout.write(f"{name:<32} mean {mean:8.3f} ms   99 % {slow:8.3f} ms   slowest {taken[-1]:8.3f} ms\n")


def play_out(view: View, *, samples: int) -> object:
    return sample(view, weigh(view), samples=samples)


if __name__ == "__main__":
    measure("warming up", choose, positions(1))
    measure("one suggestion", choose, positions(2))
    measure("all plays weighed", lambda view: weigh(view, wide=True), positions(3))
    chosen = [view for view in positions(4) if view.to_beat is None][:SAMPLED]
    for samples in (20, 60, 200):
        measure(f"{samples} samples", partial(play_out, samples=samples), chosen)
