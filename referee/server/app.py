"""One process: keys, store, writer and services put together and served.

Nothing below this room reads the clock, draws entropy or holds a private key; it is all handed in from here.
"""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from referee.dealing.leaf import KEY_TYPE, KeyLeaf, encode
from referee.evidence.dsse import Envelope
from referee.log import CheckpointSigner
from referee.rulesets import Catalogue, load_builtin
from referee.server.clock import Clock, system_clock
from referee.server.follower import Follower, Sweep
from referee.server.keys import KeyFolder
from referee.service.interceptor import CallInterceptor
from referee.service.leading import Leaders
from referee.service.log import LogService
from referee.service.mau_binh import MauBinhService
from referee.service.opening import Opener
from referee.service.rounds import RoundVerifier
from referee.service.ruleset import RulesetService
from referee.service.seating import SeatingService
from referee.service.settling import Settler
from referee.service.shuffler import ShufflerParts, ShufflerService
from referee.service.tien_len import TienLenService
from referee.service.ultimate_texas import UltimateTexasService
from referee.storage import Append, RelationalStore, StoreError, Writer, check_store, open_sqlite
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
MAX_MESSAGE_BYTES: Final = 1024 * 1024
_TRANSPORT_SLACK: Final = 4
DRAIN_SECONDS: Final = 10

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a deployment chooses. ``origin`` names a log that does not exist yet; an existing one keeps its own."""

    data: Path
    listen: str = "127.0.0.1:50051"
    origin: str = DEFAULT_ORIGIN
    services: Sequence[str] = SERVICES
    threads: int = 8
    catalogue: Catalogue | None = None
    clock: Clock = system_clock
    entropy: Callable[[int], bytes] = os.urandom
    sweep: bool = True
    """Whether rounds that nobody ends by their deadline are aborted; off where a test moves the clock."""
    progress: Callable[[int, int], None] = lambda _done, _size: None


class Application:
    """A running server. ``port`` is where it listens; close it to drain calls and let the log go."""

    def __init__(self, settings: Settings) -> None:
        self._store = open_sqlite(settings.data)
        origin = _origin_of(self._store) or settings.origin
        self.keys = KeyFolder.open_or_make(settings.data / "keys", origin=origin, entropy=settings.entropy)
        if _origin_of(self._store):
            check_store(self._store, progress=settings.progress)
        signer = CheckpointSigner(self.keys.log, key_name=self.keys.log.name)
        self._writer = Writer(self._store, signer, origin=origin)
        self.origin = origin
        _name_keys(self._store, self._writer, self.keys)
        self._follower = Follower(
            self._store,
            self._writer,
            sealing_key=self.keys.sealing,
            sweep=Sweep(clock=settings.clock, signer=self.keys.shuffler) if settings.sweep else None,
        )
        self._executor = ThreadPoolExecutor(settings.threads, thread_name_prefix="call")
        self._health = health.HealthServicer()
        self._server = grpc.server(
            self._executor,
            interceptors=[CallInterceptor(max_message_bytes=MAX_MESSAGE_BYTES)],
            options=[
                ("grpc.so_reuseport", 0),
                ("grpc.max_receive_message_length", _TRANSPORT_SLACK * MAX_MESSAGE_BYTES),
            ],
        )
        self._add_services(settings)
        self.port = self._server.add_insecure_port(settings.listen)
        self._stopped = threading.Event()

    def add_handler(self, handler: grpc.GenericRpcHandler) -> None:
        """One more method is served, such as a measuring one; before the start only."""
        self._server.add_generic_rpc_handlers((handler,))

    def start(self) -> Self:
        """The server listens; seeds of rounds that ended before the last stop are revealed first."""
        if self._reveals:
            self._follower.start()
        self._server.start()
        return self

    def close(self, *, grace: float = DRAIN_SECONDS) -> None:
        """Accepted calls are answered, then the log is let go."""
        self._health.enter_graceful_shutdown()
        self._server.stop(grace).wait()
        self._executor.shutdown()
        self._follower.close()
        self._writer.close()
        self._store.close()
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
            shuffler_keys=[self.keys.shuffler.public_key],
            clock=settings.clock,
        )
        settler = Settler(
            signer=self.keys.referee,
            referee_keys=[self.keys.referee.public_key],
            writer=self._writer,
            reader=self._store,
            clock=settings.clock,
            on_settled=self._follower.wake,
        )
        self._reveals = "shuffler" in settings.services
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
            "referee": lambda: self._add_referee(verifier, settler),
            "log": lambda: log_pb2_grpc.add_LogServiceServicer_to_server(
                LogService(self._store, log_key=self.keys.log.verifier_key, root_key=self.keys.root.verifier_key),
                self._server,
            ),
        }
        names: list[str] = []
        for service in settings.services:
            add[service]()
            names += FULL_NAMES[service]
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        for name in ("", *names):
            self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        reflection.enable_server_reflection([*names, health.SERVICE_NAME, reflection.SERVICE_NAME], self._server)

    def _add_referee(self, verifier: RoundVerifier, settler: Settler) -> None:
        mau_binh_pb2_grpc.add_MauBinhServiceServicer_to_server(MauBinhService(verifier, settler), self._server)
        leaders = Leaders(referee_keys=[self.keys.referee.public_key], shuffler_keys=[self.keys.shuffler.public_key])
        tien_len_pb2_grpc.add_TienLenServiceServicer_to_server(TienLenService(verifier, settler, leaders), self._server)
        ultimate_texas_pb2_grpc.add_UltimateTexasServiceServicer_to_server(
            UltimateTexasService(verifier, settler), self._server
        )

    def _shuffler_parts(self, settings: Settings, catalogue: Catalogue, verifier: RoundVerifier) -> ShufflerParts:
        return ShufflerParts(
            opener=Opener(catalogue=catalogue, origin=self.origin, reader=self._store, clock=settings.clock),
            verifier=verifier,
            referee_keys=[self.keys.referee.public_key],
            reader=self._store,
            writer=self._writer,
            signer=self.keys.shuffler,
            sealing_key=self.keys.sealing,
            clock=settings.clock,
            entropy=settings.entropy,
            on_ended=self._follower.wake,
        )


def _origin_of(store: RelationalStore) -> str:
    """The origin of the log that stands in the store; empty where none was founded yet."""
    try:
        return store.origin
    except StoreError:
        return ""


def _name_keys(store: RelationalStore, writer: Writer, keys: KeyFolder) -> None:
    """A new log begins by naming its keys, signed by the root key."""
    if store.head().size:
        return
    leaves = [
        KeyLeaf(action="ADD", key=keys.log.verifier_key, role="log"),
        KeyLeaf(action="ADD", key=keys.shuffler.verifier_key, role="shuffler"),
        KeyLeaf(action="ADD", key=keys.referee.verifier_key, role="referee"),
    ]
    writer.submit(
        *[Append(leaf=Envelope.signed(KEY_TYPE, encode(leaf), keys.root).to_bytes()) for leaf in leaves]
    ).result()
