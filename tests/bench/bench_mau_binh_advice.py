"""What advice for Mậu Binh costs: microseconds of CPU in process, and server CPU beside an echo over gRPC.

``python -m tests.bench.bench_mau_binh_advice``. In process the mean over 1,000 random hands is taken, the best of
five runs. Over gRPC the hands are free ones and eight callers ask at once, as in ``bench_serving``.
"""

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from referee.advice.mau_binh.advisor import Advisor
from referee.advice.mau_binh.populations import Populations
from referee.advice.mau_binh.splits import Splitter
from referee.cards import DECK, Card
from referee.games.mau_binh import MauBinhRules
from referee.rulesets import get
from referee.v1 import mau_binh_pb2, mau_binh_pb2_grpc
from tests.bench.measuring import call, echo_cost, measured_server

HANDS: Final = 1_000
RULESETS: Final = ("mau_binh.maubinh_com", "mau_binh.classic", "mau_binh.chi_2020")
IN_PROCESS_AIM: Final = 500
ECHO_AIM: Final = 5.0


def microseconds(call: Callable[[Sequence[Card]], object], hands: Sequence[Sequence[Card]]) -> float:
    """CPU microseconds a hand, the best of five runs."""
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        for hand in hands:
            call(hand)
        best = min(best, time.process_time() - start)
    return best / len(hands) * 1e6


def main(calls: int) -> None:
    """Print the tables."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, set(cores[1:]) or set(cores))
    luck = random.Random(1)  # noqa: S311 - a benchmark that repeats itself
    hands = [luck.sample(DECK, 13) for _ in range(HANDS)]
    for ruleset_id in RULESETS:
        ruleset = get(ruleset_id)
        if not isinstance(ruleset.rules, MauBinhRules):
            raise TypeError(ruleset_id)
        start = time.process_time()
        population = Populations.builtin().population_for(ruleset.rules, digest=ruleset.digest)
        advisor = Advisor.of(ruleset.rules, population, seat_count=4)
        made = (time.process_time() - start) * 1000
        split = microseconds(Splitter(ruleset.rules.ranker).split, hands)
        one, three = (microseconds(partial(advisor.suggest, count=count), hands) for count in (1, 3))
        sys.stdout.write(
            f"{ruleset_id:<22} all splits {split:4.0f} us, best {one:4.0f} us, best three {three:4.0f} us"
            f" (<= {IN_PROCESS_AIM}); made in {made:.0f} ms\n"
        )
    with tempfile.TemporaryDirectory() as name, measured_server(Path(name), "rulesets,referee,log") as server:
        referee = mau_binh_pb2_grpc.MauBinhServiceStub(server.channel)
        echo = echo_cost(server, calls)
        for count in (1, 3):
            questions = [
                mau_binh_pb2.SuggestArrangementRequest(
                    free=mau_binh_pb2.FreeHand(
                        cards=[card.number for card in hands[number % HANDS]],  # type: ignore[misc] # the number itself
                        ruleset_id="mau_binh.classic",
                        seat_count=4,
                    ),
                    count=count,
                )
                for number in range(calls)
            ]
            server.cost([call(referee.SuggestArrangement, one) for one in questions[:50]])
            cost = server.cost([call(referee.SuggestArrangement, one) for one in questions])
            sys.stdout.write(
                f"SuggestArrangement, {count} of them: {cost:4.0f} us, {cost / echo:.2f}x an echo of {echo:.0f} us"
                f" (<= {ECHO_AIM})\n"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
