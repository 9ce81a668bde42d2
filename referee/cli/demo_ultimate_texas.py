"""Ultimate Texas Hold'em in the demo: streets, decisions, the house's hand, and the settlement.

The bots decide as ``SuggestDecision`` says: the decision with the highest value, computed exactly from the seat's own
cards and the open board.
"""

from typing import Final

from referee_client import Bet, UltimateTexasRound
from rich.table import Table as Grid
from rich.text import Text as Line

from referee.cli.demo_table import CURRENCY, HOUSE_NAME, STAKE, DemoGame, DemoTable
from referee.cli.show import card_line, signed
from referee.v1 import ultimate_texas_pb2
from referee.v1.ultimate_texas_pb2 import Decision

TRIPS = 500


def play(table: DemoTable, *, stronger: bool) -> None:
    """Play one round and print it."""
    bets = [Bet(ante=STAKE * (1 + seat % 2), trips=TRIPS * (seat % 2)) for seat in range(table.seat_count)]
    game = table.deal(table.client.ultimate_texas(table.terms(bets=bets), secrets=None if stronger else ()))
    play_streets(game)
    table.settle(
        game,
        lambda outcome: Line.assemble(("bài chung · board  ", "dim"), card_line(outcome.board)),
        lambda outcome: _result_grid(table, game, outcome),
    )


def play_streets(game: UltimateTexasRound) -> None:
    """Play a dealt round to its showdown: every seat decides what the referee advises it as the best."""
    state = game.preview().state
    while state.HasField("turn"):
        seat = state.seats[state.turn].seat
        state = game.decide(seat, game.suggest(seat).best).state


def _result_grid(table: DemoTable, game: UltimateTexasRound, outcome: ultimate_texas_pb2.UltimateTexasOutcome) -> Grid:
    grid = Grid("", "tẩy · hole", "tay bài · hand", "quyết định · decisions", "kết quả · result", show_lines=True)
    for result in outcome.seats:
        decisions = [_decided(table, event) for event in game.message.events if event.seat == result.seat]
        ante, trips = game.header.seat_stakes[result.seat]
        bets = f"Ante {ante:,}" + (f", Trips {trips:,}" if trips else "")
        grid.add_row(
            Line.assemble(table.names[result.seat], (f"\n{bets}", "dim")),
            card_line(result.hole),
            Line.assemble(card_line(result.best), f"\n{result.value.name.vi} ", (result.value.name.en, "dim")),
            "\n".join(decisions),
            Line.assemble(table.word(result.result), "\n", signed(result.net_minor), (f" {CURRENCY}", "dim")),
        )
    qualified = "đủ điều kiện · qualifies" if outcome.house_qualified else "không đủ điều kiện · does not qualify"
    grid.add_row(
        Line(HOUSE_NAME, style="bold"),
        card_line(outcome.house_hole),
        Line.assemble(
            card_line(outcome.house_best),
            f"\n{outcome.house_value.name.vi} ",
            (outcome.house_value.name.en, "dim"),
        ),
        qualified,
        Line.assemble(signed(outcome.house_net_minor), (f" {CURRENCY}", "dim")),
    )
    return grid


def _decided(table: DemoTable, event: ultimate_texas_pb2.UltimateTexasEvent) -> str:
    return table.word(Decision.Name(event.decision).removeprefix("DECISION_"))


DEMO: Final = DemoGame(name="ultimate_texas", seat_counts=(3, 4), play=play)
