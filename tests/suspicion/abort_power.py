"""Power of the statistic of aborts by owner: run ``python -m tests.suspicion.abort_power``.

An operator gives up the worst part of the decks of one key, which changes tables and seats; besides, some decks are
given up whatever their cards are. Printed are the rounds of that key until the audit fails, and how many healthy logs
are clean.
"""

import argparse
import statistics
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

from msgspec.structs import replace

from referee.finding import Code, Finding, Severity
from referee.suspicion.owners import Owners
from referee.suspicion.population import LogCounts, RoundSample
from referee.suspicion.questions import questions
from referee.suspicion.score import judge
from tests.suspicion.shuffled_rounds import SEATS, Luck, ended, played

TABLES: Final = 10
PLAYERS: Final = 40
ACCOMPLICE: Final = b"a" * 32
GIVEN_UP_ANYHOW: Final = 0.01
"""Share of the decks that are given up whatever their cards are."""
MOST: Final = 20_000
"""Rounds after which a run is given up."""
_DECKS: Final = 1_000
_EVERY: Final = 10
"""Rounds between two judgements."""


def suspicions_of(population: LogCounts, owners: Owners) -> tuple[Finding, ...]:
    """Judge the counts of a log."""
    return judge(questions(population, owners, {}, repeated=())).suspicions


def player(number: int) -> bytes:
    """Return the key of a player."""
    return number.to_bytes(32, "big")


def merit(drawn: RoundSample, seat: int) -> tuple[int, int, int]:
    """Return what a seat's hand is worth to an operator: what it wins if all play plainly, its points, then luck."""
    known = drawn if drawn.outcomes else ended(drawn, is_aborted=True)
    won = (known.outcomes or known.leads or known.points)[seat]
    return won, known.points[seat] if known.points else 0, zlib.crc32(known.deck)


@cache
def limit(game: str, seats: int, share: float) -> tuple[int, int, int]:
    """Return the merit that so great a share of hands does not reach."""
    luck = Luck("limit", game, seats)
    decks = [ended(played(luck, game, seats=seats), is_aborted=True) for _ in range(_DECKS)]
    merits = sorted(merit(drawn, seat) for drawn in decks for seat in range(seats))
    return merits[int(share * len(merits))]


def vetoed(luck: Luck, game: str, *, seats: int, share: float) -> Iterator[RoundSample]:
    """Yield the rounds of an accomplice, the worst of them given up; it and the others sit anywhere each round."""
    worst = limit(game, seats, share)
    while True:
        keys = [ACCOMPLICE, *[player(number) for number in luck.sample(range(PLAYERS), seats - 1)]]
        luck.shuffle(keys)
        table = f"table {luck.randrange(TABLES)}"
        drawn = played(luck, game, table=table, seats=seats, keys=tuple(keys))
        is_worst = merit(drawn, keys.index(ACCOMPLICE)) < worst
        yield ended(drawn, is_aborted=is_worst or luck.random() < GIVEN_UP_ANYHOW)


def rounds_to_finding(rounds: Iterator[RoundSample], *, most: int = MOST) -> int | None:
    """Return after how many rounds the accomplice's key is found; None if never. Nobody else may be found."""
    population, owners = LogCounts(), Owners()
    for number, drawn in enumerate(rounds, 1):
        population.add(drawn)
        owners.add(drawn)
        if number % _EVERY == 0:
            failed = [one for one in suspicions_of(population, owners) if one.severity is Severity.FAIL]
            if any(one.code is Code.ABORTED_FOR_KEY and ACCOMPLICE.hex() in one.detail for one in failed):
                return number
        if number >= most:
            return None
    return None


def healthy(luck: Luck, *, rounds: int) -> tuple[Finding, ...]:
    """Judge a log whose fates depend on no seat's cards, though on much else.

    Decks are given up more often after a round that went badly for a player, or when all hands are weak; seeds are
    missing, and some are handed in whatever their decks are; players come, and stay for long or for a few rounds.
    """
    game, rate = luck.choice(list(SEATS)), luck.choice((0.0, 0.02, 0.1, 0.5))
    seats = luck.randint(2, SEATS[game])
    is_keyed, is_weak, is_tilted = (luck.random() < share for share in (0.8, 0.3, 0.3))
    population, owners = LogCounts(), Owners(are_seeds_handed_in=True)
    went_badly: set[bytes] = set()
    for number in range(rounds):
        present = range(number // 7, number // 7 + 2 * seats) if luck.random() < 0.3 else range(2 * seats)
        keys = tuple(player(one) if is_keyed else b"" for one in luck.sample(present, seats))
        drawn = played(luck, game, table=f"table {luck.randrange(3)}", seats=seats, keys=keys)
        chance = rate
        if is_weak and drawn.points and max(drawn.points) < 110:
            chance += 0.3
        if is_tilted and went_badly.intersection(keys):
            chance += 0.3
        drawn = ended(drawn, is_aborted=luck.random() < chance)
        went_badly = {key for seat, key in enumerate(keys) if drawn.points and drawn.points[seat] < 90}
        if drawn.is_aborted and luck.random() < 0.5:
            drawn = without_seed(luck, drawn)
        population.add(drawn)
        owners.add(drawn)
    return suspicions_of(population, owners)


def without_seed(luck: Luck, drawn: RoundSample) -> RoundSample:
    """Return the round as it is before its deal, given up without a seed, which may be handed in later."""
    seat = luck.randrange(drawn.seat_count)
    drawn = replace(drawn, deck=b"", blamed=(seat,))
    if luck.random() < 0.5:
        return replace(drawn, handed_in=(seat,))
    return replace(drawn, points=(), leads=(), outcomes=())


def count_clean(logs: int, *, rounds: int, progress: Callable[[int], None] = lambda _: None) -> tuple[int, int]:
    """Return how many healthy logs nothing failed in, and how many had a note."""
    clean = noted = 0
    for number in range(logs):
        suspicions = healthy(Luck("healthy", number), rounds=rounds)
        clean += all(one.severity is Severity.NOTE for one in suspicions)
        noted += bool(suspicions)
        progress(number + 1)
    return clean, noted


def _print_power(runs: int) -> None:
    for game, seats in (("mau_binh", 4), ("mau_binh", 2), ("tien_len", 4), ("ultimate_texas", 1)):
        for share in (0.5, 0.1, 0.02):
            took: list[float] = []
            for number in range(runs):
                found = rounds_to_finding(vetoed(Luck("power", game, number), game, seats=seats, share=share))
                took.append(float("inf") if found is None else found)
                _say(f"{game}, {seats} seats, {share:.0%}: run {number + 1} of {runs}")
            _say("")
            sys.stdout.write(
                f"{game}, {seats} seats, {share:.0%} vetoed: found after {statistics.median(took):,.0f} rounds "
                f"(median of {runs}; {min(took):,.0f} to {max(took):,.0f})\n"
            )
            sys.stdout.flush()


def _say(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text:<60}\r")


def main() -> None:
    """Print the power, then the count of clean logs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=11, help="runs for each share of decks")
    parser.add_argument("--logs", type=int, default=1_000, help="healthy logs")
    parser.add_argument("--rounds", type=int, default=300, help="rounds of a healthy log")
    given = parser.parse_args()
    begun = time.monotonic()
    _print_power(given.runs)
    clean, noted = count_clean(
        given.logs, rounds=given.rounds, progress=lambda done: _say(f"healthy log {done:,} of {given.logs:,}")
    )
    _say("")
    sys.stdout.write(
        f"{clean:,} of {given.logs:,} healthy logs of {given.rounds:,} rounds are clean, {noted:,} have a note\n"
        f"{time.monotonic() - begun:,.0f} s\n"
    )


if __name__ == "__main__":
    main()
