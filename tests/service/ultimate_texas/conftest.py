"""A running server with a clock that tests move, and tables of Ultimate Texas Hold'em played on it call by call."""

import hashlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

import grpc
import pytest
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from referee.rulesets import Catalogue
from referee.server.process.app import Application
from referee.server.settings.advice import AdviceSettings
from referee.v1 import (
    log_pb2,
    log_pb2_grpc,
    money_pb2,
    shuffler_pb2,
    shuffler_pb2_grpc,
    ultimate_texas_pb2,
    ultimate_texas_pb2_grpc,
)
from tests.server.options import server_options
from tests.service.courses import steps_of, take

START: Final = 1_800_000_000_000
BET_UNIT: Final = 2
STREET_MS: Final = 30_000
CASINO: Final = "ultimate_texas.casino"


class Clock:
    """Clock of the server in milliseconds since 1970 UTC; it moves only when a test sets ``now``."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        """Return the current time."""
        return self.now


@dataclass
class Round:
    """A round in play: what the frontend holds of it, and the calls that move it on."""

    server: "Server"
    opened: shuffler_pb2.OpenRoundResponse
    dealt: shuffler_pb2.DealRoundResponse
    message: ultimate_texas_pb2.UltimateTexasRound
    sections: list[shuffler_pb2.OpenSectionResponse] = field(default_factory=list)

    def accept(self, seat: int, decision: str) -> ultimate_texas_pb2.UltimateTexasServiceAcceptEventResponse:
        """Ask to accept the next event; append it if it is lawful."""
        answer = self.server.referee.AcceptEvent(
            ultimate_texas_pb2.UltimateTexasServiceAcceptEventRequest(round=self.message, event=decided(seat, decision))
        )
        if answer.event_number:
            take(self.message, answer.event, receipt=answer.receipt)
        return answer

    def report(self, seat: int, decision: str) -> None:
        """Append the next event at the clock's time without asking the referee."""
        self.message.events.append(decided(seat, decision, time=self.server.clock.now))

    def play(self, *decisions: tuple[int, str]) -> ultimate_texas_pb2.UltimateTexasServiceAcceptEventResponse:
        """Accept events and open the sections they allow; return the last answer, empty for no events.

        A street's time runs out before TIMEOUT.
        """
        answer = ultimate_texas_pb2.UltimateTexasServiceAcceptEventResponse()
        for seat, decision in decisions:
            if decision == "TIMEOUT":
                self.server.clock.now += STREET_MS
            answer = self.accept(seat, decision)
            assert not answer.violations, answer.violations
            if answer.HasField("opens_section"):
                self.open_section()
        return answer

    def open_section(self) -> shuffler_pb2.OpenSectionResponse:
        """Open the section that the last event's receipt allows; keep the new certificate."""
        answer = self.server.shuffler.OpenSection(
            shuffler_pb2.OpenSectionRequest(
                table_id=self.opened.header.table_id,
                round_number=self.opened.header.round_number,
                steps=steps_of(self.message),
                receipt=self.message.receipt,
            )
        )
        self.message.certificates[:] = [answer.certificate]
        self.sections.append(answer)
        return answer

    def check(self, seat: int, decision: str) -> ultimate_texas_pb2.CheckDecisionResponse:
        """Check a decision."""
        return self.server.referee.CheckDecision(
            ultimate_texas_pb2.CheckDecisionRequest(round=self.message, event=decided(seat, decision))
        )

    def preview(self) -> ultimate_texas_pb2.UltimateTexasServicePreviewRoundResponse:
        """Preview of the round."""
        return self.server.referee.PreviewRound(
            ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest(round=self.message)
        )

    def settle(self) -> ultimate_texas_pb2.UltimateTexasServiceSettleRoundResponse:
        """Settle the round, or return the violations."""
        return self.server.referee.SettleRound(
            ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest(round=self.message)
        )


class Server:
    """A running application and its stubs; ``restart`` stops it and starts it again on the same data."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self._folder = folder
        self._drawn = itertools.count()
        self._tables = itertools.count()
        self._start()

    def restart(self, *, catalogue: Catalogue | None = None) -> None:
        """Another process on the same data, perhaps with other rulesets."""
        self.close()
        self._start(catalogue)

    def close(self) -> None:
        """Stop the server."""
        self.channel.close()
        self.app.close()

    def _start(self, catalogue: Catalogue | None = None) -> None:
        settings = server_options(
            advice=AdviceSettings(seconds=300),
            data=self._folder,
            listen="127.0.0.1:0",
            clock=self.clock,
            entropy=self._entropy,
            catalogue=catalogue,
            sweep=False,
        )
        self.app = Application(settings).start()
        self.channel = grpc.insecure_channel(f"127.0.0.1:{self.app.port}")
        self.shuffler = shuffler_pb2_grpc.ShufflerServiceStub(self.channel)
        self.referee = ultimate_texas_pb2_grpc.UltimateTexasServiceStub(self.channel)
        self.log = log_pb2_grpc.LogServiceStub(self.channel)

    def _entropy(self, size: int) -> bytes:
        """Bytes that are the same in every run, so that a test that fails fails again."""
        return hashlib.shake_256(f"{self._folder.name}{next(self._drawn)}".encode()).digest(size)

    @property
    def size(self) -> int:
        """How many leaves the log has."""
        return int(self.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint.splitlines()[1])

    def terms(
        self, seats: int = 2, *, ruleset_id: str = CASINO, stakes: Sequence[tuple[int, int]] | None = None
    ) -> shuffler_pb2.RoundTerms:
        """Terms of a new table; each seat has an Ante of 10 and Trips of 5 unless stakes are given."""
        return shuffler_pb2.RoundTerms(
            table_id=f"table-{next(self._tables)}",
            ruleset_id=ruleset_id,
            seat_count=seats,
            currency="CHIP",
            stake_minor=BET_UNIT,
            seat_stakes=[
                money_pb2.SeatStake(bet_minor=ante, side_bet_minor=trips)
                for ante, trips in (((10, 5),) * seats if stakes is None else stakes)
            ],
        )

    def open(self, terms: shuffler_pb2.RoundTerms) -> shuffler_pb2.OpenRoundResponse:
        """Open a round under these terms."""
        return self.shuffler.OpenRound(shuffler_pb2.OpenRoundRequest(terms=terms))

    def deal(
        self, seats: int = 2, *, ruleset_id: str = CASINO, stakes: Sequence[tuple[int, int]] | None = None
    ) -> Round:
        """Deal a round at a new table."""
        opened = self.open(self.terms(seats, ruleset_id=ruleset_id, stakes=stakes))
        dealt = self.shuffler.DealRound(
            shuffler_pb2.DealRoundRequest(
                table_id=opened.header.table_id,
                round_number=1,
                client_seeds=[self._entropy(32) for _ in range(seats)],
            )
        )
        message = ultimate_texas_pb2.UltimateTexasRound(header=opened.header, certificates=[dealt.certificate])
        return Round(self, opened, dealt, message)


@dataclass(frozen=True)
class Refusal:
    """A refused call: the status code's name, the reason, and the path of the field at fault (empty for none)."""

    code: str
    reason: str
    field: str


Refused: TypeAlias = Callable[..., Refusal]


def decided(seat: int, decision: str, *, time: int = 0) -> ultimate_texas_pb2.UltimateTexasEvent:
    """Make an event without a receipt."""
    return ultimate_texas_pb2.UltimateTexasEvent(time=time, seat=seat, decision=f"DECISION_{decision}")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path)
    yield running
    running.close()


@pytest.fixture
def refused() -> Refused:
    """Return the refusal of a call; fail the test if the call is answered."""

    def _refused(method: Callable[[Message], Message], request: Message) -> Refusal:
        with pytest.raises(grpc.RpcError) as caught:
            method(request)
        status = rpc_status.from_call(caught.value)
        info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
        for detail in status.details:
            _ = detail.Unpack(info) or detail.Unpack(bad)
        assert info.domain == "referee.v1"
        fields = [violation.field for violation in bad.field_violations]
        return Refusal(caught.value.code().name, info.reason, fields[0] if fields else "")

    return _refused
