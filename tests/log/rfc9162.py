"""The tree hash and the proofs of a whole tree, by the recursion of RFC 9162, section 2.1."""

from collections.abc import Sequence
from hashlib import sha256


def tree_hash(leaves: Sequence[bytes]) -> bytes:
    """MTH as RFC 9162, 2.1.1 writes it."""
    if not leaves:
        return sha256().digest()
    if len(leaves) == 1:
        return sha256(b"\x00" + leaves[0]).digest()
    k = _split(len(leaves))
    return sha256(b"\x01" + tree_hash(leaves[:k]) + tree_hash(leaves[k:])).digest()


def inclusion_proof(leaves: Sequence[bytes], index: int) -> tuple[bytes, ...]:
    """PATH as RFC 9162, 2.1.3.1 writes it."""
    if len(leaves) == 1:
        return ()
    k = _split(len(leaves))
    if index < k:
        return (*inclusion_proof(leaves[:k], index), tree_hash(leaves[k:]))
    return (*inclusion_proof(leaves[k:], index - k), tree_hash(leaves[:k]))


def consistency_proof(leaves: Sequence[bytes], old_size: int) -> tuple[bytes, ...]:
    """PROOF as RFC 9162, 2.1.4.1 writes it; empty for an old tree without leaves."""
    return _subproof(old_size, leaves, known=True) if old_size else ()


def _subproof(m: int, leaves: Sequence[bytes], *, known: bool) -> tuple[bytes, ...]:
    if m == len(leaves):
        return () if known else (tree_hash(leaves),)
    k = _split(len(leaves))
    if m <= k:
        return (*_subproof(m, leaves[:k], known=known), tree_hash(leaves[k:]))
    return (*_subproof(m - k, leaves[k:], known=False), tree_hash(leaves[:k]))


def _split(count: int) -> int:
    k = 1
    while k * 2 < count:
        k *= 2
    return k
