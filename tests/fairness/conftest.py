"""The protocol's second derivation, which shares no line with this project."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def second() -> Iterator[ModuleType]:
    """The derivation that the vectors of dealing are written by."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[1] / "vectors" / "dealing")
        yield importlib.import_module("dealing_derivation")
