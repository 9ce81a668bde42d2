"""The demo's bots decide as the referee advises, seat by seat and street by street."""

from pathlib import Path

import grpc
import pytest

from referee.advice.ultimate_texas.advice import advise
from referee.advice.ultimate_texas.option import best_of
from referee.advice.ultimate_texas.preflop import PreflopTables
from referee.cards import DECK
from referee.cli.demo_ultimate_texas import open_cards, play_round
from referee.games.ultimate_texas import Stake, UltimateTexasRules
from referee.money import Amount
from referee.server.process.app import Application
from referee.v1 import advice_pb2_grpc, money_pb2, shuffler_pb2, shuffler_pb2_grpc, ultimate_texas_pb2_grpc
from referee.v1.ultimate_texas_pb2 import Decision
from tests.builtin import rules_as
from tests.driver.opening import open_round, terms_of
from tests.server.options import server_options

STAKES = [(10, 0), (10, 2), (20, 20)]


@pytest.mark.parametrize("ruleset_id", ["ultimate_texas.casino", "ultimate_texas.two_plus_three"])
def test_bots_decide_what_is_worth_most(tmp_path: Path, ruleset_id: str):
    rules = rules_as(UltimateTexasRules, ruleset_id)
    with Application(server_options(data=tmp_path)) as server:
        channel = grpc.insecure_channel(f"127.0.0.1:{server.port}")
        referee = ultimate_texas_pb2_grpc.UltimateTexasServiceStub(channel)
        adviser = advice_pb2_grpc.AdviceServiceStub(channel)
        shuffler = shuffler_pb2_grpc.ShufflerServiceStub(channel)
        terms = terms_of(
            "bots",
            ruleset_id=ruleset_id,
            seat_count=len(STAKES),
            stake_minor=2,
            seat_stakes=[money_pb2.SeatStake(bet_minor=ante, side_bet_minor=trips) for ante, trips in STAKES],
        )
        opened = open_round(shuffler, terms)
        seeds = [bytes([seat]) * 32 for seat in range(len(STAKES))]
        dealing = shuffler_pb2.DealRoundRequest(round={"table_id": "bots", "round_number": 1}, client_seeds=seeds)
        dealt = shuffler.DealRound(dealing)
        played = play_round(referee, adviser, shuffler, opened, dealt, receipts=False)
        section = open_cards(shuffler, dealt, played)
        channel.close()
    faces = {part.name: [DECK[card - 1] for card in part.cards] for part in section.opened}
    board = [*faces["flop"], *faces["turn_river"]]
    asked = dict.fromkeys(range(len(STAKES)), 0)
    for event in played.events:
        hole = [DECK[card - 1] for card in dealt.hands[event.seat].cards]
        stake = Stake(ante=Amount(STAKES[event.seat][0]), trips=Amount(STAKES[event.seat][1]))
        seen = board[: (0, 3, 5)[asked[event.seat]]]
        options = advise(rules, stake, hole=hole, board=seen, table=PreflopTables.builtin().table_for(rules))
        assert best_of(options, stake).decision == Decision.Name(event.decision).removeprefix("DECISION_")
        asked[event.seat] += 1
    assert all(asked.values())
