"""Prometheus metrics of one process: its calls, its commits and the state of the log.

Labels are methods, status codes, reasons, roles and rulesets; never a table, round, caller or request. What needs the
store is read when Prometheus scrapes. Each worker process has a port of its own.

>>> from prometheus_client import generate_latest
>>> metrics = Metrics()
>>> metrics.committed(3)
>>> b"referee_commit_requests_count 1.0" in generate_latest(metrics.registry)
True
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Final, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from referee.rulesets import Ruleset
from referee.server.clock import Clock
from referee.server.process.advice_front import OUTCOMES
from referee.service.call import Call
from referee.storage import DataLossError, Reader, StoreError

M = TypeVar("M", Counter, Histogram)

CALL_SECONDS: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
COMMIT_SECONDS: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
COMMIT_REQUESTS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)
COUNTED_ROUNDS: Final = 1000
"""Overdue and unrevealed rounds are counted up to this many."""
_ABORT_PERIOD_MS: Final = 3_600_000
"""Aborts are counted of the rounds that were opened in this time."""


_GAUGES: Final = {
    "referee_calls_in_flight": "Calls running.",
    "referee_calls_waiting": "Calls waiting for a thread.",
    "referee_call_threads": "Threads for calls.",
    "referee_log_queue_requests": "Requests waiting for the next commit.",
    "referee_advice_in_flight": "Questions that the process of advice has.",
    "referee_log_stopped": "1 once the log stopped after a fault.",
    "referee_log_unchecked_leaves": "Leaves that the check behind this start has not passed.",
    "referee_log_check_age_seconds": "Time since a check of all leaves last ended; since the first began if none has.",
    "referee_log_batch_seconds": "Age of the commit under way; 0 while there is none.",
    "referee_log_writable": "1 while the log can be written, or never is here.",
    "referee_edited_files_faulty": "Files that people edit, such as access.revoked, that are not read whole.",
    "referee_certificate_expires_seconds": (
        "Expiry of the server's certificate, in seconds since 1970 UTC; 0 without TLS."
    ),
}
"""Gauges that ``Metrics.watch`` reads from the parts of the server, with their meanings; 0 while they are not read."""


_WORST: Final = "of the table with most aborts, of the last hour and the log's newest 5000 rounds."
LOG_GAUGES: Final = {
    "referee_clock_seconds": "This server's clock, in seconds since 1970 UTC.",
    "referee_log_readable": "1 where the log could be read.",
    "referee_log_leaves": "Leaves in the log.",
    "referee_checkpoint_age_seconds": "Time since the newest checkpoint was first read here.",
    "referee_log_cosigned_leaves": "Leaves that a quorum has cosigned.",
    "referee_log_cosigned_lag_leaves": "Leaves that no quorum has cosigned.",
    "referee_rounds_overdue": "Rounds past their deadline; at most 1000 counted.",
    "referee_rounds_unrevealed": "Ended rounds without REVEAL; at most 1000 counted.",
    "referee_table_rounds": f"Rounds {_WORST}",
    "referee_table_aborts": f"Aborted rounds {_WORST}",
}
"""Gauges that ``LogCollector`` reads at each scrape, with their meanings."""


class Metrics:
    """The metrics of one process; an observer of its calls and commits."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._gauges = {name: Gauge(name, words, registry=registry) for name, words in _GAUGES.items()}
        self._gauges["referee_log_writable"].set(1)

        def counter(name: str, words: str, *labels: str) -> Counter:
            return Counter(name, words, labels, registry=registry)

        def histogram(name: str, words: str, *labels: str, buckets: Sequence[float] = CALL_SECONDS) -> Histogram:
            return Histogram(name, words, labels, buckets=buckets, registry=registry)

        self._calls = _children(counter("referee_calls", "Calls ended.", "method", "code"))
        self._roles = _children(counter("referee_calls_by_role", "Calls of known roles.", "role", "code"))
        self._refusals = _children(counter("referee_refusals", "Calls rejected with a reason.", "reason"))
        self._call_seconds = _children(histogram("referee_call_seconds", "Time to run a call.", "method"))
        self._call_wait_seconds = histogram("referee_call_wait_seconds", "Time a call waited for a thread.")
        sizes = counter("referee_message_bytes", "Bytes of requests and answers.", "direction")
        self._received, self._sent = sizes.labels("request"), sizes.labels("response")
        self._commit_seconds = histogram(
            "referee_commit_seconds", "Time of a commit to the log.", buckets=COMMIT_SECONDS
        )
        self._commit_requests = histogram("referee_commit_requests", "Requests in one commit.", buckets=COMMIT_REQUESTS)
        self._advised = counter("referee_advice_outcomes", "Questions that the process of advice was asked.", "outcome")
        for outcome in OUTCOMES:
            self._advised.labels(outcome)
        self._advice_seconds = histogram("referee_advice_seconds", "Time to get advice, waiting included.")
        ruleset = "ruleset", "version"
        self._side_rounds = _children(
            counter("referee_side_bet_rounds", "Rounds settled here with a side bet.", *ruleset)
        )
        self._side_units = _children(
            counter(
                "referee_side_bet_units",
                "What a unit on the side bet got back by the cards, as if nobody folded: the sum of each round's mean.",
                *ruleset,
            )
        )
        self._begun = 0.0

    def began(self, call: Call) -> None:
        """Do nothing; calls are counted when they have ended."""

    def ended(self, call: Call) -> None:
        """Count the call."""
        self._calls(call.method, call.code).inc()
        self._call_seconds(call.method).observe(call.ended - call.started)
        self._call_wait_seconds.observe(call.started - call.arrived)
        self._received.inc(call.request_bytes)
        self._sent.inc(call.response_bytes)
        if call.role:
            self._roles(call.role, call.code).inc()
        if call.reason:
            self._refusals(call.reason).inc()

    def advised(self, outcome: str, *, seconds: float) -> None:
        """Record a question for advice: its outcome by AdviceFront, and the seconds that it took."""
        self._advised.labels(outcome).inc()
        self._advice_seconds.observe(seconds)

    def returned(self, ruleset: Ruleset, returns: Sequence[int]) -> None:
        """Count a settled round and the mean of ``returns``, the return of each side bet for a unit staked."""
        self._side_rounds(ruleset.id, ruleset.version).inc()
        self._side_units(ruleset.id, ruleset.version).inc(sum(returns) / len(returns))

    def probe(self, step: str) -> None:
        """Record a step of a batch, on the writer's thread."""
        if step == "BEGUN":
            self._begun = time.perf_counter()
        elif step == "COMMITTED":
            self._commit_seconds.observe(time.perf_counter() - self._begun)

    def committed(self, requests: int) -> None:
        """Record the number of requests in a batch."""
        self._commit_requests.observe(requests)

    def close(self) -> None:
        """Do nothing; metrics are fetched."""

    def watch(self, **gauges: Callable[[], float]) -> None:
        """Register functions that are called at each scrape for the values of gauges, by name without ``referee_``."""
        for name, read in gauges.items():
            self._gauges[f"referee_{name}"].set_function(read)


class LogCollector(Collector):
    """Reads the log at each scrape: its size, its cosigned size, its overdue, unrevealed and aborted rounds."""

    def __init__(self, reader: Reader, *, clock: Clock, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._reader = reader
        self._clock = clock
        self._monotonic = monotonic
        self._reading = threading.Lock()
        self._seen, self._since = -1, monotonic()

    def describe(self) -> Iterable[Metric]:
        """Return nothing, so that registering reads nothing."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics; of the log only ``referee_log_readable`` where it cannot be read."""
        try:
            found = self._read()
        except (StoreError, DataLossError):
            found = {}
        clock = {"clock_seconds": self._clock() / 1000, "log_readable": bool(found)}
        for name, value in (clock | found).items():
            yield GaugeMetricFamily(f"referee_{name}", LOG_GAUGES[f"referee_{name}"], float(value))

    def _read(self) -> dict[str, float]:
        size = self._reader.head().size
        now = self._monotonic()
        with self._reading:
            if size != self._seen:
                self._seen, self._since = size, now
            found = {"log_leaves": size, "checkpoint_age_seconds": now - self._since}
        cosigned = self._reader.newest_cosigned()
        if cosigned is not None:
            found |= {"log_cosigned_leaves": cosigned.size, "log_cosigned_lag_leaves": max(0, size - cosigned.size)}
        # The table that aborted most; no label names it.
        since = self._clock() - _ABORT_PERIOD_MS
        tables = self._reader.aborts_by_table(since=since, rounds=5_000, least=1, most=1)
        _, rounds, aborts = tables[0] if tables else ("", 0, 0)
        return found | {
            "rounds_overdue": len(self._reader.overdue_rounds(self._clock(), COUNTED_ROUNDS)),
            "rounds_unrevealed": len(self._reader.unrevealed_rounds(COUNTED_ROUNDS)),
            "table_rounds": rounds,
            "table_aborts": aborts,
        }


def _children(metric: M) -> Callable[..., M]:
    """Return a cached lookup of a metric's children by their labels: the library's own costs several times as much."""
    return cache(metric.labels)
