"""Commitments of the server and the seats to their seeds, before any card can be known, and to the cards of sections.

::

    C   = TH("server-commit", round_id, s)
    c_i = TH("client-commit", round_id, u8 i, a_i)           given before OPEN
    M   = TH("mix", round_id, C, beacon, a_0..)              beacon: zero-length while no suite has one
    TH("client-seed", round_id, C, u8 i, token hash, a_i)    what a seat with a key signs to show its seed
    TH("seat-token", round_id, u8 i, token)                  what opens the seat's hand on a sealed table, in OPEN

    K_i       = HKDF(s, M, enc("section-key", round_id, u8 i), 32)
    R_i       = TH("section", round_id, u8 i, card numbers, K_i)            one byte a card, in the order dealt
    deck_root = TH("deck-root", round_id, C, M, layout, R_0..R_q)           layout: one byte a section

K_i opens section i as these cards and no others, and reveals nothing about another section.

A seat signs its seed together with C, so it can only sign once the server is committed. The signed bytes also have the
seat's token hash on a sealed table, and an empty field on an open one. Seeds, nonces and tokens have 32 bytes. Zeros
are a seed like any other here; the audit judges how random seeds are.

>>> server_commitment(round_id=bytes(32), seed=bytes(32)).hex()[:16]
'ea07e2abe3957028'
>>> section_root(key=bytes(32), round_id=bytes(32), section=0, numbers=bytes([49, 47])).hex()[:16]
'ab29862a5b512e68'
"""

import hashlib
from collections.abc import Sequence
from typing import Final

from referee.cards import Seat
from referee.evidence.encoding import framed, prefix, tagged_hash, u8
from referee.evidence.hkdf import Prk

SEED_SIZE: Final = 32
_INDICES: Final = tuple([framed(u8(index)) for index in range(256)])
"""Seats and sections as fields of a hash."""
NO_BEACON: Final = b""


class SeedError(ValueError):
    """A seed, nonce or token of another size than 32 bytes, or more or fewer seeds than seats."""


def checked_seed(seed: bytes) -> bytes:
    """Return the seed; raise SeedError unless it has 32 bytes."""
    if len(seed) != SEED_SIZE:
        raise SeedError(f"a seed has {SEED_SIZE} bytes, not {len(seed)}")
    return seed


def server_commitment(*, round_id: bytes, seed: bytes) -> bytes:
    """Compute C, the server's commitment to its seed of 32 bytes."""
    return tagged_hash("server-commit", round_id, checked_seed(seed))


def client_commitment(*, round_id: bytes, seat: Seat, seed: bytes) -> bytes:
    """Compute c_i, a seat's commitment to its seed of 32 bytes."""
    return tagged_hash("client-commit", round_id, u8(seat), checked_seed(seed))


def client_commitments(*, round_id: bytes, seeds: Sequence[bytes]) -> tuple[bytes, ...]:
    """Compute c_0, c_1, .. from all seats' seeds, in the order of the seats."""
    return _by_index("client-commit", round_id, tuple(map(checked_seed, seeds)))


def mix(*, round_id: bytes, commitment: bytes, client_seeds: Sequence[bytes]) -> bytes:
    """Compute M from the server's commitment and all seats' seeds, in the order of the seats."""
    return tagged_hash("mix", round_id, commitment, NO_BEACON, *map(checked_seed, client_seeds))


def seed_statement(*, round_id: bytes, commitment: bytes, seat: Seat, token_hash: bytes, seed: bytes) -> bytes:
    """Return the bytes that a seat with a key signs when it shows its seed of 32 bytes, after it has seen C.

    ``token_hash`` is the hash of the seat's token in OPEN, empty on a table that is not sealed.
    """
    return tagged_hash("client-seed", round_id, commitment, u8(seat), token_hash, checked_seed(seed))


def seat_token_hash(*, round_id: bytes, seat: Seat, token: bytes) -> bytes:
    """Hash the token of 32 bytes that opens a seat's hand on a sealed table; OPEN has this hash."""
    return tagged_hash("seat-token", round_id, u8(seat), checked_seed(token))


KEY_SIZE: Final = 32


def section_keys(secret: Prk, *, round_id: bytes, count: int) -> tuple[bytes, ...]:
    """Derive K_0, K_1, .. of ``count`` sections; ``secret`` is extracted from the server's seed with M as salt."""
    start = prefix("section-key", 2) + framed(round_id)
    return tuple([secret.expand(info=start + index, length=KEY_SIZE) for index in _INDICES[:count]])


def section_root(*, key: bytes, round_id: bytes, section: int, numbers: bytes) -> bytes:
    """Compute R_i, the hash of a section's card numbers in the order dealt and its key."""
    return tagged_hash("section", round_id, u8(section), numbers, key)


def section_roots(*, keys: Sequence[bytes], round_id: bytes, numbers: Sequence[bytes]) -> tuple[bytes, ...]:
    """Compute R_0, R_1, .. of all sections in their order, each as ``section_root`` does."""
    return _by_index("section", round_id, numbers, keys)


def _by_index(tag: str, round_id: bytes, *columns: Sequence[bytes]) -> tuple[bytes, ...]:
    """Compute TH(tag, round_id, u8 i, columns[0][i], ..) for each i."""
    start = prefix(tag, 2 + len(columns)) + framed(round_id)
    rows = zip(_INDICES, *[map(framed, column) for column in columns], strict=False)
    return tuple([hashlib.sha256(start + b"".join(row)).digest() for row in rows])


def deck_root(
    *, round_id: bytes, commitment: bytes, mixed: bytes, layout: Sequence[int], roots: Sequence[bytes]
) -> bytes:
    """Hash the roots of all sections to the one value that commits to the whole deal."""
    return tagged_hash("deck-root", round_id, commitment, mixed, bytes(layout), *roots)
