"""Commitments: what everybody is bound to before anybody can know a card.

::

    C   = TH("server-commit", round_id, s)
    c_i = TH("client-commit", round_id, u8 i, a_i)           given before OPEN
    M   = TH("mix", round_id, C, beacon, a_0..)              beacon: zero-length while no suite has one
    TH("arrange", round_id, u8 i, cards, nonce)              an arrangement that is opened later; a u8 a card
    TH("client-seed", round_id, C, u8 i, a_i)                what a seat with a key signs to show its seed
    TH("seat-token", round_id, u8 i, token)                  what opens the seat's hand on a sealed table, in OPEN

The statement of a seed binds C, so it can only be signed once the server is bound. Seeds, nonces and tokens have 32
bytes, an absent one has no place here. This module does not know how a seed was drawn: zeros
are a seed like any other, and what they are worth is the audit's to say.

>>> server_commitment(round_id=bytes(32), seed=bytes(32)).hex()[:16]
'ea07e2abe3957028'
"""

from collections.abc import Sequence
from typing import Final

from referee.cards import Card, Seat
from referee.evidence.encoding import tagged_hash, u8

SEED_SIZE: Final = 32
NO_BEACON: Final = b""


class SeedError(ValueError):
    """A seed, nonce or token that has not 32 bytes, or seeds that are not one a seat."""


def checked_seed(seed: bytes) -> bytes:
    """The seed itself; SeedError unless it has 32 bytes."""
    if len(seed) != SEED_SIZE:
        msg = f"a seed has {SEED_SIZE} bytes, not {len(seed)}"
        raise SeedError(msg)
    return seed


def server_commitment(*, round_id: bytes, seed: bytes) -> bytes:
    """C: the server's commitment to its seed of 32 bytes."""
    return tagged_hash("server-commit", round_id, checked_seed(seed))


def client_commitment(*, round_id: bytes, seat: Seat, seed: bytes) -> bytes:
    """c_i: a seat's commitment to its seed of 32 bytes."""
    return tagged_hash("client-commit", round_id, u8(seat), checked_seed(seed))


def mix(*, round_id: bytes, commitment: bytes, client_seeds: Sequence[bytes]) -> bytes:
    """M: what the server's commitment and all seats' seeds, in the order of the seats, come to."""
    return tagged_hash("mix", round_id, commitment, NO_BEACON, *map(checked_seed, client_seeds))


def arrangement_commitment(*, round_id: bytes, seat: Seat, cards: Sequence[Card], nonce: bytes) -> bytes:
    """A seat's commitment to its thirteen cards in order back, middle, front, under a nonce of 32 bytes."""
    numbers = bytes([card.number for card in cards])
    return tagged_hash("arrange", round_id, u8(seat), numbers, checked_seed(nonce))


def seed_statement(*, round_id: bytes, commitment: bytes, seat: Seat, seed: bytes) -> bytes:
    """What a seat with a key signs to show its seed of 32 bytes, once it has seen the server's commitment."""
    return tagged_hash("client-seed", round_id, commitment, u8(seat), checked_seed(seed))


def seat_token_hash(*, round_id: bytes, seat: Seat, token: bytes) -> bytes:
    """What stands in OPEN for the token of 32 bytes that opens a seat's hand on a sealed table."""
    return tagged_hash("seat-token", round_id, u8(seat), checked_seed(token))
