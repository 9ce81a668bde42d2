"""Two processes that append to one log: every head has one successor. Finding 52 of the attacks is this test."""

import os
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

import referee
from referee.evidence.note import Note
from referee.log import Checkpoint, SlotKey, UnsealStep
from referee.storage import Append, Writer, check_store
from tests.storage.log_bench import Bench, Place
from tests.storage.log_bench import Bench as LogBench

RACER = Path(__file__).with_name("race_for_the_head.py")
OPENER = Path(__file__).with_name("open_a_course.py")
ROOT = Path(referee.__file__).parents[1]

BENCH = LogBench()


class Racer:
    """One of the processes."""

    def __init__(self, place: Place, name: str, count: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(RACER), place.name, name, str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def read(self) -> list[str]:
        """Read the words of its next line."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().split()

    def go(self) -> None:
        """Let it continue."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def end(self) -> int:
        """Its exit code."""
        self._process.communicate(timeout=60)
        return self._process.returncode


def test_of_two_changes_from_one_head_one_is_made(place: Place):
    """Sixty races from heads that both processes have seen: one wins, the other learns that and grows from its head.

    Both have signed a checkpoint of the same size before they ask. Only the winner's is ever in the store, so only
    that one can have been handed out.
    """
    place.open().close()
    racers = [Racer(place, name, 30) for name in ("one", "other")]
    states = [racer.read() for racer in racers]
    outcomes: Counter[str] = Counter()
    heads: dict[int, str] = {}
    while all(state[0] == "READY" for state in states):
        assert states[0] == states[1]  # both have seen the same head
        for racer in racers:
            racer.go()
        came = [racer.read() for racer in racers]
        assert sorted(words[0] for words in came) == ["MOVED", "WON"]
        outcomes.update(words[0] for words in came)
        (won,) = (words for words in came if words[0] == "WON")
        assert heads.setdefault(int(won[1]), won[2]) == won[2]
        states = [racer.read() for racer in racers]
    last = next(racer for racer, state in zip(racers, states, strict=True) if state[0] == "READY")
    for number in range(60 - outcomes["WON"]):
        last.go()
        won = last.read()
        assert won[0] == "WON"
        heads[int(won[1])] = won[2]
        assert last.read()[0] == ("READY" if number < 59 - outcomes["WON"] else "DONE")
    assert [racer.end() for racer in racers] == [0, 0]
    assert outcomes["WON"] == outcomes["MOVED"] >= 30
    with closing(place.open_reader()) as reader:
        assert check_store(reader).size == 60 == len(heads)
        leaves = list(reader.iterate())
    assert sorted(leaves) == sorted(f"{name} {n}".encode() for name in ("one", "other") for n in range(30))
    for before, note in heads.items():
        assert Checkpoint.parse(Note.parse(bytes.fromhex(note)).text).size == before + 1


@pytest.mark.parametrize("kind", ["OPEN", "DEAL", "UNSEAL", "SETTLE-1", "REVEAL"])
def test_writer_grows_from_what_another_process_appended(place: Place, bench: Bench, kind: str):
    """Two writers take turns within one round; neither keeps anything in mind that the other has changed."""
    kinds = ["OPEN", "DEAL", "UNSEAL", "SETTLE-1", "REVEAL"]
    with closing(place.open()) as first, closing(place.open()) as second:
        with (
            Writer(first, bench.signer, origin=bench.origin) as one,
            Writer(second, bench.signer, origin=bench.origin) as other,
        ):
            for each in kinds:
                writer, rival = (one, other) if each == kind else (other, one)
                logged = writer.append(bench.append(each))
                assert not logged.is_repeat
                again = rival.append(bench.append(each))
                assert (again.receipt.index, again.leaf, again.is_repeat) == (logged.receipt.index, logged.leaf, True)
                rival.append(Append(leaf=f"after {each}".encode()))
        assert check_store(first) == check_store(second)
        assert [mark.index for mark in first.marks(SlotKey("t", 1))] == [0, 2, 4, 6, 8]


def test_of_two_courses_that_open_cards_at_once_one_is_on_record(place: Place):
    """Two processes open the cards of twenty tables, each along a course of its own: at each table one is refused."""
    with closing(place.open()) as store, Writer(store, BENCH.signer, origin=BENCH.origin) as writer:
        for table in range(20):
            writer.submit(BENCH.append("OPEN", str(table)), BENCH.append("DEAL", str(table))).result()
    players = [
        subprocess.Popen(
            [sys.executable, str(OPENER), place.name, kind, "20"],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for kind in ("UNSEAL-2", "UNSEAL-FORK")
    ]
    answers = [player.communicate(timeout=60)[0].split() for player in players]
    assert [player.returncode for player in players] == [0, 0]
    assert [sorted(pair) for pair in zip(*answers, strict=True)] == [["COURSE_FORKED", "OPENED"]] * 20
    with closing(place.open_reader()) as reader:
        assert check_store(reader).size == 60
        for table, answer in enumerate(answers[0]):
            kind = "UNSEAL-2" if answer == "OPENED" else "UNSEAL-FORK"
            step, state = BENCH.step(kind, str(table), 1), reader.round(SlotKey(str(table), 1))
            assert isinstance(step, UnsealStep)
            assert state is not None
            assert state.unseals == (step.unseal,)
