"""A running server that is asked on stock stubs."""

import hashlib
import itertools
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from referee.dealing import certificate
from referee.dealing.deal import Deal
from referee.evidence.ed25519 import Signer
from referee.log import LogReceipt
from referee.v1 import log_pb2, round_pb2, shuffler_pb2
from referee.wire.round import read_header
from tests.driver.refusal import refusal_of
from tests.driver.running import ORIGIN, START, Running
from tests.service.opening import Asked, deal_round, open_round
from tests.service.stubs import Stubs


def seeds_of(count: int, *, name: str = "") -> list[bytes]:
    """Return a seed of 32 bytes for each seat; another name gives other seeds."""
    return [hashlib.sha256(f"seed {seat} {name}".encode()).digest() for seat in range(count)]


class RawServer(Running, Stubs):
    """A server with a stub of each service."""

    refusal_of = staticmethod(refusal_of)
    seeds_of = staticmethod(seeds_of)
    START, ORIGIN = START, ORIGIN

    def __init__(self, folder: Path, **settings: Any) -> None:  # noqa: ANN401 - what Running takes
        self._tables = itertools.count(1)
        super().__init__(folder, **settings)

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
