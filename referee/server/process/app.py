"""One server process: the log, the keys and the services put together and served.

The rooms below never read the clock, draw entropy or hold a private key: they are given all three from here.
"""

import gc
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Final, Self, cast

import grpc
from grpc_health.v1 import health, health_pb2_grpc

from referee.server.access.gate import gate_of
from referee.server.clock import Clock
from referee.server.edited_files import HEALTH_NAME, EditedFiles
from referee.server.folder_lock import LeaderLock
from referee.server.limits.rate_limit import ConcurrencyLimit
from referee.server.process.address import listening
from referee.server.process.advice_front import AdviceFront
from referee.server.process.certificate import ServedCertificate
from referee.server.process.cosigner import Cosigner
from referee.server.process.drain import drain
from referee.server.process.file_watch import FileWatch
from referee.server.process.follower import Follower
from referee.server.process.grpc_services import FULL_NAMES, WRITING, add_services, serve_reflection
from referee.server.process.health import HealthService
from referee.server.process.log_check import CheckRecord, CheckState, CheckTask, LogCheck
from referee.server.process.metrics import LogCollector, Metrics
from referee.server.process.metrics_port import MetricsPort
from referee.server.process.opened_log import OpenedLog
from referee.server.process.options import ServerOptions
from referee.server.process.probes import OwnLine
from referee.server.process.write_watch import WriteWatch
from referee.server.settings.access import listen_problems
from referee.server.settings.configuration import Configuration
from referee.service.interceptor import CallInterceptor
from referee.service.pool import CallPool
from referee.storage import DataLossError, WriteTrouble
from referee.storage.sqlite import FILE_NAME

_YOUNG: Final = 10_000
"""New objects after which the garbage among them is collected."""


class Application:
    """A server; ``port`` is the port it listens on. Closing it answers the accepted calls and closes the log."""

    def __init__(self, options: ServerOptions) -> None:
        settings = self._settings = options.configuration
        serving, listen = settings.serve, settings.serve.listen
        self.files = EditedFiles()
        certificate = _certificate_of(settings, self.files)
        witnesses = settings.witnesses.parsed()
        self._on_retired = options.on_retired
        metrics = Metrics() if settings.telemetry.metrics else None
        self._observers = (*options.observers, *([metrics] if metrics else []))
        with ExitStack() as opened:
            log = self.log = OpenedLog.open(options, self._observers, opened)
            self._open = opened.pop_all()
        self.keys, self.origin = log.keys, log.origin
        self._checked_time = options.clock()
        self._check = self._check_of(options)
        self._follower = _follower_of(options, log)
        self._cosigner: Cosigner | None = None
        if witnesses is not None:
            turn = LeaderLock(settings.log.folder / "cosigner.lock")
            self._cosigner = Cosigner(log.store, witnesses, turn=turn, clock=options.clock)
        self.pool = CallPool(
            threads=serving.threads, queue=serving.queue, request_seconds=settings.limits.request_seconds
        )
        self.advice = AdviceFront(options, log, report=self._report_advice, watch=metrics.advised if metrics else None)
        most = settings.limits.calls_at_once
        self.admission = ConcurrencyLimit(most=most) if most else None
        self._server = self._make_server(options)
        names = self.services = add_services(
            self._server,
            options,
            log,
            add_advice=lambda: self.advice.add_to_server(self._server),
            cosigner=self._cosigner,
            on_ended=lambda: self._follower.wake() if self._follower is not None else None,
            on_returns=metrics.returned if metrics else lambda _ruleset, _returns: None,
            problem=lambda: self.health.problem,
            files=self.files,
        )
        writer = log.writer
        self._watch = None if writer is None else WriteWatch(writer, on_change=self._report_writing)
        log_file = None if settings.log.database else settings.log.folder / FILE_NAME
        self._file_watch = FileWatch(self.files, log_file, on_damaged=self._retire)
        self.health = HealthService()
        log.store.on_damage = self._stop
        health_pb2_grpc.add_HealthServicer_to_server(self.health, self._server)
        serve_reflection(self._server, [*names, health.SERVICE_NAME])
        with listening("serve.listen", listen, is_probed=not options.is_port_shared):
            if certificate is None:
                self.port = self._server.add_insecure_port(listen)
            else:
                self.port = self._server.add_secure_port(listen, certificate.credentials())
        for path in options.gateway_sockets:
            self._server.add_insecure_port(path)
        self.own_line = OwnLine(self._server, lambda: self.health.problem, data=settings.log.folder)
        self._open.callback(self.own_line.close)
        self._gateways: list[Callable[[], None]] = []
        if metrics and certificate:
            metrics.watch(certificate_expires_seconds=lambda: certificate.expires_time / 1000)
        self._metrics_port = self._measure(metrics, options.clock) if metrics else None

    @property
    def address(self) -> str:
        """Address on which it listens, as a client dials it: the host and the port, or the path of a unix socket."""
        listen = self._settings.serve.listen
        return listen if listen.startswith("unix:") else f"{listen.rpartition(':')[0]}:{self.port}"

    @property
    def metrics_port(self) -> int:
        """Port on which Prometheus scrapes this process; 0 for none."""
        return self._metrics_port.port if self._metrics_port else 0

    def add_handler(self, handler: grpc.GenericRpcHandler) -> None:
        """Serve further methods, such as those of a benchmark; call it before ``start``."""
        self._server.add_generic_rpc_handlers((handler,))

    def add_gateway(self, close: Callable[[], None]) -> None:
        """Register a gateway, whose ``close`` is called when no more calls are accepted."""
        self._gateways.append(close)

    def start(self) -> Self:
        """Listen; first start revealing the seeds of rounds that ended before the last stop."""
        for part in (self._follower, self._cosigner, self._check):
            if part is not None:
                part.start()
        self.log.guard.start(self._retire)
        self.health.serve(self.services)
        self.advice.start()
        self.files.watch(self._report_files)
        self._file_watch.start()
        if self._watch is not None:
            self._watch.start()
        self._server.start()
        self.own_line.open()
        return self

    def close(self) -> None:
        """Answer the accepted calls, then close the log."""
        self.own_line.shut()
        drained = drain(self._server, self.health, self._settings.serve, gateways=self._gateways)
        if self._cosigner is not None:
            self._cosigner.close()  # calls that wait for a cosignature are answered now
        drained.wait()
        self.advice.close()
        self.pool.shutdown()
        for part in (self._file_watch, self._follower, self._watch, self._metrics_port, self._check):
            if part is not None:
                part.close()
        self._open.close()
        for observer in self._observers:
            observer.close()

    def checked(self, state: CheckState) -> None:
        """Take a report of the check behind the start: leaves that it has passed are proved no more."""
        self.log.store.unpassed = state.ranges
        self._checked_time = state.since
        if state.damage:
            self._stop(DataLossError(state.damage))

    def _stop(self, damage: DataLossError) -> None:
        """Append and sign nothing more, because the log is damaged, and report NOT_SERVING."""
        self.log.guard.stop(damage)
        if self.log.writer is not None:
            self.log.writer.stop(damage)
        else:
            self.health.stop_serving(f"the log is damaged: {damage}")

    def _check_of(self, options: ServerOptions) -> LogCheck | None:
        """Return the check behind this start; None if another process does it, or nothing is left to check."""
        log, settings = self.log, options.configuration.log
        if not options.checks:
            return None
        if not log.store.unpassed:
            CheckRecord.read(settings.folder).end(settings.folder, now=options.clock())
            return None
        head = log.store.head()
        task = CheckTask(
            data=settings.data,
            database=settings.database,
            size=head.size,
            root=head.root,
            keys=log.registry.leaves,
            is_fixture=options.fixture_seed is not None,
        )
        return LogCheck(task, self.checked)

    def _retire(self, why: str) -> None:
        """Report NOT_SERVING for good, because this process must sign no more, and say so."""
        self.health.stop_serving(why)
        self._on_retired(why)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _make_server(self, options: ServerOptions) -> grpc.Server:
        settings, limits = self._settings, self._settings.limits
        calls = CallInterceptor(
            message_bytes=limits.message_bytes,
            unread_bytes=limits.unread_bytes,
            answer_seconds=limits.answer_seconds,
            admit=None if self.admission is None else self.admission.admit,
            pool=self.pool,
            gate=gate_of(settings.access, limits, clock=options.clock, tls=settings.tls, files=self.files),
            gateway_pass=options.gateway_pass,
            observers=self._observers,
        )
        return grpc.server(
            cast("ThreadPoolExecutor", self.pool),  # of which gRPC only calls submit
            interceptors=[*options.interceptors, calls],
            options=[
                ("grpc.so_reuseport", int(options.is_port_shared)),
                ("grpc.max_concurrent_streams", settings.serve.streams),
                *limits.transport,
            ],
        )

    def _report_writing(self, trouble: WriteTrouble | None) -> None:
        """Report the services that write, and the server as a whole, as serving or not."""
        names = [name for name in self.services if name in WRITING]
        if trouble is None:
            self.health.serve(names)
        else:
            self.health.pause(names, f"the log cannot be written: {trouble.cause}")

    def _report_advice(self, *, is_serving: bool) -> None:
        """Report the services that advise as serving or not; the server as a whole does not depend on them."""
        for name in FULL_NAMES["advice"]:
            if name in self.services:
                self.health.report(name, is_serving=is_serving)

    def _report_files(self, faults: Mapping[str, str]) -> None:
        """Report under a name of its own whether the files that people edit are read whole."""
        self.health.report(HEALTH_NAME, is_serving=not faults)

    def _measure(self, metrics: Metrics, clock: Clock) -> MetricsPort:
        pool, advice, writer, watch = self.pool, self.advice, self.log.writer, self._watch
        metrics.watch(
            calls_in_flight=lambda: pool.running,
            calls_waiting=lambda: pool.waiting,
            call_threads=lambda: self._settings.serve.threads,
            advice_in_flight=lambda: advice.under_way,
            edited_files_faulty=self.files.count,
            log_unchecked_leaves=lambda: sum(map(len, self.log.store.unpassed)),
            log_check_age_seconds=lambda: max(0, clock() - self._checked_time) / 1000,
        )
        metrics.registry.register(LogCollector(self.log.store, clock=clock))
        if writer is not None and watch is not None:
            metrics.watch(
                log_queue_requests=lambda: writer.waiting,
                log_batch_seconds=lambda: writer.batch_seconds,
                log_stopped=lambda: writer.fault is not None,
                log_writable=lambda: watch.trouble is None,
            )
        address = self._settings.telemetry.metrics
        host, _, port = address.rpartition(":")
        with listening("telemetry.metrics", address):
            return MetricsPort(metrics, host=host.strip("[]"), port=int(port), health=self.own_line.health)


def freeze_heap() -> int:
    """Exempt the objects alive after the start from garbage collection, and collect later ones less often.

    A call makes hundreds of objects and hardly a cycle.
    """
    gc.set_threshold(_YOUNG, 10, 10)
    gc.collect()
    gc.freeze()
    return gc.get_freeze_count()


def _follower_of(options: ServerOptions, log: OpenedLog) -> Follower | None:
    """Return what aborts and reveals rounds; None in a process that does not shuffle."""
    if log.writer is None or "shuffler" not in options.configuration.serve.services:
        return None
    return Follower(
        log.store,
        log.writer,
        sealing_key=log.keys.sealing,
        clock=options.clock,
        signer=log.keys.signer("shuffler") if options.sweep else None,
    )


def _certificate_of(settings: Configuration, files: EditedFiles) -> ServedCertificate | None:
    """Return the TLS certificate, None without TLS; raise ValueError for an address that must not be served so."""
    problems = list(listen_problems(settings.serve.listen, tls=settings.tls, access=settings.access))
    if problems:
        raise ValueError("; ".join(map(str, problems)))
    return ServedCertificate(settings.tls, files=files) if settings.tls.is_on else None
