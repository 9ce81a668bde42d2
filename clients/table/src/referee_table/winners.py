"""Hands that win at the deal, laid out so that a player sees what makes them.

What wins is the referee's answer; here the thirteen cards are only put in order: a run of thirteen by rank, three
straights or flushes as chi, pairs and triples side by side, colours apart.

>>> groups_of("SIX_PAIRS", ["AS", "2C", "AH", "2S", "KD"])
[['AS', 'AH'], ['2S', '2C'], ['KD']]
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

RANKS: Final = "23456789TJQKA"
SUITS: Final = "SCDH"


def groups_of(pattern: str, cards: Sequence[str]) -> list[list[str]]:
    """Return the cards in the groups that make a pattern; all of them by rank for a pattern without groups."""
    ordered = sorted(cards, key=lambda card: (RANKS.index(card[0]), SUITS.index(card[1])))
    if "THREE_STRAIGHTS" in pattern or "THREE_FLUSHES" in pattern:
        is_group = _is_run if "STRAIGHTS" in pattern else _is_flush
        return _split(ordered, is_group)
    if any(word in pattern for word in ("PAIR", "TRIPLE", "QUAD")):
        by_rank = _parted(ordered, lambda card: card[0])
        if "RUN" not in pattern:
            return sorted(by_rank, key=lambda group: (-len(group), -RANKS.index(group[0][0])))
        pairs = sorted([group[:2] for group in by_rank if len(group) > 1], key=lambda pair: RANKS.index(pair[0][0]))
        rest = [card for card in ordered if not any(card in pair for pair in pairs)]
        return [*pairs, *([rest] if rest else [])]
    if any(word in pattern for word in ("RED", "BLACK")):
        return _parted(ordered, lambda card: card[1] in "DH")
    if "OF_A_SUIT" in pattern:
        return _parted(ordered, lambda card: card[1])
    return [ordered]


def _parted(cards: Sequence[str], key: Callable[[str], object]) -> list[list[str]]:
    """Group cards by a key, the largest group first."""
    groups: dict[object, list[str]] = defaultdict(list)
    for card in cards:
        groups[key(card)].append(card)
    return sorted(groups.values(), key=len, reverse=True)


def _is_run(cards: Sequence[str]) -> bool:
    ranks = sorted(RANKS.index(card[0]) for card in cards)
    low = sorted(-1 if rank == len(RANKS) - 1 else rank for rank in ranks)  # the ace below the two
    return any(list(range(given[0], given[0] + len(given))) == given for given in (ranks, low))


def _is_flush(cards: Sequence[str]) -> bool:
    return len({card[1] for card in cards}) == 1


def _split(cards: Sequence[str], is_group: Callable[[Sequence[str]], bool]) -> list[list[str]]:
    """Split thirteen cards into groups of five, five and three; all of them in one if that cannot be done."""
    for back in itertools.combinations(cards, 5):
        rest = [card for card in cards if card not in back] if is_group(back) else []
        for middle in itertools.combinations(rest, 5):
            front = [card for card in rest if card not in middle]
            if is_group(middle) and is_group(front):
                return [list(back), list(middle), front]
    return [list(cards)]
