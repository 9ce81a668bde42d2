"""How long hands take, beside eval7 in the same run: ``python tests/bench/bench_hands.py``.

Each line gives nanoseconds a call, the best of seven runs over 2,000 hands drawn with a fixed seed, and the ratio to
eval7 on the same cards. The last lines give milliseconds until the first hand can be valued in a new process.
"""

import importlib
import platform
import random
import subprocess
import sys
import timeit
from collections.abc import Callable, Sequence
from typing import Any, Final

from referee.cards import DECK, Card
from referee.hands import AceLowStraight, Category, Ranking, RankingRules

HANDS: Final = 2_000
NINE: Final = tuple(Category)[:9]
THREE: Final = (Category.HIGH_CARD, Category.PAIR, Category.THREE_OF_A_KIND)

START: Final = """
import time
import referee.cards, msgspec
before = time.perf_counter()
from referee.hands import AceLowStraight, Category, Ranking, RankingRules
imported = time.perf_counter()
nine = tuple(Category)[:9]
known = (Category.HIGH_CARD, Category.PAIR, Category.THREE_OF_A_KIND)
for order, threes in ((nine, known), (tuple(Category), known), ((*nine, Category.ROYAL_FLUSH), ())):
    Ranking.of(RankingRules(order, threes, AceLowStraight.LOWEST)).three_table
print((imported - before) * 1000, (time.perf_counter() - imported) * 1000)
"""


def nanoseconds(call: Callable[[Any], object], hands: Sequence[Any]) -> float:
    """Nanoseconds a call, the best of seven runs over all hands."""
    runs = timeit.repeat(lambda: [call(hand) for hand in hands], number=5, repeat=7)
    return min(runs) / (5 * len(hands)) * 1e9


def milliseconds_to_start() -> tuple[float, float]:
    """Milliseconds to import the room, its dependencies loaded, and to make all tables of three rankings."""
    best = [
        tuple(float(word) for word in subprocess.check_output([sys.executable, "-c", START], text=True).split())
        for _ in range(5)
    ]
    return min(imported for imported, _ in best), min(made for _, made in best)


def main() -> None:
    """Print the table."""
    ranking = Ranking.of(RankingRules(NINE, THREE, AceLowStraight.LOWEST))
    eval7 = importlib.import_module("eval7")
    theirs = {card: eval7.Card(card.text[0] + card.text[1].lower()) for card in DECK}
    dice = random.Random(5)  # noqa: S311 - a fixed sample, no secret
    fives: list[list[Card]] = [dice.sample(DECK, 5) for _ in range(HANDS)]
    sevens: list[list[Card]] = [dice.sample(DECK, 7) for _ in range(HANDS)]
    eval7_five = nanoseconds(eval7.evaluate, [[theirs[card] for card in hand] for hand in fives])
    eval7_seven = nanoseconds(eval7.evaluate, [[theirs[card] for card in hand] for hand in sevens])
    rows = [
        ("eval7.evaluate, five cards", eval7_five, eval7_five),
        ("ranking.five_strength", nanoseconds(ranking.five_strength, fives), eval7_five),
        ("ranking.five", nanoseconds(ranking.five, fives), eval7_five),
        ("eval7.evaluate, seven cards", eval7_seven, eval7_seven),
        ("ranking.seven_strength", nanoseconds(ranking.seven_strength, sevens), eval7_seven),
        (
            "ranking.two_plus_three_strength",
            nanoseconds(
                lambda hand: ranking.two_plus_three_strength(hole=hand[0], board=hand[1]),
                [(hand[:2], hand[2:]) for hand in sevens],
            ),
            eval7_seven,
        ),
    ]
    imported, made = milliseconds_to_start()
    lines = [f"{name:<34}{taken:>8.0f} ns  x{taken / baseline:.2f}" for name, taken, baseline in rows]
    lines += [f"{'import referee.hands':<34}{imported:>8.1f} ms", f"{'tables of three rankings':<34}{made:>8.1f} ms"]
    sys.stdout.write("\n".join([f"Python {platform.python_version()} on {platform.machine()}", *lines, ""]))


if __name__ == "__main__":
    main()
