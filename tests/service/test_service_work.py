"""Work of a settlement, an opening and a deal, counted, so that one that grows dearer is noticed on any machine.

A change that saves work lowers the numbers here; one that adds some has to say why. ``python -m
tests.bench.settled_work`` prints the counts.
"""

from collections.abc import Mapping
from typing import Final

import pytest

from tests.bench.settled_work import Work, count, count_shuffled

GAMES: Final = ("mau_binh", "tien_len", "ultimate_texas")
STATEMENTS: Final = 9
"""Begin, head, round, leaf, nodes, the round's new state, its mark, the head moved, commit."""
LOG_HASHES: Final = 6
"""The leaf's hash, that by which a repeat is known, and at most four nodes of a tree as small as this one."""
BYTES: Final = {"mau_binh": 6_000, "tien_len": 5_500, "ultimate_texas": 7_000}
"""What a settlement of a previewed round encodes at most, besides its events: inputs, and the envelope of both."""
EVENT_BYTES: Final = 170
"""The same of an event, which inputs hold and the envelope holds in base64."""


@pytest.fixture(scope="module")
def works() -> Mapping[str, tuple[Work, Work]]:
    return count()


def because(name: str, work: Work) -> str:
    """Return what to say where a number is not the expected one."""
    return f"{name} changed; the whole work of this settlement: {work}"


@pytest.mark.parametrize("game", GAMES)
def test_settlement_verifies_only_what_the_server_has_not_seen(
    works: Mapping[str, tuple[Work, Work]], game: str
) -> None:
    """One certificate and the newest receipt, however long the round is; after a preview nothing."""
    unseen, seen = works[game]
    assert unseen.verified == 2, because("the number of signatures verified", unseen)
    assert seen.verified == 0, because("the number of signatures verified after a preview", seen)


@pytest.mark.parametrize("game", GAMES)
def test_settlement_signs_its_leaf_and_one_checkpoint(works: Mapping[str, tuple[Work, Work]], game: str) -> None:
    for work in works[game]:
        assert work.signed == 2, because("the number of signatures made", work)


@pytest.mark.parametrize("game", GAMES)
def test_settlement_is_one_forced_commit_of_few_statements(works: Mapping[str, tuple[Work, Work]], game: str) -> None:
    for work in works[game]:
        assert work.commits == 1, because("the number of forced commits", work)
        assert work.statements == STATEMENTS, because("the number of statements", work)


@pytest.mark.parametrize("game", GAMES)
def test_settlement_hashes_each_event_twice(works: Mapping[str, tuple[Work, Work]], game: str) -> None:
    """Once for the course and once for its history; besides, a round that is new is hashed with its sections."""
    unseen, seen = works[game]
    assert unseen.events > 0
    assert 0 < unseen.hashed - 2 * unseen.events <= 10 + LOG_HASHES, because("the number of hashes", unseen)
    assert 0 < seen.hashed <= LOG_HASHES, because("the number of hashes after a preview", seen)


@pytest.mark.parametrize("game", GAMES)
def test_settlement_encodes_each_event_once(works: Mapping[str, tuple[Work, Work]], game: str) -> None:
    """Besides: inputs, results and envelope; and certificate, receipt and what is compared with each, where unseen."""
    unseen, seen = works[game]
    assert unseen.encoded == unseen.events + 7, because("the number of texts", unseen)
    assert seen.encoded == 3, because("the number of texts after a preview", seen)
    most = BYTES[game] + EVENT_BYTES * seen.events
    assert 0 < seen.encoded_bytes <= most, because("the number of bytes encoded", seen)


@pytest.fixture(scope="module")
def shuffled() -> tuple[Work, Work]:
    return count_shuffled()


def test_opening_reads_its_table_once_and_hashes_its_header_once(shuffled: tuple[Work, Work]) -> None:
    """Hashes are of the request, header, commitment, sealing and log; texts are the request, the leaf and its payload.

    Besides the reading one statement adds the round to the index by which rounds are listed.
    """
    opened, _ = shuffled
    assert opened.signed == 2, because("the number of signatures made", opened)
    assert opened.statements == 2 + STATEMENTS, because("the number of statements", opened)
    assert 0 < opened.hashed <= 8, because("the number of hashes", opened)
    assert opened.encoded == 3, because("the number of texts", opened)


def test_deal_reads_its_round_once_before_its_transaction(shuffled: tuple[Work, Work]) -> None:
    """Besides a settlement's statements one in the transaction finds no other seeds; OPEN is read and verified."""
    _, dealt = shuffled
    assert dealt.signed == 3, because("the number of signatures made", dealt)
    assert dealt.statements == 2 + STATEMENTS, because("the number of statements", dealt)
    assert 0 < dealt.hashed <= 16, because("the number of hashes", dealt)
    assert dealt.encoded == 6, because("the number of texts", dealt)
