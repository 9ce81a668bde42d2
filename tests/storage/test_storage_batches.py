"""Any requests, cut into any batches, come to what they come to one by one on a sheet of paper."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.evidence.merkle import EMPTY_ROOT, leaf_hash
from referee.log import Checkpoint, Kind, Open, Round, SlotError, SlotKey, SlotReason, advance
from referee.storage import Append, Store, check_store, open_sqlite
from referee.storage.batch import append_batch

Bench: TypeAlias = Any  # a fixture, with its class in conftest
Shown: TypeAlias = SlotReason | list[tuple[int, bytes, bool]]


@dataclass
class Paper:
    """The log as a list, and what is known of rounds and slots as plain dictionaries, copied for each request."""

    leaves: list[bytes] = field(default_factory=list)
    rounds: dict[SlotKey, Round] = field(default_factory=dict)
    slots: dict[tuple[SlotKey, Kind], tuple[bytes, int]] = field(default_factory=dict)

    def take(self, request: list[Append]) -> Shown:
        """What the request comes to; everything is put back where one of its appends is refused."""
        copy = Paper(self.leaves.copy(), self.rounds.copy(), self.slots.copy())
        try:
            shown = [copy.place(append) for append in request]
        except SlotError as error:
            return error.reason
        self.leaves, self.rounds, self.slots = copy.leaves, copy.rounds, copy.slots
        return shown

    def place(self, append: Append) -> tuple[int, bytes, bool]:
        """Index, leaf and whether it stood there."""
        step = append.step
        if step is not None:
            digest, index = self.slots.get((step.key, step.kind), (b"", 0))
            if digest == append.told_digest:
                return index, self.leaves[index], True
            before = SlotKey(step.key.table_id, max(1, step.key.round_number - 1))
            self.rounds[step.key] = advance(
                step,
                leaf_hash=leaf_hash(append.leaf),
                previous=self.rounds.get(before) if step.key != before else None,
                current=self.rounds.get(step.key),
            )
            self.slots[step.key, step.kind] = append.told_digest, len(self.leaves)
        self.leaves.append(append.leaf)
        return len(self.leaves) - 1, append.leaf, False


words = st.tuples(
    st.sampled_from(["OPEN", "OPEN", "DEAL", "DEAL", "SETTLE", "ABORT", "ABANDON", "REVEAL", "KEY"]),
    st.sampled_from("ab"),
    st.integers(min_value=1, max_value=3),
    st.sampled_from(["", "", "", "otherwise"]),
    st.sampled_from(["SETTLE", "ABORT", "ABANDON"]),
)
plays = st.lists(st.lists(st.lists(words, max_size=4), max_size=6), max_size=6)


def _append(bench: Bench, words: tuple[str, str, int, str, str]) -> Append:
    kind, table, number, told, end = words
    if kind == "KEY":
        return Append(leaf=f"key {table} {number}".encode())
    ended = bench.append(end, table, number - 1).leaf if number > 1 else None
    previous = leaf_hash(ended) if ended is not None else bytes(32)
    return bench.append(kind, table, number, told=told, previous=previous)


def _show(answer: object) -> Shown:
    if isinstance(answer, SlotError):
        return answer.reason
    return [(each.receipt.index, each.leaf, each.is_repeat) for each in answer]  # type: ignore[attr-defined]


def _agree(store: Store, paper: Paper) -> None:
    assert list(store.iterate()) == paper.leaves
    for key, state in paper.rounds.items():
        assert store.round(key) == state
        assert {mark.kind: (mark.told_digest, mark.index) for mark in store.marks(key)} == {
            kind: slot for (other, kind), slot in paper.slots.items() if other == key
        }
    for table in "ab":
        newest = max((key.round_number for key in paper.rounds if key.table_id == table), default=None)
        latest = store.latest_round(table)
        assert (latest.key.round_number if latest else None) == newest


@settings(max_examples=60, deadline=None)
@given(batches=plays)
def test_batches_come_to_what_their_requests_come_to(bench: Bench, batches: list[list[list[tuple[Any, ...]]]]):
    """Answers, leaves, rounds and slots agree after every batch, and every receipt holds."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_sqlite(Path(folder))
        store.found(bench.origin, bench.signer.sign(Checkpoint(bench.origin, 0, EMPTY_ROOT)))
        paper = Paper()
        for batch in batches:
            requests = [[_append(bench, each) for each in request] for request in batch]
            _, answers = append_batch(store, bench.signer, requests)
            assert [_show(answer) for answer in answers] == [paper.take(request) for request in requests]
            _agree(store, paper)
            for answer in answers:
                for each in answer if isinstance(answer, tuple) else ():
                    assert bench.verify(each.leaf, each.receipt).size == len(paper.leaves)
        assert check_store(store).size == len(paper.leaves)
        store.close()


def test_whole_game_reaches_every_kind_of_answer(bench: Bench, tmp_path: Path):
    """The play that random ones rarely make: three rounds of two tables, with repeats and late comers, in one batch."""
    store = open_sqlite(tmp_path)
    store.found(bench.origin, bench.signer.sign(Checkpoint(bench.origin, 0, EMPTY_ROOT)))
    requests = [
        [_append(bench, (kind, table, number, "", "SETTLE"))]
        for number in (1, 2, 3)
        for kind in ("OPEN", "DEAL", "SETTLE", "SETTLE", "REVEAL", "ABORT")
        for table in "ab"
    ]
    paper = Paper()
    _, answers = append_batch(store, bench.signer, requests)
    shown = [_show(answer) for answer in answers]
    assert shown == [paper.take(request) for request in requests]
    assert shown.count(SlotReason.ALREADY_SETTLED) == 6
    assert len(paper.leaves) == 24
    assert sum(isinstance(request[0].step, Open) for request in requests) == 6
    _agree(store, paper)
    store.close()
