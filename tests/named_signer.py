"""Keys and signatures made by a second implementation of Ed25519, and the second derivation of the protocol."""

import hashlib
from collections.abc import Callable
from types import ModuleType

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.vectors.dealing import dealing_derivation


class NamedSigner:
    """A key derived from a name, so that every run and every process signs alike."""

    def __init__(self, name: str) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(name.encode()).digest())
        self.public_key = self._key.public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        """Sign a message."""
        return self._key.sign(message)


@pytest.fixture(scope="session")
def make_signer() -> Callable[[str], NamedSigner]:
    """Return the function that makes the signer of a name."""
    return NamedSigner


@pytest.fixture(scope="session")
def second() -> ModuleType:
    """Return the second derivation of the dealing protocol, which shares no line with this project."""
    return dealing_derivation
