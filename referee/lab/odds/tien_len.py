"""Counts of the 635,013,559,600 hands of Tiến Lên that win at the deal, by pattern.

A win depends on ranks alone, except for twelve cards of one suit, which 2,032 hands have. Hands are counted rank by
rank; hands that agree in pairs, triples, quads and runs of pairs are of one kind. The game's own rules judge one hand
of each kind, and each of the 2,032 hands.

>>> from referee.rulesets import get
>>> odds = instant_win_odds(get("tien_len.mien_nam").rules)
>>> odds.chances[0].pattern, odds.chances[0].wins, f"{float(odds.any_win):.6f}"
('DRAGON_RUN', 369098752, '0.008312')
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from referee.cards import DECK
from referee.games.tien_len import TienLenRules, set_of
from referee.games.tien_len.instant_win import find_instant_win, top_of_pattern
from referee.games.tien_len.order import BY_STRENGTH, RANK_COUNT, RANK_OF_TWOS, CardSet
from referee.lab.odds.instant_win import InstantWinOdds

HAND_SIZE: Final = 13
SUITS: Final = 4
_PAIR, _TRIPLE, _QUAD = 2, 3, 4


class _Seen(NamedTuple):
    """A summary of the ranks so far; hands that agree in it meet the same patterns."""

    cards: int = 0
    pairs: int = 0
    triples: int = 0
    quads: int = 0
    run: int = 0
    longest: int = 0
    is_unbroken: bool = True
    twos: int = 0

    def with_rank(self, rank: int, count: int) -> "_Seen":
        if rank == RANK_OF_TWOS:
            run, longest, is_unbroken, twos = 0, self.longest, self.is_unbroken, count
        else:
            run = self.run + 1 if count >= _PAIR else 0
            longest, is_unbroken, twos = max(self.longest, run), self.is_unbroken and count > 0, 0
        return _Seen(
            cards=self.cards + count,
            pairs=self.pairs + count // _PAIR,
            triples=self.triples + (count >= _TRIPLE),
            quads=self.quads + (count == _QUAD),
            run=run,
            longest=longest,
            is_unbroken=is_unbroken,
            twos=twos,
        )


def instant_win_odds(rules: TienLenRules) -> InstantWinOdds:
    """Count the wins under a ruleset, in the order of its list of patterns."""
    listed = [value.pattern for value in rules.instant_wins]

    def judged() -> Iterator[tuple[Sequence[str], str | None, int]]:
        for hand, count in itertools.chain(_kinds(), _of_one_suit()):
            win = find_instant_win(rules.instant_wins, (hand,))
            patterns = [pattern for pattern in listed if top_of_pattern(pattern, hand) is not None]
            yield patterns, None if win is None else win.pattern, count

    return InstantWinOdds.counted({value.pattern: value.units for value in rules.instant_wins}, judged())


def _kinds() -> Iterator[tuple[CardSet, int]]:
    """Yield a hand of every kind, which never has twelve cards of a suit, with the number of hands of its kind.

    The number includes hands with twelve cards of a suit; ``_of_one_suit`` subtracts them again.
    """
    kinds: dict[_Seen, tuple[CardSet, int]] = {_Seen(): (0, 1)}
    for rank in range(RANK_COUNT):
        grown: dict[_Seen, tuple[CardSet, int]] = {}
        for seen, (hand, ways) in kinds.items():
            for count in range(min(SUITS, HAND_SIZE - seen.cards) + 1):
                after = seen.with_rank(rank, count)
                made, known = grown.get(after, (hand | _cards(rank, count), 0))
                grown[after] = made, known + ways * math.comb(SUITS, count)
        kinds = grown
    return ((hand, ways) for seen, (hand, ways) in kinds.items() if seen.cards == HAND_SIZE)


def _cards(rank: int, count: int) -> CardSet:
    """Return ``count`` cards of a rank, whose suits rotate with the rank so that no suit has twelve."""
    return sum(1 << SUITS * rank + (rank + step) % SUITS for step in range(count))


def _of_one_suit() -> Iterator[tuple[CardSet, int]]:
    """Yield each hand with twelve cards of a suit or more and 1, then a hand of its ranks in mixed suits and -1."""
    for suit in range(SUITS):
        own = DECK[suit::SUITS]
        hands = [own]
        for missing in range(len(own)):
            rest = own[:missing] + own[missing + 1 :]
            hands += [(*rest, other) for other in DECK if other.suit != suit]
        for cards in hands:
            hand = set_of(cards)
            yield hand, 1
            yield _turned(hand), -1


def _turned(hand: CardSet) -> CardSet:
    """Return a hand of the same ranks, whose suits rotate with the rank."""
    counts = [(hand >> SUITS * rank & 15).bit_count() for rank in range(len(BY_STRENGTH) // SUITS)]
    return sum(_cards(rank, count) for rank, count in enumerate(counts))
