"""Logs to publish; their makers are in a module beside, for processes that are no tests as well."""

from collections.abc import Callable

import pytest

from tests.tiles.tiles_log import ORIGIN, FixedSigner, MemoryLog

MakeLog = Callable[..., MemoryLog]


@pytest.fixture(scope="session")
def make_signer() -> Callable[[str], FixedSigner]:
    """Make the signer of a name."""
    return FixedSigner


@pytest.fixture(scope="session")
def make_log() -> MakeLog:
    """Make a log of this many leaves that differs from other logs from ``common`` on."""
    made: dict[tuple[int, int | None, str], MemoryLog] = {}

    def make(size: int, *, common: int | None = None, origin: str = ORIGIN) -> MemoryLog:
        key = size, common, origin
        if key not in made:
            leaves = [
                b"leaf %d" % number + b"." * (number % 23) + (b"" if common is None or number < common else b"!")
                for number in range(size)
            ]
            made[key] = MemoryLog(leaves, origin=origin)
        return made[key]

    return make
