"""Whole rounds over gRPC: opened, dealt, played by what ListPlays offers, settled, revealed and checked again."""

import json
from typing import Final

from referee.evidence.dsse import Envelope
from referee.games.tien_len import TienLenRules
from referee.rulesets import get
from referee.transcript.inputs import parse
from referee.transcript.replay import replay
from referee.v1 import tien_len_pb2
from tests.service.tien_len_house import Dealt, TienLenHouse

RULESET: Final = "tien_len.mien_nam"


def _payload(settled: tien_len_pb2.TienLenServiceSettleRoundResponse) -> bytes:
    return Envelope.parse(settled.log_receipt.leaf).payload


def test_answer_says_what_the_signed_transcript_says(tien_len: TienLenHouse) -> None:
    one = tien_len.deal_playable(seats=3)
    settled = tien_len.play_settled(one)
    found = json.loads(_payload(settled))["results"]
    outcome = settled.outcome
    assert found["ending"] == outcome.ending
    assert found["winners"] == [tien_len.winner_of(settled)]
    assert found["seats"] == [
        {"instant_win": seat.instant_win, "left": list(seat.left), "net": seat.net_minor} for seat in outcome.seats
    ]
    assert found["transfers"] == [
        {"amount": one.amount_minor, "from": one.payer, "reason": one.reason, "subject": one.subject, "to": one.payee}
        for one in outcome.transfers
    ]
    assert sum(seat.net_minor for seat in outcome.seats) == 0
    played = [card for event in one.round.events for card in event.play.cards]
    for seat, result in enumerate(outcome.seats):
        assert set(one.hands[seat]) - set(played) == set(result.left)
    assert outcome == tien_len.preview(one.round).outcome
    assert outcome.ruleset_digest == get(RULESET).digest


def _won_at_the_deal(tien_len: TienLenHouse) -> Dealt:
    for _ in range(300):
        one = tien_len.deal()
        if tien_len.preview(one.round).state.over:
            return one
    message = "no hand won at the deal in 300 rounds"
    raise AssertionError(message)


def test_round_won_at_the_deal_settles_at_once_without_events(tien_len: TienLenHouse) -> None:
    """Every other seat pays the pattern's units, and nobody pays for cards left."""
    one = _won_at_the_deal(tien_len)
    settled = tien_len.settle(one.round)
    outcome = settled.outcome
    winner = tien_len.winner_of(settled)
    rules = get(RULESET).rules
    assert isinstance(rules, TienLenRules)
    units: dict[str, int] = {rule.pattern: rule.units for rule in rules.instant_wins}
    pattern = outcome.seats[winner].instant_win
    assert outcome.ending == "INSTANT_WIN"
    assert outcome.seats[winner].instant_win_name.vi == get(RULESET).names["pattern"][pattern].vi
    assert {(seat, winner, 10 * units[pattern], "INSTANT_WIN", pattern) for seat in range(4) if seat != winner} == {
        (paid.payer, paid.payee, paid.amount_minor, paid.reason, paid.subject) for paid in outcome.transfers
    }
    payload = _payload(settled)
    assert payload == replay(parse(payload).inputs, get(RULESET)).payload
    assert parse(payload).inputs.events == ()


def test_no_event_is_accepted_after_a_win_at_the_deal(tien_len: TienLenHouse) -> None:
    one = _won_at_the_deal(tien_len)
    answer = tien_len.accept(one.round, tien_len.make_play(one.dealt.leader, one.hands[one.dealt.leader][:1]))
    assert [violation.code for violation in answer.violations] == ["ROUND_OVER"]
    assert answer.event_number == 0
    assert not answer.HasField("event")
    listed = tien_len.plays(one.round)
    assert not listed.HasField("turn")
    assert not listed.plays
