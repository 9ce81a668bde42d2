"""What another process has verified of a log is not read again: only what came since, and that it continues it."""

import pytest

from referee.log import Checkpoint, tree_frontier
from referee.storage import DataLossError, Store, Writer, check_store
from tests.storage.log_bench import ORIGIN, Bench

SIZE = 7


@pytest.fixture
def grown(store: Store, writer: Writer, bench: Bench) -> Store:
    """Return a store with seven leaves."""
    for number in range(SIZE):
        writer.append(bench.append("OPEN", f"t-{number}"))
    return store


def test_frontier_from_stored_hashes_is_that_of_the_leaves(grown: Store) -> None:
    assert tree_frontier(grown, SIZE) == grown.head().frontier


def test_leaves_below_what_was_verified_are_not_read_again(grown: Store) -> None:
    verified = Checkpoint(ORIGIN, 5, tree_frontier(grown, 5).root)
    visited: list[int] = []
    head = check_store(grown, verified=verified, visit=lambda index, _: visited.append(index))
    assert (head.size, visited) == (SIZE, [5, 6])


def test_log_that_was_verified_whole_has_no_leaf_to_read(grown: Store) -> None:
    head, visited = grown.head(), list[int]()
    check_store(grown, verified=Checkpoint(ORIGIN, head.size, head.root), visit=lambda index, _: visited.append(index))
    assert visited == []


@pytest.mark.parametrize("size", [5, SIZE, SIZE + 1])
def test_log_that_does_not_continue_what_was_verified_is_refused(grown: Store, size: int) -> None:
    """Another root at that size, and a log that has become shorter."""
    with pytest.raises(DataLossError, match="does not continue"):
        check_store(grown, verified=Checkpoint(ORIGIN, size, b"r" * 32))


def test_leaf_that_was_damaged_since_is_found(grown: Store) -> None:
    """A leaf above what was verified must have the hash that is stored for it."""
    verified = Checkpoint(ORIGIN, 5, tree_frontier(grown, 5).root)
    with grown.transaction() as transaction:
        transaction._cursor.execute(  # noqa: SLF001 - damage
            "UPDATE leaf SET data = (SELECT a.data FROM leaf a WHERE a.position = 0) WHERE position = 6"
        )
    with pytest.raises(DataLossError, match="hash"):
        check_store(grown, verified=verified)
