"""The demo's bots decide as the referee advises, seat by seat and street by street."""

from pathlib import Path

import pytest
from referee_client import Bet, Client, Terms

from referee.advice.ultimate_texas.advice import advise
from referee.advice.ultimate_texas.option import best_of
from referee.advice.ultimate_texas.preflop import PreflopTables
from referee.cli.demo_ultimate_texas import play_streets
from referee.games.ultimate_texas import Stake, UltimateTexasRules
from referee.money import Amount
from referee.server.process.app import Application
from referee.v1.ultimate_texas_pb2 import Decision
from tests.builtin import rules_as
from tests.server.options import server_options

BETS = [Bet(10), Bet(10, 2), Bet(20, 20)]


@pytest.mark.parametrize("ruleset_id", ["ultimate_texas.casino", "ultimate_texas.two_plus_three"])
def test_bots_decide_what_is_worth_most(tmp_path: Path, ruleset_id: str):
    rules = rules_as(UltimateTexasRules, ruleset_id)
    terms = Terms(table="bots", ruleset=ruleset_id, seats=len(BETS), stake=2, bets=BETS)
    with Application(server_options(data=tmp_path)) as server, Client(f"127.0.0.1:{server.port}") as client:
        game = client.ultimate_texas(terms, secrets=())
        game.open()
        game.deal(seeds=[bytes([seat]) * 32 for seat in range(len(BETS))])
        play_streets(game)
        game.settle()
        sections = game.reveal().sections
    board = [*sections[game.layout.board("flop")], *sections[game.layout.board("turn_river")]]
    asked = dict.fromkeys(range(len(BETS)), 0)
    for event in game.message.events:
        ante, trips = BETS[event.seat]
        stake = Stake(ante=Amount(ante), trips=Amount(trips))
        seen = board[: (0, 3, 5)[asked[event.seat]]]
        options = advise(
            rules, stake, hole=game.hands[event.seat], board=seen, table=PreflopTables.builtin().table_for(rules)
        )
        assert best_of(options, stake).decision == Decision.Name(event.decision).removeprefix("DECISION_")
        asked[event.seat] += 1
    assert all(asked.values())
