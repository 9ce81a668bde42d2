"""Any requests, cut into any batches, have the results that they have one by one on a sheet of paper."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.evidence.merkle import EMPTY_ROOT
from referee.log import Checkpoint, OpenStep, SlotError, SlotReason
from referee.storage import Store, check_store
from referee.storage.batch import append_batch
from referee.storage.sqlite import open_sqlite
from tests.budget import examples
from tests.storage.log_bench import Bench
from tests.storage.paper_log import WORDS, Paper, Shown, append_of

plays = st.lists(st.lists(st.lists(WORDS, max_size=4), max_size=6), max_size=6)


def _show(answer: object) -> Shown:
    if isinstance(answer, SlotError):
        return answer.reason
    return [(each.receipt.index, each.leaf, each.is_repeat) for each in answer]  # type: ignore[attr-defined]


def _agree(store: Store, paper: Paper) -> None:
    assert list(store.iterate()) == paper.leaves
    for key, state in paper.rounds.items():
        assert store.round(key) == state
        assert {(mark.kind, mark.event): (mark.request_digest, mark.index) for mark in store.marks(key)} == {
            (kind, event): slot for (other, kind, event), slot in paper.slots.items() if other == key
        }
    for table in "ab":
        newest = max((key.round_number for key in paper.rounds if key.table_id == table), default=None)
        latest = store.latest_round(table)
        assert (latest.key.round_number if latest else None) == newest


@settings(max_examples=examples(15))
@given(batches=plays)
def test_batches_come_to_what_their_requests_come_to(bench: Bench, batches: list[list[list[tuple[Any, ...]]]]):
    """Answers, leaves, rounds and slots agree after every batch, and every receipt holds."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_sqlite(Path(folder))
        store.found(bench.origin, bench.signer.sign(Checkpoint(bench.origin, 0, EMPTY_ROOT)))
        paper = Paper()
        for batch in batches:
            requests = [[append_of(bench, each) for each in request] for request in batch]
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
        [append_of(bench, (kind, table, number, "", "SETTLE"))]
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
    assert sum(isinstance(request[0].step, OpenStep) for request in requests) == 6
    _agree(store, paper)
    store.close()
