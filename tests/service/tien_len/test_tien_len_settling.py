"""What settling, accepting and checking answer or refuse; that nothing is written then, and all may be asked again."""

import itertools
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import pytest
from grpc import StatusCode

from referee.cards import DECK, Seat, parse_cards
from referee.dealing import certificate
from referee.dealing.lead import Lead
from referee.evidence.dsse import Envelope
from referee.games import LeaderBy
from referee.games.tien_len import MAX_EVENTS, TienLenRules, max_units
from referee.rulesets import get, load_folder
from referee.v1 import shuffler_pb2, tien_len_pb2
from referee.wire.round import read_header
from tests.service.courses import take
from tests.status_details import reason_and_field

House: TypeAlias = Any  # of the conftest beside this file
Dealt: TypeAlias = Any

RULESET: Final = "tien_len.mien_nam"
BATCH: Final = 256


@pytest.fixture
def played(house: House) -> Dealt:
    """Play a round of two seats to its end with receipts, without settling it."""
    one = house.deal_playable(seats=2)
    house.play_on(one.round, receipts=True)
    return one


def _copy(message: tien_len_pb2.TienLenRound) -> tien_len_pb2.TienLenRound:
    copied = tien_len_pb2.TienLenRound()
    copied.CopyFrom(message)
    return copied


def _codes(answer: Any) -> list[str]:  # noqa: ANN401 - any answer with violations
    return [violation.code for violation in answer.violations]


def test_settling_again_gives_the_same_receipt_at_any_time(house: House, played: Dealt) -> None:
    first = house.settle(played.round)
    house.clock[0] += 1
    size = house.log_size()
    again = house.settle(played.round)
    assert (again.outcome, again.log_receipt.leaf) == (first.outcome, first.log_receipt.leaf)
    assert again.log_receipt.leaf_index == first.log_receipt.leaf_index
    before = house.clock[0]
    house.clock[0] = played.opened.header.round_deadline_time + 1
    late = house.settle(played.round)
    house.clock[0] = before
    assert late.log_receipt.leaf == first.log_receipt.leaf
    assert house.log_size() >= size


def test_another_settlement_of_a_settled_round_is_refused(house: House, played: Dealt) -> None:
    house.settle(played.round)
    other = _copy(played.round)
    other.receipt = b""
    for event in other.events:
        event.received = False
    refusal = house.refusal_of(lambda: house.settle(other))
    assert (refusal.code, refusal.reason) == (StatusCode.ALREADY_EXISTS, "ALREADY_SETTLED")


def test_a_round_is_settled_after_a_restart_as_before_it(open_house: Callable[..., House]) -> None:
    house = open_house()
    one = house.deal_playable(seats=3)
    house.play_on(one.round, receipts=True)
    first = house.settle(one.round)
    house.close()
    again = open_house()
    again.clock[0] = house.clock[0] + 5
    assert again.settle(one.round).log_receipt.leaf == first.log_receipt.leaf


def test_a_round_that_is_not_over_cannot_be_settled(house: House) -> None:
    one = house.deal_playable()
    size = house.log_size()
    answer = house.settle(one.round)
    assert _codes(answer) == ["ROUND_NOT_OVER"]
    assert answer.violations[0].seat == one.dealt.leader
    assert not answer.HasField("outcome")
    assert not answer.HasField("log_receipt")
    assert house.log_size() == size


def test_a_round_is_not_settled_before_its_last_event(house: House) -> None:
    one = house.deal_playable(seats=2)
    house.play_on(one.round)
    one.round.events[-1].time = house.clock[0] + 1000
    answer = house.settle(one.round)
    assert _codes(answer) == ["CLOSED_TOO_EARLY"]
    assert answer.violations[0].expected == house.clock[0] + 1000
    assert answer.violations[0].received_time == house.clock[0]
    house.clock[0] += 1000
    assert house.settle(one.round).HasField("log_receipt")


def test_an_unlawful_event_is_answered_with_its_number_everywhere(house: House) -> None:
    """The seat that leads passes, which it may not; events after that are not judged."""
    one = house.deal_playable()
    house.play_on(one.round, events=6)
    bad = _copy(one.round)
    turn = house.preview(bad).state.turn
    number = len(bad.events) + 1
    wrong = house.make_play((turn + 1) % 4, one.hands[(turn + 1) % 4][:1], time=house.clock[0])
    bad.events.extend([wrong, wrong])
    size = house.log_size()
    event = house.make_pass(turn)
    answers = [
        house.settle(bad),
        house.preview(bad),
        house.plays(bad),
        house.check(bad, event),
        house.accept(bad, event),
        house.check(bad, event),
    ]
    assert [number] * len(answers) == [answer.refused_event_number for answer in answers]
    assert {"OUT_OF_TURN"} <= set.intersection(*[set(_codes(answer)) for answer in answers])
    assert house.log_size() == size
    assert house.preview(one.round).state.turn == turn


def test_receipts_hold_every_event_in_its_place(house: House, played: Dealt) -> None:
    """Events cannot be edited, dropped or given another time or flag, and a receipt is of one round."""
    message = played.round
    later, reported, foreign, none = (_copy(message) for _ in range(4))
    later.events[-1].time += 1
    reported.events[0].received = False
    other = house.deal_playable(seats=2)
    house.play_on(other.round, receipts=True, events=1)
    foreign.receipt = other.round.receipt
    none.receipt = b""
    size = house.log_size()
    for changed, reason in (
        (later, "FOREIGN"),
        (reported, "FOREIGN"),
        (foreign, "NOT_RECEIVED"),
        (none, "NOT_RECEIVED"),
    ):
        refusal = house.refusal_of(lambda changed=changed: house.settle(changed))
        expected = (StatusCode.INVALID_ARGUMENT, reason, "round.receipt")
        assert expected == (refusal.code, refusal.reason, refusal.field)
    forged = _copy(message)
    envelope = Envelope.parse(message.receipt)
    forged.receipt = Envelope.signed(
        envelope.payload_type, envelope.payload, house.app.keys.signer("shuffler")
    ).to_bytes()
    refusal = house.refusal_of(lambda: house.settle(forged))
    expected_code = StatusCode.PERMISSION_DENIED
    assert (expected_code, "FORGED", "round.receipt") == (refusal.code, refusal.reason, refusal.field)
    assert house.log_size() == size
    assert house.settle(message).HasField("log_receipt")


def test_an_accepted_event_has_the_referees_time_and_its_number(house: House) -> None:
    one = house.deal_playable(seats=3)
    for number in range(1, 9):
        listed = house.plays(one.round)
        house.clock[0] += 7
        event = house.make_play(listed.turn, listed.plays[0].cards) if listed.plays else house.make_pass(listed.turn)
        answer = house.accept(one.round, event)
        assert (answer.event_number, answer.event.time) == (number, house.clock[0])
        take(one.round, answer.event, receipt=answer.receipt)
        assert answer.state == house.preview(one.round).state


@pytest.mark.parametrize("mark", [{"time": 1}, {"received": True}])
def test_an_event_to_be_accepted_brings_no_time_of_its_own(house: House, mark: dict[str, Any]) -> None:
    one = house.deal_playable()
    event = house.make_play(one.dealt.leader, one.hands[one.dealt.leader][:1])
    event.MergeFrom(tien_len_pb2.TienLenEvent(**mark))
    refusal = house.refusal_of(lambda: house.accept(one.round, event))
    assert (refusal.reason, refusal.field) == ("INVALID_FIELD", f"event.{next(iter(mark))}")


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
    house: House, event: tien_len_pb2.TienLenEvent, reason: str, field: str
) -> None:
    one = house.deal_playable()
    refusal = house.refusal_of(lambda: house.check(one.round, event))
    assert (StatusCode.INVALID_ARGUMENT, reason, f"event{field}") == (refusal.code, refusal.reason, refusal.field)
    one.round.events.append(event)
    refusal = house.refusal_of(lambda: house.settle(one.round))
    assert (reason, f"round.events[0]{field}") == (refusal.reason, refusal.field)


def test_more_events_than_a_round_may_have_are_refused(house: House) -> None:
    one = house.deal_playable()
    one.round.events.extend([house.make_pass(0)] * (MAX_EVENTS + 1))
    refusal = house.refusal_of(lambda: house.preview(one.round))
    expected = (StatusCode.INVALID_ARGUMENT, "TOO_MANY_EVENTS", "round.events")
    assert expected == (refusal.code, refusal.reason, refusal.field)


def test_a_round_of_another_game_is_refused(house: House) -> None:
    one = house.deal(ruleset="mau_binh.classic")
    refusal = house.refusal_of(lambda: house.preview(one.round))
    assert (refusal.reason, refusal.field) == ("INVALID_FIELD", "round.header.ruleset_id")


def test_one_seats_certificate_does_not_answer_for_all_hands(house: House) -> None:
    """Nor after a question about the same round that carried them all."""
    hands = (
        parse_cards("3S 3C 5S 6C 7D 8H 9S TC JD QH AS AC 2S"),
        parse_cards("4S 4C 5H 5D 6H 6D 8S 8C 9D TH QS QC KS"),
    )
    message = house.script(hands, leader=0)
    assert house.preview(message).state.turn == 0
    message.certificates[0] = _certificate_of(house, message, hands, seat=0)
    refusal = house.refusal_of(lambda: house.preview(message))
    assert (refusal.reason, refusal.field) == ("SECTION_MISSING", "round.certificates")
    message.certificates.append(_certificate_of(house, message, hands, seat=1))
    assert house.preview(message).state.turn == 0


def _certificate_of(house: House, message: tien_len_pb2.TienLenRound, hands: Any, *, seat: int) -> bytes:  # noqa: ANN401 - hands
    header = read_header(message.header, field="header")
    return certificate.issue(
        house.scripted_deal(header, hands),
        header,
        sections=[seat],
        dealt_time=0,
        lead=Lead(Seat(0), LeaderBy.DRAW),
        signer=house.app.keys.signer("shuffler"),
    )


def test_a_batch_answers_like_its_single_calls(house: House) -> None:
    one = house.deal_playable()
    listed = house.plays(one.round)
    events = [house.make_play(listed.turn, play.cards) for play in listed.plays[:20]]
    events += [house.make_pass(seat) for seat in range(4)]
    requests = [tien_len_pb2.CheckPlayRequest(round=one.round, event=event) for event in events]
    batch = house.referee.CheckPlays(tien_len_pb2.CheckPlaysRequest(requests=requests)).responses
    assert list(batch) == [house.referee.CheckPlay(request) for request in requests]
    assert [not answer.violations for answer in batch] == [True] * (len(events) - 4) + [False] * 4


def test_a_bad_question_in_a_batch_is_named(house: House) -> None:
    one = house.deal_playable()
    requests = [
        tien_len_pb2.CheckPlayRequest(round=one.round, event=event)
        for event in (house.make_pass(0), tien_len_pb2.TienLenEvent())
    ]
    refusal = house.refusal_of(lambda: house.referee.CheckPlays(tien_len_pb2.CheckPlaysRequest(requests=requests)))
    assert (refusal.reason, refusal.field) == ("MISSING_FIELD", "requests[1].event")
    refusal = house.refusal_of(
        lambda: house.referee.CheckPlays(tien_len_pb2.CheckPlaysRequest(requests=requests[:1] * (BATCH + 1)))
    )
    assert (refusal.reason, refusal.field) == ("INVALID_FIELD", "requests")


def test_one_bad_round_does_not_stop_the_others_of_a_batch(house: House) -> None:
    rounds = [house.deal_playable(seats=2) for _ in range(3)]
    for seed, one in enumerate(rounds):
        house.play_on(one.round, seed=seed)
    unfinished = _copy(rounds[0].round)
    del unfinished.events[-1]
    unknown = _copy(rounds[1].round)
    unknown.header.ruleset_id = "tien_len.unheard_of"
    messages = [rounds[0].round, unfinished, rounds[1].round, unknown, rounds[2].round]
    answers = house.referee.SettleRounds(
        tien_len_pb2.TienLenServiceSettleRoundsRequest(
            requests=[tien_len_pb2.TienLenServiceSettleRoundRequest(round=one) for one in messages]
        )
    ).responses
    assert [answer.HasField("refused") for answer in answers] == [False, False, False, True, False]
    assert _codes(answers[1]) == ["ROUND_NOT_OVER"]
    assert reason_and_field(answers[3].refused) == ("UNKNOWN_RULESET", "round.header.ruleset_id")
    for place in (0, 2, 4):
        assert answers[place].log_receipt.leaf == house.settle(messages[place]).log_receipt.leaf


def test_a_round_that_the_log_knows_nothing_of_is_not_settled(house: House) -> None:
    hands = [DECK[seat::4] for seat in range(4)]
    refusal = house.refusal_of(lambda: house.settle(house.script(hands, leader=0)))
    assert (refusal.code, refusal.reason) == (StatusCode.FAILED_PRECONDITION, "NOT_OPENED")


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_highest_stake_is_the_one_that_no_payout_passes_2_53_with(house: House, seats: int) -> None:
    rules = get(RULESET).rules
    assert isinstance(rules, TienLenRules)
    most = (2**53 - 1) // max_units(rules, seat_count=seats)
    size = house.log_size()
    refusal = house.refusal_of(lambda: house.deal(seats=seats, stake_minor=most + 1))
    expected = (StatusCode.INVALID_ARGUMENT, "INVALID_STAKE", "terms.stake_minor")
    assert expected == (refusal.code, refusal.reason, refusal.field)
    assert house.log_size() == size
    one = house.deal_playable(seats=seats, stake_minor=most)
    settled = house.play_settled(one)
    assert all(abs(seat.net_minor) <= 2**53 - 1 for seat in settled.outcome.seats)


def test_a_stake_off_the_bet_unit_is_refused(
    open_house: Callable[..., House], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("rulesets")
    text = get(RULESET).source.decode()
    text = text.replace('id = "tien_len.mien_nam"', 'id = "tien_len.tens"').replace("bet_unit = 1\n", "bet_unit = 10\n")
    (folder / "tens.toml").write_text(text, encoding="utf-8")
    house = open_house(catalogue=load_folder(folder))
    for stake in (5, 15):
        refusal = house.refusal_of(lambda stake=stake: house.deal(ruleset="tien_len.tens", stake_minor=stake))
        assert (refusal.reason, refusal.field) == ("INVALID_STAKE", "terms.stake_minor")
    assert house.deal(ruleset="tien_len.tens", stake_minor=20).dealt.hands


def test_bets_of_single_seats_are_refused(house: House) -> None:
    terms = shuffler_pb2.RoundTerms(
        table_id=house.new_table(), ruleset_id=RULESET, seat_count=2, currency="CHIP", stake_minor=10
    )
    terms.seat_stakes.add(bet_minor=1)
    terms.seat_stakes.add(bet_minor=1)
    refusal = house.refusal_of(lambda: house.shuffler.OpenRound(shuffler_pb2.OpenRoundRequest(terms=terms)))
    assert (refusal.reason, refusal.field) == ("INVALID_STAKE", "terms.seat_stakes")


@pytest.mark.parametrize("seats", [1, 5])
def test_two_to_four_seats_play(house: House, seats: int) -> None:
    refusal = house.refusal_of(lambda: house.deal(seats=seats))
    assert (refusal.reason, refusal.field) == ("INVALID_FIELD", "terms.seat_count")


def test_a_seat_that_leaves_loses_and_the_last_one_wins(house: House) -> None:
    one = house.deal_playable(seats=3)
    leaving = [seat for seat in range(3) if seat != one.dealt.leader]
    for seat in leaving:
        event = tien_len_pb2.TienLenEvent(seat=seat)
        event.leave.SetInParent()
        answer = house.accept(one.round, event)
        take(one.round, answer.event, receipt=answer.receipt)
    state = house.preview(one.round).state
    assert (state.over, list(state.gone)) == (True, leaving)
    settled = house.settle(one.round)
    assert (settled.outcome.ending, house.winner_of(settled)) == ("LAST_SEAT", one.dealt.leader)
    assert [seat.gone for seat in settled.outcome.seats] == [seat in leaving for seat in range(3)]


def test_every_question_may_be_asked_in_any_order(house: House) -> None:
    """Two lines of play that part are judged each by its own events, whatever was asked before."""
    one = house.deal_playable()
    house.play_on(one.round, events=12)
    whole = house.preview(one.round).state
    lines = [_copy(one.round) for _ in range(13)]
    for count, line in enumerate(lines):
        del line.events[count:]
    states = [house.preview(line).state for line in lines]
    assert states[-1] == whole
    for count in itertools.chain(range(13), reversed(range(13))):
        assert house.preview(lines[count]).state == states[count]
    turn = states[6].turn
    other = lines[6]
    leave = other.events.add(seat=turn, time=house.clock[0])
    leave.leave.SetInParent()
    assert list(house.preview(other).state.gone) == [turn]
    assert house.preview(lines[7]).state == states[7]
