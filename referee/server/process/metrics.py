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
from referee.server.limits.advising import OUTCOMES, AdvicePool
from referee.server.process.write_watch import WriteWatch
from referee.service.call import Call
from referee.service.pool import CallPool
from referee.storage import DataLossError, Reader, StoreError, Writer

M = TypeVar("M", Counter, Histogram)

CALL_SECONDS: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
COMMIT_SECONDS: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
COMMIT_REQUESTS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)
COUNTED_ROUNDS: Final = 1000
"""Overdue and unrevealed rounds are counted up to this many."""
_ABORT_PERIOD_MS: Final = 3_600_000
"""Aborts are counted of the rounds that were opened in this time."""


class Metrics:
    """The metrics of one process; an observer of its calls and commits."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._calls = _children(Counter("referee_calls", "Calls ended.", ["method", "code"], registry=registry))
        self._roles = _children(
            Counter("referee_calls_by_role", "Calls of known roles.", ["role", "code"], registry=registry)
        )
        self._refusals = _children(
            Counter("referee_refusals", "Calls rejected with a reason.", ["reason"], registry=registry)
        )
        self._call_seconds = _children(
            Histogram(
                "referee_call_seconds", "Time to run a call.", ["method"], buckets=CALL_SECONDS, registry=registry
            )
        )
        self._call_wait_seconds = Histogram(
            "referee_call_wait_seconds", "Time a call waited for a thread.", buckets=CALL_SECONDS, registry=registry
        )
        sizes = Counter("referee_message_bytes", "Bytes of requests and answers.", ["direction"], registry=registry)
        self._received, self._sent = sizes.labels("request"), sizes.labels("response")
        self._running = Gauge("referee_calls_in_flight", "Calls running.", registry=registry)
        self._waiting = Gauge("referee_calls_waiting", "Calls waiting for a thread.", registry=registry)
        self._threads = Gauge("referee_call_threads", "Threads for calls.", registry=registry)
        self._queued = Gauge("referee_log_queue_requests", "Requests waiting for the next commit.", registry=registry)
        self._commit_seconds = Histogram(
            "referee_commit_seconds", "Time of a commit to the log.", buckets=COMMIT_SECONDS, registry=registry
        )
        self._advised = Counter(
            "referee_advice_outcomes", "Questions for advice that had a process.", ["outcome"], registry=registry
        )
        for outcome in OUTCOMES:
            self._advised.labels(outcome)
        self._advice_seconds = Histogram(
            "referee_advice_seconds", "Time to compute advice.", buckets=CALL_SECONDS, registry=registry
        )
        self._advice_wait_seconds = Histogram(
            "referee_advice_wait_seconds",
            "Time that a question for advice waited for a process.",
            buckets=CALL_SECONDS,
            registry=registry,
        )
        self._advice_running = Gauge(
            "referee_advice_in_flight", "Questions for advice that have a process.", registry=registry
        )
        self._advice_waiting = Gauge(
            "referee_advice_waiting", "Questions for advice that wait for a process.", registry=registry
        )
        self._commit_requests = Histogram(
            "referee_commit_requests", "Requests in one commit.", buckets=COMMIT_REQUESTS, registry=registry
        )
        ruleset = ["ruleset", "version"]
        self._side_rounds = _children(
            Counter("referee_side_bet_rounds", "Rounds settled here with a side bet.", ruleset, registry=registry)
        )
        self._side_units = _children(
            Counter(
                "referee_side_bet_units",
                "What a unit on the side bet got back by the cards, as if nobody folded: the sum of each round's mean.",
                ruleset,
                registry=registry,
            )
        )
        self._stopped = Gauge("referee_log_stopped", "1 once the log stopped after a fault.", registry=registry)
        self._writable = Gauge(
            "referee_log_writable",
            "1 while the log can be written, or never is here.",
            registry=registry,
        )
        self._writable.set(1)
        self._expires = Gauge(
            "referee_certificate_expires_seconds",
            "Expiry of the server's certificate, in seconds since 1970 UTC; 0 without TLS.",
            registry=registry,
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

    def advised(self, outcome: str, *, waited: float, seconds: float) -> None:
        """Record what became of a question for advice: an outcome of AdvicePool, and its times."""
        self._advised.labels(outcome).inc()
        self._advice_wait_seconds.observe(waited)
        self._advice_seconds.observe(seconds)

    def returned(self, ruleset: Ruleset, returns: Sequence[int]) -> None:
        """Count a settled round by what a unit of each of its side bets got back."""
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

    def watch_pool(self, pool: CallPool, *, threads: int) -> None:
        """Read running and waiting calls from this pool."""
        self._running.set_function(lambda: pool.running)
        self._waiting.set_function(lambda: pool.waiting)
        self._threads.set(threads)

    def watch_advice(self, advice: AdvicePool) -> None:
        """Read the numbers of questions for advice from this pool."""
        self._advice_running.set_function(lambda: advice.running)
        self._advice_waiting.set_function(lambda: advice.waiting)

    def watch_writer(self, writer: Writer) -> None:
        """Read the queue and whether the log has stopped from this writer."""
        self._queued.set_function(lambda: writer.waiting)
        self._stopped.set_function(lambda: float(writer.fault is not None))

    def watch_writing(self, watch: WriteWatch) -> None:
        """Read from this watch whether the log can be written."""
        self._writable.set_function(lambda: float(watch.trouble is None))

    def watch_certificate(self, expires_time: Callable[[], int]) -> None:
        """Read the certificate's expiry, in ms since 1970 UTC, from this function."""
        self._expires.set_function(lambda: expires_time() / 1000)

    def watch_log(self, reader: Reader, *, clock: Clock) -> None:
        """Read the state of the log from this reader."""
        self.registry.register(LogCollector(reader, clock=clock))


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
        yield _gauge("referee_clock_seconds", "This server's clock, in seconds since 1970 UTC.", self._clock() / 1000)
        try:
            found = list(self._read())
        except (StoreError, DataLossError):
            found = []
        yield _gauge("referee_log_readable", "1 where the log could be read.", bool(found))
        yield from found

    def _read(self) -> Iterator[Metric]:
        size = self._reader.head().size
        now = self._monotonic()
        with self._reading:
            if size != self._seen:
                self._seen, self._since = size, now
            age = now - self._since
        yield _gauge("referee_log_leaves", "Leaves in the log.", size)
        yield _gauge("referee_checkpoint_age_seconds", "Time since the newest checkpoint was first read here.", age)
        cosigned = self._reader.newest_cosigned()
        if cosigned is not None:
            yield _gauge("referee_log_cosigned_leaves", "Leaves that a quorum has cosigned.", cosigned.size)
            lag = max(0, size - cosigned.size)
            yield _gauge("referee_log_cosigned_lag_leaves", "Leaves that no quorum has cosigned.", lag)
        overdue = len(self._reader.overdue_rounds(self._clock(), COUNTED_ROUNDS))
        yield _gauge("referee_rounds_overdue", "Rounds past their deadline; at most 1000 counted.", overdue)
        unrevealed = len(self._reader.unrevealed_rounds(COUNTED_ROUNDS))
        yield _gauge("referee_rounds_unrevealed", "Ended rounds without REVEAL; at most 1000 counted.", unrevealed)
        yield from self._aborts()

    def _aborts(self) -> Iterator[Metric]:
        """Yield the rounds and the aborted rounds of the table that aborted most; no label names it."""
        since = self._clock() - _ABORT_PERIOD_MS
        tables = self._reader.aborts_by_table(since=since, rounds=5_000, least=1, most=1)
        _, rounds, aborts = tables[0] if tables else ("", 0, 0)
        worst = "of the table with most aborts, of the last hour and the log's newest 5000 rounds."
        yield _gauge("referee_table_rounds", f"Rounds {worst}", rounds)
        yield _gauge("referee_table_aborts", f"Aborted rounds {worst}", aborts)


def _children(metric: M) -> Callable[..., M]:
    """Return a cached lookup of a metric's children by their labels: the library's own costs several times as much."""
    return cache(metric.labels)


def _gauge(name: str, words: str, value: float) -> Metric:
    return GaugeMetricFamily(name, words, float(value))
