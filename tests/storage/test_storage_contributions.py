"""A seat's seed is kept from the moment it is acknowledged, once, and never after the deal was made without it."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from referee.log import SlotError, SlotKey, SlotReason
from referee.storage import Contribution, StaleRoundError, Store, Writer
from referee.storage.batch import append_batch
from tests.storage.log_bench import Bench, Place

KEY = SlotKey("t", 1)


def seed_of(seat: int, *, key: SlotKey = KEY, byte: bytes = b"s", signature: bytes = b"") -> Contribution:
    """Return a seat's contribution."""
    return Contribution(key=key, seat=seat, seed=byte * 32, signature=signature)


def test_contributed_seeds_are_read_back_by_seat_and_after_a_restart(place: Place, bench: Bench):
    """In whatever order they came, signatures with them; another round has none of them."""
    with bench.writing(place.open()) as (_, writer):
        writer.append(bench.append("OPEN"))
        writer.append(bench.append("OPEN", "other"))
        given = [seed_of(2, byte=b"c"), seed_of(0, byte=b"a", signature=b"x" * 64)]
        assert [writer.contribute(one) for one in given] == given
    again = place.open()
    assert again.contributions(KEY) == (given[1], given[0])
    assert again.contributions(SlotKey("other", 1)) == ()
    again.close()


def test_first_seed_of_a_seat_counts(writer: Writer, store: Store, bench: Bench):
    """The same again and another one are both answered with the first."""
    writer.append(bench.append("OPEN"))
    writer.contribute(seed_of(1, byte=b"a"))
    assert writer.contribute(seed_of(1, byte=b"a")) == seed_of(1, byte=b"a")
    assert writer.contribute(seed_of(1, byte=b"b")) == seed_of(1, byte=b"a")
    assert store.contributions(KEY) == (seed_of(1, byte=b"a"),)


def test_refused_request_keeps_no_seed_for_the_rest_of_its_batch(writer: Writer, store: Store, bench: Bench):
    """The deal came with a seed and was refused for what came with it, so the seat's next seed is its first."""
    writer.append(bench.append("OPEN"))
    deal = msgspec.structs.replace(bench.append("DEAL"), seed=seed_of(1, byte=b"a"))
    requests: list[Any] = [[deal, bench.append("REVEAL")], seed_of(0), seed_of(1, byte=b"b")]
    _, (refused, first, second) = append_batch(store, bench.signer, requests)
    assert isinstance(refused, SlotError)
    assert (first, second) == (seed_of(0), seed_of(1, byte=b"b"))
    assert store.contributions(KEY) == (first, second)


@pytest.mark.parametrize("step", ["DEAL", "ABANDON"])
def test_last_seed_is_kept_with_the_leaf_that_publishes_it(writer: Writer, store: Store, bench: Bench, step: str):
    writer.append(bench.append("OPEN"))
    writer.contribute(seed_of(0))
    last = seed_of(1, byte=b"l", signature=b"x" * 64)
    writer.append(msgspec.structs.replace(bench.append(step), contributed=1, seed=last))
    assert store.contributions(KEY) == (seed_of(0), last)


def test_seed_given_in_ignorance_of_another_is_refused(writer: Writer, store: Store, bench: Bench):
    writer.append(bench.append("OPEN"))
    alone = msgspec.structs.replace(seed_of(0), contributed=0)
    assert writer.contribute(alone) == seed_of(0)
    for known in (0, 2):
        with pytest.raises(StaleRoundError, match="arrived meanwhile"):
            writer.contribute(msgspec.structs.replace(seed_of(1), contributed=known))
    assert writer.contribute(msgspec.structs.replace(seed_of(1), contributed=1)) == seed_of(1)
    assert store.contributions(KEY) == (seed_of(0), seed_of(1))


def test_contributing_moves_no_head(writer: Writer, store: Store, bench: Bench):
    """A seed is no leaf: the checkpoint is the same bytes."""
    writer.append(bench.append("OPEN"))
    before = store.head()
    writer.contribute(seed_of(0))
    assert store.head() == before


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ((), SlotReason.NOT_OPENED),
        (("OPEN", "DEAL"), SlotReason.ALREADY_DEALT),
        (("OPEN", "DEAL", "SETTLE"), SlotReason.ALREADY_DEALT),
        (("OPEN", "DEAL", "ABORT"), SlotReason.ALREADY_DEALT),
        (("OPEN", "ABANDON"), SlotReason.ABORTED),
    ],
)
def test_round_that_waits_for_no_seeds_takes_none(
    writer: Writer, store: Store, bench: Bench, steps: tuple[str, ...], reason: SlotReason
):
    """Nothing is kept, and the reason is the round's stage."""
    for step in steps:
        writer.append(bench.append(step))
    with pytest.raises(SlotError) as caught:
        writer.contribute(seed_of(0))
    assert caught.value.reason is reason
    assert store.contributions(KEY) == ()


def test_kept_seed_is_answered_again_after_the_deal(writer: Writer, bench: Bench):
    """A lost answer can be asked for whenever."""
    writer.append(bench.append("OPEN"))
    writer.contribute(seed_of(0))
    writer.append(bench.append("DEAL"))
    assert writer.contribute(seed_of(0)) == seed_of(0)


@pytest.mark.parametrize("step", ["DEAL", "ABANDON"])
def test_leaf_that_was_made_up_without_a_seed_is_refused(writer: Writer, store: Store, bench: Bench, step: str):
    """So no seat gets the answer that its seed is kept and then finds it left out, or itself blamed for its lack."""
    writer.append(bench.append("OPEN"))
    writer.contribute(seed_of(0))
    head = store.head()
    for stale in (0, 2):
        with pytest.raises(StaleRoundError):
            writer.append(msgspec.structs.replace(bench.append(step), contributed=stale))
    assert store.head() == head
    appended = writer.append(msgspec.structs.replace(bench.append(step), contributed=1))
    assert not appended.is_repeat
    assert writer.append(msgspec.structs.replace(bench.append(step), contributed=0)).is_repeat


def held_up(place: Place, bench: Bench, requests: Callable[[Writer], list[Callable[[], object]]]) -> list[object]:
    """Return the results of requests that all wait while one batch is committed, and so share the next."""
    begun, go_on = threading.Event(), threading.Event()

    def probe(step: str) -> None:
        if step == "JUDGED" and not begun.is_set():
            begun.set()
            assert go_on.wait(30)

    store = place.open()
    with Writer(store, bench.signer, origin=bench.origin, probe=probe) as writer, ThreadPoolExecutor(8) as threads:
        opened = threads.submit(writer.append, bench.append("OPEN"))
        assert begun.wait(30)
        waiting = []
        for count, ask in enumerate(requests(writer), 1):
            waiting.append(threads.submit(ask))
            while len(writer._queue) < count:  # noqa: SLF001 - in this order, and all before the first is judged
                pass
        go_on.set()
        opened.result(30)
        found = [one.exception(30) or one.result() for one in waiting]
    store.close()
    return found


def test_seeds_and_leaves_of_one_batch_are_judged_in_their_order(place: Place, bench: Bench):
    """A deal made up from one seed fits before the second seed and not behind it, also inside one commit."""
    deal = msgspec.structs.replace(bench.append("DEAL"), contributed=1)
    found = held_up(
        place,
        bench,
        lambda writer: [
            lambda: writer.contribute(seed_of(0)),
            lambda: writer.contribute(seed_of(1)),
            lambda: writer.append(deal),
            lambda: writer.append(msgspec.structs.replace(deal, contributed=2)),
            lambda: writer.contribute(seed_of(2)),
        ],
    )
    assert [type(one).__name__ for one in found] == [
        "Contribution",
        "Contribution",
        "StaleRoundError",
        "Logged",
        "SlotError",
    ]


def test_one_seat_contributing_from_many_threads_has_one_seed(writer: Writer, store: Store, bench: Bench):
    """Everybody is answered with the same one."""
    writer.append(bench.append("OPEN"))
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda byte: writer.contribute(seed_of(0, byte=bytes([byte]))), range(1, 33)))
    assert {one.seed for one in found} == {store.contributions(KEY)[0].seed}
