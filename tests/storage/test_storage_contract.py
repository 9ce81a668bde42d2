"""What every store must do with leaves: keep them, prove them, give them back, seen through writer and readers."""

import struct
import tracemalloc
from typing import Any
from unittest import mock

import pytest

from referee.evidence.merkle import leaf_hash, root, verify_consistency
from referee.log import Checkpoint
from referee.storage import Append, DataLossError, Store, Writer, check_store
from referee.storage.record import MAX_LEAF_SIZE, Change, HeadMovedError
from tests.log.rfc9162 import consistency_proof, inclusion_proof
from tests.storage.log_bench import Bench, Place


def test_new_log_is_empty_and_signed(writer: Writer, store: Store, bench: Bench):
    head = store.head()
    assert (head.size, head.root) == (0, root([]))
    assert store.origin == bench.origin
    assert check_store(store) == head
    assert list(store.iterate()) == store.leaves(0, 10) == []
    with pytest.raises(IndexError, match="the log has no leaf 0"):
        store.leaf(0)
    with pytest.raises(IndexError):
        store.receipt(0)
    assert writer.fault is None


def test_appended_leaf_is_read_back_with_a_receipt_that_holds(writer: Writer, store: Store, bench: Bench):
    """The receipt in the answer, and the one that is asked for later under a larger tree."""
    leaves = []
    for n in range(70):
        logged = writer.append(Append(leaf=f"leaf {n}".encode()))
        leaves.append(logged.leaf)
        assert logged.receipt.index == n
        assert not logged.is_repeat
        assert bench.verify(logged.leaf, logged.receipt) == Checkpoint(bench.origin, n + 1, root(leaves))
    for n, leaf in enumerate(leaves):
        assert store.leaf(n) == leaf
        assert bench.verify(leaf, store.receipt(n)).size == 70
    assert list(store.iterate()) == leaves
    assert list(store.iterate(3, 68)) == store.leaves(3, 68) == leaves[3:68]
    assert store.leaves(60, 99) == leaves[60:]


def test_proofs_between_all_sizes_are_those_of_the_leaves(writer: Writer, store: Store):
    leaves = [f"leaf {n}".encode() for n in range(40)]
    writer.submit(*(Append(leaf=leaf) for leaf in leaves)).result()
    for size in range(1, 41):
        for index in range(size):
            assert store.inclusion_proof(index=index, size=size) == inclusion_proof(leaves[:size], index)
        for old in range(size + 1):
            assert store.consistency_proof(old_size=old, new_size=size) == consistency_proof(leaves[:size], old)
    for call in (
        lambda: store.inclusion_proof(index=0, size=41),
        lambda: store.inclusion_proof(index=5, size=5),
        lambda: store.consistency_proof(old_size=1, new_size=41),
        lambda: store.consistency_proof(old_size=6, new_size=5),
    ):
        with pytest.raises(IndexError):
            call()


def test_log_of_many_tiles_is_proved(writer: Writer, store: Store, bench: Bench):
    """1,300 leaves in batches of changing size, so that tiles are completed within, at and across batches."""
    leaves = [f"leaf {n}".encode() for n in range(1_300)]
    at = 0
    for count in (1, 254, 1, 1, 255, 300, 211, 1, 276):
        answers = writer.submit(*(Append(leaf=leaf) for leaf in leaves[at : at + count])).result()
        at += count
        for logged in answers[:: max(1, count // 5)]:
            bench.verify(logged.leaf, logged.receipt)
    assert at == len(leaves)
    top = check_store(store).root
    for n in (0, 1, 255, 256, 511, 512, 1_023, 1_024, 1_298, 1_299):
        bench.verify(leaves[n], store.receipt(n))
    for old in (1, 255, 256, 257, 1_024, 1_280, 1_299):
        proof = store.consistency_proof(old_size=old, new_size=1_300)
        verify_consistency(old_size=old, new_size=1_300, old_root=root(leaves[:old]), new_root=top, proof=proof)
    with mock.patch.object(store, "hashes", wraps=store.hashes) as reading:
        for n in (0, 255, 256, 1_023):
            store.inclusion_proof(index=n, size=1_300)
        assert {read.args for read in reading.mock_calls} == {(0, 1_280, 20), (1, 0, 5)}, "whole tiles were kept"
    assert store.tile(1, 0, 256) == [root(leaves[n : n + 256]) for n in range(0, 1_280, 256)]
    assert store.tile(0, 5, 256) == [leaf_hash(leaf) for leaf in leaves[1_280:]]
    assert store.tile(0, 4, 3) == [leaf_hash(leaf) for leaf in leaves[1_024:1_027]]


def test_log_goes_on_after_it_was_closed(place: Place, bench: Bench):
    with bench.writing(place.open()) as (store, writer):
        end = bench.settle_round(writer, "t", 1, bytes(32))
    store = place.open()
    check_store(store)
    with Writer(store, bench.signer, origin=bench.origin) as writer:
        again = writer.append(bench.append("SETTLE"))
        assert (again.receipt.leaf_hash, again.is_repeat) == (end, True)
        assert writer.append(bench.append("OPEN", number=2, previous=end)).receipt.index == 4
    reader = place.open_reader()
    assert check_store(reader).size == 5
    reader.close()
    store.close()


def test_reader_knows_whether_a_server_holds_the_lock_of_its_database(place: Place, bench: Bench):
    """A log in a file has no such lock; the folder's lock says it there."""
    with bench.writing(place.open()) as (store, writer):
        bench.settle_round(writer, "t", 1, bytes(32))
        reader = place.open_reader()
        assert not reader.is_in_use()
        with store.lock(alone=False) as lock:
            lock.take(seconds=5)
            assert reader.is_in_use() == place.name.startswith("postgresql:")
        reader.close()


def test_store_of_another_log_is_refused(writer: Writer, store: Store, bench: Bench):
    writer.append(Append(leaf=b"x"))
    with pytest.raises(DataLossError):
        Writer(store, bench.signer, origin="log.example/2")


def test_change_from_another_head_is_refused(writer: Writer, store: Store):
    """Compare-and-swap on size and root."""
    writer.append(Append(leaf=b"0"))
    stale = store.head()
    writer.append(Append(leaf=b"1"))
    change = Change(expected=stale, head=stale, leaves=[b"x"], hashes=[], opened=[], advanced=[], marks=[])
    with pytest.raises(HeadMovedError), store.transaction() as transaction:
        transaction.write(change)
    assert list(store.iterate()) == [b"0", b"1"]


def test_head_that_moves_inside_the_transaction_refuses_the_change(writer: Writer, store: Store):
    """The update of the head names the one that it moves from, so not even a writer without a lock is overwritten."""
    writer.append(Append(leaf=b"0"))
    head = store.head()
    change = Change(expected=head, head=head, leaves=[b"x"], hashes=[], opened=[], advanced=[], marks=[])

    def overtake() -> None:
        with store.transaction() as transaction:
            transaction._cursor.execute("UPDATE head SET size = size + 1")  # noqa: SLF001 - by no way of the store's
            transaction.write(change)

    with pytest.raises(HeadMovedError):
        overtake()
    assert list(store.iterate()) == [b"0"]


def test_iteration_holds_few_leaves_at_a_time(writer: Writer, store: Store):
    """40 MB of leaves pass through less than 4 MB."""
    for start in range(0, 2_000, 200):
        writer.submit(*(Append(leaf=n.to_bytes(4, "big") * 5_000) for n in range(start, start + 200))).result()
    tracemalloc.start()
    count = sum(leaf == n.to_bytes(4, "big") * 5_000 for n, leaf in enumerate(store.iterate()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 2_000
    assert peak < 4_000_000


def test_iteration_ends_at_the_size_it_began_with(writer: Writer, store: Store):
    writer.submit(*(Append(leaf=b"%d" % n) for n in range(100))).result()
    leaves = store.iterate()
    first = next(leaves)
    writer.append(Append(leaf=b"later"))
    assert [first, *leaves] == [b"%d" % n for n in range(100)]


def test_appends_outside_the_limits_are_refused(bench: Bench):
    step = bench.step("OPEN", "t", 1)
    Append(leaf=b"x" * MAX_LEAF_SIZE)
    Append(leaf=b"x", step=step, request_digest=bytes(32), memo=b"x" * 65_535)
    words: dict[str, Any]
    for words, reason in (
        ({"leaf": b""}, "a leaf has 1 to 65535 bytes, not 0"),
        ({"leaf": b"x" * (MAX_LEAF_SIZE + 1)}, "a leaf has 1 to 65535 bytes, not 65536"),
        ({"leaf": b"x", "request_digest": bytes(32)}, "digest of a leaf without a step has 0 bytes, not 32"),
        ({"leaf": b"x", "memo": b"memo"}, "a leaf without a step has no memo"),
        ({"leaf": b"x", "step": step}, "digest of a step has 32 bytes, not 0"),
        ({"leaf": b"x", "step": step, "request_digest": b"short"}, "digest of a step has 32 bytes, not 5"),
        ({"leaf": b"x", "step": step, "request_digest": bytes(32), "memo": b"x" * 65_536}, "at most 65535 bytes"),
    ):
        with pytest.raises(ValueError, match=reason):
            Append(**words)


def test_largest_leaf_fits_the_length_before_an_entry_of_a_bundle():
    """Bundles of https://c2sp.org/tlog-tiles put each entry behind its length in 16 bits."""
    assert struct.pack(">H", MAX_LEAF_SIZE)
    with pytest.raises(struct.error):
        struct.pack(">H", MAX_LEAF_SIZE + 1)
