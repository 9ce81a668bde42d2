"""The edge of a log is checked at a cost that does not grow; what no check has passed is proved before it is read."""

from collections.abc import Iterable
from pathlib import Path

import pytest

import referee
from referee.log import Checkpoint, tree_frontier
from referee.storage import Append, DataLossError, Store, Writer
from referee.storage.check import TileCheck, check_edge, newest_tile
from tests.storage.log_bench import ORIGIN, Bench

SIZE = 600


@pytest.fixture
def grown(store: Store, writer: Writer, bench: Bench) -> Store:
    """Return a store with a KEY, a START, an OPEN and 597 other leaves; only its newest tile is passed."""
    appends = [Append(leaf=b"%d" % number, names_keys=False) for number in range(SIZE - 3)]
    writer.submit(Append(leaf=b"key"), Append(leaf=b"start", instance="one"), *appends).result()
    writer.append(bench.append("OPEN"))
    store.unpassed = (range(newest_tile(SIZE)),)
    return store


def damage(store: Store, statement: str) -> None:
    with store.transaction() as transaction:
        transaction._cursor.execute(statement)  # noqa: SLF001 - damage


def checked(store: Store, tiles: Iterable[int]) -> None:
    head = store.head()
    check = TileCheck(store, size=head.size, root=head.root)
    for tile in tiles:
        check.check(tile)


def test_frontier_from_stored_hashes_is_that_of_the_leaves(grown: Store) -> None:
    assert tree_frontier(grown, SIZE) == grown.head().frontier


def test_rows_name_the_key_leaves_and_the_last_start_of_each_instance(grown: Store, writer: Writer) -> None:
    assert (grown.key_leaves(), grown.start_leaves()) == ((0,), (1,))
    assert (grown.last_start("one"), grown.last_start("two")) == (1, None)
    writer.append(Append(leaf=b"again", instance="one"))
    assert grown.last_start("one") == SIZE
    assert grown.head().roundless == 1


def test_edge_is_the_newest_tile_and_continues_what_is_known(grown: Store) -> None:
    known = [Checkpoint(ORIGIN, size, tree_frontier(grown, size).root) for size in (0, 5, 256, SIZE)]
    edge = check_edge(grown, known=known)
    assert (edge.head, edge.start, len(edge.leaves)) == (grown.head(), 512, SIZE - 512)


@pytest.mark.parametrize("size", [5, 256, SIZE, SIZE + 1])
def test_edge_that_does_not_continue_what_is_known_is_refused(grown: Store, size: int) -> None:
    """Another root at that size, and a log that has become shorter."""
    with pytest.raises(DataLossError, match="known checkpoint"):
        check_edge(grown, known=[Checkpoint(ORIGIN, size, b"r" * 32)])


def test_tiles_are_checked_in_any_order(grown: Store) -> None:
    checked(grown, (1, 0))


EDITED = "UPDATE leaf SET data = (SELECT a.data FROM leaf a WHERE a.position = 0) WHERE position = 300"
LOST = "DELETE FROM leaf WHERE position = 300"
NODE = (
    "UPDATE node SET hash = (SELECT a.hash FROM node a WHERE a.level = 0 AND a.position = 0) "
    "WHERE level = 0 AND position = 300"
)


@pytest.mark.parametrize(
    ("statement", "index"), [(EDITED, 300), (LOST, 300), (NODE, 301)], ids=["leaf edited", "leaf lost", "hash edited"]
)
def test_tile_that_is_damaged_is_found_and_never_read(grown: Store, statement: str, index: int) -> None:
    """Leaf 301 is proved by the hash of leaf 300; what lies elsewhere is still read."""
    damage(grown, statement)
    check_edge(grown)
    checked(grown, [0])
    with pytest.raises(DataLossError):
        checked(grown, [1])
    for read in (
        lambda: grown.leaf(index),
        lambda: grown.leaves(299, 302),
        lambda: grown.receipt(index),
        lambda: grown.logged(index),
    ):
        with pytest.raises(DataLossError):
            read()
    assert grown.leaf(20)
    assert grown.receipt(SIZE - 1)


def test_open_leaf_that_was_edited_is_not_read_with_its_round(grown: Store, bench: Bench) -> None:
    step = bench.append("OPEN").step
    assert step is not None
    assert grown.opened(step.key) is not None
    grown.unpassed = (range(SIZE),)
    damage(grown, EDITED.replace("300", str(SIZE - 1)))
    found: list[DataLossError] = []
    grown.on_damage = found.append
    with pytest.raises(DataLossError):
        grown.opened(step.key)
    assert len(found) == 1


def test_no_statement_reads_leaves_but_those_whose_leaves_are_proved(store: Store) -> None:
    """Another statement needs a proof in its method of ``Reader`` and a test here; only the check reads without one."""
    reading = {name for name, text in vars(store._sql).items() if "leaf.data" in str(text)}  # noqa: SLF001 - compared
    assert reading == {"read_leaf", "read_leaves", "read_opened"}
    package = Path(referee.__file__).parent
    files = {path.relative_to(package).as_posix() for path in package.rglob("*.py")}
    unproved = {file for file in files if "stored_leaves(" in (package / file).read_text(encoding="utf-8")}
    assert unproved == {"storage/reader.py", "storage/check.py"}


def test_leaf_that_a_check_has_passed_is_read_without_a_proof(grown: Store) -> None:
    damage(grown, NODE)
    with pytest.raises(DataLossError):
        grown.leaf(301)
    grown.unpassed = (range(256),)
    assert grown.leaf(301)
