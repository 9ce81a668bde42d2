"""Bài Cào in ``referee demo``: every seat shows its cards at once. Entry point ``referee.demos``."""

from typing import Final

from rich.table import Table as Grid

from bai_cao.v1 import bai_cao_pb2, bai_cao_pb2_grpc
from referee.cli.show import card_line, signed
from referee.cli.table import DemoGame, Table, report


def play(table: Table, *, stronger: bool) -> None:
    """Play one round and print it; with ``stronger`` every event has a receipt."""
    opened, dealt = table.deal(stronger=stronger)
    referee = bai_cao_pb2_grpc.BaiCaoServiceStub(table.channel)
    played = bai_cao_pb2.BaiCaoRound(header=opened.header, certificates=[dealt.certificate])
    for seat in range(table.seat_count):
        event = bai_cao_pb2.BaiCaoEvent(seat=seat, act=bai_cao_pb2.ACT_SHOW)
        request = bai_cao_pb2.AcceptEventRequest(round=played, event=event)
        report(request, played, time=dealt.dealt_time, accept=referee.AcceptEvent if stronger else None)
    settled = referee.SettleRound(bai_cao_pb2.SettleRoundRequest(round=played))
    grid = Grid("seat", "cards", "hand", "net")
    for result in settled.outcome.seats:
        grid.add_row(table.name_of(result.seat), card_line(result.cards), result.name.vi, signed(result.net_minor))
    table.console.print(grid)
    table.print_settlement(settled.outcome.transfers, settled.log_receipt)


DEMO: Final = DemoGame(name="bai_cao", seat_counts=(4, 3), play=play)
"""How the demo plays Bài Cào."""
