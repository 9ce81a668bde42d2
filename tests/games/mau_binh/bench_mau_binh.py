"""Prints what settling a round of four seats costs, in microseconds of CPU; run it as a script, nothing is asserted."""

import random
import sys
import time
from collections.abc import Callable
from typing import TypeAlias

from referee.cards import DECK, Card, Seat
from referee.games import DealtRound, play
from referee.games.mau_binh import (
    GAME,
    Arrange,
    Arrangement,
    MauBinhRules,
    begin,
    check_arrangement,
    patterns_of,
    settle,
)
from referee.rulesets import load_builtin

Job: TypeAlias = tuple[tuple[tuple[Card, ...], ...], list[Arrange]]

ROUNDS = 300


def best_of(repeats: int, work: Callable[[], object]) -> float:
    """Microseconds a round in the fastest of some runs."""
    fastest = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        fastest = min(fastest, time.process_time() - start)
    return fastest / ROUNDS * 1e6


def jobs_of(rules: MauBinhRules) -> list[Job]:
    """Random deals of four seats, each seat with a lawful arrangement where a few tries find one."""
    rng = random.Random(1)  # noqa: S311 - a benchmark that repeats itself
    jobs: list[Job] = []
    for _ in range(ROUNDS):
        deck = rng.sample(DECK, 52)
        hands = tuple(tuple(deck[13 * seat : 13 * seat + 13]) for seat in range(4))
        events = []
        for seat, hand in enumerate(hands):
            tries = (Arrangement.as_dealt(rng.sample(hand, 13)) for _ in range(200))
            lawful = (one for one in tries if not check_arrangement(rules, hand, one))
            chi = next(lawful, Arrangement.as_dealt(hand)).chi
            events.append(Arrange(Seat(seat), *chi, time=1_000 + seat))
        jobs.append((hands, events))
    return jobs


def main() -> None:
    for ruleset in load_builtin():
        rules = ruleset.rules
        if not isinstance(rules, MauBinhRules):
            continue
        jobs = jobs_of(rules)

        def settled(rules: MauBinhRules = rules, jobs: list[Job] = jobs) -> None:
            for hands, events in jobs:
                state = begin(rules, DealtRound(seat_count=4, stake=100, sections=hands, dealt_time=0))
                settle(play(GAME, state, events).state)

        def begun(rules: MauBinhRules = rules, jobs: list[Job] = jobs) -> None:
            for hands, _ in jobs:
                begin(rules, DealtRound(seat_count=4, stake=100, sections=hands, dealt_time=0))

        def seen(jobs: list[Job] = jobs) -> None:
            for hands, _ in jobs:
                for hand in hands:
                    patterns_of(hand)

        lines = [f"{name} {best_of(15, work):6.1f} us" for name, work in (("settle", settled), ("deal", begun))]
        lines.append(f"patterns of a hand {best_of(15, seen) / 4:4.2f} us")
        sys.stdout.write(f"{ruleset.id}: {', '.join(lines)}\n")


if __name__ == "__main__":
    main()
