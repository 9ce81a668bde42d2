"""Keys by HKDF-SHA256 (RFC 5869): what it gives depends on the secret, the salt, the info and nothing else.

The law: ``hkdf(ikm, salt, info, L) = expand(extract(salt, ikm), info, L)``. An empty salt is the salt of 32 zero
bytes, as HMAC pads it. This module does not know what its keys open.

>>> hkdf(bytes(32), salt=b"", info=b"deck", length=4).hex()
'2d57d821'
"""

import hashlib
import hmac
from collections.abc import Callable
from typing import Final

BLOCK_SIZE: Final = 32
MAX_LENGTH: Final = 255 * BLOCK_SIZE

_sha256 = hashlib.sha256
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))


class HkdfLengthError(ValueError):
    """A length that HKDF-SHA256 cannot give: below 1 or above 8,160 bytes."""


def hkdf(ikm: bytes, *, salt: bytes, info: bytes, length: int) -> bytes:
    """``length`` bytes of key from a secret (RFC 5869, section 2)."""
    return expand(extract(salt=salt, ikm=ikm), info=info, length=length)


def extract(*, salt: bytes, ikm: bytes) -> bytes:
    """The pseudorandom key, 32 bytes (RFC 5869, section 2.2)."""
    return hmac.digest(salt, ikm, "sha256")


def expand(prk: bytes, *, info: bytes, length: int) -> bytes:
    """``length`` bytes of key from a pseudorandom key of 32 bytes (RFC 5869, section 2.3)."""
    if not 0 < length <= MAX_LENGTH:
        msg = f"HKDF-SHA256 gives 1 to {MAX_LENGTH} bytes, not {length}"
        raise HkdfLengthError(msg)
    mac = _keyed(prk)
    block = b""
    blocks = []
    for counter in range(1, -(-length // BLOCK_SIZE) + 1):
        block = mac(block + info + bytes((counter,)))
        blocks.append(block)
    return b"".join(blocks)[:length]


def _keyed(key: bytes) -> Callable[[bytes], bytes]:
    """HMAC-SHA256 under a key of at most 64 bytes (RFC 2104), with the padded key hashed once for all messages."""
    padded = key.ljust(64, b"\x00")
    inner_start = _sha256(padded.translate(_INNER))
    outer_start = _sha256(padded.translate(_OUTER))

    def mac(message: bytes) -> bytes:
        inner = inner_start.copy()
        inner.update(message)
        outer = outer_start.copy()
        outer.update(inner.digest())
        return outer.digest()

    return mac
