"""How much a test tries: little in an everyday run, all of it where ``TEST_SIZE=whole`` is set, before a release."""

import os
from typing import Final, TypeVar

from hypothesis import settings

from tests.randomness import SEED

IS_WHOLE: Final = os.environ.get("TEST_SIZE") == "whole"
T = TypeVar("T")


def sample(everyday: T, *, whole: T) -> T:
    """Return what this run tries; a test that takes less in an everyday run says how much by its mark ``smaller``."""
    return whole if IS_WHOLE else everyday


def examples(count: int) -> int:
    """Return how many examples to try where ``count`` are enough for an everyday run."""
    return sample(count, whole=4 * count)


def register_profiles() -> None:
    """Set what holds for each property test that says nothing else: the same examples in each run without a seed."""
    settings.register_profile("referee", max_examples=examples(30), deadline=None, derandomize=not SEED)
    settings.load_profile("referee")
