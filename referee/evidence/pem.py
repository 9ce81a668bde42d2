"""Ed25519 public keys in PEM (RFC 8410), as ``openssl pkey -pubout`` writes them."""

import base64
import binascii
import re
from typing import Final

from referee.evidence.ed25519 import PUBLIC_KEY_SIZE, check_public_key

_BLOCK: Final = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----", re.DOTALL)
_ED25519_PREFIX: Final = bytes.fromhex("302a300506032b6570032100")
"""DER of a SubjectPublicKeyInfo before the 32 bytes of the key."""


class PemError(ValueError):
    """PEM that holds something other than one Ed25519 public key."""


def public_key_in_pem(data: bytes) -> bytes | None:
    r"""Return the Ed25519 public key, 32 bytes, of a PEM file; None if the file is not PEM.

    Raise PemError for PEM of another kind, and PublicKeyError for a key that must not be trusted.

    >>> public_key_in_pem(b"not PEM") is None
    True
    >>> public_key_in_pem(b"-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----")
    Traceback (most recent call last):
    ...
    referee.evidence.pem.PemError: the file holds a PRIVATE KEY; give the public half: openssl pkey -in FILE -pubout
    """
    block = _BLOCK.search(data)
    if block is None:
        return None
    kind = block[1].decode("ascii")
    if kind != "PUBLIC KEY":
        raise PemError(f"the file holds a {kind}; give the public half: openssl pkey -in FILE -pubout")
    try:
        der = base64.b64decode(b"".join(block[2].split()), validate=True)
    except binascii.Error as error:
        raise PemError(f"the PEM is not base64: {error}") from None
    if not der.startswith(_ED25519_PREFIX) or len(der) != len(_ED25519_PREFIX) + PUBLIC_KEY_SIZE:
        raise PemError("the public key is not an Ed25519 key; make one with: openssl genpkey -algorithm ed25519")
    key = der[len(_ED25519_PREFIX) :]
    check_public_key(key)
    return key
