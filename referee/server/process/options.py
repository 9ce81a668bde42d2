"""What a server process is built from: addresses, folders, limits and the parts that tests replace."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import grpc
import msgspec

from referee.dealing.header import Header
from referee.rulesets import Catalogue
from referee.server.clock import Clock, system_clock
from referee.server.keys.private_key import Passphrase
from referee.server.keys.remote_signer import AgentClient
from referee.server.process.drain import Drain
from referee.server.settings.access import AccessSettings
from referee.server.settings.advice import AdviceSettings
from referee.server.settings.configuration import DEFAULT_ORIGIN, SERVICES
from referee.server.settings.limits import LimitSettings
from referee.server.settings.tls import TlsSettings
from referee.server.settings.witnesses import Witnesses
from referee.service.call import Observer


class ServerObserver(Observer, Protocol):
    """Observer of calls, on their own threads, and of commits, on the writer's thread. Its methods never raise."""

    def probe(self, step: str) -> None:
        """Record that a batch reached a step, one of ``storage.batch.STEPS`` or ANSWERED."""

    def committed(self, requests: int) -> None:
        """Record that a batch of this many requests was answered."""

    def close(self) -> None:
        """Flush what was recorded; nothing is recorded afterwards."""


class VerifiedLog(msgspec.Struct, frozen=True):
    """The log as one worker of a server has verified it, for the others: its head, and where its keys are named."""

    size: int
    root: bytes
    key_leaves: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """Options of one server process."""

    data: Path
    """The folder with the keys and, unless ``database`` is given, the log."""
    database: str | None = None
    """URL of the database that holds the log; None for a file in the data folder."""
    root: Path | None = None
    """File of the root's private key; None for the data folder. Needed only at the first start."""
    passphrase: Passphrase | None = None
    """Passphrase that decrypts private keys and encrypts new ones."""
    agent: AgentClient | None = None
    """Signing agent used instead of the signing keys in the data folder."""
    listen: str = "127.0.0.1:50051"
    gateway_sockets: Sequence[str] = ()
    """Further addresses, as ``unix:/path``, that only this user can connect to; for the gateway."""
    gateway_pass: str = field(default="", repr=False)
    """Secret the gateway sends with each call so that its forwarded-for header is trusted; empty without a gateway."""
    is_port_shared: bool = False
    """Whether several processes listen on the port together; otherwise a port in use is an error."""
    origin: str = DEFAULT_ORIGIN
    """Name of a new log; an existing log keeps its own."""
    accept_loss: int = 0
    """Number of leaves that the keys have signed and the log lacks, to serve without them; another is refused."""
    witnesses: Witnesses | None = None
    services: Sequence[str] = SERVICES
    threads: int = 8
    queue: int = 1024
    """Calls that may wait for a thread; further calls are rejected."""
    streams: int = 4096
    """Concurrent calls of one connection. The transport resets further ones without a reason, so that ``queue`` and the
    limits, which refuse with one, must be met first."""
    catalogue: Catalogue | None = None
    clock: Clock = system_clock
    entropy: Callable[[int], bytes] = os.urandom
    populations: Path | None = None
    """Folder with files of ``referee learn`` and ``referee odds`` that advice on custom rulesets uses."""
    sweep: bool = True
    """Whether rounds past their deadline are aborted; False in tests that move the clock."""
    metrics: str = ""
    """Address on which Prometheus scrapes this process; empty for none."""
    observers: Sequence[ServerObserver] = ()
    drain: Drain = field(default_factory=Drain)
    tls: TlsSettings = field(default_factory=TlsSettings)
    access: AccessSettings = field(default_factory=AccessSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    advice: AdviceSettings = field(default_factory=AdviceSettings)
    verified: "VerifiedLog | None" = None
    """What another worker of this server has verified of the log; None to verify all of it."""
    progress: Callable[[int, int], None] = lambda _done, _size: None
    """Called with the leaves verified so far and their total while the log is verified at the start."""
    fixture_seed: Callable[[Header], bytes] | None = None
    """Source of fixed seeds for rounds that test a frontend (suite 250, never fair); None to draw seeds."""
    on_retired: Callable[[str], None] = lambda _why: None
    """Called with the reason once this process must sign no more and should be stopped."""
    interceptors: Sequence[grpc.ServerInterceptor] = ()
    """Further interceptors, the first outermost."""
