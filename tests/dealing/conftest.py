"""The protocol's second derivation, its vectors, and signers and headers with fixed keys."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest
from nacl.signing import SigningKey

from referee.dealing.header import Header, HeaderJson
from referee.evidence.canonical import Form
from tests.vectors.dealing import dealing_derivation, dealing_rows

VECTORS: Final = Path(__file__).parents[1] / "vectors" / "dealing"
_HEADER: Final = Form(HeaderJson)


@pytest.fixture(scope="session")
def second() -> ModuleType:
    """The derivation that shares no line with this project."""
    return dealing_derivation


@pytest.fixture(scope="session")
def rows() -> ModuleType:
    """What writes the vectors."""
    return dealing_rows


@pytest.fixture(scope="session")
def vectors_of() -> Callable[[str], list[dict[str, Any]]]:
    """The vectors of a topic, in the order of their file."""

    def read(topic: str) -> list[dict[str, Any]]:
        lines = (VECTORS / f"{topic}.jsonl").read_text(encoding="ascii").splitlines()
        rows = [json.loads(line) for line in lines]
        assert rows, topic
        return rows

    return read


@pytest.fixture(scope="session")
def header_from() -> Callable[[dict[str, Any]], Header]:
    """The header that a JSON object spells."""

    def read(value: dict[str, Any]) -> Header:
        return _HEADER.read(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).to_header()

    return read


@pytest.fixture(scope="session")
def header(second: ModuleType, header_from: Callable[[dict[str, Any]], Header]) -> Header:
    """Mậu Binh, four seats."""
    return header_from(second.header_of())


class FixedSigner:
    """A signer with a fixed key."""

    def __init__(self, seed: bytes) -> None:
        self._key = SigningKey(seed)
        self.public_key = self._key.verify_key.encode()

    def sign(self, message: bytes) -> bytes:
        """The signature of the message."""
        return self._key.sign(message).signature


@pytest.fixture(scope="session")
def shuffler(second: ModuleType) -> FixedSigner:
    """The signer whose key the vectors are signed with."""
    return FixedSigner(second.SHUFFLER)


@pytest.fixture(scope="session")
def stranger(second: ModuleType) -> FixedSigner:
    """A signer whom nobody trusts."""
    return FixedSigner(second.STRANGER)
