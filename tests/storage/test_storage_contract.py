"""What every store must do, seen through the writer and through its readers."""

import threading
import tracemalloc
from concurrent.futures import Future
from typing import Any, TypeAlias

import pytest

from referee.evidence.merkle import consistency_proof, inclusion_proof, leaf_hash, root, verify_consistency
from referee.log import Checkpoint, Kind, SlotError, SlotKey, SlotReason, Stage
from referee.storage import (
    MAX_LEAF_SIZE,
    Append,
    DataLossError,
    HeadMovedError,
    Limits,
    Logged,
    QueueFullError,
    Store,
    Writer,
    WriterClosedError,
    check_store,
)
from referee.storage.batch import append_batch
from referee.storage.store import Change

Bench: TypeAlias = Any
Place: TypeAlias = Any  # both are fixtures, and have their classes in conftest


def _settle_round(writer: Writer, bench: Bench, table: str, number: int, previous: bytes) -> bytes:
    """A whole round; the hash of the leaf that ended it."""
    writer.append(bench.append("OPEN", table, number, previous=previous))
    writer.append(bench.append("DEAL", table, number))
    ended = writer.append(bench.append("SETTLE", table, number))
    writer.append(bench.append("REVEAL", table, number))
    return ended.receipt.leaf_hash


def test_new_log_is_empty_and_signed(writer: Writer, store: Store, bench: Bench):
    head = store.head()
    assert (head.size, head.root) == (0, root([]))
    assert store.origin == bench.origin
    assert check_store(store) == head
    assert list(store.iterate()) == store.leaves(0, 10) == []
    with pytest.raises(IndexError):
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
    assert store.tile(1, 0, 256) == [root(leaves[n : n + 256]) for n in range(0, 1_280, 256)]
    assert store.tile(0, 5, 256) == [leaf_hash(leaf) for leaf in leaves[1_280:]]
    assert store.tile(0, 4, 3) == [leaf_hash(leaf) for leaf in leaves[1_024:1_027]]


def test_round_is_kept_with_its_steps_and_memos(writer: Writer, store: Store, bench: Bench):
    key = SlotKey("t", 1)
    assert store.round(key) is None
    assert store.latest_round("t") is None
    assert store.marks(key) == ()
    end = _settle_round(writer, bench, "t", 1, bytes(32))
    state = store.round(key)
    assert state is not None
    assert (state.stage, state.is_revealed, state.terminal_leaf) == (Stage.SETTLED, True, end)
    assert (state.deal_deadline, state.round_deadline) == (1_000, 2_000)
    assert [(mark.kind, mark.index, mark.memo) for mark in store.marks(key)] == [
        (Kind.OPEN, 0, b"memo of OPEN 1 of t "),
        (Kind.DEAL, 1, b"memo of DEAL 1 of t "),
        (Kind.SETTLE, 2, b"memo of SETTLE 1 of t "),
        (Kind.REVEAL, 3, b"memo of REVEAL 1 of t "),
    ]
    writer.append(bench.append("OPEN", "t", 2, previous=end))
    latest = store.latest_round("t")
    assert latest is not None
    assert latest.key == SlotKey("t", 2)
    assert store.round(key) == state


def test_next_round_needs_the_leaf_that_ended_the_one_before(writer: Writer, bench: Bench):
    writer.append(bench.append("OPEN"))
    with pytest.raises(SlotError) as refused:
        writer.append(bench.append("OPEN", number=2))
    assert refused.value.reason is SlotReason.PREVIOUS_ROUND_OPEN
    end = writer.append(bench.append("ABANDON")).receipt.leaf_hash
    with pytest.raises(SlotError) as refused:
        writer.append(bench.append("OPEN", number=2))
    assert refused.value.reason is SlotReason.WRONG_PREVIOUS
    assert writer.append(bench.append("OPEN", number=2, previous=end)).receipt.index == 2


def test_same_request_is_answered_again_under_the_newest_checkpoint(writer: Writer, store: Store, bench: Bench):
    """Every step of a round, after the round went on; nothing is appended."""
    requests = [bench.append(kind) for kind in ("OPEN", "DEAL", "SETTLE", "REVEAL")]
    first = [writer.append(request) for request in requests]
    writer.append(Append(leaf=b"something else"))
    again = [writer.append(request) for request in requests]
    assert [logged.is_repeat for logged in first] == [False] * 4
    assert [logged.is_repeat for logged in again] == [True] * 4
    assert [logged.receipt.index for logged in again] == [0, 1, 2, 3]
    assert {bench.verify(logged.leaf, logged.receipt).size for logged in again} == {5}
    assert store.head().size == 5


def test_repeat_is_known_by_its_digest_and_answered_with_the_leaf_that_stands(writer: Writer, bench: Bench):
    """The caller may have signed another leaf at another time; what stands in the log is the first."""
    first = bench.append("OPEN")
    writer.append(first)
    retry = Append(leaf=b"signed later", step=first.step, told_digest=first.told_digest, memo=b"other memo")
    logged = writer.append(retry)
    assert (logged.leaf, logged.is_repeat) == (first.leaf, True)
    bench.verify(first.leaf, logged.receipt)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("OPEN", SlotReason.ALREADY_OPENED),
        ("DEAL", SlotReason.ALREADY_DEALT),
        ("SETTLE", SlotReason.ALREADY_SETTLED),
        ("ABORT", SlotReason.ALREADY_SETTLED),
        ("REVEAL", SlotReason.ALREADY_REVEALED),
    ],
)
def test_another_request_for_a_taken_slot_is_refused(
    writer: Writer, store: Store, bench: Bench, kind: str, reason: SlotReason
):
    _settle_round(writer, bench, "t", 1, bytes(32))
    with pytest.raises(SlotError) as refused:
        writer.append(bench.append(kind, told="otherwise"))
    assert refused.value.reason is reason
    assert store.head().size == 4


def test_aborted_round_is_not_settled(writer: Writer, bench: Bench):
    for kind in ("OPEN", "DEAL", "ABORT"):
        writer.append(bench.append(kind))
    for kind in ("SETTLE", "DEAL"):
        with pytest.raises(SlotError) as refused:
            writer.append(bench.append(kind, told="late"))
        assert refused.value.reason is SlotReason.ABORTED
    writer.append(bench.append("REVEAL"))


def test_appends_of_one_request_stand_or_fall_together(writer: Writer, store: Store, bench: Bench):
    """The third is refused, so the first two leave no trace; without it they go through."""
    together = [bench.append("OPEN"), bench.append("DEAL"), bench.append("REVEAL")]
    with pytest.raises(SlotError) as refused:
        writer.submit(*together).result()
    assert refused.value.reason is SlotReason.NOT_TERMINAL
    assert store.head().size == 0
    assert store.round(SlotKey("t", 1)) is None
    logged = writer.submit(*together[:2]).result()
    assert [answer.receipt.index for answer in logged] == [0, 1]
    state = store.round(SlotKey("t", 1))
    assert state is not None
    assert state.stage is Stage.DEALT


def test_request_may_repeat_in_part(writer: Writer, bench: Bench):
    """A caller that lost the answer asks for more than it did before."""
    writer.append(bench.append("OPEN"))
    logged = writer.submit(bench.append("OPEN"), bench.append("DEAL"), bench.append("OPEN")).result()
    assert [(answer.receipt.index, answer.is_repeat) for answer in logged] == [(0, True), (1, False), (0, True)]
    for answer in logged:
        bench.verify(answer.leaf, answer.receipt)


def test_requests_of_one_batch_are_judged_one_after_the_other(writer: Writer, store: Store, bench: Bench):
    """A refused one does not hurt its neighbours, a repeated one is answered, and the next round builds on the last."""
    assert writer.fault is None
    settle = bench.append("SETTLE")
    end = leaf_hash(settle.leaf)
    requests = [
        [bench.append("OPEN")],
        [bench.append("SETTLE", told="too early")],
        [bench.append("DEAL"), bench.append("DEAL", told="otherwise")],
        [bench.append("DEAL"), settle],
        [bench.append("OPEN")],
        [settle],
        [bench.append("OPEN", number=2, previous=end)],
        [bench.append("OPEN", number=3, previous=end)],
        [Append(leaf=b"a key")],
    ]
    head, answers = append_batch(store, bench.signer, requests)
    shown = [
        answer.reason if isinstance(answer, SlotError) else [(each.receipt.index, each.is_repeat) for each in answer]
        for answer in answers
    ]
    assert shown == [
        [(0, False)],
        SlotReason.NOT_DEALT,
        SlotReason.ALREADY_DEALT,
        [(1, False), (2, False)],
        [(0, True)],
        [(2, True)],
        [(3, False)],
        SlotReason.PREVIOUS_ROUND_OPEN,
        [(4, False)],
    ]
    assert head == store.head() == check_store(store)
    for answer in answers:
        for each in answer if isinstance(answer, tuple) else ():
            assert bench.verify(each.leaf, each.receipt).size == 5


def test_batch_without_new_leaves_moves_nothing(writer: Writer, store: Store, bench: Bench):
    writer.append(bench.append("OPEN"))
    before = store.head()
    head, answers = append_batch(store, bench.signer, [[bench.append("OPEN")], [bench.append("REVEAL")], []])
    assert head == before == store.head()
    assert [isinstance(answer, SlotError) for answer in answers] == [False, True, False]


def test_sweep_finds_rounds_past_their_deadline(writer: Writer, store: Store, bench: Bench):
    """Opened rounds by deal deadline, dealt ones by round deadline, ended ones until they are revealed."""
    for number, table in enumerate("abcd"):
        facts = {"deal_deadline": 100 + number, "round_deadline": 200 - number}
        writer.append(bench.append("OPEN", table, **facts))
    for table in "cd":
        writer.append(bench.append("DEAL", table))

    def overdue(now: int, limit: int = 10) -> str:
        return "".join(state.key.table_id for state in store.overdue_rounds(now, limit))

    assert [overdue(now) for now in (100, 101, 102, 197, 198, 199, 10**15)] == [
        "",
        "a",
        "ab",
        "ab",
        "abd",
        "abdc",
        "abdc",
    ]
    assert overdue(10**15, limit=2) == "ab"
    writer.append(bench.append("ABANDON", "a"))
    writer.append(bench.append("SETTLE", "d"))
    assert overdue(10**15) == "bc"
    assert [state.key.table_id for state in store.unrevealed_rounds(10)] == ["d", "a"]
    assert [state.key.table_id for state in store.unrevealed_rounds(1)] == ["d"]
    writer.append(bench.append("REVEAL", "d"))
    assert [state.key.table_id for state in store.unrevealed_rounds(10)] == ["a"]


def test_many_threads_append_at_once(place: Place, bench: Bench):
    """Eight callers play four rounds each at their own tables; every answer holds and nothing is lost or doubled."""
    store = place.open()
    answers: list[Logged] = []
    with Writer(store, bench.signer, origin=bench.origin, limits=Limits(batched=5)) as writer:

        def play(table: str) -> None:
            previous = bytes(32)
            for number in range(1, 5):
                for kind in ("OPEN", "DEAL", "SETTLE", "REVEAL"):
                    logged = writer.append(bench.append(kind, table, number, previous=previous))
                    answers.append(logged)
                    if kind == "SETTLE":
                        end = logged.receipt.leaf_hash
                previous = end

        threads = [threading.Thread(target=play, args=(f"table {n}",)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(logged.receipt.index for logged in answers) == list(range(128))
    for logged in answers:
        bench.verify(logged.leaf, logged.receipt)
        assert store.leaf(logged.receipt.index) == logged.leaf
    assert check_store(store).size == 128
    store.close()


def test_log_goes_on_after_it_was_closed(place: Place, bench: Bench):
    store = place.open()
    with Writer(store, bench.signer, origin=bench.origin) as writer:
        end = _settle_round(writer, bench, "t", 1, bytes(32))
    store.close()
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


def test_store_of_another_log_is_refused(writer: Writer, store: Store, bench: Bench):
    writer.append(Append(leaf=b"x"))
    with pytest.raises(DataLossError):
        Writer(store, bench.signer, origin="log.example/2")


def test_full_queue_refuses_at_once_and_the_rest_is_answered(place: Place, bench: Bench):
    """The first batch is held up inside its transaction while the queue fills."""
    store = place.open()
    held, go = threading.Event(), threading.Event()

    def probe(step: str) -> None:
        if step == "BEGUN":
            held.set()
            go.wait()

    writer = Writer(store, bench.signer, origin=bench.origin, limits=Limits(queued=3), probe=probe)
    waiting = [writer.submit(Append(leaf=b"0"))]
    held.wait()
    waiting += [writer.submit(Append(leaf=b"%d" % n)) for n in (1, 2, 3)]
    with pytest.raises(QueueFullError):
        writer.submit(Append(leaf=b"4"))
    assert waiting[2].cancel()
    go.set()
    writer.close()
    assert [future.result()[0].receipt.index for future in waiting if not future.cancelled()] == [0, 1, 2]
    assert list(store.iterate()) == [b"0", b"1", b"3"]
    with pytest.raises(WriterClosedError):
        writer.submit(Append(leaf=b"5"))
    store.close()


def test_append_that_takes_too_long_times_out_and_still_happens(place: Place, bench: Bench):
    store = place.open()
    go = threading.Event()
    writer = Writer(store, bench.signer, origin=bench.origin, probe=lambda _: go.wait() and None)
    with pytest.raises(TimeoutError):
        writer.append(bench.append("OPEN"), timeout=0.01)
    go.set()
    assert writer.append(bench.append("OPEN")).is_repeat
    writer.close()
    store.close()


@pytest.mark.parametrize("step", ["BEGUN", "JUDGED", "SIGNED", "WRITTEN"])
def test_failure_inside_a_transaction_undoes_all_of_it(place: Place, bench: Bench, step: str):
    """The caller hears of it, asks again, and the round goes on."""
    store = place.open()
    failing = True

    def probe(reached: str) -> None:
        if failing and reached == step:
            msg = "the signer is gone"
            raise OSError(msg)

    with Writer(store, bench.signer, origin=bench.origin, probe=probe) as writer:
        with pytest.raises(OSError, match="the signer is gone"):
            writer.append(bench.append("OPEN"))
        assert store.head().size == 0
        assert store.round(SlotKey("t", 1)) is None
        assert store.marks(SlotKey("t", 1)) == ()
        failing = False
        assert not writer.append(bench.append("OPEN")).is_repeat
    assert check_store(store).size == 1
    store.close()


def test_change_from_another_head_is_refused(writer: Writer, store: Store):
    """Compare-and-swap on size and root."""
    writer.append(Append(leaf=b"0"))
    stale = store.head()
    writer.append(Append(leaf=b"1"))
    change = Change(expected=stale, head=stale, leaves=[b"x"], hashes=[], opened=[], advanced=[], marks=[])
    with pytest.raises(HeadMovedError), store.transaction() as transaction:
        transaction.write(change)
    assert list(store.iterate()) == [b"0", b"1"]


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
    for words in (
        {"leaf": b""},
        {"leaf": b"x" * (MAX_LEAF_SIZE + 1)},
        {"leaf": b"x", "told_digest": bytes(32)},
        {"leaf": b"x", "memo": b"memo"},
        {"leaf": b"x", "step": step},
        {"leaf": b"x", "step": step, "told_digest": b"short"},
        {"leaf": b"x", "step": step, "told_digest": bytes(32), "memo": b"x" * 65_536},
    ):
        with pytest.raises(ValueError, match=r"bytes|digest|memo"):
            Append(**words)


def test_stopped_writer_answers_everybody_with_the_loss(place: Place, bench: Bench):
    """The head is put back behind the writer's back, as a restored backup would; nothing is appended any more."""
    store = place.open()
    writer = Writer(store, bench.signer, origin=bench.origin)
    empty = store.head()
    writer.append(Append(leaf=b"0"))
    grown = store.head()
    with store.transaction() as transaction:
        transaction.write(Change(expected=grown, head=empty, leaves=[], hashes=[], opened=[], advanced=[], marks=[]))
    waiting: Future[Any] = writer.submit(Append(leaf=b"1"))
    assert isinstance(waiting.exception(), DataLossError)
    assert isinstance(writer.fault, DataLossError)
    with pytest.raises(DataLossError):
        writer.submit(Append(leaf=b"2"))
    writer.close()
    store.close()
