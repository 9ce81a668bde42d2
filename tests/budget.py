"""How many examples a property test tries: few in ``make test``, ``TEST_BUDGET`` times as many where that is set."""

import os
from typing import Final

from hypothesis import settings

BUDGET: Final = int(os.environ.get("TEST_BUDGET", "1"))


def examples(count: int) -> int:
    """Return how many examples to try where ``count`` are enough for an everyday run."""
    return count * BUDGET


def register_profiles() -> None:
    """Set what holds for each property test that says nothing else."""
    settings.register_profile("referee", max_examples=examples(30), deadline=None)
    settings.load_profile("referee")
