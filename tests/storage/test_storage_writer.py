"""What the writer does on every store: many callers, a bounded queue, failures of one batch, losses that stop it."""

import threading
from concurrent.futures import Future
from typing import Any

import pytest

from referee.log import SlotError, SlotKey
from referee.storage import Append, DataLossError, Logged, QueueFullError, Writer, WriterClosedError, check_store
from referee.storage.record import Change
from tests.storage.log_bench import Bench, Place


def test_many_threads_append_at_once(place: Place, bench: Bench):
    """Eight callers play four rounds each at their own tables; every answer holds and nothing is lost or doubled."""
    store = place.open()
    answers: list[Logged] = []
    with Writer(store, bench.signer, origin=bench.origin, batched=5) as writer:

        def play(table: str) -> None:
            previous = bytes(32)
            for number in range(1, 5):
                for kind in ("OPEN", "DEAL", "SETTLE", "REVEAL"):
                    logged = writer.append(bench.append(kind, table, number, previous=previous))
                    answers.append(logged)
                    if kind == "SETTLE":
                        end = logged.receipt.leaf_hash
                previous = end

        threads = [threading.Thread(target=play, args=(f"table-{n}",)) for n in range(8)]
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


def test_full_queue_refuses_at_once_and_the_rest_is_answered(place: Place, bench: Bench):
    """The first batch is held up inside its transaction while the queue fills."""
    store = place.open()
    held, go = threading.Event(), threading.Event()

    def probe(step: str) -> None:
        if step == "BEGUN":
            held.set()
            go.wait()

    writer = Writer(store, bench.signer, origin=bench.origin, queued=3, probe=probe)
    waiting = [writer.submit(Append(leaf=b"0"))]
    held.wait()
    waiting += [writer.submit(Append(leaf=b"%d" % n)) for n in (1, 2, 3)]
    with pytest.raises(QueueFullError):
        writer.submit(Append(leaf=b"4"))
    assert waiting.pop(2).cancel()
    go.set()
    writer.close()
    assert [reply.result()[0].receipt.index for reply in waiting] == [0, 1, 2]
    assert list(store.iterate()) == [b"0", b"1", b"3"]
    with pytest.raises(WriterClosedError):
        writer.submit(Append(leaf=b"5"))
    store.close()


def test_appends_submitted_together_stand_each_alone_in_one_commit(place: Place, bench: Bench):
    """The second is not lawful and is refused alone; the others are answered by one checkpoint."""
    store = place.open()
    steps: list[str] = []
    with Writer(store, bench.signer, origin=bench.origin, probe=steps.append) as writer:
        asked = [bench.append("OPEN", "a"), bench.append("DEAL", "b"), bench.append("OPEN", "c"), Append(leaf=b"d")]
        first, second, *rest = writer.submit_each(asked)
        logged = [future.result()[0] for future in (first, *rest)]
        assert isinstance(second.exception(), SlotError)
    assert steps.count("COMMITTED") == 1
    assert [one.receipt.index for one in logged] == [0, 1, 2]
    assert len({one.receipt.checkpoint for one in logged}) == 1
    for one in logged:
        bench.verify(one.leaf, one.receipt)
    store.close()


def test_appends_submitted_together_are_taken_as_far_as_there_is_room(place: Place, bench: Bench):
    """Those for which there is none say so in their answers, and nothing of them is queued."""
    store = place.open()
    held, go = threading.Event(), threading.Event()

    def probe(step: str) -> None:
        if step == "BEGUN":
            held.set()
            go.wait()

    writer = Writer(store, bench.signer, origin=bench.origin, queued=3, probe=probe)
    first = writer.submit(Append(leaf=b"0"))
    held.wait()
    answers = writer.submit_each([Append(leaf=b"%d" % n) for n in range(1, 6)])
    go.set()
    assert [type(answer.exception()) for answer in answers] == [*[type(None)] * 3, QueueFullError, QueueFullError]
    writer.close()
    assert first.result()[0].receipt.index == 0
    assert list(store.iterate()) == [b"0", b"1", b"2", b"3"]
    with pytest.raises(WriterClosedError):
        writer.submit_each([Append(leaf=b"6")])
    store.close()


def test_callers_that_are_ready_share_one_commit(place: Place, bench: Bench):
    """One asks; other threads that run before the batch begins ask too, and all are in that batch."""
    store = place.open()
    sizes: list[int] = []
    with Writer(store, bench.signer, origin=bench.origin, watch=sizes.append) as writer:
        ready = [Append(leaf=b"%d" % n) for n in range(1, 4)]
        answers: list[Future[tuple[Logged, ...]]] = []

        def ask_another() -> None:
            if ready:
                answers.append(writer.submit(ready.pop(0)))

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("referee.storage.writer.os.sched_yield", ask_another)
            writer.submit(Append(leaf=b"0")).result()
        assert [answer.result()[0].receipt.index for answer in answers] == [1, 2, 3]
    assert sizes == [4]
    store.close()


def wait(event: threading.Event) -> None:
    event.wait()


def test_append_that_takes_too_long_times_out_and_still_happens(place: Place, bench: Bench):
    store = place.open()
    go = threading.Event()
    writer = Writer(store, bench.signer, origin=bench.origin, probe=lambda _: wait(go))
    with pytest.raises(TimeoutError):
        writer.append(bench.append("OPEN"), timeout=0.01)
    go.set()
    assert writer.append(bench.append("OPEN")).is_repeat
    writer.close()
    store.close()


@pytest.mark.parametrize("step", ["BEGUN", "JUDGED", "SIGNED", "WRITTEN"])
def test_failure_inside_a_transaction_undoes_all_of_it(place: Place, bench: Bench, step: str):
    """The caller gets the error, asks again, and the round goes on."""
    store = place.open()
    failing = True

    def probe(reached: str) -> None:
        if failing and reached == step:
            raise OSError("the signer is gone")

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
