"""Hands that win at the deal, laid out so that a player sees what makes them.

What wins is the referee's answer; here the thirteen cards are only put in order: a run of thirteen by rank, three
straights or flushes as chi, pairs and triples side by side, colours apart.

>>> groups_of("SIX_PAIRS", ["AS", "2C", "AH", "2S", "KD"])
[['AS', 'AH'], ['2S', '2C'], ['KD']]
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from referee_table.cards import RANKS, SUITS

SIZES: Final = (5, 5, 3)
_RED: Final = frozenset("DH")


def groups_of(pattern: str, cards: Sequence[str]) -> list[list[str]]:
    """Return the cards in the groups that make a pattern; all of them by rank for a pattern without groups."""
    ordered = sorted(cards, key=_strength)
    if "THREE_STRAIGHTS" in pattern or "THREE_FLUSHES" in pattern:
        is_group = _is_run if "STRAIGHTS" in pattern else _is_flush
        return _split(ordered, SIZES, is_group) or [ordered]
    if any(word in pattern for word in ("PAIR", "TRIPLE", "QUAD")):
        return _by_rank(ordered, is_run="RUN" in pattern)
    if any(word in pattern for word in ("RED", "BLACK")):
        return _parted(ordered, lambda card: card[1] in _RED)
    if "OF_A_SUIT" in pattern:
        return _parted(ordered, lambda card: card[1])
    return [ordered]


def _strength(card: str) -> tuple[int, int]:
    return RANKS.index(card[0]), SUITS.index(card[1])


def _parted(cards: Sequence[str], key: Callable[[str], object]) -> list[list[str]]:
    """Group cards by a key, the largest group first."""
    groups: dict[object, list[str]] = defaultdict(list)
    for card in cards:
        groups[key(card)].append(card)
    return sorted(groups.values(), key=len, reverse=True)


def _by_rank(cards: Sequence[str], *, is_run: bool) -> list[list[str]]:
    """Group cards of a rank, four before three before two; in a run of pairs two of each rank, then the others."""
    groups = [list(group) for _, group in itertools.groupby(cards, key=lambda card: card[0])]
    if is_run:
        pairs = [group[:2] for group in groups if len(group) > 1]
        rest = [card for group in groups for card in (group[2:] if len(group) > 1 else group)]
        return [*pairs, *([rest] if rest else [])]
    return sorted(groups, key=lambda group: (-len(group), -RANKS.index(group[0][0])))


def _is_run(cards: Sequence[str]) -> bool:
    ranks = sorted(RANKS.index(card[0]) for card in cards)
    low = [-1 if rank == len(RANKS) - 1 else rank for rank in ranks]  # the ace below the two
    return any(list(range(given[0], given[0] + len(given))) == given for given in (ranks, sorted(low)))


def _is_flush(cards: Sequence[str]) -> bool:
    return len({card[1] for card in cards}) == 1


def _split(
    cards: Sequence[str], sizes: Sequence[int], is_group: Callable[[Sequence[str]], bool]
) -> list[list[str]] | None:
    """Split the cards into groups of these sizes; the weakest card left goes into each size in turn."""
    if not sizes:
        return []
    for size in dict.fromkeys(sizes):
        rest_sizes = list(sizes)
        rest_sizes.remove(size)
        for chosen in _with_first(cards, size):
            if is_group(chosen):
                rest = [card for card in cards if card not in chosen]
                if (found := _split(rest, rest_sizes, is_group)) is not None:
                    return sorted([list(chosen), *found], key=len, reverse=True)
    return None


def _with_first(cards: Sequence[str], size: int) -> Iterable[tuple[str, ...]]:
    """Yield every choice of ``size`` cards that has the first card."""
    return ((cards[0], *others) for others in itertools.combinations(cards[1:], size - 1))
