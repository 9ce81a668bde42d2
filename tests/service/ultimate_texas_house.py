"""A running server, and tables of Ultimate Texas Hold'em played on it call by call."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from referee.v1 import money_pb2, shuffler_pb2, ultimate_texas_pb2, ultimate_texas_pb2_grpc
from tests.driver.refusal import Refusal, refusal_of
from tests.service.courses import steps_of, take
from tests.service.raw_server import RawServer, seeds_of

BET_UNIT: Final = 2
STREET_MS: Final = 30_000
CASINO: Final = "ultimate_texas.casino"
Refused: TypeAlias = Callable[..., Refusal]


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
                round=self.opened.header.round, steps=steps_of(self.message), receipt=self.message.receipt
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


class Server(RawServer):
    """A server on which rounds of Ultimate Texas Hold'em are played."""

    @property
    def referee(self) -> ultimate_texas_pb2_grpc.UltimateTexasServiceStub:
        """The stub of the game."""
        return self.ultimate_texas

    def terms(
        self, seats: int = 2, *, ruleset_id: str = CASINO, stakes: Sequence[tuple[int, int]] | None = None
    ) -> shuffler_pb2.RoundTerms:
        """Terms of a new table; each seat has an Ante of 10 and Trips of 5 unless stakes are given."""
        return shuffler_pb2.RoundTerms(
            table_id=self.new_table(),
            ruleset_id=ruleset_id,
            seat_count=seats,
            currency="CHIP",
            stake_minor=BET_UNIT,
            seat_stakes=[
                money_pb2.SeatStake(bet_minor=ante, side_bet_minor=trips)
                for ante, trips in (((10, 5),) * seats if stakes is None else stakes)
            ],
        )

    def deal(
        self, seats: int = 2, *, ruleset_id: str = CASINO, stakes: Sequence[tuple[int, int]] | None = None
    ) -> Round:
        """Deal a round at a new table."""
        opened = self.open_round(self.terms(seats, ruleset_id=ruleset_id, stakes=stakes))
        dealt = self.deal_round(opened, seeds_of(seats, name=opened.header.round.table_id))
        message = ultimate_texas_pb2.UltimateTexasRound(header=opened.header, certificates=[dealt.certificate])
        return Round(self, opened, dealt, message)


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
    return refusal_of
