"""What Prometheus reads of a real server, and that the shipped dashboard and alerts ask for what is there."""

import json
import os
import re
import signal
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc
import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from referee.advice.process import AdviceFaultError
from referee.rulesets import load_builtin
from referee.server.clock import system_clock
from referee.server.process.app import Application
from referee.server.process.metrics import LogCollector, Metrics
from referee.service.call import Call
from referee.storage import Cosigned, StoreError, open_sqlite
from referee.v1 import log_pb2, shuffler_pb2
from referee.wire.refusal import RefusedError
from tests.driver.opening import open_round, terms_of
from tests.server.options import server_options

Caller: TypeAlias = Any  # made by a fixture, and has its class in conftest
Figures: TypeAlias = dict[tuple[str, tuple[str, ...]], float]

DEPLOY: Final = resources.files("referee.server").joinpath("deploy")
NAMES: Final = re.compile(r"\b((?:referee|process)_[a-z_]+)\b")


class Clock:
    """The system's time and whatever is added to it, in milliseconds."""

    def __init__(self) -> None:
        self.ahead = 0

    def __call__(self) -> int:
        """Return the time."""
        return system_clock() + self.ahead


@contextmanager
def serving(folder: Path, caller_type: type, **more: Any) -> Iterator[tuple[Application, Caller]]:  # noqa: ANN401 - settings
    """Start a server with metrics, and a caller."""
    settings = server_options(data=folder, metrics="127.0.0.1:0", sweep=False, **more)
    with Application(settings) as app, grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        yield app, caller_type(channel)


def read(app: Application) -> Figures:
    """Every sample, by its name and its labels' values in the order of the labels' names."""
    with urllib.request.urlopen(f"http://127.0.0.1:{app.metrics_port}/metrics") as answer:
        text = answer.read().decode()
    return {
        (sample.name, tuple(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def read_idle(app: Application) -> Figures:
    """Every sample, once nothing is under way: the last answers are sent a moment before they are counted as ended."""
    end = time.monotonic() + 10
    while True:
        found = read(app)
        commits = found["referee_commit_seconds_count", ()], found["referee_commit_requests_count", ()]
        if not found["referee_calls_in_flight", ()] and commits[0] == commits[1]:
            return found
        assert time.monotonic() < end, "something is under way for ever"


def refused(call: Any) -> None:  # noqa: ANN401 - any call
    """Reject the call."""
    with pytest.raises(grpc.RpcError):
        call()


def test_calls_commits_and_the_log_are_counted(tmp_path: Path, caller_type: type) -> None:
    """Known calls are made, and the figures say exactly those."""
    clock = Clock()
    with serving(tmp_path, caller_type, clock=clock, threads=3) as (app, caller):
        for _ in range(3):
            caller.log.GetKeys(log_pb2.GetKeysRequest())
        refused(lambda: caller.log.GetTableRound(log_pb2.GetTableRoundRequest(table_id="nobody", round_number=1)))
        caller.play("t-1")
        caller.play("t-2")
        found = read_idle(app)
        log, shuffler = "/referee.v1.LogService/", "/referee.v1.ShufflerService/"
        assert found["referee_calls_total", ("OK", f"{log}GetKeys")] == 3
        assert found["referee_calls_total", ("FAILED_PRECONDITION", f"{log}GetTableRound")] == 1
        assert found["referee_calls_total", ("OK", f"{shuffler}DealRound")] == 2
        assert found["referee_refusals_total", ("NOT_OPENED",)] == 1
        assert found["referee_call_seconds_count", (f"{log}GetKeys",)] == 3
        assert found["referee_call_wait_seconds_count", ()] == 10
        assert (
            found["referee_message_bytes_total", ("response",)]
            > 2 * found["referee_message_bytes_total", ("request",)] / 3
        )
        assert found["referee_commit_requests_sum", ()] == 4  # two rounds of two steps
        assert found["referee_commit_seconds_count", ()] == found["referee_commit_requests_count", ()]
        assert found["referee_log_leaves", ()] == 4 + 4
        assert found["referee_call_threads", ()] == 3
        assert found["referee_calls_in_flight", ()] == found["referee_calls_waiting", ()] == 0
        assert found["referee_log_readable", ()] == 1
        assert found["referee_log_stopped", ()] == 0
        assert found["referee_rounds_overdue", ()] == 0
        clock.ahead = 10**10
        assert read(app)["referee_rounds_overdue", ()] == 2


def test_call_under_way_and_calls_that_wait_are_counted(tmp_path: Path, caller_type: type) -> None:
    """One thread, kept busy: the first call runs, two wait, and one more is refused at once with the reason why."""
    with serving(tmp_path, caller_type, threads=1, queue=2) as (app, caller):
        busy, let_go = threading.Event(), threading.Event()

        def work() -> None:
            app.pool.begin_work()
            busy.set()
            let_go.wait(20)

        app.pool.submit(work)
        assert busy.wait(5)
        waiting = [caller.log.GetKeys.future(log_pb2.GetKeysRequest()) for _ in range(2)]
        while app.pool.waiting < 2:
            pass
        with pytest.raises(grpc.RpcError) as caught:
            caller.log.GetKeys(log_pb2.GetKeysRequest(), timeout=5)
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        found = read(app)
        assert found["referee_calls_in_flight", ()] == 1, "the busy one"
        assert found["referee_calls_waiting", ()] == 2
        assert found["referee_refusals_total", ("OVERLOADED",)] == 1
        let_go.set()
        assert all(one.result(10).origin for one in waiting)
        caller.log.GetKeys(log_pb2.GetKeysRequest())


def test_lag_of_the_witnesses_and_age_of_the_checkpoint(tmp_path: Path, caller_type: type) -> None:
    """The age is counted from when a checkpoint was first seen; the lag to the newest one that a quorum cosigned."""
    now = 100.0
    with serving(tmp_path, caller_type) as (_, caller):
        store = open_sqlite(tmp_path)
        collector = LogCollector(store, clock=system_clock, monotonic=lambda: now)

        def figures() -> dict[str, float]:
            return {metric.name: metric.samples[0].value for metric in collector.collect()}

        assert "referee_log_cosigned_leaves" not in figures()
        now = 107.0
        assert figures()["referee_checkpoint_age_seconds"] == 7
        caller.play("t-1")
        store.keep_cosigned(3, lambda _: Cosigned(size=3, note=b"note", is_quorate=True))
        assert abs(figures()["referee_clock_seconds"] - system_clock() / 1000) < 60
        assert {name: value for name, value in figures().items() if name != "referee_clock_seconds"} == {
            "referee_log_readable": 1,
            "referee_log_leaves": 6,
            "referee_checkpoint_age_seconds": 0,
            "referee_log_cosigned_leaves": 3,
            "referee_log_cosigned_lag_leaves": 3,
            "referee_rounds_overdue": 0,
            "referee_rounds_unrevealed": 0,
            "referee_table_rounds": 0,
            "referee_table_aborts": 0,
        }
        store.close()


def test_aborts_are_those_of_the_table_with_most(tmp_path: Path, caller_type: type) -> None:
    with serving(tmp_path, caller_type) as (_, caller), closing(open_sqlite(tmp_path)) as store:
        caller.play("settles")
        for number in range(1, 4):
            open_round(caller.shuffler, terms_of("aborts"))
            reason = shuffler_pb2.ABORT_REASON_OPERATOR
            request = shuffler_pb2.AbortRoundRequest(table_id="aborts", round_number=number, reason=reason)
            caller.shuffler.AbortRound(request)
        found = {metric.name: metric.samples[0].value for metric in LogCollector(store, clock=system_clock).collect()}
    assert (found["referee_table_rounds"], found["referee_table_aborts"]) == (3, 3)


def test_log_that_cannot_be_read_is_a_figure_and_no_failure() -> None:
    """Prometheus goes on reading all else of a process whose disk is gone."""

    class Gone:
        def head(self) -> None:
            raise StoreError("the disk is gone")

    metrics = Metrics()
    metrics.watch_log(Gone(), clock=system_clock)  # type: ignore[arg-type] # a reader that can do no more than fail
    assert b"\nreferee_log_readable 0.0" in generate_latest(metrics.registry)
    assert b"referee_calls" in generate_latest(metrics.registry)


def test_labels_are_never_of_a_table_a_round_or_a_caller(tmp_path: Path, caller_type: type) -> None:
    """However many tables, callers and request ids there are, there are no more samples than before."""
    with serving(tmp_path, caller_type) as (app, caller):
        caller.play("table-1")
        before = set(read(app))
        open_round(
            caller.shuffler,
            terms_of("table-2", seat_count=3, currency="EUR", stake_minor=7),
            metadata=[("x-request-id", "label-me"), ("user-agent", "x")],
        )
        assert {name for name in read(app) if name not in before} == set()


def shown() -> dict[str, set[str]]:
    """Return the metrics that each shipped file uses."""
    board = json.loads(DEPLOY.joinpath("grafana.json").read_text(encoding="utf-8"))
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    rules = DEPLOY.joinpath("prometheus-rules.yaml").read_text(encoding="utf-8")
    return {"grafana.json": set(NAMES.findall(" ".join(asked))), "prometheus-rules.yaml": set(NAMES.findall(rules))}


def test_dashboard_and_alerts_use_existing_metrics_the_dashboard_all() -> None:
    """A figure renamed, or forgotten in the dashboard, fails here."""
    metrics = Metrics()
    metrics.ended(Call(method="/a.B/C", request_id="", caller="", arrived=0, code="INTERNAL", reason="R", role="seat"))
    metrics.returned(next(iter(load_builtin())), (1,))
    families = {
        family.name: family for family in text_string_to_metric_families(generate_latest(metrics.registry).decode())
    }
    names = {sample.name for family in families.values() for sample in family.samples}
    log = {
        "referee_clock_seconds",
        "referee_log_readable",
        "referee_log_leaves",
        "referee_checkpoint_age_seconds",
        "referee_log_cosigned_leaves",
        "referee_log_cosigned_lag_leaves",
        "referee_rounds_overdue",
        "referee_rounds_unrevealed",
        "referee_table_rounds",
        "referee_table_aborts",
    }  # those that the test of the lag reads
    for file, asked in shown().items():
        assert len(asked) > 8
        assert asked <= names | log, file
    for name in [one for one in families if one.startswith("referee_") and not one.endswith("_created")] + sorted(log):
        assert any(one.startswith(name) for one in shown()["grafana.json"]), name


def test_dashboard_can_be_imported() -> None:
    """Each panel has a place of its own, a unit and a query, and names no data source of this machine."""
    board = json.loads(DEPLOY.joinpath("grafana.json").read_text(encoding="utf-8"))
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in board["panels"]]
    assert len(set(places)) == len(places) == len({panel["id"] for panel in board["panels"]})
    for panel in board["panels"]:
        assert panel["targets"]
        assert panel["fieldConfig"]["defaults"]["unit"]
        assert panel["datasource"]["uid"] == "${datasource}"
    assert [one["name"] for one in board["templating"]["list"]] == ["datasource", "job"]


def test_advice_is_counted_by_what_became_of_it(tmp_path: Path, caller_type: type) -> None:
    """With the time that it took; a refused function failed, and what is under way is a figure of its own."""
    with serving(tmp_path, caller_type) as (app, _):
        assert app.advice.compute(len, "four") == 4
        with pytest.raises(AdviceFaultError):
            app.advice.compute(int, "x")
        found = read(app)
        outcomes = {
            labels[0]: value for (name, labels), value in found.items() if name == "referee_advice_outcomes_total"
        }
        assert outcomes == {"ANSWERED": 1, "FAILED": 1, "GIVEN_UP": 0, "LATE": 0}
        assert (found["referee_advice_seconds_count", ()], found["referee_advice_wait_seconds_count", ()]) == (2, 2)
        assert (found["referee_advice_in_flight", ()], found["referee_advice_waiting", ()]) == (0, 0)
        with ThreadPoolExecutor(1) as other:
            asked = other.submit(app.advice.compute, time.sleep, 600)
            end = time.monotonic() + 60
            while not read(app)["referee_advice_in_flight", ()]:
                assert time.monotonic() < end
            os.kill(app.advice.pids[0], signal.SIGKILL)
            assert isinstance(asked.exception(60), RefusedError)
        assert read(app)["referee_advice_outcomes_total", ("FAILED",)] == 2
