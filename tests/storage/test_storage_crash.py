"""Processes that are killed, and processes that write to one log at once: what was answered is never lost."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import referee
from referee.evidence.merkle import leaf_hash
from referee.log import SlotKey
from referee.storage import check_store
from tests.storage.log_bench import Place

CHILD = Path(__file__).with_name("append_until_killed.py")
SWEEP = pytest.mark.slow("kills processes again and again")
OTHER_STEPS = [pytest.param(step, marks=SWEEP) for step in ("BEGUN", "JUDGED", "SIGNED", "ANSWERED")]
ROOT = Path(referee.__file__).parents[1]


def _start(place: Place, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(CHILD), place.name, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def _answers(printed: str) -> list[tuple[int, str, bool]]:
    lines = [line.split() for line in printed.splitlines() if line.endswith(("True", "False"))]
    return [(int(index), hashed, repeat == "True") for index, hashed, repeat in lines]


def _stored(place: Place) -> list[str]:
    """Verify that the log is whole; return its leaf hashes."""
    reader = place.open_reader()
    check_store(reader)
    hashes = [leaf_hash(leaf).hex() for leaf in reader.iterate()]
    reader.close()
    return hashes


@pytest.mark.parametrize("count", [pytest.param(1, marks=SWEEP), 8])
@pytest.mark.parametrize("step", ["WRITTEN", "COMMITTED", *OTHER_STEPS])
def test_killed_at_any_step_the_log_is_whole_and_the_round_goes_on(place: Place, step: str, count: int):
    """The dead process's last request is durable if and only if its transaction was; asked again, it is answered.

    The eighth request is the second round's UNSEAL.
    """
    child = _start(place, "t", 2, step, count)
    printed, _ = child.communicate(timeout=60)
    assert child.returncode == -9
    answered = _answers(printed)
    stored = _stored(place)
    assert [hashed for _, hashed, _ in answered] == stored[: len(answered)]
    assert len(stored) == (count if step in {"COMMITTED", "ANSWERED"} else count - 1)
    assert len(answered) in ({count - 1, count} if step == "ANSWERED" else {count - 1})

    printed, _ = _start(place, "t", 2).communicate(timeout=60)
    again = _answers(printed)
    assert [index for index, _, _ in again] == list(range(10))
    assert [repeat for _, _, repeat in again] == [True] * len(stored) + [False] * (10 - len(stored))
    assert _stored(place) == [hashed for _, hashed, _ in again]


def test_processes_that_write_at_once_make_one_log(place: Place):
    """Two play at tables of their own, and two more fight for one table: each slot is taken once."""
    children = [_start(place, table, 20) for table in ("a", "b", "shared", "shared")]
    printed = [child.communicate(timeout=120)[0] for child in children]
    assert [child.returncode for child in children] == [0] * 4
    answers = [_answers(text) for text in printed]
    assert [len(each) for each in answers] == [100] * 4
    stored = _stored(place)
    assert len(stored) == 300
    for each in answers:
        assert [stored[index] for index, _, _ in each] == [hashed for _, hashed, _ in each]
    assert answers[2] != answers[3]
    assert [index for index, _, _ in answers[2]] == [index for index, _, _ in answers[3]]
    taken = zip(answers[2], answers[3], strict=True)
    assert all(one[2] is not other[2] for one, other in taken)  # the second one repeats


def test_reader_in_another_process_sees_the_log_grow(place: Place):
    """Sizes never fall, and every state that was seen is continued by the last."""
    place.open().close()
    child = _start(place, "t", 60)
    assert child.stdout is not None
    child.stdout.readline()
    drain = threading.Thread(target=child.stdout.read)
    drain.start()
    reader = place.open_reader()
    sizes = []
    while child.poll() is None:
        head = reader.head()
        sizes.append(head.size)
        reader.consistency_proof(old_size=max(1, head.size // 2), new_size=head.size)
        assert reader.leaf(head.size - 1)
        assert reader.round(SlotKey("t", 1)) is not None
    drain.join()
    child.stdout.close()
    assert sizes == sorted(sizes)
    assert check_store(reader).size == 300
    reader.close()
