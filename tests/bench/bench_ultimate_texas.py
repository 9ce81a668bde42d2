"""Server CPU of Ultimate Texas Hold'em's calls beside an echo on the same server: six seats, played by bots.

``python -m tests.bench.bench_ultimate_texas``. As in ``bench_server`` one server deals and plays, and a second one
without the shuffler settles. Half of the rounds were previewed; of the others it has seen the certificate alone, and
checks all receipts.
"""

import secrets
import sys
import tempfile
from pathlib import Path

from referee.cli.demo_ultimate_texas import play_round
from referee.v1 import money_pb2, shuffler_pb2, shuffler_pb2_grpc, ultimate_texas_pb2, ultimate_texas_pb2_grpc
from tests.bench.bench_server import Measured, _call, _echo, leave_first_core, measured_server

SEATS = 6


def main(rounds: int) -> None:
    """Print the table."""
    leave_first_core()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with measured_server(folder, "rulesets,seating,shuffler,referee,log") as server:
            played = {
                receipts: [_played(server, f"t{int(receipts)}-{number}", receipts=receipts) for number in range(rounds)]
                for receipts in (False, True)
            }
        with measured_server(folder, "referee,log") as server:
            for receipts, some in played.items():
                _print(server, some, receipts=receipts)


def _print(server: Measured, played: list[ultimate_texas_pb2.UltimateTexasRound], *, receipts: bool) -> None:
    referee = ultimate_texas_pb2_grpc.UltimateTexasServiceStub(server.channel)
    echo = _echo(server, len(played))
    preview = [
        _call(referee.PreviewRound, ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest(round=one))
        for one in played
    ]
    settle = [
        _call(referee.SettleRound, ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest(round=one))
        for one in played
    ]
    half = len(played) // 2
    first = [
        _call(
            referee.CheckDecision,
            ultimate_texas_pb2.CheckDecisionRequest(
                round=ultimate_texas_pb2.UltimateTexasRound(header=one.header, certificates=one.certificates),
                event=one.events[0],
            ),
        )
        for one in played[half:]
    ]
    events = sum(len(one.events) for one in played) / len(played)
    sys.stdout.write(f"{events:.1f} events a round, {'all' if receipts else 'closing ones'} with receipts\n")
    for label, calls in (
        ("PreviewRound, certificate not seen before", preview[:half]),
        ("PreviewRound", preview[:half]),
        ("CheckDecision, certificate not seen before", first),
        ("CheckDecision", first),
        ("SettleRound", settle[:half]),
        ("SettleRound, only its certificate seen", settle[half:]),
    ):
        cost = server.cost(calls)
        sys.stdout.write(f"  {label:<44}{cost:>8.0f} us {cost / echo:>7.2f}x\n")
    sys.stdout.write(f"  {'echo of 1 kB':<44}{echo:>8.0f} us    1.00x\n")


def _played(server: Measured, table_id: str, *, receipts: bool) -> ultimate_texas_pb2.UltimateTexasRound:
    shuffler = shuffler_pb2_grpc.ShufflerServiceStub(server.channel)
    terms = shuffler_pb2.RoundTerms(
        table_id=table_id,
        ruleset_id="ultimate_texas.casino",
        seat_count=SEATS,
        currency="CHIP",
        stake_minor=2,
        seat_stakes=[money_pb2.SeatStake(bet_minor=10, side_bet_minor=5)] * SEATS,
    )
    opened = shuffler.OpenRound(shuffler_pb2.OpenRoundRequest(terms=terms))
    seeds = [secrets.token_bytes(32) for _ in range(SEATS)]
    dealt = shuffler.DealRound(shuffler_pb2.DealRoundRequest(table_id=table_id, round_number=1, client_seeds=seeds))
    referee = ultimate_texas_pb2_grpc.UltimateTexasServiceStub(server.channel)
    return play_round(referee, shuffler, opened, dealt, receipts=receipts)


if __name__ == "__main__":
    main(400)
