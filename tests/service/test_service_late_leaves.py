"""Leaves that wait for their commit longer than the slack of times, as while a database fails over."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

import pytest

from referee.log.times import SLACK_MS
from referee.v1 import mau_binh_pb2, shuffler_pb2, ultimate_texas_pb2
from tests.service.house import House

Prepare: TypeAlias = "Callable[[House], Callable[[], Any]]"
PLAY_4X: Final = ultimate_texas_pb2.DECISION_PLAY_4X


def opening(house: House) -> Callable[[], Any]:
    return house.open


def dealing(house: House) -> Callable[[], Any]:
    opened = house.open()
    return lambda: house.deal(opened)


def last_seed(house: House) -> Callable[[], Any]:
    table = house.table(seats=2).open()
    table.contribute(0)
    return lambda: table.shuffler.ContributeSeed(table.contribution(1))


def section(house: House) -> Callable[[], Any]:
    table = house.table("ultimate_texas", seats=1).play()
    table.accept(0, decision=PLAY_4X)
    return table.open_section


def settlement(house: House) -> Callable[[], Any]:
    played = house.play().report_all()
    house.clock.now += house.ARRANGING_MS
    return played.settle


def settlements(house: House) -> Callable[[], Any]:
    """Two settlements, and a request that is refused whatever the log does."""
    requests = [mau_binh_pb2.MauBinhServiceSettleRoundRequest()]
    for _ in range(2):
        played = house.play().report_all()
        requests.append(played.request())
    house.clock.now += house.ARRANGING_MS
    batch = mau_binh_pb2.MauBinhServiceSettleRoundsRequest(requests=requests)

    def settle() -> Any:  # noqa: ANN401 - an answer
        answer = house.referee.SettleRounds(batch)
        assert [one.HasField("refused") for one in answer.responses] == [True, False, False]
        return answer

    return settle


def abort(house: House) -> Callable[[], Any]:
    header = house.open().header
    house.clock.now = header.deal_deadline_time + 1
    request = shuffler_pb2.AbortRoundRequest(round=header.round, reason=shuffler_pb2.ABORT_REASON_DEADLINE)
    return lambda: house.shuffler.AbortRound(request)


CALLS: Final[list[Prepare]] = [opening, dealing, last_seed, section, settlement, settlements, abort]


@contextmanager
def failing_over(house: House, *, times: int) -> Iterator[list[int]]:
    """Have so many of the next commits begin a slack and a millisecond after their leaves were built."""
    writer: Any = house.app.log.writer
    before, moved = writer._probe, list[int]()  # noqa: SLF001 - what crash tests hold a commit by

    def probe(step: str) -> None:
        if step == "BEGUN" and len(moved) < times:
            house.clock.now += SLACK_MS + 1
            moved.append(house.clock.now)
        before(step)

    writer._probe = probe  # noqa: SLF001 - as above
    try:
        yield moved
    finally:
        writer._probe = before  # noqa: SLF001 - as above


@pytest.mark.parametrize("prepare", CALLS)
def test_leaf_that_waited_too_long_is_built_again_and_dated_anew(house: House, prepare: Prepare) -> None:
    call = prepare(house)
    size = house.head().size
    with failing_over(house, times=1) as moved:
        assert call() is not None
    assert len(moved) == 1
    assert house.head().size > size
    assert house.app.log.store.head().newest_time >= moved[0]


@pytest.mark.parametrize("prepare", [opening, section, settlement])
def test_caller_of_a_log_that_stays_away_is_refused_as_busy(house: House, prepare: Prepare) -> None:
    """Not that a clock is wrong; asking again is answered."""
    call = prepare(house)
    size = house.head().size
    with failing_over(house, times=2):
        refusal = house.refusal_of(call)
    assert (refusal.code, refusal.reason) == ("UNAVAILABLE", "LOG_BUSY")
    assert "ask again" in refusal.message
    assert house.head().size == size
    assert call() is not None
