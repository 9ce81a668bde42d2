"""Whole rounds over gRPC: opened, dealt, played by what ListPlays offers, settled, revealed and checked again."""

import json
from typing import Final

from referee.evidence.dsse import Envelope
from referee.rulesets import get
from referee.v1 import tien_len_pb2
from tests.service.tien_len_house import TienLenHouse

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
