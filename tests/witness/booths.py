"""Logs on paper, witnesses in a folder, and a witness as a process of its own."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

import pytest

from referee.evidence.merkle import root
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint, CheckpointSigner
from referee.log.submission import AddCheckpoint
from referee.witness import Witness, WitnessState
from referee.witness.trust import read_trusted
from referee.witness.witness import WitnessAnswer
from tests.chaos.process import ServerProcess
from tests.log.rfc9162 import consistency_proof
from tests.named_signer import NamedSigner

ORIGIN: Final = "log.example/1"


@dataclass
class PaperLog:
    """A log of made-up leaves; ``history`` distinguishes two logs of one origin."""

    history: str = "first"
    key: str = "log"
    origin: str = ORIGIN

    @property
    def vkey(self) -> str:
        """The log's verifier key."""
        return VerifierKey(self.origin, NamedSigner(self.key).public_key).text

    def leaves(self, size: int) -> list[bytes]:
        """Return the first leaves."""
        return [f"{self.history} {number}".encode() for number in range(size)]

    def note(self, size: int) -> bytes:
        """Return the signed checkpoint of that many leaves."""
        head = Checkpoint(self.origin, size, root(self.leaves(size)))
        return CheckpointSigner(NamedSigner(self.key), key_name=self.origin).sign(head)

    def submission(self, old: int, size: int) -> bytes:
        """Return what the log sends to grow from one size to another."""
        proof = consistency_proof(self.leaves(size), old) if 0 < old < size else ()
        return AddCheckpoint(old_size=old, proof=tuple(proof), checkpoint=self.note(size)).format()


@dataclass
class Booth:
    """A witness over a state file, with a stopped clock."""

    folder: Path
    logs: tuple[str, ...]
    name: str = "witness.example/w1"
    now: int = 1_800_000_000
    steps: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.state = WitnessState(self.folder / "witness.sqlite3")
        self.witness = self.opened(self.state)

    def last_size(self, log: PaperLog) -> int:
        """Return the size of the log that was cosigned last, 0 for none."""
        last = self.state.last(log.origin)
        return 0 if last is None else last.size

    def opened(self, state: WitnessState, probe: Callable[[str], None] | None = None) -> Witness:
        """Return a witness over a state."""
        return Witness(
            state,
            NamedSigner("witness"),
            name=self.name,
            trusted=read_trusted("\n".join(f"log {key}" for key in self.logs)),
            clock=lambda: self.now,
            probe=probe or self.steps.append,
        )

    def ask(self, submission: bytes) -> WitnessAnswer:
        """Submit and return the answer."""
        return self.witness.add_checkpoint(submission)


@pytest.fixture
def log() -> PaperLog:
    return PaperLog()


@pytest.fixture
def booth(tmp_path: Path, log: PaperLog) -> Iterator[Booth]:
    made = Booth(tmp_path, (log.vkey,))
    yield made
    made.state.close()


@pytest.fixture
def open_booth(tmp_path: Path) -> Iterator[Callable[..., Booth]]:
    """Open witnesses, each in a folder of its own."""
    opened: list[Booth] = []

    def open_one(*keys: str, folder: str = "w") -> Booth:
        (tmp_path / folder).mkdir(exist_ok=True)
        opened.append(Booth(tmp_path / folder, keys))
        return opened[-1]

    yield open_one
    for one in opened:
        one.state.close()


class WitnessProcess(ServerProcess):
    """One ``referee witness``, or another program that prints its address and key as it does."""

    def __init__(self, arguments: list[str], errors: IO[bytes]) -> None:
        ready = self.launch(arguments, errors=errors)
        self.key = VerifierKey.parse(ready["key"])
        self.host, _, port = ready["address"].rpartition(":")
        self.port = int(port)


@pytest.fixture
def start_witness(tmp_path: Path) -> Iterator[Callable[..., WitnessProcess]]:
    """Start witnesses and stop them at the end."""
    started: list[WitnessProcess] = []
    with (tmp_path / "witness-errors.log").open("ab") as errors:

        def start(*arguments: str) -> WitnessProcess:
            started.append(WitnessProcess(list(arguments), errors))
            return started[-1]

        yield start
        for process in started:
            if process.is_running:
                process.stop()
