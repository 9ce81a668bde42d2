"""Faults strike the calls they were asked for and no others, and what was carried out stays so."""

import time
from collections.abc import Iterator

import grpc
import pytest
from referee_harness import Clock, Fault, Harness, HarnessError

from referee.v1 import log_pb2, log_pb2_grpc
from tests.clients_harness.harness_process import persist
from tests.driver.client_over import client_over
from tests.driver.driver import Driver
from tests.driver.refusal import ending_of
from tests.waiting import until


@pytest.fixture
def harness() -> Iterator[Harness]:
    with Harness(clock=Clock(is_running=False)) as running:
        yield running


@pytest.fixture
def channel(harness: Harness) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(harness.grpc) as made:
        yield made


def head(channel: grpc.Channel) -> str:
    """Return the log's newest checkpoint."""
    asked = log_pb2.GetCheckpointRequest()
    return log_pb2_grpc.LogServiceStub(channel).GetCheckpoint(asked, timeout=60).checkpoint


def code_of(call: grpc.Channel) -> str:
    """Return the status of the next request for the head."""
    with pytest.raises(grpc.RpcError) as caught:
        head(call)
    return str(caught.value.code().name)


def test_a_refused_call_is_not_carried_out(harness: Harness, channel: grpc.Channel):
    before = head(channel)
    harness.fault(kind="refuse", method="OpenRound")
    opened = Driver(client_over(channel)).prepare()
    assert ending_of(opened.open)[0] == "UNAVAILABLE"
    assert head(channel) == before
    opened.open()
    assert opened.number == 1


def test_a_call_whose_answer_was_lost_is_carried_out_once(harness: Harness, channel: grpc.Channel):
    before = head(channel)
    harness.fault(kind="refuse", method="ShufflerService/OpenRound", when="after", status="DEADLINE_EXCEEDED")
    opened = Driver(client_over(channel)).prepare()
    assert ending_of(opened.open)[0] == "DEADLINE_EXCEEDED"
    after = head(channel)
    assert after != before
    opened.open()
    assert opened.number == 1
    assert head(channel) == after


def test_a_dropped_connection_is_made_again(harness: Harness, channel: grpc.Channel):
    before = head(channel)
    harness.fault(kind="drop", when="after", down_ms=200)
    assert code_of(channel) == "UNAVAILABLE"
    assert persist(lambda: head(channel)) == before


def test_a_delayed_call_is_answered_late(harness: Harness, channel: grpc.Channel):
    harness.fault(kind="delay", delay_ms=300)
    began = time.monotonic()
    head(channel)
    assert time.monotonic() - began >= 0.3


def test_a_fault_strikes_as_often_as_requested(harness: Harness, channel: grpc.Channel):
    harness.fault(kind="refuse", method="GetCheckpoint", times=2, status="RESOURCE_EXHAUSTED")
    harness.fault(kind="refuse", method="GetCheckpoint")
    assert [code_of(channel) for _ in range(3)] == ["RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED", "UNAVAILABLE"]
    assert head(channel)
    assert harness.waiting["faults"] == []


def test_a_fault_waits_for_its_method(harness: Harness, channel: grpc.Channel):
    harness.fault(kind="refuse", method="SettleRound")
    assert head(channel)
    (waiting,) = harness.waiting["faults"]
    assert (waiting["method"], waiting["times"]) == ("SettleRound", 1)
    harness.reset()
    assert harness.waiting["faults"] == []


def test_a_cut_breaks_a_connection_that_does_nothing(harness: Harness, channel: grpc.Channel):
    before = head(channel)
    harness.cut()
    assert persist(lambda: head(channel)) == before


def test_a_restart_keeps_address_and_log(harness: Harness, channel: grpc.Channel):
    opened = Driver(client_over(channel)).prepare()
    leaf = opened.open().leaf
    where = harness.grpc
    harness.restart()
    assert harness.grpc == where
    assert persist(opened.open).leaf == leaf


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "kind"),
        ({"kind": "explode"}, "kind"),
        ({"kind": "delay", "when": "during"}, "when"),
        ({"kind": "delay", "delay_ms": 3_600_000}, "delay_ms"),
        ({"kind": "drop", "down_ms": -1}, "down_ms"),
        ({"kind": "refuse", "times": "often"}, "times"),
        ({"kind": "refuse", "times": 0}, "times"),
        ({"kind": "refuse", "status": "OK"}, "status"),
        ({"kind": "refuse", "status": "GONE"}, "status"),
        ({"kind": "refuse", "who": "me"}, "who"),
    ],
)
def test_a_fault_that_cannot_be_meant_is_refused(given: dict[str, object], field: str):
    with pytest.raises(HarnessError) as caught:
        Fault.read(given)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("method", "meant"),
    [
        ("SettelRound", "SettleRound"),
        ("MauBinhService/SettelRound", "MauBinhService/SettleRound"),
        ("LogService/SettleRound", "TienLenService/SettleRound"),
        ("WatchTable", "LogService/GetKeys"),
    ],
)
def test_a_fault_for_a_method_that_is_not_there_is_refused(harness: Harness, method: str, meant: str):
    with pytest.raises(HarnessError, match=meant) as caught:
        harness.fault(kind="refuse", method=method)
    assert caught.value.field == "method"
    assert harness.waiting["faults"] == []


def await_a_moment() -> None:
    """Wait until ten milliseconds have passed on a clock that runs."""
    other = Clock(is_running=True)
    began = other()
    until(lambda: other() > began + 10)


def test_the_clock_stops_runs_and_never_goes_back():
    clock = Clock(start=1_800_000_000_000, is_running=False)
    await_a_moment()
    assert clock() == 1_800_000_000_000
    assert clock.set(1_800_000_000_500) == 1_800_000_000_500
    for back in (lambda: clock.set(1_800_000_000_000), lambda: clock.advance(-1)):
        with pytest.raises(HarnessError):
            back()
    began = clock.run(is_running=True)
    assert began == 1_800_000_000_500
    until(lambda: clock() > began)
    stopped = clock.run(is_running=False)
    await_a_moment()
    assert clock() == stopped
