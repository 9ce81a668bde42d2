"""A run of one fault: where it happens, how much of it, what was done and found, and how the report says it."""

import logging
import random
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from tests.chaos.ledger import Ledger
from tests.chaos.load import Load
from tests.chaos.process import Server
from tests.chaos.verdict import ask_again, faults_of
from tests.storage.postgres_server import PostgresServer, missing

LOG: Final = logging.getLogger("chaos")
"""Progress of a run."""


@dataclass(slots=True)
class Scene:
    """One run of one fault. ``did`` counts what was done; ``notes`` say what was seen besides."""

    title: str
    folder: Path
    luck: random.Random
    share: float = 0.0
    """Length in proportion to that of a run of everything; 0 is a test's, the least."""
    did: Counter[str] = field(default_factory=Counter)
    ledger: Ledger = field(default_factory=Ledger)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    leaves: int = 0
    begun: float = field(default_factory=time.monotonic)
    stack: ExitStack = field(default_factory=ExitStack)
    """Ends with the scene: servers, databases, proxies."""

    def times(self, whole: int, *, least: int) -> int:
        """Return how often something befalls, ``whole`` in a run of everything."""
        return round(max(least, whole * self.share))

    def befalling(self, what: Sequence[str], *, whole: int, most_seconds: float = 1.5) -> Iterator[str]:
        """Yield what befalls, each once and then by chance, ``whole`` in a run of everything; pause after each."""
        for number in range(self.times(whole, least=len(set(what)))):
            yield [*dict.fromkeys(what), self.luck.choice(what)][min(number, len(set(what)))]
            time.sleep(self.luck.uniform(0, most_seconds))

    def server(self, *options: str, data: Path | None = None, **how: object) -> Server:
        """Start a server, by default on this scene's own data."""
        made = Server(data or self.folder / "data", *options, **how)  # type: ignore[arg-type] # as Server takes them
        self.stack.callback(lambda: made.is_running and made.stop())
        return made

    def database(self, *how: str, primary: PostgresServer | None = None) -> PostgresServer:
        """Start a PostgreSQL; skip the test where there is none."""
        if why := missing():
            pytest.skip(why)
        made = PostgresServer(*how, primary=primary)
        self.stack.callback(made.close)
        return made

    def schema(self, database: PostgresServer) -> tuple[str, str]:
        """Make a schema in a database; return its name and its URL."""
        name = f"chaos_{uuid.uuid4().hex}"
        return name, database.make_schema(name)

    def load(self, *servers: Server, **how: object) -> Load:
        """Return frontends that play on these servers."""
        return Load(self.ledger, [server.address for server in servers], **how)  # type: ignore[arg-type] # as Load takes them

    def done(self, what: str) -> None:
        """Count what was done, and log it as progress."""
        self.did[what] += 1
        LOG.info("%s: %d settled", what, len(self.ledger.settled))

    def expect(self, what: object, words: str) -> None:
        """Note a fault unless something is true."""
        self.faults += [] if what else [words]

    def conclude(self, *servers: Server, allowed: Iterable[str], is_alive: bool = True) -> None:
        """Ask the last server for settlements again, stop all, which must have lived until now, and judge their log."""
        if is_alive:
            self.faults += ask_again(self.ledger, servers[-1].address)
        for server in servers:
            ended_well = server.is_running and not server.stop()
            self.expect(ended_well or not is_alive, "the server did not live through it")
        self.faults += self.ledger.outside(allowed)
        found, self.leaves = faults_of(self.ledger, servers[0].data, servers[0].database)
        self.faults += found

    @property
    def lines(self) -> Sequence[str]:
        """The scene as a part of the report, in Markdown."""
        ledger, settled = self.ledger, len(self.ledger.settled)
        said = [
            f"done: {_counted(self.did)}",
            f"calls answered: {ledger.answered:,}, failed: {_counted(ledger.statuses)}, repeated: {ledger.retried:,}",
            f"leaves acknowledged: {len(ledger.receipts):,}, {settled:,} settlements; in the log: {self.leaves:,}",
            f"rounds given up: {ledger.abandoned:,}; longest call: {ledger.longest:.1f} s",
            *self.notes,
            f"verdict after {time.monotonic() - self.begun:.0f} s: **{'WRONG' if self.faults else 'nothing wrong'}**",
        ]
        wrong = [f"  - {fault}" for fault in self.faults[:50]]
        return [f"## {self.title}", "", *[f"- {line}" for line in said], *wrong, ""]


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} x {name}" for name, count in counts.most_common()) or "none"
