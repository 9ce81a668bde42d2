"""A reply: one value or error for all who wait, cancelled only before its request has begun."""

import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Final

import pytest

from referee.storage import Reply

WAITING: Final = 4


def test_value_reaches_all_who_wait_and_who_ask_later() -> None:
    reply = Reply[int]()
    with ThreadPoolExecutor(WAITING) as threads:
        waiting = [threads.submit(reply.result, 60) for _ in range(WAITING)]
        reply.give(7)
        assert [one.result() for one in waiting] == [7] * WAITING
    assert (reply.result(), reply.exception(), reply.exception(0)) == (7, None, None)


def test_error_is_returned_or_raised() -> None:
    reply, error = Reply[int](), ValueError("no")
    reply.fail(error)
    assert reply.exception() is error
    with pytest.raises(ValueError, match="no"):
        reply.result()


def test_raised_error_does_not_hold_the_reply() -> None:
    """It would hold the call that waited, until garbage is collected."""
    reply, error = Reply[int](), ValueError("no")
    reply.fail(error)
    with pytest.raises(ValueError, match="no"):
        reply.result()
    step, held = error.__traceback__, []
    while step is not None:
        held += [value for value in step.tb_frame.f_locals.values() if step.tb_frame.f_code.co_name == "result"]
        step = step.tb_next
    assert held == [None]  # the timeout


def test_no_reply_in_time_times_out_and_may_still_come() -> None:
    reply = Reply[int]()
    for wait in (reply.result, reply.exception):
        with pytest.raises(TimeoutError):
            wait(0)
    reply.give(7)
    assert reply.result(0) == 7


def test_cancelled_request_does_not_begin() -> None:
    reply = Reply[int]()
    assert [reply.cancel(), reply.begin(), reply.cancel()] == [True, False, False]
    assert isinstance(reply.exception(0), CancelledError)


def test_begun_request_is_not_cancelled() -> None:
    reply = Reply[int]()
    assert [reply.begin(), reply.cancel()] == [True, False]
    reply.give(7)
    assert reply.result(0) == 7


def test_one_of_two_threads_begins_or_cancels() -> None:
    for _ in range(200):
        reply, ready = Reply[int](), threading.Barrier(2)

        def race(take: str, reply: Reply[int] = reply, ready: threading.Barrier = ready) -> bool:
            ready.wait()
            return bool(getattr(reply, take)())

        with ThreadPoolExecutor(2) as threads:
            assert sorted(threads.map(race, ("begin", "cancel"))) == [False, True]
