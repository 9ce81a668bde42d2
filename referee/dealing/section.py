"""A section's key opens its cards and no others, and nobody can open them as other cards.

::

    K_i      = HKDF(s, M, enc("section", round_id, u8 i), 32)
    salt_k   = HKDF(K_i, "", enc("salt", round_id, u8 i), 32*m)[32k:32k+32]       m = cards in the section
    L_ik     = TH("card", round_id, u8 i, u8 k, u8 card, salt_k)
    R_i      = RFC 6962 root over the leaf data L_i0..
    deck_root = TH("deck-root", round_id, C, M, layout, R_0..R_q)                 layout: one u8 a section

A section has at most 52 cards, so its salts are at most 1,664 bytes of HKDF output. This module refuses to know whose
section it is and whether it may be opened.

>>> from referee.cards import parse_cards
>>> hand = parse_cards("AS KD")
>>> section_root(key=bytes(32), round_id=bytes(32), section=0, cards=hand).hex()[:16]
'50ee5a477dc06718'
"""

import hashlib
from collections.abc import Sequence
from typing import Final

from referee.cards import DECK, Card
from referee.evidence import merkle
from referee.evidence.encoding import enc, framed, opening, tagged_hash, u8
from referee.evidence.hkdf import Prk

SALT_SIZE: Final = 32
KEY_SIZE: Final = 32

_sha256 = hashlib.sha256


def section_key(*, seed: bytes, mixed: bytes, round_id: bytes, section: int) -> bytes:
    """K_i: the 32 bytes that open one section."""
    return key_from(Prk.of(seed, salt=mixed), round_id=round_id, section=section)


def key_from(secret: Prk, *, round_id: bytes, section: int) -> bytes:
    """K_i from what is extracted from the server's seed and the mix once for the whole deal."""
    return secret.expand(info=enc("section", round_id, u8(section)), length=KEY_SIZE)


def card_salts(*, key: bytes, round_id: bytes, section: int, size: int) -> list[bytes]:
    """The salts of a section's cards, in their order; 32 bytes each."""
    return Prk.of(key, salt=b"").blocks(info=enc("salt", round_id, u8(section)), length=SALT_SIZE * size)


def card_leaf(*, round_id: bytes, section: int, place: int, card: Card, salt: bytes) -> bytes:
    """L_ik: what stands in the section's tree for the card at a place."""
    return tagged_hash("card", round_id, u8(section), u8(place), u8(card.number), salt)


def section_leaves(*, key: bytes, round_id: bytes, section: int, cards: Sequence[Card]) -> list[bytes]:
    """L_i0 and so on for all cards of a section in their order, as ``card_leaf`` gives them one by one."""
    start = opening("card", 5) + framed(round_id) + framed(u8(section))
    salts = card_salts(key=key, round_id=round_id, section=section, size=len(cards))
    return [
        _sha256(start + place + _FRAMED_CARDS[card] + salt).digest()
        for place, card, salt in zip(_FRAMED_PLACES[: len(cards)], cards, salts, strict=True)
    ]


def section_root(*, key: bytes, round_id: bytes, section: int, cards: Sequence[Card]) -> bytes:
    """R_i: the root over a section's cards; 32 bytes."""
    return merkle.root(section_leaves(key=key, round_id=round_id, section=section, cards=cards))


def deck_root(
    *, round_id: bytes, commitment: bytes, mixed: bytes, layout: Sequence[int], roots: Sequence[bytes]
) -> bytes:
    """The one hash that the whole deal is committed to by; 32 bytes."""
    return tagged_hash("deck-root", round_id, commitment, mixed, bytes(layout), *roots)


_FRAMED_PLACES: Final = tuple([framed(u8(place)) for place in range(len(DECK))])
_FRAMED_CARDS: Final = {card: framed(u8(card.number)) + SALT_SIZE.to_bytes(4, "big") for card in DECK}
"""The card's number as a field, and the length before the salt, which is the field after it."""
