"""Times of leaves: none before the leaf before it of its table, none far from the log's newest or from the clock."""

import msgspec
import pytest

from referee.evidence.merkle import leaf_hash
from referee.log import SlotError, SlotKey
from referee.storage import Append, Store, Writer
from referee.storage.batch import Answer, append_batch
from referee.storage.record import ClockError, LateLeafError, clock_error
from tests.storage.log_bench import Bench

NOON = 1_700_000_000_000
TEN_SECONDS = 10_000


def timed(append: Append, time: int) -> Append:
    return msgspec.structs.replace(append, time=time)


def answers_of(store: Store, bench: Bench, *requests: list[Append], now: int | None = None) -> list[Answer]:
    _, answers = append_batch(store, bench.signer, requests, clock=None if now is None else lambda: now)
    return answers


def is_refused(answer: Answer) -> bool:
    if isinstance(answer, tuple):
        return False
    assert isinstance(answer, ClockError)
    return True


@pytest.fixture
def founded(writer: Writer, store: Store) -> Store:
    """Return a store with a log and no leaf."""
    assert writer.fault is None
    assert store.head().newest_time == 0
    return store


def test_leaf_is_no_older_than_the_one_before_it_of_its_round(founded: Store, bench: Bench) -> None:
    early, same = (timed(bench.append("DEAL"), time) for time in (NOON - 1, NOON))
    opened, refused, dealt = answers_of(founded, bench, [timed(bench.append("OPEN"), NOON)], [early], [same])
    assert [is_refused(answer) for answer in (opened, refused, dealt)] == [False, True, False]
    assert str(refused) == (
        f"the leaf of round 1 of table 't' is of {NOON - 1}; the one before it is of {NOON}, the log's newest of "
        f"{NOON}, and this clock shows {NOON - 1}: put the clocks right"
    )
    state = founded.round(SlotKey("t", 1))
    assert state is not None
    assert (state.newest_time, founded.head().newest_time) == (NOON, NOON)


@pytest.mark.parametrize(("time", "refused"), [(-1, True), (0, False)])
def test_first_leaf_of_a_table_is_no_older_than_1970(founded: Store, bench: Bench, time: int, *, refused: bool) -> None:
    (answer,) = answers_of(founded, bench, [timed(bench.append("OPEN"), time)])
    assert is_refused(answer) == refused


def test_round_is_opened_no_earlier_than_the_one_before_it_ended(founded: Store, bench: Bench) -> None:
    ended = bench.append("ABANDON")
    answers_of(founded, bench, [timed(bench.append("OPEN"), NOON)], [timed(ended, NOON + 5)])
    following = bench.append("OPEN", number=2, previous=leaf_hash(ended.leaf))
    (refused,) = answers_of(founded, bench, [timed(following, NOON + 4)])
    assert is_refused(refused)
    (opened,) = answers_of(founded, bench, [timed(following, NOON + 5)])
    assert not is_refused(opened)


def test_leaf_is_at_most_ten_seconds_behind_the_newest_of_the_log(founded: Store, bench: Bench) -> None:
    answers_of(founded, bench, [timed(bench.append("OPEN"), NOON)])
    (late,) = answers_of(founded, bench, [timed(bench.append("OPEN", "late"), NOON - TEN_SECONDS - 1)])
    assert is_refused(late)
    (in_time,) = answers_of(founded, bench, [timed(bench.append("OPEN", "timely"), NOON - TEN_SECONDS)])
    assert not is_refused(in_time)
    assert founded.head().newest_time == NOON


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (NOON - TEN_SECONDS - 1, LateLeafError),
        (NOON - TEN_SECONDS, tuple),
        (NOON + TEN_SECONDS, tuple),
        (NOON + TEN_SECONDS + 1, ClockError),
    ],
)
def test_leaf_is_at_most_ten_seconds_away_from_the_clock(
    founded: Store, bench: Bench, time: int, expected: type
) -> None:
    """One that is too old waited for its commit, and is built again; one ahead of the clock was dated by another."""
    (answer,) = answers_of(founded, bench, [timed(bench.append("OPEN"), time)], now=NOON)
    assert isinstance(answer, expected)


@pytest.mark.parametrize(
    ("now", "expected", "seconds"),
    [
        (NOON - TEN_SECONDS - 1, ClockError, 0.001),
        (NOON - TEN_SECONDS, LateLeafError, None),
        (NOON, LateLeafError, None),
    ],
)
def test_leaf_behind_the_log_is_late_only_where_the_clock_is_not_behind_it(
    founded: Store, bench: Bench, now: int, expected: type, seconds: float | None
) -> None:
    """Another server's leaf came first: by a right clock this one is built again, by one behind the log it waits."""
    answers_of(founded, bench, [timed(bench.append("OPEN"), NOON)])
    late = timed(bench.append("OPEN", "late"), NOON - TEN_SECONDS - 1)
    (answer,) = answers_of(founded, bench, [late], now=now)
    assert isinstance(answer, expected)
    assert getattr(answer, "seconds", None) == seconds


@pytest.mark.parametrize("now", [NOON - TEN_SECONDS, NOON])
def test_leaf_before_the_one_before_it_is_not_late_but_wrong(founded: Store, bench: Bench, now: int) -> None:
    """Building it again would not help, and no clock says how long to wait."""
    answers_of(founded, bench, [timed(bench.append("OPEN"), NOON)])
    (answer,) = answers_of(founded, bench, [timed(bench.append("DEAL"), NOON - TEN_SECONDS)], now=now)
    assert is_refused(answer)
    assert getattr(answer, "seconds", 0) is None


def test_clock_that_is_behind_the_log_says_by_how_much_and_for_how_long() -> None:
    assert clock_error(NOON, now=NOON - TEN_SECONDS) is None
    error = clock_error(NOON, now=NOON - 1_234_567)
    assert error is not None
    assert str(error) == (
        "this machine's clock is 1,234.6 s behind the log's newest leaf, and 10 s are allowed: every leaf would be "
        "refused. Set the clock right; if it is right, that leaf was dated ahead by a clock that was wrong, and the "
        "log takes leaves again in 1,225 s"
    )
    assert error.seconds == 1224.567


def test_refused_request_leaves_no_time_behind(founded: Store, bench: Bench) -> None:
    together = [timed(bench.append("OPEN"), NOON + 2 * TEN_SECONDS), bench.append("REVEAL")]
    refused, opened = answers_of(founded, bench, together, [timed(bench.append("OPEN", "other"), NOON)])
    assert isinstance(refused, SlotError)
    assert not is_refused(opened)
    assert founded.head().newest_time == NOON


def test_round_without_a_time_is_of_0(founded: Store, bench: Bench) -> None:
    answers_of(founded, bench, [bench.append("OPEN")])
    state = founded.round(SlotKey("t", 1))
    assert state is not None
    assert (state.newest_time, founded.head().newest_time) == (0, 0)


def test_leaf_without_a_time_changes_none(founded: Store, bench: Bench) -> None:
    answers_of(founded, bench, [timed(bench.append("OPEN"), NOON)], [bench.append("DEAL")])
    state = founded.round(SlotKey("t", 1))
    assert state is not None
    assert (state.newest_time, founded.head().newest_time) == (NOON, NOON)
