"""Tiến Lên in the demo: bots play as the referee advises; hands, tricks and the settlement are shown."""

from typing import Final

from referee_client import Card, TienLenRound
from rich.table import Table as Grid
from rich.text import Text as Line

from referee.cli.demo_table import CURRENCY, DemoGame, DemoTable
from referee.cli.show import card_line, signed
from referee.games import LeaderBy
from referee.v1 import tien_len_pb2

_HOW: Final = {
    LeaderBy.WINNER: "thắng ván trước · won the last round",
    LeaderBy.DRAW: "bốc thăm · drawn from the deal",
    LeaderBy.LOWEST_CARD: "lá nhỏ nhất · dealt the lowest card",
}


def play(table: DemoTable, *, stronger: bool) -> None:
    """Play one round and print it; the winner of the table's previous round leads."""
    game = table.deal(table.client.tien_len(table.terms(), secrets=None if stronger else ()))
    leader = game.preview().state.leader
    hands = Grid.grid(padding=(0, 1))
    for seat, hand in game.hands.items():
        in_order = sorted(hand, key=lambda card: (card.number - 5) % 52)
        hands.add_row(f"  {table.names[seat]}", card_line(in_order))
    table.console.print(hands)
    tricks = _play_events(table, game)
    if tricks:
        how = "" if game.leader_by is None else _HOW[game.leader_by]
        table.console.print(f"{table.names[leader]} đi trước · leads [dim]({how})[/]")
        grid = Grid("vòng\ntrick", f"đánh · plays ({table.seat_count} người)")
        for number, trick in enumerate(tricks, 1):
            grid.add_row(str(number), Line("   ").join(trick))
        table.console.print(grid)
    table.settle(game, lambda outcome: _result_grid(table, outcome))


def play_turn(game: TienLenRound) -> tien_len_pb2.TienLenServiceAcceptEventResponse | None:
    """Play for the seat on turn what the referee suggests first, and return its answer; None once the round is over.

    The suggestion uses the seat's own cards, the cards played, and how many cards each other seat holds.
    """
    advised = game.suggest(count=1)
    if not advised.HasField("turn"):
        return None
    best = advised.suggestions[0]
    if best.HasField("play"):
        return game.play(advised.turn, [Card(card) for card in best.play.cards])
    return game.pass_turn(advised.turn)


def _play_events(table: DemoTable, game: TienLenRound) -> list[list[Line]]:
    """Play the round to its end; return its tricks, each a list of lines about the seats' plays and passes."""
    tricks: list[list[Line]] = []
    leads = True
    while (answer := play_turn(game)) is not None:
        if leads:
            tricks.append([])
        tricks[-1].append(_done(table, answer.event))
        leads = not answer.state.HasField("to_beat")
    return tricks


def _done(table: DemoTable, event: tien_len_pb2.TienLenEvent) -> Line:
    name = table.names[event.seat]
    if event.WhichOneof("choice") != "play":
        return Line(f"{name} bỏ", style="dim")
    return Line.assemble((f"{name} ", "bold"), card_line(event.play.cards))


def _result_grid(table: DemoTable, outcome: tien_len_pb2.TienLenOutcome) -> Grid:
    title = f"{outcome.ending_name.vi} · {outcome.ending_name.en}"
    grid = Grid("", "còn lại · left", "kết quả · result", title=title, title_justify="left")
    for result in outcome.seats:
        left = card_line(result.left) if result.left else Line("hết bài · none", style="dim")
        if result.instant_win:
            left.append(f"\n{result.instant_win_name.vi} · {result.instant_win_name.en}", style="yellow")
        name = table.names[result.seat]
        who = Line(f"★ {name}" if result.winner else f"  {name}", style="bold" if result.winner else "")
        grid.add_row(who, left, Line.assemble(signed(result.net_minor), (f" {CURRENCY}", "dim")))
    return grid


DEMO: Final = DemoGame(name="tien_len", seat_counts=(4, 3, 2), play=play)
