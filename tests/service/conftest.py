"""A running server on loopback with a clock that tests move, and short ways to play rounds of Mậu Binh on it.

Servicers, store, keys and transport are the real ones. The entropy is a hash of a counter, so every run deals alike.
"""

import hashlib
import itertools
import logging
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import grpc
import pytest
import structlog
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from referee.audit import Documents, MemoryLog, Report, audit_log
from referee.dealing import certificate
from referee.dealing.deal import Deal
from referee.evidence.ed25519 import Signer
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint, LogReceipt, open_checkpoint
from referee.rulesets import load_builtin
from referee.server.process.app import Application
from referee.server.settings.advice import AdviceSettings
from referee.v1 import (
    log_pb2,
    log_pb2_grpc,
    mau_binh_pb2,
    mau_binh_pb2_grpc,
    round_pb2,
    ruleset_pb2_grpc,
    seating_pb2_grpc,
    shuffler_pb2,
    shuffler_pb2_grpc,
)
from referee.wire.round import read_header
from tests.server.options import server_options
from tests.service.courses import take
from tests.service.seat_players import Table
from tests.vectors.dealing import dealing_derivation

START: Final = 1_800_000_000_000
ORIGIN: Final = "log.example/1"
CLASSIC: Final = "mau_binh.classic"
ARRANGING_MS: Final = 60_000


class Clock:
    """Clock of the server in milliseconds since 1970 UTC; it moves only when a test sets ``now``."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        """Return the current time."""
        return self.now


@dataclass(frozen=True, slots=True)
class Refusal:
    """How a call was refused: status code, reason, path of the field at fault (empty for none), facts."""

    code: str
    reason: str
    field: str
    facts: dict[str, str]
    message: str


def refusal_of(call: Callable[[], object]) -> Refusal:
    """Return the refusal of a call; fail the test if the call is answered or refused without a reason."""
    with pytest.raises(grpc.RpcError) as caught:
        call()
    status = rpc_status.from_call(caught.value)
    assert status is not None, caught.value
    info, bad, retry = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
    for detail in status.details:
        assert detail.Unpack(info) or detail.Unpack(bad) or detail.Unpack(retry)
    assert info.domain == "referee.v1"
    fields = [violation.field for violation in bad.field_violations]
    assert len(fields) <= 1
    return Refusal(
        caught.value.code().name,
        info.reason,
        fields[0] if fields else "",
        dict(info.metadata),
        caught.value.details() or "",
    )


def seeds_of(count: int, *, name: str = "") -> list[bytes]:
    """Return a seed of 32 bytes for each seat; another name gives other seeds."""
    return [hashlib.sha256(f"seed {seat} {name}".encode()).digest() for seat in range(count)]


def as_dealt(cards: Sequence[int]) -> mau_binh_pb2.Arrangement:
    """Arrange cards in the order they were dealt: always accepted, though it may foul."""
    return arranged(cards[:5], cards[5:10], cards[10:])


def arranged(back: Sequence[int], middle: Sequence[int], front: Sequence[int]) -> mau_binh_pb2.Arrangement:
    """Make an arrangement from any numbers."""
    made = mau_binh_pb2.Arrangement()
    made.back.extend(back)  # type: ignore[arg-type] # numbers that name no card are sent on purpose
    made.middle.extend(middle)  # type: ignore[arg-type] # the same
    made.front.extend(front)  # type: ignore[arg-type] # the same
    return made


class Played:
    """A dealt round: what the frontend keeps of it and the calls it makes. ``message`` is the round so far."""

    def __init__(
        self, house: "House", opened: shuffler_pb2.OpenRoundResponse, dealt: shuffler_pb2.DealRoundResponse
    ) -> None:
        self.house, self.opened, self.dealt = house, opened, dealt
        self.header = opened.header
        self.message = mau_binh_pb2.MauBinhRound(header=opened.header, certificates=[dealt.certificate])
        self.hands: list[list[int]] = [list(hand.cards) for hand in dealt.hands]

    @property
    def name(self) -> dict[str, Any]:
        """What names the round in a request."""
        return {"table_id": self.header.table_id, "round_number": self.header.round_number}

    def arrangement(self, seat: int) -> mau_binh_pb2.Arrangement:
        """Find an arrangement of the seat's hand that does not foul, by asking; return it as dealt if none is found."""
        luck = random.Random(seat)  # noqa: S311 - the same arrangements in every run
        ranked = sorted(self.hands[seat], reverse=True)
        tries = [ranked, *(luck.sample(ranked, 13) for _ in range(127))]
        asked = [
            mau_binh_pb2.CheckArrangementRequest(round=self.message, seat=seat, arrangement=as_dealt(t)) for t in tries
        ]
        answers = self.house.referee.CheckArrangements(mau_binh_pb2.CheckArrangementsRequest(requests=asked)).responses
        lawful = [one.arrangement for one, answer in zip(asked, answers, strict=True) if not answer.violations]
        return lawful[0] if lawful else as_dealt(self.hands[seat])

    def report_all(self) -> "Played":
        """Report, without asking the referee, that every seat arranged its cards as dealt at the clock's time."""
        for seat, hand in enumerate(self.hands):
            self.message.events.add(time=self.house.clock.now, seat=seat, arrange=as_dealt(hand))
        return self

    def accept(
        self, seat: int, arrangement: mau_binh_pb2.Arrangement | None = None
    ) -> mau_binh_pb2.MauBinhServiceAcceptEventResponse:
        """Ask to accept a seat's arrangement, or that it leaves; append the event if it is accepted."""
        event = mau_binh_pb2.MauBinhEvent(seat=seat)
        event.leave.SetInParent() if arrangement is None else event.arrange.CopyFrom(arrangement)
        answer = self.house.referee.AcceptEvent(
            mau_binh_pb2.MauBinhServiceAcceptEventRequest(round=self.message, event=event)
        )
        if answer.event_number:
            take(self.message, answer.event, receipt=answer.receipt)
        return answer

    def request(self) -> mau_binh_pb2.MauBinhServiceSettleRoundRequest:
        """Return the request that settles the round as reported."""
        return mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=self.message)

    def settle(self) -> mau_binh_pb2.MauBinhServiceSettleRoundResponse:
        """Settle the round."""
        return self.house.referee.SettleRound(self.request())

    def preview(self) -> mau_binh_pb2.MauBinhServicePreviewRoundResponse:
        """Preview the settlement."""
        return self.house.referee.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=self.message))

    def check(self, seat: int, arrangement: mau_binh_pb2.Arrangement) -> mau_binh_pb2.CheckArrangementResponse:
        """Check an arrangement."""
        return self.house.referee.CheckArrangement(
            mau_binh_pb2.CheckArrangementRequest(round=self.message, seat=seat, arrangement=arrangement)
        )

    def deal_again(self, *, name: str = "") -> shuffler_pb2.DealRoundResponse:
        """Ask for the deal once more, with the seeds of this name."""
        seeds = seeds_of(len(self.hands), name=name)
        return self.house.shuffler.DealRound(shuffler_pb2.DealRoundRequest(**self.name, client_seeds=seeds))

    def abort(self) -> shuffler_pb2.AbortRoundResponse:
        """Abort the round a moment after its deadline; then the clock is at the deadline, as on another machine."""
        deadline = self.message.header.round_deadline_time
        self.house.clock.now = deadline + 1
        try:
            return self.house.shuffler.AbortRound(
                shuffler_pb2.AbortRoundRequest(**self.name, reason=shuffler_pb2.ABORT_REASON_DEADLINE)
            )
        finally:
            self.house.clock.now = deadline

    def reveal(self) -> shuffler_pb2.RevealRoundResponse:
        """Wait for the server's seed to be revealed."""
        return self.house.shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(**self.name))

    def find(self) -> log_pb2.GetTableRoundResponse:
        """Find the stage and leaves of the round in the log."""
        return self.house.log.GetTableRound(log_pb2.GetTableRoundRequest(**self.name))


class House:
    """A server with its stubs. Tests reach the words of this file through it."""

    refusal_of = staticmethod(refusal_of)
    seeds_of = staticmethod(seeds_of)
    as_dealt = staticmethod(as_dealt)
    arranged = staticmethod(arranged)
    START, ORIGIN, ARRANGING_MS = START, ORIGIN, ARRANGING_MS

    def __init__(self, folder: Path, **settings: Any) -> None:  # noqa: ANN401 - what server_options takes
        self.folder = folder
        self.clock = Clock()
        counter = itertools.count()
        self._settings: dict[str, Any] = {
            "entropy": lambda size: hashlib.shake_128(str(next(counter)).encode()).digest(size),
            "clock": self.clock,
            "origin": ORIGIN,
            "listen": "127.0.0.1:0",
            "sweep": False,
            "advice": AdviceSettings(seconds=300),
        } | settings
        self._tables = itertools.count(1)
        self.start()

    def start(self) -> None:
        """Start a server on the folder."""
        self.app = Application(server_options(data=self.folder, **self._settings)).start()
        self.channel = self.dial()
        self.shuffler = shuffler_pb2_grpc.ShufflerServiceStub(self.channel)
        self.referee = mau_binh_pb2_grpc.MauBinhServiceStub(self.channel)
        self.log = log_pb2_grpc.LogServiceStub(self.channel)
        self.rulesets = ruleset_pb2_grpc.RulesetServiceStub(self.channel)
        self.seating = seating_pb2_grpc.SeatingServiceStub(self.channel)

    def dial(self) -> grpc.Channel:
        """Open another channel, which may send more than the server accepts."""
        return grpc.insecure_channel(f"127.0.0.1:{self.app.port}", [("grpc.max_send_message_length", -1)])

    def close(self) -> None:
        """Stop the server."""
        self.channel.close()
        self.app.close()

    def restart(self) -> None:
        """Restart the server on the same folder."""
        self.close()
        self.start()

    def terms(self, table: str = "", **changes: Any) -> shuffler_pb2.RoundTerms:  # noqa: ANN401 - any field
        """Terms for two seats by the classic sheet, at a new table where none is named."""
        fields: dict[str, Any] = {"ruleset_id": CLASSIC, "seat_count": 2, "currency": "VND", "stake_minor": 1000}
        return shuffler_pb2.RoundTerms(table_id=table or f"t-{next(self._tables)}", **fields | changes)

    def open(self, table: str = "", **changes: Any) -> shuffler_pb2.OpenRoundResponse:  # noqa: ANN401 - any field
        """Open a round under these terms."""
        return self.shuffler.OpenRound(shuffler_pb2.OpenRoundRequest(terms=self.terms(table, **changes)))

    def deal(self, opened: shuffler_pb2.OpenRoundResponse) -> Played:
        """Deal an opened round."""
        header = opened.header
        slot: dict[str, Any] = {"table_id": header.table_id, "round_number": header.round_number}
        request = shuffler_pb2.DealRoundRequest(**slot, client_seeds=seeds_of(len(header.seat_keys)))
        return Played(self, opened, self.shuffler.DealRound(request))

    def play(self, table: str = "", **changes: Any) -> Played:  # noqa: ANN401 - any field
        """Open and deal rounds of a table under these terms until no hand wins at the deal; return that round."""
        while True:
            played = self.deal(self.open(table, **changes))
            if played.preview().violations:
                return played
            played.settle()

    def table(self, game: str = "mau_binh", **how: Any) -> Table:  # noqa: ANN401 - what Table takes
        """Prepare a round at a table whose players have secrets of their own."""
        return Table(self, game, **how)

    def sealed(self, **how: Any) -> Table:  # noqa: ANN401 - what Table takes
        """Deal sealed rounds of Mậu Binh until no hand wins at the deal; return that table."""
        while True:
            table = self.table(**{"sealed": True} | how).play()
            if not table.dealt.hands:
                return table

    def checkpoint(self) -> str:
        """Return the newest signed checkpoint; its text changes whenever the log grows."""
        return self.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint

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

    def leaves(self) -> list[bytes]:
        """All leaves of the log."""
        found: list[bytes] = []
        while len(found) < self.head().size:
            found += self.log.ListEntries(log_pb2.ListEntriesRequest(start=len(found))).leaves
        return found

    def audit(self, documents: Documents | None = None) -> Report:
        """Audit the log, with what people kept."""
        keys = self.log.GetKeys(log_pb2.GetKeysRequest())
        return audit_log(
            MemoryLog(checkpoint=self.checkpoint().encode(), entries=tuple(self.leaves())),
            origin=keys.origin,
            log_key=keys.log_key,
            root_key=keys.root_key,
            catalogue=load_builtin(),
            now=self.clock.now,
            documents=documents or Documents(),
        )

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


@pytest.fixture(scope="module", autouse=True)
def _quiet_calls() -> Iterator[None]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def house_type() -> type[House]:
    """Return the class of servers, for fixtures that outlive a test."""
    return House


@pytest.fixture
def make_house(tmp_path: Path) -> Iterator[Callable[..., House]]:
    """Make servers in this test's folder, each on a data folder by name; stop them when the test ends."""
    running: list[House] = []

    def make(name: str = "data", **settings: Any) -> House:  # noqa: ANN401 - what server_options takes
        running.append(House(tmp_path / name, **settings))
        return running[-1]

    yield make
    for house in reversed(running):
        house.close()


@pytest.fixture
def house(make_house: Callable[..., House]) -> House:
    """Start a server on an empty folder."""
    return make_house()


@pytest.fixture(scope="session")
def second() -> ModuleType:
    """Return the second implementation of the dealing protocol, which shares no line with this project."""
    return dealing_derivation
