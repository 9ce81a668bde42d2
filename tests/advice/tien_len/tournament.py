"""How the advice plays: ``python -m tests.advice.tien_len.tournament --rounds 100000``.

A player sits among opponents of another kind at tables of two, three and four seats. Every deal is played once from
each seat, so luck of the cards cancels: what is averaged is the mean of a deal over its seats, and intervals are of
95 %, by the spread between deals. Stakes are what the ruleset pays, chops and 3S included. Deals that win at once are
not played. Rounds are those of ``referee.advice.tien_len.playout``, which the tests hold against the law.
"""

import argparse
import math
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from referee.advice.tien_len.playout import Playout
from referee.advice.tien_len.policy import choose, weigh
from referee.advice.tien_len.sampling import sample
from referee.games.tien_len import Combination, TienLenRules
from referee.games.tien_len.instant_win import find_instant_win
from referee.rulesets import get

Player = Callable[[Playout], Combination | None]

INTERVAL: Final = 1.96


@dataclass(frozen=True, slots=True)
class Score:
    """What a player won a round, in stakes, with half the width of its interval; and how many of its rounds."""

    seats: int
    rounds: int
    stakes: float
    interval: float
    won: float
    won_interval: float

    def __str__(self) -> str:
        """One line of the table."""
        return (
            f"{self.seats} seats  {self.rounds:>8,} rounds  {self.stakes:+.3f} ± {self.interval:.3f} stakes a round  "
            f"wins {100 * self.won:.2f} ± {100 * self.won_interval:.2f} %"
        )


def quick(playout: Playout) -> Combination | None:
    """Plays by the quick advice."""
    return choose(playout.view())


def lowest_legal(playout: Playout) -> Combination | None:
    """Plays the first legal play in the law's order, a single first and the weakest of all; passes only if it must."""
    return next(playout.view().plays(), None)


def at_random(playout: Playout) -> Combination | None:
    """Plays any legal play, the same in the same position."""
    plays = list(playout.view().plays())
    return random.Random(hash((playout.played, *playout.held))).choice(plays) if plays else None  # noqa: S311


def sampling(samples: int) -> Player:
    """Plays by rounds played out, so many samples a turn."""

    def player(playout: Playout) -> Combination | None:
        view = playout.view()
        weighed = weigh(view)
        if len(weighed) == 1:
            return weighed[0].play
        return sample(view, weighed, samples=samples)[0].weighed.play

    return player


def play_round(rules: TienLenRules, hands: Sequence[int], players: Sequence[Player], *, leader: int) -> Playout:
    """Play a round to its end."""
    playout = Playout(rules, list(hands), turn=leader)
    while playout.winner is None:
        play = players[playout.turn](playout)
        if play is None:
            playout.pass_turn()
        else:
            playout.play(play)
    return playout


def compete(  # noqa: PLR0913 - what a tournament is made of
    player: Player, opponent: Player, *, seats: int, deals: int, seed: int, rules: TienLenRules
) -> Score:
    """Play the deals, each from every seat; return what the player wins of its opponents."""
    chance = random.Random(seed)  # noqa: S311 - the same deals every time
    means: list[float] = []
    wins: list[float] = []
    while len(means) < deals:
        places = chance.sample(range(52), 13 * seats)
        hands = tuple(sum(1 << place for place in places[13 * seat : 13 * seat + 13]) for seat in range(seats))
        leader = chance.randrange(seats)
        if find_instant_win(rules.instant_wins, hands) is not None:
            continue
        stakes = won = 0
        for seat in range(seats):
            players = [opponent] * seats
            players[seat] = player
            ended = play_round(rules, hands, players, leader=leader)
            stakes += ended.net[seat]
            won += ended.winner == seat
        means.append(stakes / seats)
        wins.append(won / seats)
    return Score(seats, deals * seats, *_mean(means), *_mean(wins))


def _mean(numbers: Sequence[float]) -> tuple[float, float]:
    mean = sum(numbers) / len(numbers)
    spread = sum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1)
    return mean, INTERVAL * math.sqrt(spread / len(numbers))


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100_000, help="rounds of each number of seats")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seats", type=int, nargs="+", default=[2, 3, 4], choices=(2, 3, 4))
    parser.add_argument("--samples", type=int, default=0, help="the player's samples; 0 for the quick advice")
    parser.add_argument("--opponent", choices=("lowest", "random", "quick"), default="lowest")
    asked = parser.parse_args(arguments)
    rules = get("tien_len.mien_nam").rules
    if not isinstance(rules, TienLenRules):
        raise TypeError
    player = sampling(asked.samples) if asked.samples else quick
    opponent = {"lowest": lowest_legal, "random": at_random, "quick": quick}[asked.opponent]
    for seats in asked.seats:
        start = time.perf_counter()
        score = compete(player, opponent, seats=seats, deals=-(-asked.rounds // seats), seed=asked.seed, rules=rules)
        sys.stdout.write(f"{score}  ({time.perf_counter() - start:.0f} s)\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
