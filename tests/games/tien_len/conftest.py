"""What the tests of Tiến Lên share: vectors by topic, the rules, deals at random, the second implementation."""

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import msgspec
import pytest

from referee.cards import DECK, Card, Seat, parse_cards
from referee.games.tien_len import Event, Leave, Pass, Play, TienLenRules, Timeout
from referee.rulesets import get
from tests.games.tien_len import second_implementation

VECTORS: Final = Path(__file__).parents[2] / "vectors" / "tien_len"
KNOB_TABLES: Final = {"chain": "chops", "quad": "chops", "out_of_time": "turn", "seconds": "turn"}


def read_vectors(topic: str) -> list[dict[str, Any]]:
    """Return the vectors of one topic in the order of its file."""
    return [json.loads(line) for line in (VECTORS / f"{topic}.jsonl").read_text(encoding="utf-8").splitlines()]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that wants ``<topic>_vector`` once for each vector of the topic."""
    for name in metafunc.fixturenames:
        if name.endswith("_vector"):
            vectors = read_vectors(name.removesuffix("_vector"))
            metafunc.parametrize(name, vectors, ids=[vector["id"] for vector in vectors])


@pytest.fixture(scope="session")
def vectors() -> Callable[[str], list[dict[str, Any]]]:
    """All vectors of a topic."""
    return read_vectors


@pytest.fixture(scope="session")
def rules() -> TienLenRules:
    """Return the rules as released."""
    found = get("tien_len.mien_nam").rules
    assert isinstance(found, TienLenRules)
    return found


@pytest.fixture(scope="session")
def variant(rules: TienLenRules) -> Callable[[dict[str, Any]], TienLenRules]:
    """Change the released rules as a vector's ``rules`` says."""

    def vary(knobs: dict[str, Any]) -> TienLenRules:
        data = msgspec.to_builtins(rules)
        for knob, value in knobs.items():
            (data[KNOB_TABLES[knob]] if knob in KNOB_TABLES else data)[knob] = value
        return msgspec.convert(data, TienLenRules)

    return vary


@pytest.fixture(scope="session")
def deal() -> Callable[[Sequence[str]], tuple[tuple[Card, ...], ...]]:
    """Hands from their texts."""
    return lambda hands: tuple(parse_cards(hand) for hand in hands)


def deal_evenly(chance: random.Random, seats: int) -> tuple[tuple[Card, ...], ...]:
    """Return a shuffled deal."""
    cards = chance.sample(DECK, 13 * seats)
    return tuple(tuple(cards[13 * seat : 13 * seat + 13]) for seat in range(seats))


def deal_in_pairs(chance: random.Random, seats: int) -> tuple[tuple[Card, ...], ...]:
    """Make a deal rich in runs and quads: four pairs a hand, often of neighbouring ranks, and five other cards."""
    ranks = [DECK[4 * rank : 4 * rank + 4] for rank in (*range(1, 13), 0)]
    pairs = [pair for rank in ranks for suits in [chance.sample(rank, 4)] for pair in (suits[:2], suits[2:])]
    order = sorted(range(26), key=lambda place: place + chance.gauss(0, 5))
    blocks = [[card for place in order[4 * seat : 4 * seat + 4] for card in pairs[place]] for seat in range(4)]
    loose = [card for place in order[16:] for card in pairs[place]]
    chance.shuffle(loose)
    hands = [tuple(block + loose[5 * seat : 5 * seat + 5]) for seat, block in enumerate(blocks)]
    return tuple(chance.sample(hands, seats))


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """Chance that is the same in every run: its seed is the name of the test."""
    return random.Random(request.node.name)  # noqa: S311 - deals of tests keep no secret


@pytest.fixture(scope="session", params=[deal_evenly, deal_in_pairs])
def dealing(request: pytest.FixtureRequest) -> Callable[[random.Random, int], tuple[tuple[Card, ...], ...]]:
    """Two ways of dealing at random; every test that wants it runs with both."""
    found: Callable[[random.Random, int], tuple[tuple[Card, ...], ...]] = request.param
    return found


@pytest.fixture(scope="session")
def read_event() -> Callable[[str, int], Event]:
    """Parse an event of a vector: ``0 3S 3C``, ``1 pass``, ``2 leave``, ``3 timeout``, with ``@`` and a time."""

    def read(text: str, number: int) -> Event:
        words = text.split()
        time = int(words.pop()[1:]) if words[-1].startswith("@") else number
        seat, choice = Seat(int(words[0])), words[1]
        named: dict[str, Callable[[Seat, int], Event]] = {"pass": Pass, "leave": Leave, "timeout": Timeout}
        if choice in named:
            return named[choice](seat, time)
        return Play(seat, () if choice == "play" else parse_cards(" ".join(words[1:])), time)

    return read


@pytest.fixture(scope="session")
def second() -> ModuleType:
    """Return the second implementation, which shares no line with this project."""
    return second_implementation
