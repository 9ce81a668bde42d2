"""Spans of a real server, kept in memory."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import grpc
import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from referee.server.process.app import Application
from referee.server.process.tracing import Tracing, exporting
from referee.v1 import log_pb2
from tests.server.options import server_options

TRACE, PARENT = 0x0AF7651916CD43DD8448EB211C80319C, 0xB7AD6B7169203331
"""The example of the W3C's Trace Context recommendation, section 3.2.2.5."""
TRACE_PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def spans(tmp_path: Path, caller_type: type) -> list[ReadableSpan]:
    """Return the spans of a played round, a traced call and a refused one."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    settings = server_options(data=tmp_path, sweep=False, observers=[Tracing(provider)])
    with Application(settings) as app, grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        caller = caller_type(channel)
        caller.play("t-1")
        metadata = [("traceparent", TRACE_PARENT), ("x-request-id", "r-1")]
        caller.log.GetKeys(log_pb2.GetKeysRequest(), metadata=metadata)
        with pytest.raises(grpc.RpcError):
            caller.log.GetTableRound(log_pb2.GetTableRoundRequest(table_id="nobody", round_number=1))
    return list(exporter.get_finished_spans())


def test_each_call_is_a_span_under_its_caller(spans: list[ReadableSpan]) -> None:
    """It has the caller's trace, the outcome, the request id and the leaves; a refusal is no error of ours."""
    by_name = {span.name: span for span in spans}
    keys = by_name["referee.v1.LogService/GetKeys"]
    assert keys.parent is not None
    assert (keys.context.trace_id, keys.parent.span_id) == (TRACE, PARENT)
    assert keys.kind is SpanKind.SERVER
    assert keys.attributes is not None
    assert keys.attributes["referee.request_id"] == "r-1"
    assert keys.attributes["rpc.response.status_code"] == "OK"
    opened = by_name["referee.v1.ShufflerService/OpenRound"]
    assert opened.attributes is not None
    assert opened.attributes["referee.leaves"] == (4,)
    refused = by_name["referee.v1.LogService/GetTableRound"]
    assert refused.attributes is not None
    assert refused.attributes["error.type"] == "NOT_OPENED"
    assert refused.status.status_code is StatusCode.UNSET


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

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            """Keep what is sent and answer that it has arrived."""
            received.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Collector) as collector:
        serving = threading.Thread(target=collector.serve_forever)
        serving.start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{collector.server_port}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        tracing = exporting()
        tracing.probe("BEGUN")
        tracing.committed(1)
        tracing.close()
        collector.shutdown()
        serving.join()
    ((path, sent),) = received
    assert path == "/v1/traces"
    assert b"log commit" in sent
    assert b"referee" in sent
