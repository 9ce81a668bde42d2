"""Sealed seeds: the server's seed in OPEN, so that any holder of the sealing key can finish the round.

A sealed seed is ``nonce || XChaCha20-Poly1305(seed)``, 24 + 32 + 16 bytes, with the associated data ``round_id || C``
and the key ``HKDF(sealing key, "", enc("seal", round_id), 32)``. It decrypts to the seed that C commits to or not at
all. The caller gives the random nonce.

>>> from referee.dealing.commitment import server_commitment
>>> round_id, secret = bytes(32), {"sealing_key": b"k" * 32}
>>> commitment = server_commitment(round_id=round_id, seed=b"s" * 32)
>>> sealed = encrypt_seed(b"s" * 32, **secret, round_id=round_id, commitment=commitment, nonce=bytes(24))
>>> len(sealed), decrypt_seed(sealed, **secret, round_id=round_id, commitment=commitment) == b"s" * 32
(72, True)
"""

from typing import Final

from nacl.bindings import (
    crypto_aead_xchacha20poly1305_ietf_decrypt,
    crypto_aead_xchacha20poly1305_ietf_encrypt,
)
from nacl.exceptions import CryptoError

from referee.dealing.commitment import SEED_SIZE, checked_seed, server_commitment
from referee.evidence.encoding import enc
from referee.evidence.hkdf import Prk

NONCE_SIZE: Final = 24
SEALED_SIZE: Final = NONCE_SIZE + SEED_SIZE + 16
SEALING_KEY_SIZE: Final = 32


class SealError(ValueError):
    """A sealed seed of another sealing key or round, or a key or nonce of another size."""


def encrypt_seed(seed: bytes, *, sealing_key: bytes, round_id: bytes, commitment: bytes, nonce: bytes) -> bytes:
    """Return the sealed seed of a round, 72 bytes. The nonce must be 24 random bytes that are never used again."""
    if len(nonce) != NONCE_SIZE:
        raise SealError(f"a nonce has {NONCE_SIZE} bytes, not {len(nonce)}")
    return nonce + crypto_aead_xchacha20poly1305_ietf_encrypt(
        checked_seed(seed), round_id + commitment, nonce, _key(sealing_key, round_id)
    )


def decrypt_seed(sealed: bytes, *, sealing_key: bytes, round_id: bytes, commitment: bytes) -> bytes:
    """Decrypt a sealed seed; raise SealError for another sealing key, round or C, and for altered bytes."""
    key = _key(sealing_key, round_id)
    nonce, boxed = sealed[:NONCE_SIZE], sealed[NONCE_SIZE:]
    seed = b""
    if len(sealed) == SEALED_SIZE:
        try:
            seed = crypto_aead_xchacha20poly1305_ietf_decrypt(boxed, round_id + commitment, nonce, key)
        except CryptoError:
            seed = b""
    if not seed or server_commitment(round_id=round_id, seed=seed) != commitment:
        raise SealError("the sealed seed does not decrypt with this sealing key to the seed that C commits to")
    return seed


def _key(sealing_key: bytes, round_id: bytes) -> bytes:
    if len(sealing_key) != SEALING_KEY_SIZE:
        raise SealError(f"a sealing key has {SEALING_KEY_SIZE} bytes, not {len(sealing_key)}")
    return Prk.of(sealing_key, salt=b"").expand(info=enc("seal", round_id), length=32)
