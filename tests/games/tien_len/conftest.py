"""What the tests of Tiến Lên share: a test for each vector, the rules, chance, and two ways to deal."""

import random
from collections.abc import Callable

import pytest

from referee.games.tien_len import TienLenRules
from tests.builtin import rules_as
from tests.games.tien_len.scenes import Hands, deal_evenly, deal_in_pairs
from tests.randomness import random_from
from tests.vectors.reading import read


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that wants ``<topic>_vector`` once for each vector of the topic."""
    for name in metafunc.fixturenames:
        if name.endswith("_vector"):
            vectors = read(f"tien_len/{name.removesuffix('_vector')}")
            metafunc.parametrize(name, vectors, ids=[vector["id"] for vector in vectors])


@pytest.fixture(scope="session")
def rules() -> TienLenRules:
    """Return the rules as released."""
    return rules_as(TienLenRules, "tien_len.mien_nam")


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """Chance that is the same in every run: its seed is the name of the test."""
    return random_from(request.node.name)


@pytest.fixture(scope="session", params=[deal_evenly, deal_in_pairs])
def dealing(request: pytest.FixtureRequest) -> Callable[[random.Random, int], Hands]:
    """Two ways of dealing at random; every test that wants it runs with both."""
    way: Callable[[random.Random, int], Hands] = request.param
    return way
