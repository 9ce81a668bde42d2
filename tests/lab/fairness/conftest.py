"""The protocol's second derivation, which shares no line with this project."""

from types import ModuleType

import pytest

from tests.vectors.dealing import dealing_derivation


@pytest.fixture(scope="session")
def second() -> ModuleType:
    """Load the derivation that the vectors of dealing are written by."""
    return dealing_derivation
