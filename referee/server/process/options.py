"""What a server process is built from: its configuration, and the clock, entropy and other parts that tests replace."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import grpc
import msgspec

from referee.dealing.header import SUITE_COMMITMENT, SUITE_FIXTURE, Header
from referee.rulesets import Catalogue, load_builtin
from referee.server.clock import Clock, system_clock
from referee.server.keys.private_key import Passphrase
from referee.server.settings.configuration import Configuration
from referee.service.call import Observer
from referee.service.charter import Charter


class ServerObserver(Observer, Protocol):
    """Observer of calls, on their own threads, and of commits, on the writer's thread. Its methods never raise."""

    def probe(self, step: str) -> None:
        """Record that a batch reached a step, one of ``storage.batch.STEPS`` or ANSWERED."""

    def committed(self, requests: int) -> None:
        """Record that a batch of this many requests was answered."""

    def close(self) -> None:
        """Flush what was recorded; nothing is recorded afterwards."""


class VerifiedLog(msgspec.Struct, frozen=True):
    """The log as the first worker of a server has verified it: its head, and where its keys are named."""

    size: int
    root: bytes
    key_leaves: tuple[int, ...]
    is_whole: bool = False
    """Whether all its leaves were checked, so that nothing is left to check behind the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """Options of one server process: its configuration, and the parts that no configuration can name."""

    configuration: Configuration = field(default_factory=Configuration)
    """Settings of this process; of several workers with ports of their own, each has its own addresses in it."""
    passphrase: Passphrase | None = None
    """Passphrase that decrypts private keys and encrypts new ones."""
    gateway_sockets: Sequence[str] = ()
    """Further addresses, as ``unix:/path``, that only this user can connect to; for the gateway."""
    gateway_pass: str = field(default="", repr=False)
    """Secret the gateway sends with each call so that its forwarded-for header is trusted; empty without a gateway."""
    is_port_shared: bool = False
    """Whether several processes listen on the port together; otherwise a port in use is an error."""
    catalogue: Catalogue = field(default_factory=load_builtin)
    clock: Clock = system_clock
    entropy: Callable[[int], bytes] = os.urandom
    sweep: bool = True
    """Whether rounds past their deadline are aborted; False in tests that move the clock."""
    observers: Sequence[ServerObserver] = ()
    verified: VerifiedLog | None = None
    """The log that the first worker of this server has verified; None in that one, and in a server of one process."""
    checks: bool = True
    """Whether this process checks the log behind its start; False in workers, whose supervisor does."""
    progress: Callable[[int, int], None] = lambda _done, _size: None
    """Called with the leaves verified so far and their total while a start verifies all of them."""
    fixture_seed: Callable[[Header], bytes] | None = None
    """Source of fixed seeds for rounds that test a frontend (suite 250, never fair); None to draw seeds."""
    on_retired: Callable[[str], None] = lambda _why: None
    """Called with the reason once this process must sign no more and should be stopped."""
    advise: Callable[[grpc.Server, Charter, Clock, Path | None], None] | None = None
    """Adds the services that advise to the server itself, with a charter, a clock and a folder of tables, in place of a
    process of their own; None outside of tests."""
    interceptors: Sequence[grpc.ServerInterceptor] = ()
    """Further interceptors, the first outermost."""

    @property
    def suite(self) -> int:
        """Randomness suite that the server deals under."""
        return SUITE_COMMITMENT if self.fixture_seed is None else SUITE_FIXTURE
