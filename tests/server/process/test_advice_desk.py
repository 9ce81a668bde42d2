"""The desk of the process that advises: one question after the other, each for as long as somebody waits for it."""

import subprocess
import sys
from threading import Thread
from typing import Final

import pytest

from referee.advice.stopping import pause
from referee.adviser.desk import Desk, Question, seconds_left
from referee.service.call import CallEndedError
from referee.wire.refusal import RefusedError

SECONDS: Final = 100.0
HANGING: Final = """
import threading, time
from referee.adviser.desk import Desk, seconds_left

def ask():
    seconds_left.set(0.01)
    desk.compute(time.sleep, 1000)

desk = Desk(grace=0.01)
threading.Thread(target=ask, daemon=True).start()
desk.run()
"""


def endless() -> None:
    while True:
        pause()


@pytest.mark.parametrize("times", [[0.0, 0.0, 4.9, 5.0], [0.0, 5.0]], ids=["computed", "waiting"])
def test_question_ends_once_its_time_is_over(times: list[float]) -> None:
    """One that is computed ends at a pause; one that waits behind another ends at once, and is not computed later."""
    clock = iter(times)
    late = Question(endless, seconds=5.0, monotonic=lambda: next(clock))
    if len(times) > 2:
        late.run()
    with pytest.raises(RefusedError, match="not computed within 5 s") as refused:
        late.wait()
    assert refused.value.reason_name == "ADVICE_TOO_LONG"
    late.run()


def test_question_that_waits_behind_another_ends_with_its_caller() -> None:
    waiting = Question(endless, seconds=SECONDS, monotonic=lambda: 0.0)
    waiting.stop()
    with pytest.raises(CallEndedError):
        waiting.wait()
    waiting.run()  # its turn comes: nothing is computed


def test_desk_computes_in_the_order_of_arrival_and_passes_errors_on() -> None:
    desk = Desk()
    worker = Thread(target=desk.run, kwargs={"is_gentle": False})
    worker.start()
    seconds_left.set(SECONDS)
    assert desk.compute(len, "four") == 4
    with pytest.raises(ValueError, match="invalid literal"):
        desk.compute(int, "x")
    desk.close()
    worker.join(SECONDS)


def test_process_that_does_not_let_go_of_a_question_ends_itself() -> None:
    """It says where it hung, also if nobody waits any more: else it would answer no question after this one."""
    ended = subprocess.run([sys.executable, "-c", HANGING], check=False, capture_output=True, timeout=SECONDS)
    assert ended.returncode == 1
    assert b"in compute" in ended.stderr
