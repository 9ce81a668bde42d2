"""Commits without an answer on any store: what happened is looked up, and only then said."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from referee.log import SlotKey
from referee.storage import Append, Store, StoreError, Writer
from referee.storage.batch import append_batch
from referee.storage.record import Contribution, OutcomeUnknownError
from tests.storage.log_bench import Bench

FIRST = SlotKey("t", 1)


class Unanswered:
    """A store whose next commit has no answer, whether it happened or not; ``is_away``: nor has any call after it."""

    def __init__(self, store: Store, *, happened: bool, is_away: bool = False) -> None:
        self._store, self._happened, self._is_away = store, happened, is_away
        self._is_cut = False

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the store has
        return getattr(self._store, name)

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """Run one transaction, as the store does."""
        if self._is_cut and self._is_away:
            raise StoreError
        cut, self._is_cut = not self._is_cut, True
        with self._store.transaction() as transaction:
            yield transaction
            if cut and not self._happened:
                raise OutcomeUnknownError
        if cut:
            raise OutcomeUnknownError


def unanswered(store: Store, bench: Bench, *requests: Any, **how: Any) -> Any:  # noqa: ANN401 - as append_batch
    cut: Any = Unanswered(store, **how)
    return append_batch(cut, bench.signer, requests)


@pytest.fixture
def opened(writer: Writer, store: Store, bench: Bench) -> Store:
    """Return a store in which a round is open."""
    writer.append(bench.append("OPEN"))
    return store


def test_commit_that_happened_is_answered(opened: Store, bench: Bench) -> None:
    seed = Contribution(key=FIRST, seat=0, seed=b"s" * 32)
    head, answers = unanswered(opened, bench, [Append(leaf=b"one"), Append(leaf=b"two")], seed, happened=True)
    assert head == opened.head()
    assert [logged.leaf for logged in answers[0]] == [b"one", b"two"]
    assert answers[1] == seed
    assert opened.leaves(0, 9) == [bench.append("OPEN").leaf, b"one", b"two"]


@pytest.mark.parametrize("is_leaf", [True, False])
def test_repeat_is_not_answered_from_what_a_failover_may_have_undone(
    opened: Store, bench: Bench, *, is_leaf: bool
) -> None:
    """What the batch read is proved by its commit alone: it wrote nothing that could be looked up."""
    seed = Contribution(key=FIRST, seat=0, seed=b"s" * 32)
    request = [bench.append("OPEN")] if is_leaf else seed
    append_batch(opened, bench.signer, [seed])
    with pytest.raises(OutcomeUnknownError):
        unanswered(opened, bench, request, happened=True)
    _, answers = append_batch(opened, bench.signer, [request])
    assert answers[0] == seed or answers[0][0].is_repeat  # type: ignore[index] # one of the two


def test_commit_that_did_not_happen_is_said_to_have_appended_nothing(opened: Store, bench: Bench) -> None:
    with pytest.raises(StoreError, match="nothing was appended, try again") as refused:
        unanswered(opened, bench, [Append(leaf=b"one")], happened=False)
    assert not isinstance(refused.value, OutcomeUnknownError)
    assert opened.head().size == 1


def test_seed_that_was_not_kept_is_said_to_be_lost(opened: Store, bench: Bench) -> None:
    seed = Contribution(key=FIRST, seat=0, seed=b"s" * 32)
    with pytest.raises(StoreError, match="nothing was appended, try again"):
        unanswered(opened, bench, seed, happened=False)
    assert opened.contributions(FIRST) == ()


def test_another_writers_leaf_is_not_taken_for_ones_own(opened: Store, bench: Bench) -> None:
    class Overtaken(Unanswered):
        @contextmanager
        def transaction(self) -> Iterator[Any]:
            is_lookup = self._is_cut
            if is_lookup:
                append_batch(self._store, bench.signer, [[Append(leaf=b"another")]])
            with super().transaction() as transaction:
                yield transaction

    cut: Any = Overtaken(opened, happened=False)
    with pytest.raises(StoreError, match="nothing was appended, try again"):
        append_batch(cut, bench.signer, [[Append(leaf=b"one")]])
    assert opened.leaves(1, 9) == [b"another"]


def test_store_that_cannot_be_asked_leaves_the_outcome_unknown(opened: Store, bench: Bench) -> None:
    with pytest.raises(OutcomeUnknownError, match="cannot be asked whether it happened"):
        unanswered(opened, bench, [Append(leaf=b"one")], happened=True, is_away=True)
