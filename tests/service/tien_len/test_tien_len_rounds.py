"""Whole rounds over gRPC: opened, dealt, played by what ListPlays offers, settled, revealed and checked again."""

import json
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from referee.dealing.deal import Deal
from referee.dealing.leaf import DealLeaf, OpenLeaf, RevealLeaf
from referee.dealing.leaf import parse as parse_leaf
from referee.evidence.dsse import Envelope
from referee.evidence.merkle import leaf_hash
from referee.games import LeaderBy
from referee.games.tien_len import TienLenRules
from referee.rulesets import get
from referee.transcript.inputs import parse
from referee.transcript.replay import replay
from referee.v1 import shuffler_pb2, tien_len_pb2

House: TypeAlias = Any  # a TienLenHouse of the driver

RULESET: Final = "tien_len.mien_nam"


def _payload(settled: tien_len_pb2.TienLenServiceSettleRoundResponse) -> bytes:
    return Envelope.parse(settled.log_receipt.leaf).payload


def test_answer_says_what_the_signed_transcript_says(tien_len: House) -> None:
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


def test_revealed_seed_gives_the_cards_and_the_leader_again(tien_len: House) -> None:
    one = tien_len.deal_playable(seats=4)
    leader = tien_len.preview(one.round).state.leader
    tien_len.play_settled(one)
    header = one.opened.header
    tien_len.shuffler.RevealRound(
        shuffler_pb2.RevealRoundRequest(table_id=header.table_id, round_number=header.round_number)
    )
    open_leaf, deal_leaf, _, reveal_leaf = (Envelope.parse(leaf).payload for leaf in tien_len.steps(header))
    opened, dealt = parse_leaf(open_leaf, OpenLeaf), parse_leaf(deal_leaf, DealLeaf)
    revealed = parse_leaf(reveal_leaf, RevealLeaf)
    again = Deal.derive(
        opened.header.to_header(),
        server_seed=bytes.fromhex(revealed.server_seed),
        client_seeds=[bytes.fromhex(seed) for seed in dealt.client_seeds],
    )
    assert one.hands == [[card.number for card in section] for section in again.sections]
    assert leader == again.drawn == dealt.leader == one.dealt.leader
    assert dealt.leader_by == LeaderBy.DRAW


def test_transcript_says_who_leads_and_why(tien_len: House) -> None:
    table, won = tien_len.new_table(), None
    for _ in range(3):
        one = tien_len.deal(table)
        settled = tien_len.play_settled(one)
        inputs = parse(_payload(settled)).inputs
        assert replay(inputs, get(RULESET)).payload == _payload(settled)
        assert inputs.leader == one.dealt.leader
        assert inputs.leader_by == (LeaderBy.DRAW if won is None else LeaderBy.WINNER)
        assert won is None or inputs.leader == won
        won = tien_len.winner_of(settled)


def _won_at_the_deal(tien_len: House) -> Any:  # noqa: ANN401 - a Dealt of the conftest
    for _ in range(300):
        one = tien_len.deal()
        if tien_len.preview(one.round).state.over:
            return one
    message = "no hand won at the deal in 300 rounds"
    raise AssertionError(message)


def test_round_won_at_the_deal_settles_at_once_without_events(tien_len: House) -> None:
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


def test_no_event_is_accepted_after_a_win_at_the_deal(tien_len: House) -> None:
    one = _won_at_the_deal(tien_len)
    answer = tien_len.accept(one.round, tien_len.make_play(one.dealt.leader, one.hands[one.dealt.leader][:1]))
    assert [violation.code for violation in answer.violations] == ["ROUND_OVER"]
    assert answer.event_number == 0
    assert not answer.HasField("event")
    listed = tien_len.plays(one.round)
    assert not listed.HasField("turn")
    assert not listed.plays


def test_round_settles_the_same_on_a_server_that_sees_it_for_the_first_time(
    open_tien_len: Callable[..., House],
) -> None:
    """What is remembered between questions changes no answer."""
    one = open_tien_len()
    round_ = one.deal_playable()
    message, receipts = round_.round, [b""]
    while not one.preview(message).state.over:
        one.play_on(message, receipts=True, events=1)
        receipts.append(message.receipt)
    one.close()
    fresh = open_tien_len()
    fresh.clock.now = one.clock.now
    for count in (len(message.events), len(message.events) // 2, 0):
        part = tien_len_pb2.TienLenRound()
        part.CopyFrom(message)
        del part.events[count:]
        part.receipt = receipts[count]
        known = fresh.preview(part)
        asked_again = fresh.preview(part)
        assert known == asked_again
        assert known.state.cards_left == [
            13 - sum(len(event.play.cards) for event in part.events if event.seat == seat) for seat in range(4)
        ]
    settled = fresh.settle(message)
    assert leaf_hash(settled.log_receipt.leaf) == settled.log_receipt.leaf_hash
    assert _payload(settled) == replay(parse(_payload(settled)).inputs, get(RULESET)).payload
