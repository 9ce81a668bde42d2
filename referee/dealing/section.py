"""Keys and roots of sections, and the deck root over them.

::

    K_i       = HKDF(s, M, enc("section-key", round_id, u8 i), 32)
    R_i       = TH("section", round_id, u8 i, card numbers, K_i)            one byte a card, in the order dealt
    deck_root = TH("deck-root", round_id, C, M, layout, R_0..R_q)           layout: one byte a section

K_i opens section i as these cards and no others, and reveals nothing about another section.

>>> from referee.cards import parse_cards
>>> section_root(key=bytes(32), round_id=bytes(32), section=0, cards=parse_cards("AS KD")).hex()[:16]
'ab29862a5b512e68'
"""

from collections.abc import Sequence
from typing import Final

from referee.cards import Card
from referee.evidence.encoding import enc, tagged_hash, u8
from referee.evidence.hkdf import Prk

KEY_SIZE: Final = 32


def section_key(secret: Prk, *, round_id: bytes, section: int) -> bytes:
    """Derive K_i from the pseudorandom key that the server's seed and the mix give."""
    return secret.expand(info=enc("section-key", round_id, u8(section)), length=KEY_SIZE)


def section_root(*, key: bytes, round_id: bytes, section: int, cards: Sequence[Card]) -> bytes:
    """Hash a section's cards, in the order dealt, and its key to R_i."""
    numbers = bytes([card.number for card in cards])
    return tagged_hash("section", round_id, u8(section), numbers, key)


def deck_root(
    *, round_id: bytes, commitment: bytes, mixed: bytes, layout: Sequence[int], roots: Sequence[bytes]
) -> bytes:
    """Hash the roots of all sections to the one value that commits to the whole deal."""
    return tagged_hash("deck-root", round_id, commitment, mixed, bytes(layout), *roots)
