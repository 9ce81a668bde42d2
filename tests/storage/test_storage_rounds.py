"""What every store must do with rounds: one step after the other, each once, and the same request answered again."""

from unittest.mock import Mock

import pytest

from referee.evidence.merkle import leaf_hash
from referee.log import SlotError, SlotKey, SlotReason, Stage, StepKind
from referee.storage import (
    Append,
    Contribution,
    Store,
    StoreError,
    Writer,
    check_store,
)
from referee.storage.batch import append_batch
from tests.storage.log_bench import Bench


def test_round_is_kept_with_its_steps_and_memos(writer: Writer, store: Store, bench: Bench):
    key = SlotKey("t", 1)
    assert store.round(key) is None
    assert store.latest_round("t") is None
    assert store.marks(key) == ()
    end = bench.settle_round(writer, "t", 1, bytes(32))
    state = store.round(key)
    assert state is not None
    assert (state.stage, state.is_revealed, state.terminal_leaf) == (Stage.SETTLED, True, end)
    assert (state.deal_deadline, state.round_deadline) == (1_000, 2_000)
    assert [(mark.kind, mark.index, mark.memo) for mark in store.marks(key)] == [
        (StepKind.OPEN, 0, b"memo of OPEN 1 of t "),
        (StepKind.DEAL, 1, b"memo of DEAL 1 of t "),
        (StepKind.SETTLE, 2, b"memo of SETTLE 1 of t "),
        (StepKind.REVEAL, 3, b"memo of REVEAL 1 of t "),
    ]
    writer.append(bench.append("OPEN", "t", 2, previous=end))
    latest = store.latest_round("t")
    assert latest is not None
    assert latest.key == SlotKey("t", 2)
    assert store.round(key) == state


def test_leaf_that_opened_a_round_and_its_number_of_seeds_are_found_among_those_of_other_rounds(
    writer: Writer, store: Store, bench: Bench
):
    end = bench.settle_round(writer, "t", 1, bytes(32))
    for opening in (bench.append("OPEN", "other"), bench.append("OPEN", "t", 2, previous=end)):
        writer.append(opening)
    for table, number, seats in (("other", 1, 1), ("t", 2, 2)):
        for seat in range(seats):
            writer.contribute(Contribution(key=SlotKey(table, number), seat=seat, seed=bytes(32)))
    for table, number, seeds in (("t", 1, 0), ("other", 1, 1), ("t", 2, 2)):
        key = SlotKey(table, number)
        assert store.opened(key) == (store.round(key), f"OPEN {number} of {table} ".encode(), seeds)
    assert store.opened(SlotKey("other", 2)) is None


def test_next_round_needs_the_leaf_that_ended_the_one_before(writer: Writer, bench: Bench):
    writer.append(bench.append("OPEN"))
    assert bench.refusal(writer, "OPEN", number=2).reason is SlotReason.PREVIOUS_ROUND_OPEN
    end = writer.append(bench.append("ABANDON")).receipt.leaf_hash
    assert bench.refusal(writer, "OPEN", number=2).reason is SlotReason.WRONG_PREVIOUS
    second = bench.append("OPEN", number=2, previous=end)
    assert writer.append(second).receipt.index == 2
    assert writer.append(second).is_repeat
    assert (
        bench.refusal(writer, "OPEN", number=2, previous=end, variant="otherwise").reason is SlotReason.ALREADY_OPENED
    )


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


def test_repeat_with_the_same_digest_is_answered_with_the_first_leaf(writer: Writer, bench: Bench):
    """The caller may have signed another leaf at another time; the log has the first."""
    first = bench.append("OPEN")
    writer.append(first)
    retry = Append(leaf=b"signed later", step=first.step, request_digest=first.request_digest, memo=b"other memo")
    logged = writer.append(retry)
    assert (logged.leaf, logged.is_repeat) == (first.leaf, True)
    bench.verify(first.leaf, logged.receipt)


def test_repeat_in_the_same_batch_is_answered_with_the_first_leaf(writer: Writer, store: Store, bench: Bench):
    assert writer.fault is None
    first = bench.append("OPEN")
    retry = Append(leaf=b"signed later", step=first.step, request_digest=first.request_digest)
    _, answers = append_batch(store, bench.signer, [[first], [retry]])
    for answer, is_repeat in zip(answers, (False, True), strict=True):
        assert isinstance(answer, tuple)
        assert [(each.leaf, each.is_repeat) for each in answer] == [(first.leaf, is_repeat)]
        bench.verify(first.leaf, answer[0].receipt)


def test_earlier_leaf_that_cannot_be_read_fails_its_own_request_alone(
    writer: Writer, store: Store, bench: Bench, monkeypatch: pytest.MonkeyPatch
):
    writer.append(bench.append("OPEN"))
    monkeypatch.setattr(store, "logged", Mock(side_effect=StoreError("the server is away")))
    _, (repeated, appended) = append_batch(store, bench.signer, [[bench.append("OPEN")], [bench.append("DEAL")]])
    assert isinstance(repeated, StoreError)
    assert isinstance(appended, tuple)
    assert store.leaves(1, 9) == [bench.append("DEAL").leaf]


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
    bench.settle_round(writer, "t", 1, bytes(32))
    assert bench.refusal(writer, kind, variant="otherwise").reason is reason
    assert store.head().size == 4


def test_aborted_round_is_not_settled(writer: Writer, bench: Bench):
    for kind in ("OPEN", "DEAL", "ABORT"):
        writer.append(bench.append(kind))
    for kind in ("SETTLE", "DEAL"):
        assert bench.refusal(writer, kind, variant="late").reason is SlotReason.ABORTED
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
        [bench.append("SETTLE", variant="too early")],
        [bench.append("DEAL"), bench.append("DEAL", variant="otherwise")],
        [bench.append("DEAL"), settle],
        [bench.append("OPEN")],
        [settle],
        [bench.append("OPEN", number=2, previous=end)],
        [bench.append("OPEN", number=3, previous=end)],
        [Append(leaf=b"a key")],
    ]
    head, answers = append_batch(store, bench.signer, requests)
    shown: list[object] = []
    for answer in answers:
        if isinstance(answer, SlotError):
            shown.append(answer.reason)
        else:
            assert isinstance(answer, tuple)
            shown.append([(each.receipt.index, each.is_repeat) for each in answer])
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
        writer.append(bench.append("OPEN", table, deal_deadline=100 + number, round_deadline=200 - number))
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


def test_cards_open_once_an_event_and_only_along_one_course(writer: Writer, store: Store, bench: Bench):
    for kind in ("OPEN", "DEAL", "UNSEAL", "UNSEAL-2"):
        writer.append(bench.append(kind))
    state = store.round(SlotKey("t", 1))
    assert state is not None
    assert [(one.number, len(one.history)) for one in state.unseals] == [(1, 32), (2, 32)]
    for kind in ("UNSEAL-FORK", "SETTLE", "SETTLE-1"):
        with pytest.raises(SlotError) as refused:
            writer.append(bench.append(kind))
        assert refused.value.reason is SlotReason.COURSE_FORKED
        assert refused.value.unseal in state.unseals
    writer.append(bench.append("SETTLE-2"))
    assert [(mark.kind, mark.index, mark.event) for mark in store.marks(SlotKey("t", 1))] == [
        (StepKind.OPEN, 0, 0),
        (StepKind.DEAL, 1, 0),
        (StepKind.UNSEAL, 2, 1),
        (StepKind.UNSEAL, 3, 2),
        (StepKind.SETTLE, 4, 0),
    ]


def test_repeated_opening_is_answered_from_the_log_after_the_end(writer: Writer, store: Store, bench: Bench):
    """And after a later opening; another course is refused as a round that has ended."""
    requests = [bench.append(kind) for kind in ("OPEN", "DEAL", "UNSEAL", "UNSEAL-2", "SETTLE-2", "REVEAL")]
    for request in requests:
        writer.append(request)
    for index in (2, 3):
        again = writer.append(requests[index])
        assert (again.leaf, again.receipt.index, again.is_repeat) == (requests[index].leaf, index, True)
    assert bench.refusal(writer, "UNSEAL-FORK").reason is SlotReason.ALREADY_SETTLED
    assert store.head().size == 6


def test_leaves_outside_rounds_are_counted_in_the_head(writer: Writer, store: Store, bench: Bench):
    """A request that is refused after such a leaf leaves no trace in the count."""
    assert writer.fault is None
    refused: list[Append] = [Append(leaf=b"with"), bench.append("SETTLE")]
    head, answers = append_batch(store, bench.signer, [[Append(leaf=b"one")], refused, [bench.append("OPEN")]])
    assert isinstance(answers[1], SlotError)
    assert (head.size, head.roundless) == (2, 1)
    assert store.head() == head
    assert append_batch(store, bench.signer, [[Append(leaf=b"two"), Append(leaf=b"three")]])[0].roundless == 3
