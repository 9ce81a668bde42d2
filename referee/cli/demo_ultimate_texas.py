"""Ultimate Texas Hold'em in the demo: streets, decisions, the house's hand, and the settlement.

The bots decide as ``SuggestDecision`` says: the decision with the highest value, computed exactly from the seat's own
cards and the open board.
"""

from typing import Final

from rich.table import Table as Grid
from rich.text import Text as Line

from referee.cli.show import card_line, signed
from referee.cli.table import CURRENCY, HOUSE_NAME, STAKE, DemoGame, Table
from referee.dealing.leaf import DealLeaf, read_leaf
from referee.games.ultimate_texas import GAME
from referee.transcript.chain import Course
from referee.v1 import (
    advice_pb2,
    advice_pb2_grpc,
    money_pb2,
    shuffler_pb2,
    shuffler_pb2_grpc,
    ultimate_texas_pb2,
    ultimate_texas_pb2_grpc,
)
from referee.v1.ultimate_texas_pb2 import Decision
from referee.wire.round import read_header
from referee.wire.ultimate_texas import read_event

TRIPS = 500


def play(table: Table, *, stronger: bool) -> None:
    """Play one round and print it."""
    stakes = [
        money_pb2.SeatStake(bet_minor=STAKE * (1 + seat % 2), side_bet_minor=TRIPS * (seat % 2))
        for seat in range(table.seat_count)
    ]
    opened, dealt = table.deal(stronger=stronger, seat_stakes=stakes)
    referee = ultimate_texas_pb2_grpc.UltimateTexasServiceStub(table.channel)
    adviser = advice_pb2_grpc.AdviceServiceStub(table.channel)
    played = play_round(referee, adviser, table.shuffler, opened, dealt, receipts=stronger)
    settled = referee.SettleRound(ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest(round=played))
    outcome = settled.outcome
    table.console.print(Line.assemble(("bài chung · board  ", "dim"), card_line(outcome.board)))
    table.console.print(_result_grid(table, played, outcome))
    table.print_settlement(outcome.transfers, settled.log_receipt)


def play_round(  # noqa: PLR0913 - three stubs beside the round
    referee: ultimate_texas_pb2_grpc.UltimateTexasServiceStub,
    adviser: advice_pb2_grpc.AdviceServiceStub,
    shuffler: shuffler_pb2_grpc.ShufflerServiceStub,
    opened: shuffler_pb2.OpenRoundResponse,
    dealt: shuffler_pb2.DealRoundResponse,
    *,
    receipts: bool,
) -> ultimate_texas_pb2.UltimateTexasRound:
    """Play a round with a bot at every seat to its showdown; return it ready to be settled.

    Without ``receipts``, the referee accepts only the last event of each street, whose receipt opens the board.
    """
    played = ultimate_texas_pb2.UltimateTexasRound(header=opened.header, certificates=[dealt.certificate])
    question = ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest
    state, time = referee.PreviewRound(question(round=played)).state, dealt.dealt_time
    while state.HasField("turn"):
        seat = state.seats[state.turn]
        event = ultimate_texas_pb2.UltimateTexasEvent(seat=seat.seat, decision=advised(adviser, played, seat.seat))
        if not receipts and sum(len(one.legal_decisions) > 1 for one in state.seats) > 1:
            event.time = time
            played.events.append(event)
            state = referee.PreviewRound(question(round=played)).state
            continue
        accepted = referee.AcceptEvent(
            ultimate_texas_pb2.UltimateTexasServiceAcceptEventRequest(round=played, event=event)
        )
        played.events.append(accepted.event)
        played.receipt = accepted.receipt
        state, time = accepted.state, accepted.event.time
        if accepted.HasField("opens_section"):
            time = open_cards(shuffler, dealt, played).unsealed_time
    return played


def open_cards(
    shuffler: shuffler_pb2_grpc.ShufflerServiceStub,
    dealt: shuffler_pb2.DealRoundResponse,
    played: ultimate_texas_pb2.UltimateTexasRound,
) -> shuffler_pb2.OpenSectionResponse:
    """Open the cards that the last event of a round opens; replace the round's certificate by the new one."""
    header = read_header(played.header, field="header")
    deck_root = read_leaf(dealt.log_receipt.leaf, DealLeaf).deck_root
    course = Course.begin(round_id=header.round_id, deck_root=bytes.fromhex(deck_root))
    for message in played.events:
        event = read_event(message, time=message.time, round_id=header.round_id, field="events")
        course = course.append(
            GAME.events.encode(event), time=message.time, received=message.received, seat=message.seat, seen=None
        )
    opened = shuffler.OpenSection(
        shuffler_pb2.OpenSectionRequest(
            round=played.header.round,
            steps=[
                shuffler_pb2.Step(event_hash=link.event_hash, time=link.time, received=link.received)
                for link in course.links
            ],
            receipt=played.receipt,
        )
    )
    played.certificates[:] = [opened.certificate]
    return opened


def advised(
    adviser: advice_pb2_grpc.AdviceServiceStub,
    played: ultimate_texas_pb2.UltimateTexasRound,
    seat: int,
) -> Decision:
    """Return the decision that the referee advises a seat as the best."""
    return adviser.SuggestDecision(advice_pb2.SuggestDecisionRequest(round=played, seat=seat)).best


def _result_grid(
    table: Table, played: ultimate_texas_pb2.UltimateTexasRound, outcome: ultimate_texas_pb2.UltimateTexasOutcome
) -> Grid:
    grid = Grid("", "tẩy · hole", "tay bài · hand", "quyết định · decisions", "kết quả · result", show_lines=True)
    for result in outcome.seats:
        decisions = [_decided(table, event) for event in played.events if event.seat == result.seat]
        stake = played.header.seat_stakes[result.seat]
        bets = f"Ante {stake.bet_minor:,}" + (f", Trips {stake.side_bet_minor:,}" if stake.side_bet_minor else "")
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


DEMO: Final = DemoGame(name="ultimate_texas", seat_counts=(3, 4), play=play)
