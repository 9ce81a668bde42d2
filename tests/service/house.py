"""A running server, and short ways to play rounds of Mậu Binh on it."""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from referee.server.settings.limits import LimitSettings
from referee.v1 import log_pb2, mau_binh_pb2, mau_binh_pb2_grpc, shuffler_pb2
from tests.service.abridging import AbridgingChannel
from tests.service.courses import take
from tests.service.raw_server import RawServer, seeds_of
from tests.service.table import Table

CLASSIC: Final = "mau_binh.classic"
ARRANGING_MS: Final = 60_000


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
        return {"round": self.header.round}

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


class House(RawServer):
    """A server on which rounds of Mậu Binh are played. Tests reach the words of this file through it."""

    as_dealt = staticmethod(as_dealt)
    arranged = staticmethod(arranged)
    ARRANGING_MS = ARRANGING_MS

    @property
    def referee(self) -> mau_binh_pb2_grpc.MauBinhServiceStub:
        """The stub of the game."""
        return self.mau_binh

    def terms(self, table: str = "", **changes: Any) -> shuffler_pb2.RoundTerms:  # noqa: ANN401 - any field
        """Terms for two seats by the classic sheet, at a new table where none is named."""
        fields: dict[str, Any] = {"ruleset_id": CLASSIC, "seat_count": 2, "currency": "VND", "stake_minor": 1000}
        named: dict[str, Any] = {} if "round" in changes else {"table_id": table or self.new_table()}
        return shuffler_pb2.RoundTerms(**named, **fields | changes)

    def open(self, table: str = "", **changes: Any) -> shuffler_pb2.OpenRoundResponse:  # noqa: ANN401 - any field
        """Open a round under these terms."""
        return self.open_round(self.terms(table, **changes))

    def deal(self, opened: shuffler_pb2.OpenRoundResponse) -> Played:
        """Deal an opened round."""
        return Played(self, opened, self.deal_round(opened, seeds_of(len(opened.header.seat_keys))))

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


@pytest.fixture(scope="session")
def house_type() -> type[House]:
    """Return the class of servers, for fixtures that outlive a test."""
    return House


@pytest.fixture
def make_house(tmp_path: Path, quiet_calls: None) -> Iterator[Callable[..., House]]:  # noqa: ARG001 - no lines of calls
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


@pytest.fixture(params=["whole", "by course", "by course, with no memory"])
def any_house(request: pytest.FixtureRequest, make_house: Callable[..., House]) -> House:
    """Start a server that is sent whole rounds, or courses of rounds that it knows, or such while it remembers none."""
    if request.param == "whole":
        return make_house()
    memory = 0 if "no memory" in request.param else LimitSettings().memo_bytes
    return make_house(wrap=AbridgingChannel, limits=LimitSettings(memo_bytes=memory))
