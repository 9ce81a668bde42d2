"""Bài Cào written a second time, from card numbers alone, to compare with."""

from collections.abc import Sequence

THREE_FACES = 10
TEN, JACK, KING, ACE = 8, 9, 11, 12


def strength_of(hand: Sequence[int]) -> int:
    """Return 10 for three faces, otherwise the last digit of the sum."""
    ranks = [(number - 1) // 4 for number in hand]
    if all(JACK <= rank <= KING for rank in ranks):
        return THREE_FACES
    return sum(1 if rank == ACE else rank + 2 if rank < TEN else 0 for rank in ranks) % 10


def net_of(hands: Sequence[Sequence[int]], stake: int) -> list[int]:
    """Return what each seat wins or loses against seat 0."""
    house, *others = map(strength_of, hands)
    signs = [(strength > house) - (strength < house) for strength in others]
    return [-stake * sum(signs), *(stake * sign for sign in signs)]
