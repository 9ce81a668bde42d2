"""Work of batches and of rounds by their course, counted: what one more request costs, and that no event is read again.

The counts are of the server's threads. A change that saves work lowers the numbers; one that adds some has to say why.
"""

import statistics
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any, Final
from unittest import mock

import msgspec
import pytest

from referee.evidence import canonical
from referee.v1 import shuffler_pb2, tien_len_pb2
from tests.bench.settled_work import WorkCounter
from tests.bench.trace_settle import serves_calls
from tests.service.abridging import course_of
from tests.service.courses import take
from tests.service.house import House
from tests.service.opening import opening
from tests.service.playing import dealt, first_choice, turn_of
from tests.service.table import Table

FEW, MANY = 2, 10
SEATS = 3
EVENTS = 7
KINDS: Final = ("verified", "signed", "hashed", "encoded", "parsed", "statements", "commits")


class BatchCounter(WorkCounter):
    """The same counter, which counts JSON texts that are parsed too."""

    def __call__(self, frame: FrameType, event: str, function: object) -> None:
        """Count a call of a function that is not Python's own."""
        super().__call__(frame, event, function)
        if (
            event == "c_call"
            and isinstance(getattr(function, "__self__", None), msgspec.json.Decoder)
            and serves_calls()
        ):
            self._counts["parsed"] += 1


@pytest.fixture(scope="module")
def counter() -> Iterator[BatchCounter]:
    counting = BatchCounter()
    with mock.patch.object(canonical, "_encoder", counting):
        threading.setprofile(counting)
        try:
            yield counting
        finally:
            threading.setprofile(None)


@pytest.fixture
def house(counter: BatchCounter, make_house: Callable[..., House]) -> House:
    return make_house(observers=[counter])


def each(counter: BatchCounter, call: Callable[[int], object]) -> tuple[Counter[str], Counter[str]]:
    """Return the work of one request more, and what a batch costs besides; ``call`` sends one of so many requests."""
    call(FEW)  # threads, tables and statements are ready afterwards
    few, many = (counter.count(lambda count=count: call(count)) for count in (FEW, MANY))  # type: ignore[misc] # bound now
    one: Counter[str] = Counter()
    for kind in KINDS:
        one[kind], rest = divmod(many[kind] - few[kind], MANY - FEW)
        assert not rest or kind in {"hashed", "statements"}, (kind, few, many)
    return one, Counter({kind: few[kind] - FEW * one[kind] for kind in KINDS})


class Shuffled:
    """Rounds of two seats that are opened, dealt and revealed in batches."""

    def __init__(self, house: House) -> None:
        self._house, self._terms = house, list[Any]()

    def open(self, count: int) -> None:
        """Open rounds at new tables."""
        self._terms = [self._house.terms() for _ in range(count)]
        requests = [opening(one) for one in self._terms]
        answers = self._house.shuffler.OpenRounds(shuffler_pb2.OpenRoundsRequest(requests=requests)).responses
        assert all(one.log_receipt.leaf for one in answers)

    def deal(self) -> None:
        """Deal the rounds that were opened last."""
        requests = [shuffler_pb2.DealRoundRequest(**name, client_seeds=self._house.seeds_of(2)) for name in self._names]
        answers = self._house.shuffler.DealRounds(shuffler_pb2.DealRoundsRequest(requests=requests)).responses
        assert all(one.log_receipt.leaf for one in answers)

    @property
    def _names(self) -> Sequence[dict[str, Any]]:
        return [{"round": {"table_id": terms.table_id, "round_number": 1}} for terms in self._terms]


def test_rounds_of_a_batch_are_opened_under_one_checkpoint_in_one_commit(counter: BatchCounter, house: House) -> None:
    """Each opening signs its leaf; the checkpoint, the head and the commit are those of the batch."""
    one, besides = each(counter, Shuffled(house).open)
    assert (one["signed"], besides["signed"]) == (1, 1)
    assert (one["commits"], besides["commits"]) == (0, 1)
    assert one["statements"] <= 2, one
    assert (one["encoded"], one["verified"], one["parsed"]) == (3, 0, 0), one


def test_rounds_of_a_batch_are_dealt_under_one_checkpoint_in_one_commit(counter: BatchCounter, house: House) -> None:
    """Each deal signs its leaf and its certificate, and reads the leaf of its opening."""
    rounds, works = Shuffled(house), []
    for count in (FEW, FEW, MANY):
        rounds.open(count)
        works.append(counter.count(rounds.deal))
    _, few, many = works
    assert (few["commits"], many["commits"]) == (1, 1)
    assert (few["signed"], many["signed"]) == (2 * FEW + 1, 2 * MANY + 1)
    assert many["encoded"] - few["encoded"] == 6 * (MANY - FEW)
    assert many["statements"] - few["statements"] <= 3 * (MANY - FEW)
    assert (few["verified"], many["verified"]) == (0, 0)


def test_events_by_their_course_cost_the_same_whatever_came_before(counter: BatchCounter, house: House) -> None:
    """A batch writes nothing to the log. An event takes two hashes, its message's name one; no other event is read."""
    works = []
    for count in (FEW, FEW, MANY):
        tables = [dealt(house, "tien_len", seats=SEATS, keyed=False) for _ in range(count)]
        works.append([counter.count(lambda step=step: _accept(step)) for step in _steps(tables)])  # type: ignore[misc] # bound now
    _, few, many = works
    for step in (*few, *many):
        assert step["commits"] == step["verified"] == step["parsed"] == 0, step
    for steps in (few, many):  # the thread that reveals seeds reads the log once a second beside them
        assert statistics.median(step["statements"] for step in steps) == 0, steps
    for count, steps in ((FEW, few), (MANY, many)):
        assert len(steps) == EVENTS
        assert [step["signed"] for step in steps] == [count] * EVENTS
        for kind, one in (("hashed", 3), ("encoded", 3)):
            assert {step[kind] for step in steps} == {one * count}, (kind, steps)


def _steps(tables: Sequence[Table]) -> Iterator[Any]:
    """Yield batches that bring all tables on by one event: a single card is led, and passed by everybody else."""
    leaders = [turn_of(table) for table in tables]
    choices = [first_choice(table) or {} for table in tables]
    for number in range(EVENTS):
        requests = []
        for table, leader, first in zip(tables, leaders, choices, strict=True):
            choice: dict[str, Any] = {"pass_turn": True}
            if number % SEATS == 0:
                used = {card for event in table.message.events for card in event.play.cards}
                rest = [card for card in table.dealt.hands[leader].cards if card not in used]
                choice = {"play": tien_len_pb2.Play(cards=rest[:1])} if number else first
            request = table.asking("AcceptEvent", event=table.event((leader + number) % SEATS, **choice))
            request.round.Clear()
            request.round.course.CopyFrom(course_of(table.message))
            requests.append(request)
        yield tables, requests


def _accept(step: tuple[Sequence[Table], Sequence[Any]]) -> None:
    tables, requests = step
    answers = tables[0].referee.AcceptEvents(tables[0].asking("AcceptEvents", requests=requests)).responses
    for table, request, answer in zip(tables, requests, answers, strict=True):
        assert answer.event_number == len(table.message.events) + 1, (answer.violations, answer.refused, request)
        take(table.message, answer.event, receipt=answer.receipt)
