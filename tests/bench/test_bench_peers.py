"""The comparison with peers: its rows are well formed, and the peers of the project's own environment really run."""

import math
from collections.abc import Sequence

import pytest

from referee.cards import DECK
from tests.bench.peers import __main__ as peers
from tests.bench.peers.cards import stake_deck
from tests.bench.peers.environment import NPM, PIP
from tests.bench.peers.rows import Missing


@pytest.mark.slow("fills a log of 4,096 leaves and repeats each part for seconds")
@pytest.mark.parametrize(
    ("part", "names"),
    [
        ("plain SQLite", ["plain SQLite"] * 4),
        ("pymerkle", ["pymerkle, SQLite", "pymerkle, in memory", "pymerkle"]),
        ("Stake's way", ["Stake's way, in Python"]),
    ],
)
def test_peer_of_the_projects_environment_is_measured(part: str, names: Sequence[str]) -> None:
    rows = peers.rows_of(part)
    assert [row.peer for row in rows] == names
    for row in rows:
        assert row.peer_us > 0
        assert row.our_us > 0
        assert math.isclose(row.ratio, row.peer_us / row.our_us)
        assert f"{row.ratio:.2f}" in peers.lines_of(row)
        assert row.theirs or row.ours or row.what.startswith("verification")


def test_missing_peer_is_named_with_its_reason() -> None:
    assert peers.lines_of(Missing(peer="colyseus", reason="npm is not on the path")) == (
        "not measured: colyseus: npm is not on the path\n"
    )


def test_every_package_is_pinned() -> None:
    packages = [*PIP.values(), *(package for group in NPM.values() for package in group)]
    assert packages
    for package in packages:
        name, _, version = package.removeprefix("@").replace("==", "@").partition("@")
        assert name
        assert version.replace(".", "").isdigit(), package


def test_stakes_deck_has_each_card_once_and_follows_its_seeds() -> None:
    first = stake_deck("server", "client", 1)
    assert sorted(card.number for card in first) == [card.number for card in sorted(DECK, key=lambda card: card.number)]
    assert first == stake_deck("server", "client", 1)
    assert first != stake_deck("server", "client", 2)
