"""Counts of ended calls for Prometheus, kept under one lock and made into samples when they are scraped.

The client library's own counters take a lock for each number, seven of them a call.
"""

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from referee.service.call import Call

CALL_SECONDS: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
_LIMITS: Final = (*map(str, CALL_SECONDS), "+Inf")


class _Times:
    """A histogram of seconds."""

    __slots__ = ("_counts", "_sum")

    def __init__(self) -> None:
        self._counts = [0] * len(_LIMITS)
        self._sum = 0.0

    def add(self, seconds: float) -> None:
        """Count a time; one that equals a limit is below it."""
        self._counts[bisect_left(CALL_SECONDS, seconds)] += 1
        self._sum += seconds

    def fill(self, family: HistogramMetricFamily, labels: list[str]) -> None:
        """Add the samples to a family."""
        family.add_metric(labels, list(zip(_LIMITS, accumulate(self._counts), strict=True)), self._sum)


class CallMetrics(Collector):
    """Calls that have ended: by method and code, role and reason; their bytes; how long they ran and waited.

    >>> metrics = CallMetrics()
    >>> metrics.count(Call(method="/a.B/C", request_id="", caller="", arrived=0.0))
    >>> [family.samples[0].value for family in metrics.collect() if family.name == "referee_calls"]
    [1]
    """

    def __init__(self) -> None:
        self._counting = threading.Lock()
        self._calls: Counter[tuple[str, str]] = Counter()
        self._roles: Counter[tuple[str, str]] = Counter()
        self._reasons: Counter[str] = Counter()
        self._times: dict[str, _Times] = {}
        self._waits = _Times()
        self._received = self._sent = 0

    def count(self, call: Call) -> None:
        """Count a call that has ended."""
        with self._counting:
            self._calls[call.method, call.code] += 1
            times = self._times.get(call.method)
            if times is None:
                times = self._times[call.method] = _Times()
            times.add(call.ended - call.started)
            self._waits.add(call.started - call.arrived)
            self._received += call.request_bytes
            self._sent += call.response_bytes
            if call.role:
                self._roles[call.role, call.code] += 1
            if call.reason:
                self._reasons[call.reason] += 1

    def describe(self) -> Iterable[Metric]:
        """Return the families, which are always the same."""
        return self.collect()

    def collect(self) -> Iterator[Metric]:
        """Yield the families with their samples."""
        with self._counting:
            yield from self._families()

    def _families(self) -> list[Metric]:
        calls = CounterMetricFamily("referee_calls", "Calls ended.", labels=["method", "code"])
        for called, count in self._calls.items():
            calls.add_metric(called, count)
        roles = CounterMetricFamily("referee_calls_by_role", "Calls of known roles.", labels=["role", "code"])
        for known, count in self._roles.items():
            roles.add_metric(known, count)
        reasons = CounterMetricFamily("referee_refusals", "Calls rejected with a reason.", labels=["reason"])
        for reason, count in self._reasons.items():
            reasons.add_metric([reason], count)
        seconds = HistogramMetricFamily("referee_call_seconds", "Time to run a call.", labels=["method"])
        for method, times in self._times.items():
            times.fill(seconds, [method])
        waited = HistogramMetricFamily("referee_call_wait_seconds", "Time a call waited for a thread.", labels=[])
        self._waits.fill(waited, [])
        sizes = CounterMetricFamily("referee_message_bytes", "Bytes of requests and answers.", labels=["direction"])
        sizes.add_metric(["request"], self._received)
        sizes.add_metric(["response"], self._sent)
        return [calls, roles, reasons, seconds, waited, sizes]
