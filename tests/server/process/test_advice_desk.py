"""The desk of the process that advises: one question after the other, each for as long as somebody waits for it."""

from threading import Thread
from typing import Final

import pytest

from referee.advice.stopping import pause
from referee.adviser.desk import Desk, Question, asked
from referee.service.call import CallEndedError
from referee.wire.refusal import RefusedError

SECONDS: Final = 100.0


def endless(*_: object, **__: object) -> None:
    while True:
        pause()


def test_computation_stops_at_a_pause_once_its_caller_has_gone() -> None:
    given_up = Question(endless, seconds=SECONDS, monotonic=lambda: 0.0)
    worker = Thread(target=given_up.run)
    worker.start()
    given_up.stop()
    worker.join(SECONDS)
    with pytest.raises(CallEndedError):
        given_up.wait()


def test_computation_stops_at_a_pause_once_its_time_is_over() -> None:
    times = iter([0.0, 0.0, 4.9, 5.0])
    late = Question(endless, seconds=5.0, monotonic=lambda: next(times))
    late.run()
    with pytest.raises(RefusedError, match="not computed within 5 s") as refused:
        late.wait()
    assert refused.value.reason_name == "ADVICE_TOO_LONG"


def test_question_that_waits_behind_another_ends_with_its_caller() -> None:
    waiting = Question(endless, seconds=SECONDS, monotonic=lambda: 0.0)
    waiting.stop()
    with pytest.raises(CallEndedError):
        waiting.wait()
    waiting.run()  # its turn comes: nothing is computed


def test_question_that_waits_behind_another_ends_with_its_time() -> None:
    times = iter([0.0, 5.0])
    waiting = Question(endless, seconds=5.0, monotonic=lambda: next(times))
    with pytest.raises(RefusedError, match="not computed within 5 s"):
        waiting.wait()
    waiting.run()


def test_question_that_is_stopped_before_it_arrives_is_not_computed() -> None:
    desk = Desk()
    desk.stop("early")
    asked.set(("early", SECONDS))
    with pytest.raises(CallEndedError):
        desk.compute(endless)


def test_desk_computes_in_the_order_of_arrival_and_passes_errors_on() -> None:
    desk = Desk()
    worker = Thread(target=desk.run, kwargs={"is_gentle": False})
    worker.start()
    asked.set(("1", SECONDS))
    assert desk.compute(len, "four") == 4
    with pytest.raises(ValueError, match="invalid literal"):
        desk.compute(int, "x")
    desk.close()
    worker.join(SECONDS)
