"""Bài Cào in ``referee demo``: every seat shows its cards at once. Entry point ``referee.demos``."""

from typing import Final

from rich.table import Table as Grid

from bai_cao.v1 import bai_cao_pb2, bai_cao_pb2_grpc
from referee.cli.demo_table import DemoGame, DemoTable
from referee.cli.show import card_line, signed
from referee.v1 import shuffler_pb2, shuffler_pb2_grpc


def play(table: DemoTable, *, stronger: bool) -> None:
    """Play one round and print it; with ``stronger`` every event has a receipt."""
    opened, dealt = _deal(table)
    referee = bai_cao_pb2_grpc.BaiCaoServiceStub(table.client.channel)
    played = bai_cao_pb2.BaiCaoRound(header=opened.header, certificates=[dealt.certificate])
    for seat in range(table.seat_count):
        event = bai_cao_pb2.BaiCaoEvent(seat=seat, act=bai_cao_pb2.ACT_SHOW, time=dealt.dealt_time)
        if stronger:
            event.ClearField("time")
            accepted = referee.AcceptEvent(bai_cao_pb2.AcceptEventRequest(round=played, event=event))
            event, played.receipt = accepted.event, accepted.receipt
        played.events.append(event)
    settled = referee.SettleRound(bai_cao_pb2.SettleRoundRequest(round=played))
    grid = Grid("seat", "cards", "hand", "net")
    for result in settled.outcome.seats:
        grid.add_row(table.name_of(result.seat), card_line(result.cards), result.name.vi, signed(result.net_minor))
    table.console.print(grid)
    receipt = settled.log_receipt
    size = int(receipt.checkpoint.splitlines()[1])
    table.print_settlement(settled.outcome.transfers, leaf=receipt.leaf, index=receipt.leaf_index, size=size)


def _deal(table: DemoTable) -> tuple[shuffler_pb2.OpenRoundResponse, shuffler_pb2.DealRoundResponse]:
    shuffler = shuffler_pb2_grpc.ShufflerServiceStub(table.client.channel)
    opened = shuffler.OpenRound(shuffler_pb2.OpenRoundRequest(terms=table.terms().write(seat_keys=())))
    dealt = shuffler.DealRound(shuffler_pb2.DealRoundRequest(round=opened.header.round, client_seeds=table.seeds()))
    leaf = opened.log_receipt
    table.print_deal(leaf.leaf, open_index=leaf.leaf_index, deal_index=dealt.log_receipt.leaf_index)
    return opened, dealt


DEMO: Final = DemoGame(name="bai_cao", seat_counts=(4, 3), play=play)
"""How the demo plays Bài Cào."""
