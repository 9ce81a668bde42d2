"""Derivation of keys by HKDF-SHA256 (RFC 5869). An empty salt means 32 zero bytes.

>>> Prk.of(bytes(32), salt=b"").expand(info=b"deck", length=4).hex()
'2d57d821'
"""

import hashlib
import hmac
from typing import Final, Self

BLOCK_SIZE: Final = 32
MAX_LENGTH: Final = 255 * BLOCK_SIZE

_sha256 = hashlib.sha256
_PADDED: Final = 64
"""Block size of SHA-256 in bytes. HMAC pads its key to this size."""
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))


class Prk:
    """A pseudorandom key of at most 64 bytes, padded and hashed once for all its uses (RFC 2104)."""

    __slots__ = ("_inner", "_outer")

    def __init__(self, prk: bytes) -> None:
        padded = prk.ljust(_PADDED, b"\x00")
        self._inner = _sha256(padded.translate(_INNER))
        self._outer = _sha256(padded.translate(_OUTER))

    @classmethod
    def of(cls, ikm: bytes, *, salt: bytes) -> Self:
        """Extract the pseudorandom key from a secret and a salt (RFC 5869, section 2.2)."""
        if len(salt) > _PADDED:
            return cls(hmac.digest(salt, ikm, "sha256"))
        return cls((cls(salt) if salt else _UNSALTED).mac(ikm))

    def mac(self, message: bytes) -> bytes:
        """Compute the HMAC-SHA256 of a message; 32 bytes."""
        inner = self._inner.copy()
        inner.update(message)
        outer = self._outer.copy()
        outer.update(inner.digest())
        return outer.digest()

    def expand(self, *, info: bytes, length: int) -> bytes:
        """Derive ``length`` bytes of key (RFC 5869, section 2.3); raise ValueError below 1 and above 8,160."""
        if not 0 < length <= MAX_LENGTH:
            raise ValueError(f"HKDF-SHA256 gives 1 to {MAX_LENGTH} bytes, not {length}")
        whole = block = self.mac(info + b"\x01")
        for counter in range(2, -(-length // BLOCK_SIZE) + 1):
            block = self.mac(block + info + bytes((counter,)))
            whole += block
        return whole[:length]


_UNSALTED: Final = Prk(bytes(BLOCK_SIZE))
