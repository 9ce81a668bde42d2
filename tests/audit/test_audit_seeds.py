"""Every repeated seed is found, with however little memory."""

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from referee.audit.seed_book import SeedBook, SeedKind

SHOWN = st.lists(st.tuples(st.sampled_from(SeedKind), st.integers(0, 5), st.integers(0, 30)), max_size=60)


def expected(shown: list[tuple[SeedKind, int, int]]) -> list[tuple[SeedKind, int, int]]:
    """Return owner, first leaf and later leaf of every repeated seed, computed with a dictionary."""
    leaves: dict[tuple[SeedKind, int], set[int]] = defaultdict(set)
    for owner, seed, leaf in shown:
        leaves[owner, seed].add(leaf)
    return [(owner, min(found), leaf) for (owner, _), found in leaves.items() for leaf in found if leaf != min(found)]


@given(SHOWN, st.integers(1, 7))
def test_repeated_seeds_are_found_across_runs(shown: list[tuple[SeedKind, int, int]], run: int):
    with SeedBook(run=run) as book:
        for owner, seed, leaf in shown:
            book.add(owner, bytes([seed]) * 32, leaf=leaf)
        found = [(again.kind, again.first_leaf, again.leaf) for again in book.repeated()]
    assert sorted(expected(shown)) == sorted(found)


def test_seeds_that_share_their_beginning_are_different():
    with SeedBook() as book:
        book.add(SeedKind.CLIENT, bytes(31) + b"a", leaf=1)
        book.add(SeedKind.CLIENT, bytes(31) + b"b", leaf=2)
        assert list(book.repeated()) == []


def test_equal_seeds_of_server_and_seat_are_no_repetition():
    with SeedBook() as book:
        book.add(SeedKind.SERVER, bytes(32), leaf=1)
        book.add(SeedKind.CLIENT, bytes(32), leaf=2)
        assert list(book.repeated()) == []
