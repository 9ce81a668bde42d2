"""The seed of a run's random tests: one for all of them, 0 unless ``TEST_SEED`` says another.

Each test has a seed of its own, from which it makes the same choices in every run of ``make test``; ``make
test-new-seeds`` makes others. A test that fails says the run's seed. Values that are compared with committed ones, such
as those of vectors, do not depend on it.
"""

import hashlib
import os
import random
from typing import Final

SEED: Final = int(os.environ.get("TEST_SEED", "0"))
AGAIN: Final = f"TEST_SEED={SEED}" + (f" PYTEST_ADDOPTS=--hypothesis-seed={SEED}" if SEED else "")
"""What a command begins with that runs a test again with the seeds of this run."""


def seed_from(own: int | str) -> int | str:
    """Return a test's own seed, mixed with the run's unless that is 0; a number remains a number."""
    if not SEED:
        return own
    mixed = hashlib.sha256(f"{SEED}/{own}".encode()).hexdigest()
    return int(mixed[:12], 16) if isinstance(own, int) else mixed


def number_from(own: int) -> int:
    """Return a number as a seed; see ``seed_from``."""
    return int(seed_from(own))


def random_from(own: int | str) -> random.Random:
    """Return a source of random numbers for a test with this seed of its own."""
    return random.Random(seed_from(own))  # noqa: S311 - choices of tests keep no secret
