"""OpenTelemetry spans of calls and commits, with the extra otel.

A span has what a log line has. A caller's ``traceparent`` is the parent of its call's span. A commit serves many calls
and has a span of its own; each call's span names its leaves. The standard OTEL variables configure export and sampling.
"""

import time
from typing import Final

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from referee.service.call import Call

_FAULTS: Final = frozenset({"UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"})
"""The codes that are the server's fault by OpenTelemetry's conventions for gRPC."""


class Tracing:
    """Observer that makes spans with the provider's tracer."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("referee")
        self._propagator = TraceContextTextMapPropagator()
        self._open: dict[Call, Span] = {}
        self._commit: Span | None = None

    def began(self, call: Call) -> None:
        """Open the call's span."""
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
        """Close the call's span."""
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
        """Record a step of the batch whose span is open."""
        if step == "BEGUN":
            self._end_commit(StatusCode.ERROR)  # one that failed was never answered
            self._commit = self._tracer.start_span("log commit", kind=SpanKind.INTERNAL)
        elif self._commit is not None and step != "ANSWERED":
            self._commit.add_event(step, timestamp=time.time_ns())

    def committed(self, requests: int) -> None:
        """Close the batch's span."""
        if self._commit is not None:
            self._commit.set_attribute("referee.requests", requests)
        self._end_commit(StatusCode.UNSET)

    def close(self) -> None:
        """Send the remaining spans."""
        self._end_commit(StatusCode.ERROR)
        self._provider.shutdown()

    def _end_commit(self, code: StatusCode) -> None:
        span, self._commit = self._commit, None
        if span is not None:
            if code is StatusCode.ERROR:
                span.set_status(Status(code))
            span.end()


def exporting() -> Tracing:
    """Return an observer that sends spans over OTLP/HTTP, configured by the OTEL variables.

    Raises ModuleNotFoundError where the exporter is not installed.
    """
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415 - an extra
        OTLPSpanExporter,
    )
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - as above
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - as above

    provider = TracerProvider(resource=Resource.create({"service.name": "referee"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Tracing(provider)
