"""Ed25519 signatures (RFC 8032) and sound public keys.

A signature is 64 bytes whose S is below the group order and whose R is no small-order point. A sound public key is the
canonical encoding of a point of the prime-order group. When libsodium verifies a signature, it refuses every unsound
key except one of mixed order. ``check_public_key`` refuses these too; it is called wherever a key is registered or
named. Only a ``Signer`` holds a private key.

>>> is_signature(bytes(64), b"a message", bytes(32))
False
>>> check_public_key(bytes(32))
Traceback (most recent call last):
...
referee.evidence.ed25519.PublicKeyError: 0000000000000000000000000000000000000000000000000000000000000000 is no \
sound Ed25519 public key: it is not the canonical encoding of a point of the prime-order group
"""

from functools import lru_cache
from typing import Final, Protocol

from nacl.bindings import crypto_core_ed25519_is_valid_point, crypto_sign_open
from nacl.exceptions import BadSignatureError

PUBLIC_KEY_SIZE: Final = 32
SIGNATURE_SIZE: Final = 64


class PublicKeyError(ValueError):
    """Bytes that are not a sound Ed25519 public key."""


class SignerUnavailableError(RuntimeError):
    """A signer that cannot sign now and may later."""


class SignerRetiredError(SignerUnavailableError):
    """A signer whose key this process must not use any more; its text says why and may be shown to callers."""


class Signer(Protocol):
    """Holder of a private key; signing raises SignerUnavailableError where it cannot be done now."""

    @property
    def public_key(self) -> bytes:
        """The Ed25519 public key, 32 bytes."""

    def sign(self, message: bytes) -> bytes:
        """Return the signature over the message, 64 bytes."""


def is_signature(signature: bytes, message: bytes, public_key: bytes) -> bool:
    """Return whether the key made this signature over the message; False for a signature or key of a wrong length.

    A key of mixed order is not detected here: the caller must have checked the key by ``check_public_key``.
    """
    if len(signature) != SIGNATURE_SIZE or len(public_key) != PUBLIC_KEY_SIZE:
        return False
    try:
        crypto_sign_open(signature + message, public_key)
    except BadSignatureError:
        return False
    return True


def check_public_key(key: bytes) -> None:
    """Raise PublicKeyError for a key of small or mixed order, off the curve or not canonical."""
    if not is_public_key(key):
        raise PublicKeyError(
            f"{key.hex()} is no sound Ed25519 public key: "
            "it is not the canonical encoding of a point of the prime-order group"
        )


def is_public_key(key: bytes) -> bool:
    """Return whether the bytes canonically encode a point of the prime-order group other than the identity."""
    return len(key) == PUBLIC_KEY_SIZE and _is_point(key)


_is_point = lru_cache(maxsize=4096)(crypto_core_ed25519_is_valid_point)
