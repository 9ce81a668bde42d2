"""One card of a section, proved without the others: its salt and the path from its leaf to the section's root.

The law: ``L_ik = TH("card", round_id, u8 i, u8 k, u8 card, salt_k)`` leads by its path to ``R_i``, in a tree of exactly
as many leaves as the section has cards. A hand of thirteen takes at most 4 hashes. A proof tells nothing of the other
cards: their leaves are salted, and a salt does not lead to the key that gave it.

It refuses to know whether R_i is the root that was dealt; that is the deck root's to say.

>>> from referee.cards import parse_cards
>>> from referee.dealing.section import section_root
>>> hand = parse_cards("AS KD 2C")
>>> dealt = {"round_id": bytes(32), "section": 1}
>>> proof = prove_card(**dealt, key=bytes(32), cards=hand, place=2)
>>> check_card(proof, round_id=bytes(32), size=3, root=section_root(**dealt, key=bytes(32), cards=hand))
>>> proof.card, len(proof.path)
(<Card.TWO_OF_CLUBS: 2>, 1)
"""

from collections.abc import Sequence
from dataclasses import dataclass

from referee.cards import Card
from referee.dealing.section import SALT_SIZE, card_leaf, card_salts, section_leaves
from referee.evidence import merkle


class CardProofError(ValueError):
    """A proof that does not show its card to be in the section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardProof:
    """That ``card`` was dealt at ``place`` (0-based) of ``section``; ``path`` from the leaf's sibling upwards."""

    section: int
    place: int
    card: Card
    salt: bytes
    path: tuple[bytes, ...]


def prove_card(*, round_id: bytes, section: int, key: bytes, cards: Sequence[Card], place: int) -> CardProof:
    """The proof of the card at a place of a section with this key; IndexError where the section has no such place."""
    leaves = section_leaves(key=key, round_id=round_id, section=section, cards=cards)
    path = merkle.inclusion_proof(leaves, place)
    salt = card_salts(key=key, round_id=round_id, section=section, size=len(cards))[place]
    return CardProof(section=section, place=place, card=cards[place], salt=salt, path=path)


def check_card(proof: CardProof, *, round_id: bytes, size: int, root: bytes) -> None:
    """Nothing, where the section of ``size`` cards with this root has the card at its place.

    Raises CardProofError otherwise; a path of another length than the place asks for is refused.
    """
    if not 0 <= proof.place < size or len(proof.salt) != SALT_SIZE:
        msg = f"a section of {size} cards has no place {proof.place}, or the salt has not {SALT_SIZE} bytes"
        raise CardProofError(msg)
    leaf = card_leaf(round_id=round_id, section=proof.section, place=proof.place, card=proof.card, salt=proof.salt)
    try:
        merkle.verify_inclusion(merkle.leaf_hash(leaf), index=proof.place, size=size, proof=proof.path, root=root)
    except merkle.ProofError as error:
        raise CardProofError(str(error)) from None
