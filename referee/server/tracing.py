"""Spans of calls and commits for OpenTelemetry, where a deployment asks for them: ``pip install 'referee[otel]'``.

The law: a span says what a log line says and no more. A caller's ``traceparent`` is the parent of its call's span, and
the request id stands on it. A commit is a span of its own, for it serves many calls; each call's span names the leaves
that it put into the log. Where spans go, and how many are kept, is told by the standard OTEL variables.
"""

import time
from typing import Final

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from referee.service.call import Call

_FAULTS: Final = frozenset({"UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"})
"""The codes that are a server's fault, by OpenTelemetry's conventions for gRPC."""


class Tracing:
    """A Watcher that makes spans with the provider's tracer."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("referee")
        self._propagator = TraceContextTextMapPropagator()
        self._open: dict[Call, Span] = {}
        self._commit: Span | None = None

    def began(self, call: Call) -> None:
        """The call's span is open."""
        parent = self._propagator.extract({"traceparent": call.trace_parent}) if call.trace_parent else None
        self._open[call] = self._tracer.start_span(
            f"{call.service}/{call.name}",
            context=parent,
            kind=SpanKind.SERVER,
            attributes={
                "rpc.system.name": "grpc",
                "rpc.method": call.method[1:],
                "client.address": call.caller,
                "referee.request_id": call.request_id,
                "referee.waited_ms": round(call.waited * 1000, 3),
            },
        )

    def ended(self, call: Call) -> None:
        """The call's span is closed."""
        span = self._open.pop(call)
        span.set_attribute("rpc.response.status_code", call.code)
        if call.reason:
            span.set_attribute("error.type", call.reason)
        if call.leaves:
            span.set_attribute("referee.leaves", call.leaves)
        if call.code in _FAULTS:
            span.set_status(Status(StatusCode.ERROR))
        span.end()

    def probe(self, step: str) -> None:
        """A batch's span is open from its beginning until it is answered."""
        if step == "BEGUN":
            self._end_commit(StatusCode.ERROR)  # one that failed was never answered
            self._commit = self._tracer.start_span("log commit", kind=SpanKind.INTERNAL)
        elif self._commit is not None and step != "ANSWERED":
            self._commit.add_event(step, timestamp=time.time_ns())

    def committed(self, requests: int) -> None:
        """The batch's span is closed."""
        if self._commit is not None:
            self._commit.set_attribute("referee.requests", requests)
        self._end_commit(StatusCode.UNSET)

    def close(self) -> None:
        """What was gathered is sent."""
        self._end_commit(StatusCode.ERROR)
        self._provider.shutdown()

    def _end_commit(self, code: StatusCode) -> None:
        span, self._commit = self._commit, None
        if span is not None:
            if code is StatusCode.ERROR:
                span.set_status(Status(code))
            span.end()


def exporting() -> Tracing:
    """Spans are sent over OTLP/HTTP, by the variables OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER and so on.

    ModuleNotFoundError where the exporter is not installed.
    """
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415 - only who exports needs it
        OTLPSpanExporter,
    )
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - as above
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - as above

    provider = TracerProvider(resource=Resource.create({"service.name": "referee"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Tracing(provider)
