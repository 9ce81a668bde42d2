"""One process: keys, store, writer and services put together and served.

Nothing below this room reads the clock, draws entropy or holds a private key; it is all handed in from here.
"""

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from referee.log import CheckpointSigner
from referee.rulesets import Catalogue, load_builtin
from referee.server.access import AccessSettings, listen_problems
from referee.server.access.gate import gate_of
from referee.server.clock import Clock, system_clock
from referee.server.cosigner import Cosigner, Witnesses, check_witnesses, known_checkpoints
from referee.server.drain import Drain, drain
from referee.server.follower import Follower, Sweep
from referee.server.founding import name_keys
from referee.server.healths import Healths
from referee.server.keyfolder import EVERY, SEALING, KeyFolder
from referee.server.keys import Lock
from referee.server.limits import LimitSettings
from referee.server.metrics import Metrics, MetricsPort
from referee.server.presence import Turn, present
from referee.server.register import KeyRegister, oldest_running
from referee.server.remote_signer import Agent
from referee.server.rotation import check_in_force, finish
from referee.server.suite import Suite, ToldSeed
from referee.server.tls import ServedCertificate, TlsSettings
from referee.server.watcher import Watcher
from referee.service.dealing import ShufflerParts
from referee.service.interceptor import Bounds, CallInterceptor
from referee.service.leading import Leaders
from referee.service.log import LogKeys, LogService
from referee.service.mau_binh import MauBinhService
from referee.service.opening import Opener
from referee.service.pool import CallPool
from referee.service.rounds import RoundVerifier
from referee.service.ruleset import RulesetService
from referee.service.seating import SeatingService
from referee.service.settling import Settler
from referee.service.shuffler import ShufflerService
from referee.service.tien_len import TienLenService
from referee.service.ultimate_texas import UltimateTexasService
from referee.storage import NotFoundedError, RelationalStore, Writer, check_store, open_store
from referee.v1 import (
    log_pb2_grpc,
    mau_binh_pb2_grpc,
    ruleset_pb2_grpc,
    seating_pb2_grpc,
    shuffler_pb2_grpc,
    tien_len_pb2_grpc,
    ultimate_texas_pb2_grpc,
)

DEFAULT_ORIGIN: Final = "localhost/referee"

SERVICES: Final = ("rulesets", "seating", "shuffler", "referee", "log")
"""What ``--services`` can name."""

FULL_NAMES: Final = {
    "rulesets": ("referee.v1.RulesetService",),
    "seating": ("referee.v1.SeatingService",),
    "shuffler": ("referee.v1.ShufflerService",),
    "referee": ("referee.v1.MauBinhService", "referee.v1.TienLenService", "referee.v1.UltimateTexasService"),
    "log": ("referee.v1.LogService",),
}
"""The gRPC services of each name."""

PRIVATE: Final = {
    "rulesets": (),
    "seating": (),
    "shuffler": ("shuffler", "log", SEALING),
    "referee": ("referee", "log"),
    "log": (),
}
"""The private keys that the services of each name need, once the log has named its keys."""

_log = structlog.get_logger("referee.server")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a deployment chooses. ``origin`` names a log without log and keys; an existing one keeps its own."""

    data: Path
    database: str | None = None
    """The URL of the database that holds the log, where it is not a file of the data folder."""
    root: Path | None = None
    """The root's private key, where it is not kept in the data folder; needed at the first start alone."""
    lock: Lock | None = None
    """What opens private keys that are encrypted, and encrypts new ones."""
    agent: Agent | None = None
    """Another process that signs, in the place of the signing keys in the data folder."""
    listen: str = "127.0.0.1:50051"
    doors: Sequence[str] = ()
    """Further addresses, of sockets that this machine's user alone can reach, as ``unix:/path``: a gateway's."""
    gateway_pass: str = field(default="", repr=False)
    """What such a gateway shows with each call, to be believed where the caller is; empty where there is none."""
    is_port_shared: bool = False
    """Whether several processes listen on the port together; where not, a taken port is an error."""
    origin: str = DEFAULT_ORIGIN
    witnesses: Witnesses | None = None
    services: Sequence[str] = SERVICES
    threads: int = 8
    queue: int = 512
    """How many calls may wait for a thread; more are refused at once."""
    streams: int = 32
    """How many calls a connection may have under way; its client keeps back the others, which costs nothing here."""
    catalogue: Catalogue | None = None
    clock: Clock = system_clock
    entropy: Callable[[int], bytes] = os.urandom
    populations: Path | None = None
    """A folder with files of ``referee learn`` and ``referee odds``, by which rulesets of one's own are advised."""
    sweep: bool = True
    """Whether rounds that nobody ends by their deadline are aborted; off where a test moves the clock."""
    metrics: str = ""
    """The address on which Prometheus reads this process's figures; empty for none."""
    watchers: Sequence[Watcher] = ()
    """Who else watches calls and commits."""
    drain: Drain = field(default_factory=Drain)
    tls: TlsSettings = field(default_factory=TlsSettings)
    access: AccessSettings = field(default_factory=AccessSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    progress: Callable[[int, int], None] = lambda _done, _size: None
    told_seed: ToldSeed | None = None
    """Who tells the decks of rounds that test a frontend, where they are told: suite 250, which is never fair."""
    interceptors: Sequence[grpc.ServerInterceptor] = ()
    """What stands before every call besides, the first outermost."""


class Application:
    """A running server. ``port`` is where it listens; close it to drain calls and let the log go."""

    def __init__(self, settings: Settings) -> None:
        certificate = _certificate_of(settings)
        self._drain = settings.drain
        metrics = Metrics() if settings.metrics else None
        self._watchers = watchers = (*settings.watchers, *([metrics] if metrics else []))
        with ExitStack() as opened:
            opened.enter_context(present(settings.data))
            self._store = open_store(settings.data, database=settings.database)
            opened.callback(self._store.close)
            if settings.agent is not None:
                opened.callback(settings.agent.close)
            known = _origin_of(self._store)
            self.keys, self._register = _open_keys(self._store, settings, origin=known or settings.origin)
            self.origin = known or self.keys.public["log"].name
            self._writer = _writer_of(self._store, self.keys, origin=self.origin, watchers=watchers)
            if self._writer is not None:
                opened.callback(self._writer.close)
            if settings.witnesses is not None:
                check_witnesses(
                    self._store,
                    settings.witnesses,
                    log_keys=self._register.counted("log", since=0) or (self.keys.public["log"],),
                    warn=lambda words: _log.warning("witness not asked", error=words),
                )
            if self._register.is_empty and self._writer is not None:
                self._register = name_keys(self._store, self.keys)
            self._open = opened.pop_all()
        self._follower = self._make_follower(settings)
        self._cosigner: Cosigner | None = None
        if settings.witnesses is not None:
            self._cosigner = Cosigner(self._store, settings.witnesses, turn=Turn(settings.data / "cosigner.lock"))
        self.pool = CallPool(
            threads=settings.threads, queue=settings.queue, request_seconds=settings.limits.request_seconds
        )
        self._health = Healths()
        self._server = grpc.server(
            self.pool,
            interceptors=[
                *settings.interceptors,
                CallInterceptor(
                    bounds=Bounds(
                        message_bytes=settings.limits.message_bytes,
                        unread_bytes=settings.limits.unread_bytes,
                        answer_seconds=settings.limits.answer_seconds,
                    ),
                    pool=self.pool,
                    gate=gate_of(settings.access, settings.limits, clock=settings.clock, tls=settings.tls),
                    gateway_pass=settings.gateway_pass,
                    observers=watchers,
                ),
            ],
            options=[
                ("grpc.so_reuseport", int(settings.is_port_shared)),
                ("grpc.max_concurrent_streams", settings.streams),
                *settings.limits.transport,
            ],
        )
        self._add_services(settings)
        if certificate is None:
            self.port = self._server.add_insecure_port(settings.listen)
        else:
            self.port = self._server.add_secure_port(settings.listen, certificate.credentials())
        for door in settings.doors:
            self._server.add_insecure_port(door)
        self._fronts: list[Callable[[], None]] = []
        if metrics and certificate:
            metrics.watch_certificate(lambda: certificate.expires_time)
        self._metrics_port = self._measure(metrics, settings) if metrics else None
        self._stopped = threading.Event()

    def add_handler(self, handler: grpc.GenericRpcHandler) -> None:
        """One more method is served, such as a measuring one; before the start only."""
        self._server.add_generic_rpc_handlers((handler,))

    def add_front(self, close: Callable[[], None]) -> None:
        """Something else lets calls in, such as a gateway; it is closed when no more calls are to be taken."""
        self._fronts.append(close)

    def start(self) -> Self:
        """The server listens; seeds of rounds that ended before the last stop are revealed first."""
        if self._follower is not None:
            self._follower.start()
        if self._cosigner is not None:
            self._cosigner.start()
        self._server.start()
        return self

    def close(self) -> None:
        """Accepted calls are answered, then the log is let go."""
        drained = drain(self._server, self._health, self._drain, fronts=self._fronts)
        if self._cosigner is not None:
            self._cosigner.close()  # calls that wait for it are answered with that
        drained.wait()
        self._health.close()
        self.pool.shutdown()
        if self._follower is not None:
            self._follower.close()
        if self._metrics_port is not None:
            self._metrics_port.close()
        self._open.close()
        for watcher in self._watchers:
            watcher.close()
        self._stopped.set()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _add_services(self, settings: Settings) -> None:
        catalogue = settings.catalogue or load_builtin()
        verifier = RoundVerifier(
            catalogue=catalogue,
            origin=self.origin,
            shuffler_keys=self._counted("shuffler"),
            clock=settings.clock,
            suite=Suite(settings.told_seed).number,
        )
        add = {
            "rulesets": lambda: ruleset_pb2_grpc.add_RulesetServiceServicer_to_server(
                RulesetService(catalogue), self._server
            ),
            "seating": lambda: seating_pb2_grpc.add_SeatingServiceServicer_to_server(
                SeatingService(catalogue, settings.clock), self._server
            ),
            "shuffler": lambda: shuffler_pb2_grpc.add_ShufflerServiceServicer_to_server(
                ShufflerService(self._shuffler_parts(settings, catalogue, verifier)), self._server
            ),
            "referee": lambda: self._add_referee(verifier, settings),
            "log": lambda: log_pb2_grpc.add_LogServiceServicer_to_server(self._log_service(settings), self._server),
        }
        names: list[str] = []
        for service in settings.services:
            add[service]()
            names += FULL_NAMES[service]
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        for name in ("", *names):
            self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        reflection.enable_server_reflection([*names, health.SERVICE_NAME, reflection.SERVICE_NAME], self._server)

    def _make_follower(self, settings: Settings) -> Follower | None:
        """What aborts and reveals, where this process shuffles."""
        if self._writer is None or "shuffler" not in settings.services:
            return None
        return Follower(
            self._store,
            self._writer,
            sealing_key=self.keys.sealing,
            sweep=Sweep(clock=settings.clock, signer=self.keys.signer("shuffler")) if settings.sweep else None,
        )

    def _measure(self, metrics: Metrics, settings: Settings) -> MetricsPort:
        metrics.watch_pool(self.pool, threads=settings.threads)
        metrics.watch_log(self._store, clock=settings.clock)
        if self._writer is not None:
            metrics.watch_writer(self._writer)
        host, _, port = settings.metrics.rpartition(":")
        return MetricsPort(metrics, host=host.strip("[]"), port=int(port))

    @property
    def metrics_port(self) -> int:
        """Where Prometheus reads this process's figures; 0 where it cannot."""
        return self._metrics_port.port if self._metrics_port else 0

    def _wake(self) -> None:
        if self._follower is not None:
            self._follower.wake()

    def _counted(self, role: str) -> list[bytes]:
        """The public keys that count for a role in rounds that run, the newest first."""
        since = oldest_running(self._store) if self._register.has_revoked(role) else 0
        return [key.public_key for key in self._register.counted(role, since=since)]

    def _writing(self) -> Writer:
        if self._writer is None:
            msg = "a service that appends was added without the log's key"
            raise RuntimeError(msg)
        return self._writer

    def _log_service(self, settings: Settings) -> LogService:
        witnesses = settings.witnesses
        keys = LogKeys(
            log=self.keys.public["log"].text,
            root=self.keys.public["root"].text,
            witnesses=[] if witnesses is None else [one.key.text for one in witnesses.addresses],
            quorum=0 if witnesses is None else witnesses.quorum.needed,
        )
        return LogService(self._store, keys=keys, cosigners=self._cosigner, waiting=max(1, settings.threads // 2))

    def _add_referee(self, verifier: RoundVerifier, settings: Settings) -> None:
        settler = Settler(
            signer=self.keys.signer("referee"),
            referee_keys=self._counted("referee"),
            writer=self._writing(),
            reader=self._store,
            clock=settings.clock,
            on_settled=self._wake,
        )
        mau_binh_pb2_grpc.add_MauBinhServiceServicer_to_server(
            MauBinhService(verifier, settler, populations=settings.populations), self._server
        )
        leaders = Leaders(referee_keys=self._counted("referee"), shuffler_keys=self._counted("shuffler"))
        tien_len_pb2_grpc.add_TienLenServiceServicer_to_server(TienLenService(verifier, settler, leaders), self._server)
        ultimate_texas_pb2_grpc.add_UltimateTexasServiceServicer_to_server(
            UltimateTexasService(verifier, settler, tables=settings.populations), self._server
        )

    def _shuffler_parts(self, settings: Settings, catalogue: Catalogue, verifier: RoundVerifier) -> ShufflerParts:
        return ShufflerParts(
            opener=Opener(
                catalogue=catalogue,
                origin=self.origin,
                reader=self._store,
                clock=settings.clock,
                suite=Suite(settings.told_seed).number,
            ),
            verifier=verifier,
            referee_keys=self._counted("referee"),
            reader=self._store,
            writer=self._writing(),
            signer=self.keys.signer("shuffler"),
            sealing_key=self.keys.sealing,
            clock=settings.clock,
            entropy=settings.entropy,
            on_ended=self._wake,
            told_seed=settings.told_seed,
        )


def _certificate_of(settings: Settings) -> ServedCertificate | None:
    """What is served over TLS, None without; ValueError for an address that must not be served on as told."""
    problems = listen_problems(settings.listen, tls=settings.tls, access=settings.access)
    if problems:
        raise ValueError("; ".join(map(str, problems)))
    return ServedCertificate(settings.tls) if settings.tls.is_on else None


def _origin_of(store: RelationalStore) -> str:
    """The origin of the log that stands in the store; empty where none was founded yet."""
    try:
        return store.origin
    except NotFoundedError:
        return ""


def _open_keys(store: RelationalStore, settings: Settings, *, origin: str) -> tuple[KeyFolder, KeyRegister]:
    """The keys that this process needs, and those that the log names, once the store has proved to be that log."""
    folder = settings.data / "keys"
    is_new = not _origin_of(store) or not store.head().size
    keys = KeyFolder.open_or_make(
        folder,
        origin=origin,
        entropy=settings.entropy,
        private=EVERY if is_new else (),
        root=settings.root,
        lock=settings.lock,
        agent=settings.agent,
    )
    register = KeyRegister(keys.public["root"])
    if is_new:
        return keys, register
    suite = Suite(settings.told_seed)

    def visit(index: int, leaf: bytes) -> None:
        suite.visit(index, leaf)
        register.visit(index, leaf)

    check_store(store, known=known_checkpoints(store), progress=settings.progress, visit=visit)
    finish(keys, register)
    private = {role for service in settings.services for role in PRIVATE[service]}
    keys = KeyFolder.open_or_make(
        folder,
        origin=origin,
        entropy=settings.entropy,
        private=private,
        root=settings.root,
        lock=settings.lock,
        agent=settings.agent,
    )
    check_in_force(keys, register)
    return keys, register


def _writer_of(store: RelationalStore, keys: KeyFolder, *, origin: str, watchers: Sequence[Watcher]) -> Writer | None:
    """What appends, where this process has the log's key."""
    if not keys.has("log"):
        return None
    signer = keys.signer("log")

    def probe(step: str) -> None:
        for watcher in watchers:
            watcher.probe(step)

    def watch(requests: int) -> None:
        for watcher in watchers:
            watcher.committed(requests)

    return Writer(
        store,
        CheckpointSigner(signer, key_name=signer.name, also=keys.retiring),
        origin=origin,
        probe=probe,
        watch=watch,
    )
