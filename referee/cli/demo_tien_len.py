"""Tiến Lên in the demo: bots play as the referee advises; hands, tricks and the settlement are shown."""

from typing import Final

from rich.table import Table as Grid
from rich.text import Text as Line

from referee.cli.show import card_line, signed
from referee.cli.table import CURRENCY, DemoGame, Table, report
from referee.v1 import advice_pb2, advice_pb2_grpc, shuffler_pb2, tien_len_pb2, tien_len_pb2_grpc

_HOW: Final = {
    shuffler_pb2.LEADER_BY_WINNER: "thắng ván trước · won the last round",
    shuffler_pb2.LEADER_BY_DRAW: "bốc thăm · drawn from the deal",
    shuffler_pb2.LEADER_BY_LOWEST_CARD: "lá nhỏ nhất · dealt the lowest card",
}


def play(table: Table, *, stronger: bool) -> None:
    """Play one round and print it; the winner of the table's previous round leads."""
    opened, dealt = table.deal(stronger=stronger)
    played = tien_len_pb2.TienLenRound(header=opened.header, certificates=[dealt.certificate])
    referee = tien_len_pb2_grpc.TienLenServiceStub(table.channel)
    start = referee.PreviewRound(tien_len_pb2.TienLenServicePreviewRoundRequest(round=played)).state
    hands = Grid.grid(padding=(0, 1))
    for hand in dealt.hands:
        in_order = sorted(hand.cards, key=lambda card: (card - 5) % 52)
        hands.add_row(f"  {table.names[hand.seat]}", card_line(in_order))
    table.console.print(hands)
    adviser = advice_pb2_grpc.AdviceServiceStub(table.channel)
    tricks = _play_events(table, referee, adviser, played, dealt, receipts=stronger)
    settled = referee.SettleRound(tien_len_pb2.TienLenServiceSettleRoundRequest(round=played))
    if tricks:
        how = _HOW[dealt.leader_by]
        table.console.print(f"{table.names[start.leader]} đi trước · leads [dim]({how})[/]")
        grid = Grid("vòng\ntrick", f"đánh · plays ({table.seat_count} người)")
        for number, trick in enumerate(tricks, 1):
            grid.add_row(str(number), Line("   ").join(trick))
        table.console.print(grid)
    table.console.print(_result_grid(table, settled.outcome))
    table.print_settlement(settled.outcome.transfers, settled.log_receipt)


def choose(
    adviser: advice_pb2_grpc.AdviceServiceStub, played: tien_len_pb2.TienLenRound
) -> tien_len_pb2.TienLenEvent | None:
    """Choose the event of the seat on turn, without its time; None once the round is over.

    It is the referee's quick advice, which uses the seat's own cards, the cards played, and how many cards each other
    seat holds.
    """
    advised = adviser.SuggestPlay(advice_pb2.SuggestPlayRequest(round=played, count=1))
    if not advised.HasField("turn"):
        return None
    best = advised.suggestions[0]
    event = tien_len_pb2.TienLenEvent(seat=advised.turn)
    if best.HasField("play"):
        event.play.cards.extend(best.play.cards)
    else:
        event.pass_turn.SetInParent()
    return event


def _play_events(  # noqa: PLR0913 - two stubs beside the round
    table: Table,
    referee: tien_len_pb2_grpc.TienLenServiceStub,
    adviser: advice_pb2_grpc.AdviceServiceStub,
    played: tien_len_pb2.TienLenRound,
    dealt: shuffler_pb2.DealRoundResponse,
    *,
    receipts: bool,
) -> list[list[Line]]:
    """Play the round to its end; return its tricks, each a list of lines about the seats' plays and passes."""
    tricks: list[list[Line]] = []
    leads = True
    while (event := choose(adviser, played)) is not None:
        if leads:
            tricks.append([])
        tricks[-1].append(_done(table, event))
        request = tien_len_pb2.TienLenServiceAcceptEventRequest(round=played, event=event)
        report(request, played, time=dealt.dealt_time, accept=referee.AcceptEvent if receipts else None)
        state = referee.PreviewRound(tien_len_pb2.TienLenServicePreviewRoundRequest(round=played)).state
        leads = not state.HasField("to_beat")
    return tricks


def _done(table: Table, event: tien_len_pb2.TienLenEvent) -> Line:
    name = table.names[event.seat]
    if event.WhichOneof("choice") != "play":
        return Line(f"{name} bỏ", style="dim")
    return Line.assemble((f"{name} ", "bold"), card_line(event.play.cards))


def _result_grid(table: Table, outcome: tien_len_pb2.TienLenOutcome) -> Grid:
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
