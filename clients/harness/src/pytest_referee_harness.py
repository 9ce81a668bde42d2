"""Fixtures for pytest: ``referee_harness``, a server for one test, and ``referee_harness_session``, one for all.

The server of a test has an empty log and a stopped clock, and no other test sees what the test changes. The shared one
starts once and keeps its log: each test that asks for it begins without scripts and faults, and must use table ids of
its own. Both fail a test at its teardown if a fault that it asked for struck no call, or fewer than its ``times``.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # pytest loads every plugin at its start, and the server only where a test asks for it
    from referee_harness.harness import Harness


@pytest.fixture
def referee_harness() -> "Iterator[Harness]":
    """Yield a running server with an empty log, whose clock moves only when the test moves it; close it afterwards."""
    for harness in _running():
        yield harness
        _require_no_fault_waits(harness)


@pytest.fixture(scope="session")
def _shared_referee_harness() -> "Iterator[Harness]":
    yield from _running()


@pytest.fixture
def referee_harness_session(_shared_referee_harness: "Harness") -> "Iterator[Harness]":
    """Clear the scripts and faults of the session's shared server, and yield it."""
    _shared_referee_harness.reset()
    yield _shared_referee_harness
    _require_no_fault_waits(_shared_referee_harness)


def _require_no_fault_waits(harness: "Harness") -> None:
    if waiting := harness.waiting["faults"]:
        pytest.fail(f"faults that struck no call: {waiting}; reset() forgets them", pytrace=False)


def _running() -> "Iterator[Harness]":
    from referee_harness.clock import Clock  # noqa: PLC0415 - only where a test asks for it
    from referee_harness.harness import Harness  # noqa: PLC0415 - the same

    with Harness(clock=Clock(is_running=False)) as harness:
        yield harness
