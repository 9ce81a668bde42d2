"""Whole rounds over gRPC, from opening to the revealed seed, checked against things that share no code with the law."""

import importlib
import itertools
import json
import warnings
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

import pytest

from referee.cards import DECK
from referee.evidence.dsse import Envelope
from referee.rulesets import get
from referee.transcript.inputs import parse
from referee.transcript.replay import replay
from referee.v1 import shuffler_pb2, ultimate_texas_pb2
from tests.service.advised import play_streets
from tests.service.ultimate_texas_house import Server

Outcome: TypeAlias = ultimate_texas_pb2.UltimateTexasOutcome

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its parser of hand ranges, not used here, calls what its dependency deprecates
    eval7: Final[Any] = importlib.import_module("eval7")

RULESETS: Final = ("ultimate_texas.casino", "ultimate_texas.two_plus_three")
BLIND: Final = {"Straight": (1, 1), "Flush": (3, 2), "Full House": (3, 1), "Quads": (10, 1), "Straight Flush": (50, 1)}
TRIPS: Final = {"Trips": 3, "Straight": 4, "Flush": 7, "Full House": 8, "Quads": 30, "Straight Flush": 40}
ROYAL_BLIND, ROYAL_TRIPS = 500, 50


def _eval7(numbers: Sequence[int]) -> list[Any]:
    texts = [DECK[number - 1].text for number in numbers]
    return [eval7.Card(text[0] + text[1].lower()) for text in texts]


def _value(ruleset_id: str, hole: Sequence[int], board: Sequence[int]) -> int:
    if ruleset_id == "ultimate_texas.casino":
        return eval7.evaluate(_eval7([*hole, *board]))
    return max(eval7.evaluate(_eval7([*hole, *three])) for three in itertools.combinations(board, 3))


ROYAL: Final = eval7.evaluate([eval7.Card(text) for text in ("As", "Ks", "Qs", "Js", "Ts")])


def _net(ruleset_id: str, outcome: Outcome, stakes: Sequence[tuple[int, int]]) -> list[int]:
    """Compute each seat's net by the published rules, with another library's ranking of hands."""
    house = _value(ruleset_id, outcome.house_hole, outcome.board)
    qualifies = eval7.handtype(house) != "High Card"
    net = []
    for seat, (ante, trips) in zip(outcome.seats, stakes, strict=True):
        if seat.result == "FOLDED":
            net.append(-2 * ante - trips)
            continue
        own = _value(ruleset_id, seat.hole, outcome.board)
        kind, play = eval7.handtype(own), seat.play_multiple * ante
        pays = ROYAL_TRIPS if own == ROYAL else TRIPS.get(kind, -1)
        won = Fraction(pays * trips)
        if own > house:
            blind = Fraction(ROYAL_BLIND) if own == ROYAL else Fraction(*BLIND.get(kind, (0, 1)))
            won += play + (ante if qualifies else 0) + blind * ante
        elif own < house:
            won -= play + (ante if qualifies else 0) + ante
        assert won.denominator == 1
        net.append(int(won))
    return net


@pytest.mark.parametrize("receipts", [True, False])
@pytest.mark.parametrize("ruleset_id", RULESETS)
def test_round_of_any_size_settles_as_another_library_and_the_seed_say(
    server: Server, ruleset_id: str, *, receipts: bool
):
    """Bots play three rounds at each of six tables; nets by eval7, and each transcript replays."""
    results: Counter[str] = Counter()
    for seats in range(1, 7):
        stakes = [(10 + 2 * seat, 5 * (seat % 3)) for seat in range(seats)]
        terms = server.terms(seats, ruleset_id=ruleset_id, stakes=stakes)
        for number in (1, 2, 3):
            opened = server.open_round(terms)
            dealt = server.shuffler.DealRound(
                shuffler_pb2.DealRoundRequest(
                    round={"table_id": terms.table_id, "round_number": number},
                    client_seeds=[bytes([seats, number, seat]).rjust(32, b"s") for seat in range(seats)],
                )
            )
            message = ultimate_texas_pb2.UltimateTexasRound(header=opened.header, certificates=[dealt.certificate])
            stubs = (server.referee, server.advice, server.shuffler)
            play_streets(*stubs, message, dealt_time=dealt.dealt_time, receipts=receipts)
            preview = server.referee.PreviewRound(
                ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest(round=message)
            )
            settled = server.referee.SettleRound(
                ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest(round=message)
            )
            outcome = settled.outcome
            assert settled.violations == []
            assert preview.outcome == outcome
            assert [seat.net_minor for seat in outcome.seats] == _net(ruleset_id, outcome, stakes)
            assert outcome.house_net_minor == -sum(seat.net_minor for seat in outcome.seats)
            assert outcome.ruleset_digest == get(ruleset_id).digest
            for seat in outcome.seats:
                assert eval7.evaluate(_eval7(seat.best)) == _value(ruleset_id, seat.hole, outcome.board)
            payload = Envelope.parse(settled.log_receipt.leaf).payload
            assert replay(parse(payload).inputs, get(ruleset_id)).payload == payload
            results.update(seat.result for seat in outcome.seats)
    assert set(results) >= {"WON", "LOST", "FOLDED"}


def test_frontend_asks_only_for_receipts_of_events_that_close_a_street(server: Server):
    """Three of six events have only the frontend's time; the transcript says so, and what opened after the others."""
    played = server.deal(2)
    for decision in ("CHECK", "CHECK", "PLAY_1X"):
        played.report(0, decision)
        server.clock.now += 1_000
        played.play((1, decision))
    settled = played.settle()
    inputs = json.loads(Envelope.parse(settled.log_receipt.leaf).payload)["inputs"]
    assert [event["received"] for event in inputs["events"]] == [0, 1] * 3
    assert [(one["number"], one["sections"]) for one in inputs["unsealed"]] == [(2, [3]), (4, [4]), (6, [2])]
    assert (inputs["receipt"]["number"], inputs["receipt"]["opens_section"]) == (6, 2)
    assert [event["time"] - inputs["dealt_time"] for event in inputs["events"]] == [0, 1000, 1000, 2000, 2000, 3000]
