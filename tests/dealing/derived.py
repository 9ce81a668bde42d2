"""Fixtures: the vectors of dealing, and signers and headers with fixed keys."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest
from nacl.signing import SigningKey

from referee.dealing.header import Header, HeaderJson
from referee.evidence.canonical import Form
from tests.vectors.dealing import dealing_rows

VECTORS: Final = Path(__file__).parents[1] / "vectors" / "dealing"
_HEADER: Final = Form(HeaderJson)


@pytest.fixture(scope="session")
def rows() -> ModuleType:
    """Return the module that writes the vectors."""
    return dealing_rows


@pytest.fixture(scope="session")
def vectors_of() -> Callable[[str], list[dict[str, Any]]]:
    """Return a function that reads the vectors of a topic in the order of their file."""

    def read(topic: str) -> list[dict[str, Any]]:
        lines = (VECTORS / f"{topic}.jsonl").read_text(encoding="ascii").splitlines()
        rows = [json.loads(line) for line in lines]
        assert rows, topic
        return rows

    return read


@pytest.fixture(scope="session")
def header_from() -> Callable[[dict[str, Any]], Header]:
    """Return a function that reads a header from a JSON object."""

    def read(value: dict[str, Any]) -> Header:
        return _HEADER.read(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).to_header()

    return read


@pytest.fixture(scope="session")
def header(second: ModuleType, header_from: Callable[[dict[str, Any]], Header]) -> Header:
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
def shuffler(second: ModuleType) -> FixedSigner:
    """Return the signer of the vectors."""
    return FixedSigner(second.SHUFFLER)


@pytest.fixture(scope="session")
def stranger(second: ModuleType) -> FixedSigner:
    """Return a signer that is not trusted."""
    return FixedSigner(second.STRANGER)
