"""A name shows what its sender knows: a sealed hand that a seat asked about stays hidden from all who name the round.

Sealed Ultimate Texas with tokens: after the flop a seat asks with its own certificate, and then others ask by names.
"""

import base64
import itertools
from typing import Any, Final

import grpc
import pytest
import structlog

from referee.v1 import (
    advice_pb2,
    advice_pb2_grpc,
    round_pb2,
    shuffler_pb2,
    shuffler_pb2_grpc,
    ultimate_texas_pb2,
    ultimate_texas_pb2_grpc,
)
from tests.driver.refusal import refusal_of
from tests.server.access.guarded import Guarded
from tests.service.abridging import content_of, course_of
from tests.service.stubs import Stubs
from tests.service.table import Table

TABLES: Final = itertools.count(1)
CHECK: Final = ultimate_texas_pb2.DECISION_CHECK


class SealedTexas(Table):
    """A sealed round of two seats without keys at a table of acme's; its flop is open."""

    def __init__(self, guarded: Guarded) -> None:
        self.guarded = guarded
        stubs = Stubs(guarded.bearing(guarded.mint.token("frontend", "acme")))
        table = f"acme.texas-{next(TABLES)}"
        super().__init__(stubs, "ultimate_texas", name=table, keyed=False, sealed=True)
        self.open()
        self.deal(self.deal_request())
        for seat in range(2):
            self.accept(seat, decision=CHECK)
        self.open_section()

    def channel_of(self, seat: int) -> grpc.Channel:
        """Return a channel with a seat's token."""
        place = {"table": self.name, "round": self.header.round.round_number, "seat": seat}
        return self.guarded.bearing(self.guarded.mint.token("seat", "acme", **place))

    def adviser(self, seat: int) -> advice_pb2_grpc.AdviceServiceStub:
        """Return a stub by which a seat asks for advice."""
        return advice_pb2_grpc.AdviceServiceStub(self.channel_of(seat))

    def seat(self, seat: int) -> tuple[ultimate_texas_pb2_grpc.UltimateTexasServiceStub, Any]:
        """Return a stub of a seat, and the round with the seat's own certificate beside the frontend's."""
        channel = self.channel_of(seat)
        request = shuffler_pb2.OpenHandRequest(**self.slot, seat=seat, token=self.players[seat].token)
        own = shuffler_pb2_grpc.ShufflerServiceStub(channel).OpenHand(request).certificate
        message = ultimate_texas_pb2.UltimateTexasRound.FromString(self.message.SerializeToString())
        message.certificates.append(own)
        return ultimate_texas_pb2_grpc.UltimateTexasServiceStub(channel), message

    def check(self, seat: int, message: Any) -> ultimate_texas_pb2.CheckDecisionRequest:  # noqa: ANN401 - a round
        """Return a question about a seat's next decision."""
        return ultimate_texas_pb2.CheckDecisionRequest(round=message, event=self.event(seat, decision=CHECK))


def named(message: Any, **course: Any) -> ultimate_texas_pb2.UltimateTexasRound:  # noqa: ANN401 - a round, fields
    name = course_of(message)
    name.MergeFrom(round_pb2.RoundCourse(**course))
    return ultimate_texas_pb2.UltimateTexasRound(course=name)


def shown(state: ultimate_texas_pb2.UltimateTexasState) -> list[bool]:
    """Return for each seat whether a state shows the value of its hand."""
    return [seat.HasField("value") for seat in state.seats]


@pytest.fixture
def table(guarded: Guarded) -> SealedTexas:
    return SealedTexas(guarded)


def test_hand_that_a_seat_asked_about_is_shown_to_nobody_who_names_the_round(table: SealedTexas) -> None:
    """Each caller has asked by the whole round before, so the server remembers what each of them knows."""
    (mine, own), (theirs, other) = table.seat(0), table.seat(1)
    whole = table.preview()
    assert shown(theirs.CheckDecision(table.check(1, other)).state) == [False, True]

    state = mine.CheckDecision(table.check(0, own)).state
    assert shown(state) == [True, False]

    frontend = table.referee
    preview = table.asking("PreviewRound", round=named(table.message))
    assert frontend.PreviewRound(preview) == whole
    assert shown(whole.state) == [False, False]
    assert shown(theirs.CheckDecision(table.check(1, named(other))).state) == [False, True]
    assert shown(mine.CheckDecision(table.check(0, named(own))).state) == [True, False]
    event = table.event(1, decision=CHECK)
    accepted = frontend.AcceptEvent(table.asking("AcceptEvent", round=named(table.message), event=event))
    assert accepted.event_number == 3
    assert shown(accepted.state) == [False, False]


def test_round_that_a_seat_got_advice_on_is_remembered_by_nobody(table: SealedTexas) -> None:
    mine, own = table.seat(0)
    asked = advice_pb2.SuggestDecisionRequest(round=own, seat=0)
    assert shown(table.adviser(0).SuggestDecision(asked).state) == [True, False]
    assert refusal_of(mine.CheckDecision, table.check(0, named(own))).reason == "ROUND_UNKNOWN"
    asked.round.CopyFrom(named(own))
    assert refusal_of(table.adviser(0).SuggestDecision, asked).reason == "ROUND_UNKNOWN"


def test_name_that_another_knowledge_makes_is_unknown(table: SealedTexas) -> None:
    """The hash of what a caller does not have cannot be guessed, and no part of it is enough."""
    mine, own = table.seat(0)
    mine.CheckDecision(table.check(0, own))
    for content in (bytes(32), content_of(table.message)[::-1], content_of(own)[:31]):
        request = table.asking("PreviewRound", round=named(own, content=content))
        assert refusal_of(table.referee.PreviewRound, request).reason == "ROUND_UNKNOWN"


def test_content_is_in_no_log_line_and_no_refusal(table: SealedTexas) -> None:
    """Of names that are known, that are unknown, and that are refused for what is beside them."""
    known, unknown, beside = (named(table.message) for _ in range(3))
    unknown.course.history = bytes(32)
    beside.receipt = table.message.receipt
    content = content_of(table.message)
    table.preview()
    with structlog.testing.capture_logs() as lines:
        table.referee.PreviewRound(table.asking("PreviewRound", round=known))
        refusals = [
            refusal_of(table.referee.PreviewRound, table.asking("PreviewRound", round=one)) for one in (unknown, beside)
        ]
    assert [line["event"] for line in lines] == ["answered", "refused", "refused"]
    for text in (content.hex(), base64.b64encode(content).decode(), repr(content)[2:-1]):
        assert not any(text in repr(shown) for shown in (*lines, *refusals))
