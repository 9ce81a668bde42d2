"""A running server on loopback with a clock that tests move, its driver, and a reader of its log.

Servicers, store, keys and transport are the real ones. The entropy is a hash of a counter, so every run deals alike.
"""

import hashlib
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from referee.adviser.servicers import advise_in_process
from referee.audit import Documents, MemoryLog
from referee.audit.documents import NO_DOCUMENTS
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint, open_checkpoint
from referee.server.process.app import Application
from referee.suspicion.report import CountedReport
from referee.v1 import log_pb2
from tests.driver.auditing import counted, terms_of
from tests.driver.client_over import client_over
from tests.driver.driver import Driver
from tests.driver.log_reader import LogReader
from tests.server.options import server_options

START: Final = 1_800_000_000_000
ORIGIN: Final = "log.example/1"


class Clock:
    """Clock of the server in milliseconds since 1970 UTC; it moves only when a test sets ``now``."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> int:
        """Return the current time."""
        return self.now


class Running(LogReader):
    """A server on a folder, on which ``driver`` plays; its log can be read, verified and audited."""

    def __init__(
        self,
        folder: Path,
        *,
        wrap: Callable[[grpc.Channel], Any] = lambda channel: channel,
        **settings: Any,  # noqa: ANN401 - what server_options takes
    ) -> None:
        """Start a server; ``wrap`` makes of its channel the one that is called."""
        self.folder = folder
        self._wrap = wrap
        self.clock = Clock()
        counter = itertools.count()
        self._settings: dict[str, Any] = {
            "entropy": lambda size: hashlib.shake_128(str(next(counter)).encode()).digest(size),
            "clock": self.clock,
            "origin": ORIGIN,
            "sweep": False,
            "advise": advise_in_process,
        } | settings
        self._prepared: Counter[str] = Counter()
        self.start()

    def start(self) -> None:
        """Start a server on the folder."""
        self.app = Application(server_options(data=self.folder, **self._settings)).start()
        super().__init__(self._wrap(self.dial()))
        self.driver = Driver(client_over(self.channel), self._prepared)

    def dial(self) -> grpc.Channel:
        """Open another channel, which may send more than the server accepts."""
        return grpc.insecure_channel(f"127.0.0.1:{self.app.port}", [("grpc.max_send_message_length", -1)])

    def close(self) -> None:
        """Stop the server."""
        self.channel.close()
        self.app.close()

    def restart(self, **settings: Any) -> None:  # noqa: ANN401 - what server_options takes
        """Restart the server on the same folder, perhaps with other settings."""
        self.close()
        self._settings |= settings
        self.start()

    @property
    def log_keys(self) -> list[VerifierKey]:
        """The keys that sign checkpoints, as the log names them."""
        return [VerifierKey.parse(self.log.GetKeys(log_pb2.GetKeysRequest()).log_key)]

    def head(self) -> Checkpoint:
        """Read the newest checkpoint and verify its signature."""
        return open_checkpoint(self.checkpoint().encode(), origin=ORIGIN, keys=self.log_keys)

    def audit(self, documents: Documents = NO_DOCUMENTS, *, log_key: str = "", root_key: str = "") -> CountedReport:
        """Audit the log, with what people kept, by its own keys unless others are given."""
        keys = self.log.GetKeys(log_pb2.GetKeysRequest())
        log = MemoryLog(checkpoint=self.checkpoint().encode(), entries=tuple(self.leaves()))
        log_key, root_key, now = log_key or keys.log_key, root_key or keys.root_key, self.clock.now
        terms = terms_of(origin=keys.origin, log_key=log_key, root_key=root_key, now=now, as_of=now)
        return counted(log, *terms, documents=documents)

    @property
    def size(self) -> int:
        """How many leaves the log has, by a checkpoint whose signature is verified."""
        return self.head().size


@pytest.fixture
def make_running(tmp_path: Path, quiet_calls: None) -> Iterator[Callable[..., Running]]:  # noqa: ARG001 - no lines of calls
    """Make servers in this test's folder, each on a data folder by name; stop them when the test ends."""
    made: list[Running] = []

    def make(name: str = "data", **settings: Any) -> Running:  # noqa: ANN401 - what server_options takes
        made.append(Running(tmp_path / name, **settings))
        return made[-1]

    yield make
    for one in reversed(made):
        one.close()


@pytest.fixture
def running(make_running: Callable[..., Running]) -> Running:
    """Start a server on an empty folder."""
    return make_running()
