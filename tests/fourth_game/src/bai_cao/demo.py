"""Bài Cào in ``referee demo``: every seat shows its cards at once. Entry point ``referee.demos``."""

from typing import Any, Final

from rich.table import Table as Grid

from referee.cli.demo_table import DemoGame, DemoTable
from referee.cli.show import card_line, signed


def play(table: DemoTable, *, stronger: bool) -> None:
    """Play one round and print it; with ``stronger`` every seat has committed to its seed."""
    game = table.deal(table.client.game("bai_cao", table.terms(), secrets=None if stronger else ()))
    for seat in range(table.seat_count):
        game.accept_event(game.event(seat=seat, act="ACT_SHOW"))
    table.settle(game, lambda outcome: _grid(table, outcome))


def _grid(table: DemoTable, outcome: Any) -> Grid:  # noqa: ANN401 - the outcome's message
    grid = Grid("seat", "cards", "hand", "net")
    for result in outcome.seats:
        grid.add_row(table.name_of(result.seat), card_line(result.cards), result.name.vi, signed(result.net_minor))
    return grid


DEMO: Final = DemoGame(name="bai_cao", seat_counts=(4, 3), play=play)
"""How the demo plays Bài Cào."""
