"""Mậu Binh in the demo: bots arrange as the referee suggests, the showdown is shown chi by chi."""

from typing import Final

from referee_client import Arrangement, Card, MauBinhRound
from rich.table import Table as Grid
from rich.text import Text as Line

from referee.cli.demo_table import CURRENCY, DemoGame, DemoTable
from referee.cli.show import card_line, signed
from referee.v1 import mau_binh_pb2


def play(table: DemoTable, *, stronger: bool) -> None:
    """Play one round and print it."""
    game = table.deal(table.client.mau_binh(table.terms(), secrets=None if stronger else ()))
    if not game.is_over():  # a hand that wins at once ends the round at the deal
        for seat in game.hands:
            game.arrange(seat, choose(game, seat))
    preview = game.preview()
    table.settle(game, lambda outcome: _showdown(preview, outcome, table))


def choose(game: MauBinhRound, seat: int) -> Arrangement:
    """Choose the arrangement of a seat's hand that the referee suggests first; the hand must not win at the deal."""
    suggested = game.suggest(seat, count=1).suggestions[0].arrangement
    return Arrangement(*([Card(card) for card in chi] for chi in (suggested.back, suggested.middle, suggested.front)))


def _showdown(
    preview: mau_binh_pb2.MauBinhServicePreviewRoundResponse,
    outcome: mau_binh_pb2.MauBinhOutcome,
    table: DemoTable,
) -> Grid:
    grid = Grid.grid(padding=(0, 1))
    for shown in preview.showdown.chi:
        grid.add_row(Line(f"{shown.name.vi} · {shown.name.en}", style="bold"), f"[dim]{shown.seconds} s[/]")
        for hand in shown.hands:
            name = f"{hand.name.vi} · {hand.name.en}" if hand.cards else "rời bàn · left"
            units = signed(int(hand.units_won) - int(hand.units_lost))
            grid.add_row(f"  {table.names[hand.seat]}", card_line(hand.cards), name, units)
    grid.add_row(Line("tổng kết · summary", style="bold"))
    for result, summary in zip(outcome.seats, preview.showdown.summary, strict=True):
        held = result.arrangement
        who = _who(table.names[result.seat], winner=result.winner)
        if preview.showdown.chi:
            grid.add_row(who, _total(summary))
        else:
            grid.add_row(who, card_line([*held.back, *held.middle, *held.front]), _total(summary))
    return grid


def _who(name: str, *, winner: bool) -> Line:
    return Line(f"★ {name}" if winner else f"  {name}", style="bold" if winner else "")


def _total(summary: mau_binh_pb2.ShownSummary) -> Line:
    lines = [Line.assemble(signed(summary.net_minor), (f" {CURRENCY}", "dim"))]
    if summary.instant_win:
        lines.append(Line(f"{summary.instant_win_name.vi} · {summary.instant_win_name.en}", style="yellow"))
    if summary.fouled:
        lines.append(Line("binh lủng · fouled", style="yellow"))
    if summary.added_units:
        lines.append(Line.assemble(("sập, lủng · sweep, foul ", "dim"), signed(summary.added_units)))
    return Line("\n").join(lines)


DEMO: Final = DemoGame(name="mau_binh", seat_counts=(4, 3, 2), play=play)
