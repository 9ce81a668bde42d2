"""What advice for Ultimate Texas Hold'em costs: in process under both hand rules, and over gRPC beside an echo.

``python -m tests.bench.bench_ultimate_texas_advice``. The over-gRPC lines are server CPU of ``Advise`` on rounds of six
seats that stand on the street named, every seat asked.
"""

import os
import random
import secrets
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from referee.advice.ultimate_texas.advice import advise
from referee.advice.ultimate_texas.preflop import PreflopTables
from referee.cards import DECK
from referee.cli.demo_ultimate_texas import open_cards
from referee.games.ultimate_texas import Stake, UltimateTexasRules
from referee.money import Amount
from referee.v1 import money_pb2, shuffler_pb2_grpc, ultimate_texas_pb2, ultimate_texas_pb2_grpc
from referee.v1.ultimate_texas_pb2 import Decision
from tests.bench.measuring import Measured, call, echo_cost, measured_server
from tests.builtin import rules_as
from tests.driver.opening import deal_round, open_round, terms_of

SEATS: Final = 6
RULESETS: Final = ("ultimate_texas.casino", "ultimate_texas.two_plus_three")
STREETS: Final = (("before the flop", 0, 2), ("flop", 3, 20), ("river", 5, 2))
"""The name, the cards on the board, and the aim in milliseconds for the casino game."""
AIM_TWO_PLUS_THREE: Final = 200
REPEATS: Final = 150


def main(rounds: int) -> None:
    """Print both tables."""
    for ruleset_id in RULESETS:
        for street, size, aim in STREETS:
            limit = AIM_TWO_PLUS_THREE if size == 3 and ruleset_id != RULESETS[0] else aim
            sys.stdout.write(f"{ruleset_id:<32}{street:<18}{_in_process(ruleset_id, size):>8.3f} ms   <= {limit}\n")
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, set(cores[1:]) or set(cores))
    with (
        tempfile.TemporaryDirectory() as name,
        measured_server(Path(name), "rulesets,seating,shuffler,referee,log") as server,
    ):
        echo = echo_cost(server, 400)
        sys.stdout.write(f"{'echo of 1 kB':<50}{echo:>8.0f} us    1.00x\n")
        for ruleset_id in RULESETS:
            for place, (street, _, _) in enumerate(STREETS):
                cost = server.cost(_questions(server, ruleset_id, checks=place, rounds=rounds))
                sys.stdout.write(f"Advise, {ruleset_id:<32}{street:<10.10}{cost:>8.0f} us {cost / echo:>7.2f}x\n")


def _in_process(ruleset_id: str, size: int) -> float:
    """Milliseconds of CPU an answer, over random cards, tables warm."""
    rules, luck = rules_as(UltimateTexasRules, ruleset_id), random.Random(size)  # noqa: S311 - cards to be timed
    table, stake = PreflopTables.builtin().table_for(rules), Stake(ante=Amount(100), trips=Amount(20))
    deals = [luck.sample(DECK, 2 + size) for _ in range(REPEATS)]
    advise(rules, stake, hole=deals[0][:2], board=deals[0][2:], table=table)
    begun = time.process_time()
    for cards in deals:
        advise(rules, stake, hole=cards[:2], board=cards[2:], table=table)
    return (time.process_time() - begun) / REPEATS * 1000


def _questions(server: Measured, ruleset_id: str, *, checks: int, rounds: int) -> list[Callable[[], object]]:
    """Every seat's question on rounds in which everybody has checked so often; each was asked once before."""
    referee = ultimate_texas_pb2_grpc.UltimateTexasServiceStub(server.channel)
    messages = [_reported(server, ruleset_id, checks=checks) for _ in range(rounds)]
    questions = [ultimate_texas_pb2.AdviseRequest(round=one, seat=seat) for one in messages for seat in range(SEATS)]
    for question in questions[::SEATS]:
        referee.Advise(question)
    return [call(referee.Advise, question) for question in questions]


def _reported(server: Measured, ruleset_id: str, *, checks: int) -> ultimate_texas_pb2.UltimateTexasRound:
    shuffler = shuffler_pb2_grpc.ShufflerServiceStub(server.channel)
    referee = ultimate_texas_pb2_grpc.UltimateTexasServiceStub(server.channel)
    table_id = secrets.token_hex(8)
    terms = terms_of(
        table_id,
        ruleset_id=ruleset_id,
        seat_count=SEATS,
        stake_minor=2,
        seat_stakes=[money_pb2.SeatStake(bet_minor=100, side_bet_minor=20)] * SEATS,
    )
    opened = open_round(shuffler, terms)
    dealt = deal_round(shuffler, opened)
    message = ultimate_texas_pb2.UltimateTexasRound(header=opened.header, certificates=[dealt.certificate])
    for _ in range(checks):
        for seat in range(SEATS - 1):
            message.events.add(seat=seat, decision=Decision.DECISION_CHECK, time=dealt.dealt_time)
        last = ultimate_texas_pb2.UltimateTexasEvent(seat=SEATS - 1, decision=Decision.DECISION_CHECK)
        accepted = referee.AcceptEvent(
            ultimate_texas_pb2.UltimateTexasServiceAcceptEventRequest(round=message, event=last)
        )
        message.events.append(accepted.event)
        message.receipt = accepted.receipt
        dealt.dealt_time = open_cards(shuffler, dealt, message).unsealed_time
    return message


if __name__ == "__main__":
    main(40)
