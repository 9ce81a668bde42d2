"""What Prometheus reads of a server, its spans, and that the shipped dashboard and alerts ask for existing figures."""

import json
import os
import re
import signal
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc
import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from referee.cards import parse_cards
from referee.rulesets import load_builtin
from referee.server.clock import system_clock
from referee.server.process.app import Application
from referee.server.process.metrics import LogCollector, Metrics
from referee.server.process.tracing import Tracing, exporting
from referee.service.call import Call
from referee.storage import Cosigned, StoreError
from referee.storage.sqlite import open_sqlite
from referee.v1 import advice_pb2, advice_pb2_grpc, log_pb2
from tests.driver.messages import method_of, opening
from tests.driver.refusal import ending_of, refusal_of
from tests.server.http_server import Answering, http_server
from tests.server.processes import Caller, calling
from tests.waiting import until

Figures: TypeAlias = dict[tuple[str, tuple[str, ...]], float]

DEPLOY: Final = resources.files("referee.server").joinpath("deploy")
NAMES: Final = re.compile(r"\b((?:referee|process)_[a-z_]+)\b")


OF_THE_LOG: Final = {
    *("referee_log_readable", "referee_log_leaves", "referee_log_cosigned_leaves", "referee_log_cosigned_lag_leaves"),
    *("referee_clock_seconds", "referee_checkpoint_age_seconds", "referee_rounds_overdue", "referee_rounds_unrevealed"),
    *("referee_table_rounds", "referee_table_aborts"),
}
"""Figures that are read from the log."""


@contextmanager
def serving(folder: Path, **more: Any) -> Iterator[tuple[Application, Caller]]:  # noqa: ANN401 - settings
    """Start a server with metrics, and a caller."""
    with calling(data=folder, metrics="127.0.0.1:0", sweep=False, **more) as served:
        yield served


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

    def idle() -> Figures | None:
        found = read(app)
        commits = found["referee_commit_seconds_count", ()] == found["referee_commit_requests_count", ()]
        return found if commits and not found["referee_calls_in_flight", ()] else None

    return until(idle, "something is under way for ever") or {}


def test_calls_commits_and_the_log_are_counted(tmp_path: Path) -> None:
    """Known calls are made, and the figures say exactly those."""
    ahead = [0]
    with serving(tmp_path, clock=lambda: system_clock() + ahead[0], threads=3) as (app, caller):
        for _ in range(3):
            caller.log.GetKeys(log_pb2.GetKeysRequest())
        assert refusal_of(caller.log.GetTableRound, log_pb2.GetTableRoundRequest(table_id="nobody"))
        caller.driver.deal("t-1")  # whose client asks for the keys once, and prepares, opens and deals
        caller.driver.deal("t-2")
        found = read_idle(app)
        log, shuffler = "/referee.v1.LogService/", "/referee.v1.ShufflerService/"
        assert found["referee_calls_total", ("OK", f"{log}GetKeys")] == 3 + 1
        assert found["referee_calls_total", ("FAILED_PRECONDITION", f"{log}GetTableRound")] == 1
        assert found["referee_calls_total", ("OK", f"{shuffler}DealRound")] == 2
        assert found["referee_refusals_total", ("NOT_OPENED",)] == 1
        assert found["referee_call_seconds_count", (f"{log}GetKeys",)] == 3 + 1
        received, sent = (found["referee_message_bytes_total", (way,)] for way in ("request", "response"))
        assert sent > 2 * received / 3
        assert found["referee_commit_seconds_count", ()] == found["referee_commit_requests_count", ()]
        for name, figure in {
            "call_wait_seconds_count": 11,
            "commit_requests_sum": 4,  # two rounds of two steps
            "log_leaves": 4 + 4,
            "call_threads": 3,
            **dict.fromkeys(("calls_in_flight", "calls_waiting", "log_stopped", "rounds_overdue"), 0),
            "log_readable": 1,
        }.items():
            assert found[f"referee_{name}", ()] == figure, name
        ahead[0] = 10**10
        assert read(app)["referee_rounds_overdue", ()] == 2


def test_call_under_way_and_calls_that_wait_are_counted(tmp_path: Path) -> None:
    """One thread, kept busy: the first call runs, two wait, and one more is refused at once with the reason why."""
    with serving(tmp_path, threads=1, queue=2) as (app, caller):
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
        assert ending_of(caller.log.GetKeys, log_pb2.GetKeysRequest(), timeout=5)[0] == "RESOURCE_EXHAUSTED"
        found = read(app)
        assert found["referee_calls_in_flight", ()] == 1, "the busy one"
        assert found["referee_calls_waiting", ()] == 2
        assert found["referee_refusals_total", ("OVERLOADED",)] == 1
        let_go.set()
        assert all(one.result(10).origin for one in waiting)
        caller.log.GetKeys(log_pb2.GetKeysRequest())


def test_lag_of_the_witnesses_and_age_of_the_checkpoint(tmp_path: Path) -> None:
    """The age is counted from when a checkpoint was first seen; the lag to the newest one that a quorum cosigned."""
    now = 100.0
    with serving(tmp_path) as (_, caller):
        store = open_sqlite(tmp_path)
        collector = LogCollector(store, clock=system_clock, monotonic=lambda: now)

        def figures() -> dict[str, float]:
            return {metric.name: metric.samples[0].value for metric in collector.collect()}

        assert "referee_log_cosigned_leaves" not in figures()
        now = 107.0
        assert figures()["referee_checkpoint_age_seconds"] == 7
        caller.driver.play("t-1")
        store.keep_cosigned(3, lambda _: Cosigned(size=3, note=b"note", is_quorate=True))
        assert abs(figures()["referee_clock_seconds"] - system_clock() / 1000) < 60
        assert figures().keys() == OF_THE_LOG
        assert {name: value for name, value in figures().items() if value and name != "referee_clock_seconds"} == {
            "referee_log_readable": 1,
            "referee_log_leaves": 6,
            "referee_log_cosigned_leaves": 3,
            "referee_log_cosigned_lag_leaves": 3,
        }
        store.close()


def test_aborts_are_those_of_the_table_with_most(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, caller), closing(open_sqlite(tmp_path)) as store:
        caller.driver.play("settles")
        for _ in range(3):
            caller.driver.open("aborts").abort()
        found = {metric.name: metric.samples[0].value for metric in LogCollector(store, clock=system_clock).collect()}
    assert (found["referee_table_rounds"], found["referee_table_aborts"]) == (3, 3)


def test_log_that_cannot_be_read_is_a_figure_and_no_failure() -> None:
    """Prometheus goes on reading all else of a process whose disk is gone."""

    class Gone:
        def head(self) -> None:
            raise StoreError("the disk is gone")

    metrics = Metrics()
    metrics.registry.register(LogCollector(Gone(), clock=system_clock))  # type: ignore[arg-type] # a reader that can do no more than fail
    assert b"\nreferee_log_readable 0.0" in generate_latest(metrics.registry)
    assert b"referee_calls" in generate_latest(metrics.registry)


def test_labels_are_never_of_a_table_a_round_or_a_caller(tmp_path: Path) -> None:
    """However many tables, callers and request ids there are, there are no more samples than before."""
    with serving(tmp_path) as (app, caller):
        caller.driver.play("table-1")
        before = set(read(app))
        request = opening("table-2", seat_count=3, currency="EUR", stake_minor=7)
        metadata = [("x-request-id", "label-me"), ("user-agent", "x")]
        method_of(caller.channel, "ShufflerService/OpenRound")(request, metadata=metadata)
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
    for file, asked in shown().items():
        assert len(asked) > 8
        assert asked <= names | OF_THE_LOG, file
    own = [one for one in families if one.startswith("referee_") and not one.endswith("_created")]
    for name in [*own, *sorted(OF_THE_LOG)]:
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


def test_advice_is_counted_by_what_became_of_it(tmp_path: Path) -> None:
    """With the time that it took; what the process has is a figure of its own."""
    with serving(tmp_path) as (app, _), grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        adviser = advice_pb2_grpc.AdviceServiceStub(channel)
        cards: list[Any] = [card.number for card in parse_cards("AS AC AD 2S 2C KH QH JC 9D 8D 7S 5H 4C")]
        request = advice_pb2.SuggestArrangementRequest(
            free=advice_pb2.FreeHand(cards=cards, ruleset_id="mau_binh.classic", seat_count=2)
        )
        assert adviser.SuggestArrangement(request, timeout=100).suggestions
        request.free.seat_count = 9
        with pytest.raises(grpc.RpcError):
            adviser.SuggestArrangement(request, timeout=100)
        found = read(app)
        outcomes = {
            labels[0]: value for (name, labels), value in found.items() if name == "referee_advice_outcomes_total"
        }
        assert outcomes == {"ANSWERED": 1, "REFUSED": 1, "GIVEN_UP": 0, "LATE": 0, "LOST": 0}
        assert found["referee_advice_seconds_count", ()] == 2
        assert found["referee_advice_in_flight", ()] == 0
        pid = app.advice.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        asked = adviser.SuggestArrangement.future(request, timeout=100)
        until(lambda: read(app)["referee_advice_in_flight", ()])
        os.kill(pid, signal.SIGKILL)
        assert isinstance(asked.exception(60), grpc.RpcError)
        until(lambda: read(app)["referee_advice_outcomes_total", ("LOST",)])


TRACE, PARENT = 0x0AF7651916CD43DD8448EB211C80319C, 0xB7AD6B7169203331
"""The example of the W3C's Trace Context recommendation, section 3.2.2.5."""
TRACE_PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def spans(tmp_path: Path) -> list[ReadableSpan]:
    """Return the spans of a played round, a traced call and a refused one."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with calling(data=tmp_path, sweep=False, observers=[Tracing(provider)]) as (_, caller):
        caller.driver.play("t-1")
        metadata = (("traceparent", TRACE_PARENT), ("x-request-id", "r-1"))
        caller.log.GetKeys(log_pb2.GetKeysRequest(), metadata=metadata)
        assert refusal_of(caller.log.GetTableRound, log_pb2.GetTableRoundRequest(table_id="nobody"))
    return list(exporter.get_finished_spans())


def test_each_call_is_a_span_under_its_caller(spans: list[ReadableSpan]) -> None:
    """It has the caller's trace, the outcome, the request id and the leaves; a refusal is no error of ours."""
    by_name = {span.name.rpartition("/")[2]: span for span in spans if span.name.startswith("referee.v1.")}
    said = {name: dict(span.attributes or {}) for name, span in by_name.items()}
    keys = by_name["GetKeys"]
    assert keys.parent is not None
    assert (keys.context.trace_id, keys.parent.span_id, keys.kind) == (TRACE, PARENT, SpanKind.SERVER)
    assert keys.name == "referee.v1.LogService/GetKeys"
    assert said["GetKeys"]["referee.request_id"] == "r-1"
    assert said["GetKeys"]["rpc.response.status_code"] == "OK"
    assert said["OpenRound"]["referee.leaves"] == (4,)
    assert said["GetTableRound"]["error.type"] == "NOT_OPENED"
    assert by_name["GetTableRound"].status.status_code is StatusCode.UNSET


def test_each_commit_is_a_span_with_its_steps(spans: list[ReadableSpan]) -> None:
    """The opening and the deal; the log's keys were named before any call was served."""
    commits = [span for span in spans if span.name == "log commit"]
    assert [span.attributes["referee.requests"] for span in commits if span.attributes] == [1, 1]
    assert [event.name for event in commits[0].events] == ["JUDGED", "SIGNED", "WRITTEN", "COMMITTED"]


def test_commit_that_fails_is_an_error() -> None:
    """A batch that is never answered ends in error when the next begins."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracing = Tracing(provider)
    for step in ("BEGUN", "JUDGED", "BEGUN", "COMMITTED", "ANSWERED"):
        tracing.probe(step)
    tracing.committed(2)
    tracing.close()
    assert [span.status.status_code for span in exporter.get_finished_spans()] == [StatusCode.ERROR, StatusCode.UNSET]


def test_spans_go_where_the_standard_variables_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """The collector that the variable names is sent the span of a commit, with the service's name."""
    received: list[tuple[str, bytes]] = []

    class Collector(Answering):
        def do_POST(self) -> None:  # noqa: N802 - its name in http.server
            """Keep what is sent and answer that it has arrived."""
            received.append((self.path, self.sent()))
            self.answer(b"")

    with http_server(Collector) as address:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        tracing = exporting()
        tracing.probe("BEGUN")
        tracing.committed(1)
        tracing.close()
    ((path, sent),) = received
    assert path == "/v1/traces"
    assert b"log commit" in sent
    assert b"referee" in sent
