"""What settling, accepting and checking answer or refuse; that nothing is written then, and all may be asked again."""

import itertools
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import pytest

from referee.cards import DECK, Seat, parse_cards
from referee.dealing import certificate
from referee.dealing.lead import Lead
from referee.games import LeaderBy
from referee.games.tien_len import TienLenRules, max_units
from referee.rulesets import get, load_folder
from referee.v1 import tien_len_pb2
from referee.wire.round import read_header
from tests.driver.courses import take
from tests.driver.opening import open_round, terms_of

House: TypeAlias = Any  # a TienLenHouse of the driver
Dealt: TypeAlias = Any

RULESET: Final = "tien_len.mien_nam"
BATCH: Final = 256


def _copy(message: tien_len_pb2.TienLenRound) -> tien_len_pb2.TienLenRound:
    copied = tien_len_pb2.TienLenRound()
    copied.CopyFrom(message)
    return copied


def _codes(answer: Any) -> list[str]:  # noqa: ANN401 - any answer with violations
    return [violation.code for violation in answer.violations]


def test_a_round_is_not_settled_before_its_last_event(tien_len: House) -> None:
    one = tien_len.deal_playable(seats=2)
    tien_len.play_on(one.round)
    one.round.events[-1].time = tien_len.clock.now + 1000
    answer = tien_len.settle(one.round)
    assert _codes(answer) == ["CLOSED_TOO_EARLY"]
    assert answer.violations[0].expected == tien_len.clock.now + 1000
    assert answer.violations[0].received_time == tien_len.clock.now
    tien_len.clock.now += 1000
    assert tien_len.settle(one.round).HasField("log_receipt")


def test_an_unlawful_event_is_answered_with_its_number_everywhere(tien_len: House) -> None:
    """The seat that leads passes, which it may not; events after that are not judged."""
    one = tien_len.deal_playable()
    tien_len.play_on(one.round, events=6)
    bad = _copy(one.round)
    turn = tien_len.preview(bad).state.turn
    number = len(bad.events) + 1
    wrong = tien_len.make_play((turn + 1) % 4, one.hands[(turn + 1) % 4][:1], time=tien_len.clock.now)
    bad.events.extend([wrong, wrong])
    size = tien_len.settled_size()
    event = tien_len.make_pass(turn)
    answers = [
        tien_len.settle(bad),
        tien_len.preview(bad),
        tien_len.plays(bad),
        tien_len.check(bad, event),
        tien_len.accept(bad, event),
        tien_len.check(bad, event),
    ]
    assert [number] * len(answers) == [answer.refused_event_number for answer in answers]
    assert {"OUT_OF_TURN"} <= set.intersection(*[set(_codes(answer)) for answer in answers])
    assert tien_len.settled_size() == size
    assert tien_len.preview(one.round).state.turn == turn


@pytest.mark.parametrize(
    ("event", "reason", "field"),
    [
        (tien_len_pb2.TienLenEvent(seat=0), "MISSING_FIELD", ""),
        (tien_len_pb2.TienLenEvent(play=tien_len_pb2.Play(cards=[5, 0])), "INVALID_CARD", ".play.cards[1]"),  # type: ignore[list-item] # the enum of the wire is the number itself
        (tien_len_pb2.TienLenEvent(play=tien_len_pb2.Play(cards=[99])), "INVALID_CARD", ".play.cards[0]"),  # type: ignore[list-item] # as above
        (tien_len_pb2.TienLenEvent(play=tien_len_pb2.Play(cards=[5] * 65)), "INVALID_FIELD", ".play.cards"),  # type: ignore[list-item] # as above
    ],
)
def test_an_event_that_says_nothing_or_no_card_is_refused(
    tien_len: House, event: tien_len_pb2.TienLenEvent, reason: str, field: str
) -> None:
    one = tien_len.deal_playable()
    refusal = tien_len.refusal_of(lambda: tien_len.check(one.round, event))
    assert ("INVALID_ARGUMENT", reason, f"event{field}") == (refusal.code, refusal.reason, refusal.field)
    one.round.events.append(event)
    refusal = tien_len.refusal_of(lambda: tien_len.settle(one.round))
    assert (reason, f"round.events[0]{field}") == (refusal.reason, refusal.field)


def test_one_seats_certificate_does_not_answer_for_all_hands(tien_len: House) -> None:
    """Nor after a question about the same round that carried them all."""
    hands = (
        parse_cards("3S 3C 5S 6C 7D 8H 9S TC JD QH AS AC 2S"),
        parse_cards("4S 4C 5H 5D 6H 6D 8S 8C 9D TH QS QC KS"),
    )
    message = tien_len.script(hands, leader=0)
    assert tien_len.preview(message).state.turn == 0
    message.certificates[0] = _certificate_of(tien_len, message, hands, seat=0)
    refusal = tien_len.refusal_of(lambda: tien_len.preview(message))
    assert (refusal.reason, refusal.field) == ("SECTION_MISSING", "round.certificates")
    message.certificates.append(_certificate_of(tien_len, message, hands, seat=1))
    assert tien_len.preview(message).state.turn == 0


def _certificate_of(tien_len: House, message: tien_len_pb2.TienLenRound, hands: Any, *, seat: int) -> bytes:  # noqa: ANN401 - hands
    header = read_header(message.header, field="header")
    return certificate.issue(
        tien_len.scripted_deal(header, hands),
        header,
        sections=[seat],
        dealt_time=0,
        lead=Lead(Seat(0), LeaderBy.DRAW),
        signer=tien_len.app.keys.signer("shuffler"),
    )


def test_a_batch_answers_like_its_single_calls(tien_len: House) -> None:
    one = tien_len.deal_playable()
    listed = tien_len.plays(one.round)
    events = [tien_len.make_play(listed.turn, play.cards) for play in listed.plays[:20]]
    events += [tien_len.make_pass(seat) for seat in range(4)]
    requests = [tien_len_pb2.CheckPlayRequest(round=one.round, event=event) for event in events]
    batch = tien_len.referee.CheckPlays(tien_len_pb2.CheckPlaysRequest(requests=requests)).responses
    assert list(batch) == [tien_len.referee.CheckPlay(request) for request in requests]
    assert [not answer.violations for answer in batch] == [True] * (len(events) - 4) + [False] * 4


def test_a_bad_question_in_a_batch_is_named(tien_len: House) -> None:
    one = tien_len.deal_playable()
    requests = [
        tien_len_pb2.CheckPlayRequest(round=one.round, event=event)
        for event in (tien_len.make_pass(0), tien_len_pb2.TienLenEvent())
    ]
    refusal = tien_len.refusal_of(
        lambda: tien_len.referee.CheckPlays(tien_len_pb2.CheckPlaysRequest(requests=requests))
    )
    assert (refusal.reason, refusal.field) == ("MISSING_FIELD", "requests[1].event")
    refusal = tien_len.refusal_of(
        lambda: tien_len.referee.CheckPlays(tien_len_pb2.CheckPlaysRequest(requests=requests[:1] * (BATCH + 1)))
    )
    assert (refusal.reason, refusal.field) == ("INVALID_FIELD", "requests")


def test_a_round_that_the_log_knows_nothing_of_is_not_settled(tien_len: House) -> None:
    hands = [DECK[seat::4] for seat in range(4)]
    refusal = tien_len.refusal_of(lambda: tien_len.settle(tien_len.script(hands, leader=0)))
    assert (refusal.code, refusal.reason) == ("FAILED_PRECONDITION", "NOT_OPENED")


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_highest_stake_is_the_one_that_no_payout_passes_2_53_with(tien_len: House, seats: int) -> None:
    rules = get(RULESET).rules
    assert isinstance(rules, TienLenRules)
    most = (2**53 - 1) // max_units(rules, seat_count=seats)
    size = tien_len.settled_size()
    refusal = tien_len.refusal_of(lambda: tien_len.deal(seats=seats, stake_minor=most + 1))
    expected = ("INVALID_ARGUMENT", "INVALID_STAKE", "terms.stake_minor")
    assert expected == (refusal.code, refusal.reason, refusal.field)
    assert tien_len.settled_size() == size
    one = tien_len.deal_playable(seats=seats, stake_minor=most)
    settled = tien_len.play_settled(one)
    assert all(abs(seat.net_minor) <= 2**53 - 1 for seat in settled.outcome.seats)


def test_a_stake_off_the_bet_unit_is_refused(
    open_tien_len: Callable[..., House], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("rulesets")
    text = get(RULESET).source.decode()
    text = text.replace('id = "tien_len.mien_nam"', 'id = "tien_len.tens"').replace("bet_unit = 1\n", "bet_unit = 10\n")
    (folder / "tens.toml").write_text(text, encoding="utf-8")
    tien_len = open_tien_len(catalogue=load_folder(folder))
    for stake in (5, 15):
        refusal = tien_len.refusal_of(lambda stake=stake: tien_len.deal(ruleset="tien_len.tens", stake_minor=stake))
        assert (refusal.reason, refusal.field) == ("INVALID_STAKE", "terms.stake_minor")
    assert tien_len.deal(ruleset="tien_len.tens", stake_minor=20).dealt.hands


def test_bets_of_single_seats_are_refused(tien_len: House) -> None:
    terms = terms_of(tien_len.new_table(), ruleset_id=RULESET)
    terms.seat_stakes.add(bet_minor=1)
    terms.seat_stakes.add(bet_minor=1)
    refusal = tien_len.refusal_of(lambda: open_round(tien_len.shuffler, terms))
    assert (refusal.reason, refusal.field) == ("INVALID_STAKE", "terms.seat_stakes")


def test_a_seat_that_leaves_loses_and_the_last_one_wins(tien_len: House) -> None:
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


def test_every_question_may_be_asked_in_any_order(tien_len: House) -> None:
    """Two lines of play that part are judged each by its own events, whatever was asked before."""
    one = tien_len.deal_playable()
    tien_len.play_on(one.round, events=12)
    whole = tien_len.preview(one.round).state
    lines = [_copy(one.round) for _ in range(13)]
    for count, line in enumerate(lines):
        del line.events[count:]
    states = [tien_len.preview(line).state for line in lines]
    assert states[-1] == whole
    for count in itertools.chain(range(13), reversed(range(13))):
        assert tien_len.preview(lines[count]).state == states[count]
    turn = states[6].turn
    other = lines[6]
    leave = other.events.add(seat=turn, time=tien_len.clock.now)
    leave.leave.SetInParent()
    assert list(tien_len.preview(other).state.gone) == [turn]
    assert tien_len.preview(lines[7]).state == states[7]
