"""Mậu Binh in the demo: bots arrange as the referee suggests, the showdown is shown chi by chi."""

from typing import Final

from rich.table import Table as Grid
from rich.text import Text as Line

from referee.cli.show import card_line, signed
from referee.cli.table import CURRENCY, DemoGame, Table, report
from referee.v1 import advice_pb2, advice_pb2_grpc, mau_binh_pb2, mau_binh_pb2_grpc, shuffler_pb2

WIDE: Final = 110
"""Fewest columns with which the three chi are shown side by side, else one after the other."""


def play(table: Table, *, stronger: bool) -> None:
    """Play one round and print it."""
    opened, dealt = table.deal(stronger=stronger)
    played = mau_binh_pb2.MauBinhRound(header=opened.header, certificates=[dealt.certificate])
    referee = mau_binh_pb2_grpc.MauBinhServiceStub(table.channel)
    adviser = advice_pb2_grpc.AdviceServiceStub(table.channel)
    _play_events(referee, adviser, played, dealt, receipts=stronger)
    preview = referee.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=played))
    settled = referee.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=played))
    wide = table.console.width >= WIDE
    table.console.print((_showdown_grid if wide else _showdown_list)(preview, settled, table))
    table.print_settlement(settled.outcome.transfers, settled.log_receipt)


def arrange(
    adviser: advice_pb2_grpc.AdviceServiceStub, played: mau_binh_pb2.MauBinhRound, *, seat: int
) -> mau_binh_pb2.Arrangement:
    """Choose the arrangement of a seat's hand that the referee suggests first; the hand must not win at the deal."""
    given = mau_binh_pb2.MauBinhRound(header=played.header, certificates=played.certificates)
    question = advice_pb2.SuggestArrangementRequest(dealt=advice_pb2.DealtHand(round=given, seat=seat), count=1)
    return adviser.SuggestArrangement(question).suggestions[0].arrangement


def _play_events(
    referee: mau_binh_pb2_grpc.MauBinhServiceStub,
    adviser: advice_pb2_grpc.AdviceServiceStub,
    played: mau_binh_pb2.MauBinhRound,
    dealt: shuffler_pb2.DealRoundResponse,
    *,
    receipts: bool,
) -> None:
    preview = referee.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=played))
    if not preview.violations:  # an instant win has ended the round
        return
    for hand in dealt.hands:
        arrangement = arrange(adviser, played, seat=hand.seat)
        event = mau_binh_pb2.MauBinhEvent(seat=hand.seat, arrange=arrangement)
        request = mau_binh_pb2.MauBinhServiceAcceptEventRequest(round=played, event=event)
        report(request, played, time=dealt.dealt_time, accept=referee.AcceptEvent if receipts else None)


def _showdown_grid(
    preview: mau_binh_pb2.MauBinhServicePreviewRoundResponse,
    settled: mau_binh_pb2.MauBinhServiceSettleRoundResponse,
    table: Table,
) -> Grid:
    grid = Grid(show_lines=True)
    grid.add_column("", no_wrap=True)  # a narrow terminal wraps the other columns, so no name or card is cut off
    chi = preview.showdown.chi
    for shown in chi:
        grid.add_column(f"{shown.name.vi} · {shown.name.en}\n[dim]{shown.seconds} s[/]")
    if not chi:
        grid.add_column("bài · hand")
    grid.add_column("tổng kết · summary", justify="right")
    for result, summary in zip(settled.outcome.seats, preview.showdown.summary, strict=True):
        cells = [_shown(shown.hands[result.seat]) for shown in chi]
        if not chi:
            held = result.arrangement
            cells = [card_line([*held.back, *held.middle, *held.front])]
        grid.add_row(_who(table.names[result.seat], winner=result.winner), *cells, _total(summary))
    return grid


def _showdown_list(
    preview: mau_binh_pb2.MauBinhServicePreviewRoundResponse,
    settled: mau_binh_pb2.MauBinhServiceSettleRoundResponse,
    table: Table,
) -> Grid:
    grid = Grid.grid(padding=(0, 1))
    for shown in preview.showdown.chi:
        grid.add_row(Line(f"{shown.name.vi} · {shown.name.en}", style="bold"), f"[dim]{shown.seconds} s[/]")
        for hand in shown.hands:
            name = f"{hand.name.vi} · {hand.name.en}" if hand.cards else "rời bàn · left"
            units = signed(int(hand.units_won) - int(hand.units_lost))
            grid.add_row(f"  {table.names[hand.seat]}", card_line(hand.cards), name, units)
    grid.add_row(Line("tổng kết · summary", style="bold"))
    for result, summary in zip(settled.outcome.seats, preview.showdown.summary, strict=True):
        held = result.arrangement
        who = _who(table.names[result.seat], winner=result.winner)
        if preview.showdown.chi:
            grid.add_row(who, _total(summary))
        else:
            grid.add_row(who, card_line([*held.back, *held.middle, *held.front]), _total(summary))
    return grid


def _who(name: str, *, winner: bool) -> Line:
    return Line(f"★ {name}" if winner else f"  {name}", style="bold" if winner else "")


def _shown(shown: mau_binh_pb2.ShownHand) -> Line:
    if not shown.cards:
        return Line.assemble(("rời bàn\nleft ", "dim"), signed(-shown.units_lost))
    won, lost = int(shown.units_won), int(shown.units_lost)
    return Line.assemble(
        card_line(shown.cards),
        "\n",
        shown.name.vi,
        (f" {shown.name.en} ", "dim"),
        signed(won - lost),
        (f" (+{won} -{lost})" if won and lost else "", "dim"),
    )


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
