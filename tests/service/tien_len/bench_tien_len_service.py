"""Server CPU of questions late in a round of Tiến Lên: ``python -m tests.service.tien_len.bench_tien_len_service``.

Beside an echo on the same server, in the same run. Rounds of four seats with a receipt for every event, led by the
proved winner of the round before, so each question carries some 50 kB. *Known*: the server has accepted the last event.
*One event more*: another server accepted it, so its receipt is checked. *Never seen*: the server sees the round for the
first time, and checks all its receipts. Half of the rounds are settled by a server that has previewed them, half are
reported without receipts and settled by a server that has seen only their certificates.
"""

import random
import secrets
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from referee.v1 import shuffler_pb2, shuffler_pb2_grpc, tien_len_pb2, tien_len_pb2_grpc
from tests.bench.bench_server import Measured, leave_first_core, measured_server

ROUNDS: Final = 40
REPEATS: Final = 20
LAST: Final = 12
"""How many of the last events of each round are asked about one by one."""

Round = tien_len_pb2.TienLenRound


def main() -> None:
    """Print the table."""
    leave_first_core()
    with tempfile.TemporaryDirectory() as name:
        with measured_server(Path(name), "shuffler,referee,log") as server:
            played = [_second_round(server, f"bench-{number}") for number in range(ROUNDS)]
            lines = [f"{'echo of 1 kB':<40}{(echo := _echo(server, 1024)):>7.0f} us"]
            size = sum(message.ByteSize() for message in played) // ROUNDS
            lines.append(_line(f"echo of {size // 1024} kB", _echo(server, size), echo))
            referee = tien_len_pb2_grpc.TienLenServiceStub(server.channel)
            asked = [_question(message, 1) for message in played] * REPEATS
            lines.append(_line("CheckPlay, known", server.cost([_call(referee.CheckPlay, one) for one in asked]), echo))
            listed = [tien_len_pb2.ListPlaysRequest(round=one.round) for one in asked]
            lines.append(
                _line("ListPlays, known", server.cost([_call(referee.ListPlays, one) for one in listed]), echo)
            )
            advised = [tien_len_pb2.SuggestPlayRequest(round=one.round, count=1) for one in asked]
            cost = server.cost([_call(referee.SuggestPlay, one) for one in advised])
            lines.append(_line("SuggestPlay, known", cost, echo))
            begun = [_opening(one.round) for one in asked]
            server.cost([_call(referee.SuggestPlay, one) for one in begun[:ROUNDS]])
            cost = server.cost([_call(referee.SuggestPlay, one) for one in begun])
            lines.append(_line("SuggestPlay, first lead", cost, echo))
            accepted = [
                tien_len_pb2.TienLenServiceAcceptEventRequest(round=one.round, event=one.event) for one in asked
            ]
            cost = server.cost([_call(referee.AcceptEvent, one) for one in accepted])
            lines.append(_line("AcceptEvent, known", cost, echo))
        with measured_server(Path(name), "referee,log") as server:
            referee = tien_len_pb2_grpc.TienLenServiceStub(server.channel)
            echo = _echo(server, 1024)
            first = server.cost([_call(referee.CheckPlay, _question(message, LAST)) for message in played])
            more = [
                server.cost([_call(referee.CheckPlay, _question(message, back)) for message in played])
                for back in range(LAST - 1, 0, -1)
            ]
            lines.append(_line("CheckPlay, one event more", sum(more) / len(more), echo))
            lines.append(_line("CheckPlay, never seen", first, echo))
            half = ROUNDS // 2
            for message in played[:half]:
                referee.PreviewRound(tien_len_pb2.TienLenServicePreviewRoundRequest(round=message))
            for message in played[half:]:
                for event in message.events:
                    event.ClearField("receipt")
                referee.CheckPlay(_opening_event(message))
            settle = [
                _call(referee.SettleRound, tien_len_pb2.TienLenServiceSettleRoundRequest(round=message))
                for message in played
            ]
            lines.append(_line("SettleRound", server.cost(settle[:half]), echo))
            lines.append(_line("SettleRound, only its certificate seen", server.cost(settle[half:]), echo))
    sys.stdout.write("\n".join([*lines, ""]))


def _opening(message: Round) -> tien_len_pb2.SuggestPlayRequest:
    """Ask what to lead before the first event; three suggestions, all plays weighed."""
    request = tien_len_pb2.SuggestPlayRequest(round=message)
    request.round.ClearField("events")
    return request


def _opening_event(message: Round) -> tien_len_pb2.CheckPlayRequest:
    """Whether the first event is lawful."""
    request = tien_len_pb2.CheckPlayRequest(round=message, event=message.events[0])
    request.round.ClearField("events")
    request.event.ClearField("time")
    return request


def _second_round(server: Measured, table: str) -> Round:
    """Play a table's second round to its end."""
    referee = tien_len_pb2_grpc.TienLenServiceStub(server.channel)
    while True:
        first = _deal(server, table)
        _play(referee, first)
        settled = referee.SettleRound(tien_len_pb2.TienLenServiceSettleRoundRequest(round=first))
        second = _deal(server, table)
        second.previous_rounds.add(terminal_leaf=settled.log_receipt.leaf, header=first.header)
        second.previous_winner_seat = next(seat.seat for seat in settled.outcome.seats if seat.winner)
        _play(referee, second)
        if len(second.events) > LAST:
            return second
        table += "-again"


def _deal(server: Measured, table: str) -> Round:
    shuffler = shuffler_pb2_grpc.ShufflerServiceStub(server.channel)
    terms = shuffler_pb2.RoundTerms(
        table_id=table, ruleset_id="tien_len.mien_nam", seat_count=4, currency="CHIP", stake_minor=100
    )
    opened = shuffler.OpenRound(shuffler_pb2.OpenRoundRequest(terms=terms))
    seeds = [secrets.token_bytes(32) for _ in range(4)]
    dealt = shuffler.DealRound(
        shuffler_pb2.DealRoundRequest(table_id=table, round_number=opened.header.round_number, client_seeds=seeds)
    )
    return Round(header=opened.header, certificates=[dealt.certificate])


def _play(referee: tien_len_pb2_grpc.TienLenServiceStub, message: Round) -> None:
    luck = random.Random(1)  # noqa: S311 - the bots' taste
    while (listed := referee.ListPlays(tien_len_pb2.ListPlaysRequest(round=message))).HasField("turn"):
        event = tien_len_pb2.TienLenEvent(seat=listed.turn)
        if listed.plays and (not listed.may_pass or luck.random() < 0.6):
            event.play.cards.extend(luck.choice(listed.plays).cards)
        else:
            event.pass_turn.SetInParent()
        accepted = referee.AcceptEvent(tien_len_pb2.TienLenServiceAcceptEventRequest(round=message, event=event))
        message.events.append(accepted.event)


def _question(message: Round, back: int) -> tien_len_pb2.CheckPlayRequest:
    """Return the question whether the event this far from the end is lawful after those before it."""
    asked = Round()
    asked.CopyFrom(message)
    event = tien_len_pb2.TienLenEvent()
    event.CopyFrom(message.events[-back])
    event.ClearField("time")
    event.ClearField("receipt")
    del asked.events[-back:]
    return tien_len_pb2.CheckPlayRequest(round=asked, event=event)


def _echo(server: Measured, size: int) -> float:
    echo: Any = server.channel.unary_unary("/bench/Echo")
    server.cost([_call(echo, bytes(size))] * 200)
    return server.cost([_call(echo, bytes(size))] * 1000)


def _call(method: Callable[[Any], object], request: object) -> Callable[[], object]:
    return lambda: method(request)


def _line(label: str, cost: float, echo: float) -> str:
    return f"{label:<40}{cost:>7.0f} us  x{cost / echo:.2f}"


if __name__ == "__main__":
    main()
