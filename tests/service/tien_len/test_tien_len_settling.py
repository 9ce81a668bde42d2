"""What settling, accepting and checking answer or refuse; that nothing is written then, and all may be asked again."""

from typing import Any, Final

import pytest

from referee.cards import DECK, Seat, parse_cards
from referee.dealing import certificate
from referee.games import LeaderBy
from referee.games.tien_len import TienLenRules
from referee.games.tien_len.rules import max_units
from referee.rulesets import get
from referee.v1 import tien_len_pb2
from referee.wire.round import read_header
from tests.service.courses import take
from tests.service.tien_len_house import TienLenHouse
from tests.status_details import reason_and_field

RULESET: Final = "tien_len.mien_nam"


@pytest.mark.parametrize(
    ("event", "reason", "field"),
    [
        (tien_len_pb2.TienLenEvent(play=tien_len_pb2.Play(cards=[5, 0])), "INVALID_CARD", ".play.cards[1]"),  # type: ignore[list-item] # the enum of the wire is the number itself
        (tien_len_pb2.TienLenEvent(play=tien_len_pb2.Play(cards=[99])), "INVALID_CARD", ".play.cards[0]"),  # type: ignore[list-item] # as above
        (tien_len_pb2.TienLenEvent(play=tien_len_pb2.Play(cards=[5] * 65)), "INVALID_FIELD", ".play.cards"),  # type: ignore[list-item] # as above
    ],
)
def test_an_event_of_no_card_is_refused(
    tien_len: TienLenHouse, event: tien_len_pb2.TienLenEvent, reason: str, field: str
) -> None:
    one = tien_len.deal_playable()
    refusal = tien_len.refusal_of(tien_len.check, one.round, event)
    assert ("INVALID_ARGUMENT", reason, f"event{field}") == (refusal.code, refusal.reason, refusal.field)
    one.round.events.append(event)
    refusal = tien_len.refusal_of(tien_len.settle, one.round)
    assert (reason, f"round.events[0]{field}") == (refusal.reason, refusal.field)


def test_one_seats_certificate_does_not_answer_for_all_hands(tien_len: TienLenHouse) -> None:
    """Nor after a question about the same round that carried them all."""
    hands = (
        parse_cards("3S 3C 5S 6C 7D 8H 9S TC JD QH AS AC 2S"),
        parse_cards("4S 4C 5H 5D 6H 6D 8S 8C 9D TH QS QC KS"),
    )
    message = tien_len.script(hands, leader=0)
    assert tien_len.preview(message).state.turn == 0
    message.certificates[0] = _certificate_of(tien_len, message, hands, seat=0)
    assert tien_len.refusal_of(tien_len.preview, message).reason_and_field == ("SECTION_MISSING", "round.certificates")
    message.certificates.append(_certificate_of(tien_len, message, hands, seat=1))
    assert tien_len.preview(message).state.turn == 0


def _certificate_of(tien_len: TienLenHouse, message: tien_len_pb2.TienLenRound, hands: Any, *, seat: int) -> bytes:  # noqa: ANN401 - hands
    header = read_header(message.header, field="header")
    return certificate.issue(
        tien_len.scripted_deal(header, hands),
        header,
        sections=[seat],
        dealt_time=0,
        lead=(Seat(0), LeaderBy.DRAW),
        signer=tien_len.app.keys.signer("shuffler"),
    )


def test_a_batch_answers_like_its_single_calls(tien_len: TienLenHouse) -> None:
    one = tien_len.deal_playable()
    listed = tien_len.plays(one.round)
    events = [tien_len.make_play(listed.turn, play.cards) for play in listed.plays[:20]]
    events += [tien_len.make_pass(seat) for seat in range(4)]
    requests = [tien_len_pb2.CheckPlayRequest(round=one.round, event=event) for event in events]
    batch = tien_len.referee.CheckPlays(tien_len_pb2.CheckPlaysRequest(requests=requests)).responses
    assert list(batch) == [tien_len.referee.CheckPlay(request) for request in requests]
    assert [not answer.violations for answer in batch] == [True] * (len(events) - 4) + [False] * 4


def test_bad_question_of_a_batch_is_refused_alone(tien_len: TienLenHouse) -> None:
    one = tien_len.deal_playable()
    requests = [
        tien_len_pb2.CheckPlayRequest(round=one.round, event=event)
        for event in (tien_len.make_pass(0), tien_len_pb2.TienLenEvent(), tien_len.make_pass(0))
    ]
    first, refused, last = tien_len.referee.CheckPlays(tien_len_pb2.CheckPlaysRequest(requests=requests)).responses
    assert first == last == tien_len.referee.CheckPlay(requests[0])
    assert reason_and_field(refused.refused) == ("MISSING_FIELD", "event")
    assert refused == tien_len_pb2.CheckPlayResponse(refused=refused.refused)


def test_a_round_that_the_log_knows_nothing_of_is_not_settled(tien_len: TienLenHouse) -> None:
    hands = [DECK[seat::4] for seat in range(4)]
    refusal = tien_len.refusal_of(tien_len.settle, tien_len.script(hands, leader=0))
    assert (refusal.code, refusal.reason) == ("FAILED_PRECONDITION", "NOT_OPENED")


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_highest_stake_is_the_one_that_no_payout_passes_2_53_with(tien_len: TienLenHouse, seats: int) -> None:
    rules = get(RULESET).rules
    assert isinstance(rules, TienLenRules)
    most = (2**53 - 1) // max_units(rules, seat_count=seats)
    size = tien_len.settled_size()
    refusal = tien_len.refusal_of(tien_len.deal, seats=seats, stake_minor=most + 1)
    expected = ("INVALID_ARGUMENT", "INVALID_STAKE", "terms.stake_minor")
    assert expected == (refusal.code, refusal.reason, refusal.field)
    assert tien_len.settled_size() == size
    one = tien_len.deal_playable(seats=seats, stake_minor=most)
    settled = tien_len.play_settled(one)
    assert all(abs(seat.net_minor) <= 2**53 - 1 for seat in settled.outcome.seats)


def test_a_seat_that_leaves_loses_and_the_last_one_wins(tien_len: TienLenHouse) -> None:
    one = tien_len.deal_playable(seats=3)
    leaving = [seat for seat in range(3) if seat != one.dealt.leader]
    for seat in leaving:
        event = tien_len_pb2.TienLenEvent(seat=seat)
        event.leave.SetInParent()
        answer = tien_len.accept(one.round, event)
        take(one.round, answer.event, receipt=answer.receipt)
    state = tien_len.preview(one.round).state
    assert (state.over, list(state.gone)) == (True, leaving)
    settled = tien_len.settle(one.round)
    assert (settled.outcome.ending, tien_len.winner_of(settled)) == ("LAST_SEAT", one.dealt.leader)
    assert [seat.gone for seat in settled.outcome.seats] == [seat in leaving for seat in range(3)]
