"""A running server on loopback with a clock that tests move, its stubs, and a reader of its log.

Servicers, store, keys and transport are the real ones. The entropy is a hash of a counter, so every run deals alike.
"""

import hashlib
import itertools
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import grpc

from referee.adviser.servicers import advise_in_process
from referee.audit import Documents, MemoryLog
from referee.audit.documents import NO_DOCUMENTS
from referee.dealing import certificate
from referee.dealing.deal import Deal
from referee.evidence.ed25519 import Signer
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint, LogReceipt, open_checkpoint
from referee.server.process.app import Application
from referee.suspicion.report import CountedReport
from referee.v1 import log_pb2, round_pb2, shuffler_pb2
from referee.wire.round import read_header
from tests.driver.auditing import counted, terms_of
from tests.driver.messages import Stubs
from tests.driver.opening import Asked, deal_round, open_round
from tests.driver.refusal import refusal_of
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


def seeds_of(count: int, *, name: str = "") -> list[bytes]:
    """Return a seed of 32 bytes for each seat; another name gives other seeds."""
    return [hashlib.sha256(f"seed {seat} {name}".encode()).digest() for seat in range(count)]


class Running(Stubs):
    """A server with a stub of each service, on a folder; its log can be read, verified and audited."""

    refusal_of = staticmethod(refusal_of)
    seeds_of = staticmethod(seeds_of)
    START, ORIGIN = START, ORIGIN

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
        self._tables = itertools.count(1)
        self.start()

    def start(self) -> None:
        """Start a server on the folder."""
        self.app = Application(server_options(data=self.folder, **self._settings)).start()
        super().__init__(self._wrap(self.dial()))

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

    def proved(self, receipt: round_pb2.LogReceipt) -> bytes:
        """Verify the proof and checkpoint of a log receipt; return its leaf."""
        read = LogReceipt(
            index=receipt.leaf_index,  # type: ignore[arg-type] # an index as it comes
            leaf_hash=receipt.leaf_hash,
            proof=tuple(receipt.inclusion_proof),
            checkpoint=receipt.checkpoint.encode(),
        )
        read.verify(receipt.leaf, origin=ORIGIN, keys=self.log_keys)
        return receipt.leaf

    def audit(self, documents: Documents = NO_DOCUMENTS, *, log_key: str = "", root_key: str = "") -> CountedReport:
        """Audit the log, with what people kept, by its own keys unless others are given."""
        keys = self.log.GetKeys(log_pb2.GetKeysRequest())
        log = MemoryLog(checkpoint=self.checkpoint().encode(), entries=tuple(self.leaves()))
        log_key, root_key, now = log_key or keys.log_key, root_key or keys.root_key, self.clock.now
        terms = terms_of(origin=keys.origin, log_key=log_key, root_key=root_key, now=now, as_of=now)
        return counted(log, *terms, documents=documents)

    def derive(self, header: round_pb2.RoundHeader, *, name: str = "") -> Deal:
        """Derive a deal under the header from the seeds of this name, without the shuffler."""
        server_seed, *seeds = seeds_of(len(header.seat_keys) + 1, name=f"made up {name}")
        return Deal.derive(read_header(header, field="header"), server_seed=server_seed, client_seeds=seeds)

    def certify(
        self,
        header: round_pb2.RoundHeader,
        deal: Deal,
        *,
        sections: Sequence[int] | None = None,
        signer: Signer | None = None,
    ) -> bytes:
        """Issue a certificate of any deal, by default of all hands and signed by the shuffler's own key."""
        return certificate.issue(
            deal,
            read_header(header, field="header"),
            sections=range(len(header.seat_keys)) if sections is None else sections,
            dealt_time=self.clock.now,
            signer=signer or self.app.keys.signer("shuffler"),
        )

    def raw(self, method: str, data: bytes, *, timeout: float = 10) -> bytes:
        """Call a method with raw bytes; return its raw answer."""
        call: Any = self.channel.unary_unary(f"/referee.v1.{method}")
        answer: bytes = call(data, timeout=timeout)
        return answer

    def new_table(self) -> str:
        """Return the name of a table with no rounds."""
        return f"t-{next(self._tables)}"

    @property
    def size(self) -> int:
        """How many leaves the log has, by a checkpoint whose signature is verified."""
        return self.head().size

    def settled_size(self) -> int:
        """Return how many leaves the log has once the seeds of all rounds that ended are revealed in it."""
        deadline = time.monotonic() + 10
        while self.app.log.store.unrevealed_rounds(1):
            assert time.monotonic() < deadline, "seeds are not revealed"
            time.sleep(0.001)
        return self.size

    def steps(self, header: round_pb2.RoundHeader) -> list[bytes]:
        """Return the leaves of a round in order."""
        slot = log_pb2.GetTableRoundRequest(round=header.round)
        return [logged.leaf for logged in self.log.GetTableRound(slot).leaves]

    def open_round(self, asked: Asked, **how: Any) -> shuffler_pb2.OpenRoundResponse:  # noqa: ANN401 - as the function takes
        """Open a round."""
        return open_round(self.shuffler, asked, **how)

    def deal_round(
        self, opened: shuffler_pb2.OpenRoundResponse, seeds: Sequence[bytes], signatures: Sequence[bytes] = ()
    ) -> shuffler_pb2.DealRoundResponse:
        """Deal an opened round from these seeds."""
        return deal_round(self.shuffler, opened, seeds, signatures)
