"""A table of Ultimate Texas Hold'em in the demo: streets, decisions, the house's hand, and the settlement."""

from rich.table import Table as Grid
from rich.text import Text as Line

from referee.cli.bots_ultimate_texas import play_round
from referee.cli.show import card_line, signed
from referee.cli.table import CURRENCY, HOUSE_NAME, STAKE, Table
from referee.v1 import money_pb2, ultimate_texas_pb2
from referee.v1.ultimate_texas_pb2 import Decision

TRIPS = 500


def play(table: Table, *, stronger: bool) -> None:
    """Plays one round and prints it; ``stronger`` takes commitments and receipts for every event."""
    stakes = [
        money_pb2.SeatStake(ante_minor=STAKE * (1 + seat % 2), trips_minor=TRIPS * (seat % 2))
        for seat in range(table.seat_count)
    ]
    opened, dealt = table.deal(stronger=stronger, seat_stakes=stakes)
    referee = table.services.ultimate_texas
    played = play_round(referee, table.services.shuffler, opened, dealt, receipts=stronger)
    settled = referee.SettleRound(ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest(round=played))
    outcome = settled.outcome
    table.console.print(Line.assemble(("bài chung · board  ", "dim"), card_line(outcome.board)))
    table.console.print(_result_grid(table, played, outcome))
    table.print_settlement(outcome.transfers, settled.log_receipt)


def _result_grid(
    table: Table, played: ultimate_texas_pb2.UltimateTexasRound, outcome: ultimate_texas_pb2.UltimateTexasOutcome
) -> Grid:
    grid = Grid("", "tẩy · hole", "tay bài · hand", "quyết định · decisions", "kết quả · result", show_lines=True)
    for result in outcome.seats:
        decisions = [_decided(table, event) for event in played.events if event.seat == result.seat]
        stake = played.header.seat_stakes[result.seat]
        bets = f"Ante {stake.ante_minor:,}" + (f", Trips {stake.trips_minor:,}" if stake.trips_minor else "")
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


def _decided(table: Table, event: ultimate_texas_pb2.UltimateTexasEvent) -> str:
    return table.word(Decision.Name(event.decision).removeprefix("DECISION_"))
