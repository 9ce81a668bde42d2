"""Round messages that are named: what a server remembers saves the caller the message, and shows nobody another's."""

from typing import Any

import pytest

from referee.server.settings.limits import LimitSettings
from referee.v1 import advice_pb2, mau_binh_pb2, round_pb2, tien_len_pb2, ultimate_texas_pb2
from tests.service.abridging import AbridgingChannel, course_of
from tests.service.house import House
from tests.service.playing import GAMES, dealt, play_on
from tests.service.table import Table
from tests.status_details import reason_and_field

EARLY, BAD = "FAILED_PRECONDITION", "INVALID_ARGUMENT"


def by_course(table: Table, method: str, **course: Any) -> Any:  # noqa: ANN401 - a request of the game
    """Return the request of a method that names the round by its course, with these changes."""
    named = course_of(table.message)
    named.MergeFrom(round_pb2.RoundCourse(**course))
    request = table.asking(method)
    request.round.Clear()
    request.round.course.CopyFrom(named)
    return request


@pytest.mark.parametrize("game", GAMES)
def test_round_is_played_and_settled_by_its_course_alone(house: House, game: str) -> None:
    """Whole rounds are sent before the first event and after each opening; no answer changes."""
    channel = AbridgingChannel(house.channel)
    house.channel = channel
    table = dealt(house, game)
    channel.abridged = 0
    play_on(table, table.accept)
    table.preview()
    assert table.settle().outcome.seats
    assert channel.abridged > len(table.message.events) // 2
    assert channel.unknown == 0


@pytest.mark.parametrize("game", GAMES)
def test_server_that_does_not_remember_the_round_asks_for_the_whole(house: House, game: str) -> None:
    """Before it has read the round, after a restart, and with a memory of nothing; nothing is done."""
    table = dealt(house, game, keyed=False)
    table.preview()
    assert house.refusal_of(table.referee.PreviewRound, by_course(table, "PreviewRound", history=bytes(32)))
    known = by_course(table, "PreviewRound")
    assert table.referee.PreviewRound(known) == table.preview()
    for settings in ({}, {"limits": LimitSettings(memo_bytes=0)}):
        house.restart(**settings)
        table.referee = getattr(house, game)
        for method in ("PreviewRound", "SettleRound"):
            request, size = by_course(table, method), house.size
            refusal = house.refusal_of(getattr(table.referee, method), request)
            assert refusal.seen == (EARLY, "ROUND_UNKNOWN", "round.course")
            assert house.size == size
    table.preview()
    assert house.refusal_of(table.referee.PreviewRound, known).reason == "ROUND_UNKNOWN"


@pytest.mark.parametrize(
    "changed",
    [
        {"round": {"table_id": "t-other"}},
        {"round": {"round_number": 2}},
        {"history": bytes(32)},
        {"content": bytes(32)},
        {"content": b"short"},
    ],
)
def test_course_of_another_table_round_history_or_content_is_unknown(house: House, changed: dict[str, Any]) -> None:
    table = dealt(house, "tien_len", keyed=False)
    table.preview()
    request = by_course(table, "PreviewRound", **changed)
    assert house.refusal_of(table.referee.PreviewRound, request).reason == "ROUND_UNKNOWN"


def test_refusal_of_a_course_without_content_says_what_to_send(house: House) -> None:
    """As older client libraries send it; the answer is the same whether the server remembers the round."""
    table = dealt(house, "tien_len", keyed=False)
    for name in (table.name, "elsewhere"):
        table.preview()
        request = by_course(table, "PreviewRound", round={"table_id": name})
        request.round.course.ClearField("content")
        refusal = house.refusal_of(table.referee.PreviewRound, request)
        assert refusal.seen == (BAD, "MISSING_FIELD", "round.course.content")
        assert "send the whole round" in refusal.message


def test_course_is_sent_alone(house: House) -> None:
    table = dealt(house, "tien_len", keyed=False)
    table.preview()
    request = table.asking("PreviewRound")
    request.round.course.CopyFrom(course_of(table.message))
    assert house.refusal_of(table.referee.PreviewRound, request).seen == (BAD, "INVALID_FIELD", "round.course")


def test_course_after_an_opened_section_needs_the_new_certificate_once(house: House) -> None:
    """The message without it waits for its flop; the one that brought it is named by its own content."""
    table = dealt(house, "ultimate_texas", seats=2, keyed=False)
    for seat in range(2):
        table.accept(seat, decision=ultimate_texas_pb2.DECISION_CHECK)
    table.open_section()
    closed = type(table.message).FromString(table.message.SerializeToString())
    closed.certificates[:] = [table.dealt.certificate]
    request = by_course(table, "AcceptEvent")
    request.round.course.CopyFrom(course_of(closed))
    request.event.CopyFrom(table.event(0, decision=ultimate_texas_pb2.DECISION_CHECK))
    assert house.refusal_of(table.referee.AcceptEvent, request).reason == "SECTION_MISSING"
    table.preview()
    assert house.refusal_of(table.referee.AcceptEvent, request).reason == "SECTION_MISSING"
    request.round.course.CopyFrom(course_of(table.message))
    assert table.referee.AcceptEvent(request).event_number == 3


def test_settled_round_is_settled_again_by_its_course_after_its_end(house: House) -> None:
    """A preview is refused then as that of the whole round is."""
    table = dealt(house, "tien_len", keyed=False)
    play_on(table, table.accept)
    settled = table.settle()
    house.clock.now = table.header.round_deadline_time + 1
    again = table.referee.SettleRound(by_course(table, "SettleRound"))
    assert again.log_receipt.leaf == settled.log_receipt.leaf
    refusal = house.refusal_of(table.referee.PreviewRound, by_course(table, "PreviewRound"))
    assert refusal.seen == house.refusal_of(table.preview).seen == (EARLY, "EXPIRED", "round.certificates")


def test_batch_refuses_the_unknown_round_alone(house: House) -> None:
    known, unknown = (dealt(house, "tien_len", keyed=False) for _ in range(2))
    for table in (known, unknown):
        play_on(table, table.accept)
    unknown.name = "elsewhere"
    unknown.message.header.round.table_id = "elsewhere"
    requests = [by_course(known, "SettleRound"), by_course(unknown, "SettleRound")]
    first, second = known.referee.SettleRounds(known.asking("SettleRounds", requests=requests)).responses
    assert first.outcome.seats
    assert reason_and_field(second.refused) == ("ROUND_UNKNOWN", "round.course")


def test_question_about_one_hand_and_advice_take_whole_rounds(house: House) -> None:
    table = dealt(house, "mau_binh", keyed=False)
    table.preview()
    course = mau_binh_pb2.MauBinhRound(course=course_of(table.message))
    texas = dealt(house, "ultimate_texas", keyed=False)
    texas.preview()
    seat = ultimate_texas_pb2.UltimateTexasRound(course=course_of(texas.message))
    turn = dealt(house, "tien_len", keyed=False)
    plays = tien_len_pb2.TienLenRound(course=course_of(turn.message))
    check = house.refusal_of(
        lambda: house.mau_binh.CheckArrangement(mau_binh_pb2.CheckArrangementRequest(round=course))
    )
    assert check.seen == (BAD, "MISSING_FIELD", "round.header")
    for call, field in (
        (
            lambda: house.advice.SuggestArrangement(
                advice_pb2.SuggestArrangementRequest(dealt=advice_pb2.DealtHand(round=course))
            ),
            "dealt.round.course",
        ),
        (lambda: house.advice.SuggestPlay(advice_pb2.SuggestPlayRequest(round=plays)), "round.course"),
        (lambda: house.advice.SuggestDecision(advice_pb2.SuggestDecisionRequest(round=seat)), "round.course"),
    ):
        assert house.refusal_of(call).seen == (EARLY, "ROUND_UNKNOWN", field)
