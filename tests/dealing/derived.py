"""Fixtures: signers and headers with fixed keys, for tests beside the vectors of dealing."""

from typing import Any, Final

import pytest
from nacl.signing import SigningKey

from referee.dealing.header import Header
from referee.evidence.canonical import Form
from tests.vectors.dealing import dealing_derivation as second

_HEADER: Final = Form(Header)


def header_from(value: dict[str, Any]) -> Header:
    """Read a header from a JSON object."""
    return _HEADER.read(second.canonical(value)).checked()


@pytest.fixture(scope="session")
def header() -> Header:
    """Return the header of a Mậu Binh round with four seats."""
    return header_from(second.header_of())


class FixedSigner:
    """A signer with a fixed key."""

    def __init__(self, seed: bytes) -> None:
        self._key = SigningKey(seed)
        self.public_key = self._key.verify_key.encode()

    def sign(self, message: bytes) -> bytes:
        """Sign the message."""
        return self._key.sign(message).signature


@pytest.fixture(scope="session")
def shuffler() -> FixedSigner:
    """Return the signer of the vectors."""
    return FixedSigner(second.SHUFFLER)


@pytest.fixture(scope="session")
def stranger() -> FixedSigner:
    """Return a signer that is not trusted."""
    return FixedSigner(second.STRANGER)
