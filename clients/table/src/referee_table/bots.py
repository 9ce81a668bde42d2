"""How well bots play and how long they think: the levels and paces that a room's host chooses from.

A level says which advice of the referee a bot asks for and which suggestion it takes. Every suggestion is lawful, so a
bot of any level plays by the rules, and none sees more than its own seat may.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

LevelName = Literal["EASY", "STEADY", "STRONG"]
PaceName = Literal["QUICK", "USUAL", "SLOW"]
Option = TypeVar("Option")


@dataclass(frozen=True, slots=True)
class Level:
    """What a bot asks for: so many suggestions, best first, of which it takes any one with equal chance.

    ``samples`` is how often the rest of the round is played out for the advice, 0 for quick advice, in a game whose
    advice can do that. The others' advice is as good without.
    """

    count: int
    samples: int

    def choose(self, options: Sequence[Option], entropy: Callable[[int], bytes]) -> Option:
        """Return one of the first ``count`` options, which are best first; draw no entropy where only one counts.

        >>> Level(count=1, samples=0).choose(["best", "next"], lambda size: b"")
        'best'
        >>> Level(count=2, samples=0).choose(["best", "next", "last"], lambda size: bytes([0] * (size - 1) + [3]))
        'next'
        """
        count = min(self.count, len(options))
        return options[0 if count == 1 else int.from_bytes(entropy(8), "big") % count]


LEVELS: Final[dict[LevelName, Level]] = {
    "EASY": Level(count=3, samples=0),
    "STEADY": Level(count=1, samples=0),
    "STRONG": Level(count=1, samples=40),
}
PACES: Final[dict[PaceName, int]] = {"QUICK": 30, "USUAL": 100, "SLOW": 300}
"""How long bots think, in percent of the table server's own pace."""
