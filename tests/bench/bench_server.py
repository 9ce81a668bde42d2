"""Server CPU of each call beside an echo on the same server, eight callers at once.

The rounds are opened and dealt by one server; a second one without the shuffler settles them, so that no reveal is
counted in; a third one reveals. Certificates were seen before, as they are in play; so were the rounds themselves (the
preview's lines warm them) except where a line says that only the certificate was. The echo to compare with goes through
all that a call goes through, metrics and log line included; the two below it are limits, see ``raw_echo``.
"""

import contextlib
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc
import psutil

from referee.v1 import log_pb2, log_pb2_grpc, mau_binh_pb2, mau_binh_pb2_grpc, shuffler_pb2, shuffler_pb2_grpc

CALLERS: Final = 8
ECHO_BYTES: Final = 1024
BATCH: Final = 64
CORES: Final = tuple(sorted(os.sched_getaffinity(0)))
"""The first is the measured server's, the others are its clients'."""
SETTLED: Final = "SettleRound"
AIMS: Final = {"CheckArrangement": 1.6, SETTLED: 3.0, f"{SETTLED}, only its certificate seen": 3.0, "DealRound": 5.0}


@dataclass(frozen=True, slots=True)
class Measured:
    """A running server: its channel, process and address."""

    channel: grpc.Channel
    process: psutil.Process
    address: str

    def cpu_ns(self) -> int:
        """Return the CPU time that the server has used."""
        ask: grpc.UnaryUnaryMultiCallable[bytes, bytes] = self.channel.unary_unary("/bench/Cpu")
        return int(ask(b""))

    def cost(self, calls: Sequence[Callable[[], object]]) -> float:
        """Server CPU microseconds a call, all calls made by eight callers at once."""
        before = self.cpu_ns()
        with ThreadPoolExecutor(CALLERS) as pool:
            for answer in [pool.submit(call) for call in calls]:
                answer.result()
        return (self.cpu_ns() - before) / len(calls) / 1000


@contextlib.contextmanager
def measured_server(folder: Path, services: str) -> Iterator[Measured]:
    """Start a server pinned to the first core."""
    command = [sys.executable, "-m", "tests.bench.measured_server", str(folder), services, str(CORES[0])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield Measured(channel, psutil.Process(process.pid), f"127.0.0.1:{port}")
        process.communicate("")


def leave_first_core() -> None:
    """Pin the process to the other cores, if there are any."""
    os.sched_setaffinity(0, CORES[1:] or CORES)


def limits(count: int) -> list[tuple[str, float]]:
    """Measure an echo on a plain gRPC server, and on the binding below it."""
    found = []
    command = [sys.executable, "-m", "tests.bench.raw_echo", str(CORES[0])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ports = process.stdout.readline().split()
        for label, port in zip(("echo, a plain gRPC server", "echo, gRPC's binding alone"), ports, strict=True):
            with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
                server = Measured(channel, psutil.Process(process.pid), f"127.0.0.1:{port}")
                found.append((label, _echo(server, count)))
        process.communicate("")
    return found


def main(rounds: int) -> None:
    """Print the table."""
    leave_first_core()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start = time.perf_counter()
        rows: list[tuple[str, float, float]] = []
        with measured_server(folder, "rulesets,seating,shuffler,referee,log") as server:
            ready = time.perf_counter() - start
            idle = server.process.memory_info().rss / 2**20
            echo = _echo(server, rounds)
            rows.append(("echo of 1 kB", echo, echo))
            rows += [(label, cost, echo) for label, cost in limits(rounds)]
            opened: dict[int, shuffler_pb2.OpenRoundResponse] = {}
            rows.append(("OpenRound", server.cost([_opens(server, number, opened) for number in range(rounds)]), echo))
            dealt: list[mau_binh_pb2.MauBinhRound] = []
            deals = [_deals(server, number, opened[number], dealt) for number in range(rounds)]
            rows.append(("DealRound", server.cost(deals), echo))
            referee = mau_binh_pb2_grpc.MauBinhServiceStub(server.channel)
            played = [one for one in dealt if _is_settleable(referee, one)]
        with measured_server(folder, "referee,log") as server:
            rows += _referee_rows(server, played)
        start_reveal = time.perf_counter()
        with measured_server(folder, "shuffler,log") as server:
            begun = server.cpu_ns()
            _await_reveals(server, size=2 + 2 * rounds + 2 * len(played))
            reveal = (server.cpu_ns() - begun) / len(played) / 1000
            rows.append((f"REVEAL (in {time.perf_counter() - start_reveal:.1f} s, start included)", reveal, echo))
    sys.stdout.write(f"{'server CPU a call':<44}{'us':>8}  {'to echo':>8}  aim\n")
    for label, cost, baseline in rows:
        aim = f"<= {AIMS[label]}" if label in AIMS else ""
        sys.stdout.write(f"{label:<44}{cost:>8.0f}  {cost / baseline:>7.2f}x  {aim}\n")
    sys.stdout.write(f"\nready after {ready:.2f} s (Python's start included), {idle:.0f} MB idle\n")


def _referee_rows(server: Measured, played: Sequence[mau_binh_pb2.MauBinhRound]) -> list[tuple[str, float, float]]:
    referee = mau_binh_pb2_grpc.MauBinhServiceStub(server.channel)
    batches = [played[-BATCH * index - BATCH : -BATCH * index or None] for index in range(4)]
    single = played[: -BATCH * 4]
    checked, asked = single[: len(single) // 2], played[len(single) // 2 :]
    preview = [_call(referee.PreviewRound, mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=one)) for one in asked]
    first_sight = server.cost(preview)
    echo = _echo(server, len(played))
    question = [
        mau_binh_pb2.CheckArrangementRequest(
            round=mau_binh_pb2.MauBinhRound(header=one.header, certificates=one.certificates),
            seat=0,
            arrangement=one.events[0].arrange,
        )
        for one in played
    ]
    ask = [_call(referee.CheckArrangement, one) for one in question]
    server.cost(ask)
    rows = [
        ("echo of 1 kB (second server)", echo, echo),
        ("PreviewRound, certificate not seen before", first_sight, echo),
        ("PreviewRound", server.cost(preview), echo),
        ("CheckArrangement", server.cost(ask), echo),
    ]
    for label, rounds in ((SETTLED, single[len(checked) :]), (f"{SETTLED}, only its certificate seen", checked)):
        settle = [
            _call(referee.SettleRound, mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=one)) for one in rounds
        ]
        rows.append((label, server.cost(settle), echo))
    batched = server.cost(
        [
            _call(
                referee.SettleRounds,
                mau_binh_pb2.MauBinhServiceSettleRoundsRequest(
                    requests=[mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=one) for one in batch]
                ),
            )
            for batch in batches
        ]
    )
    rows.append((f"SettleRounds of {BATCH}, a round", batched / BATCH, echo))
    return rows


def _opens(server: Measured, number: int, opened: dict[int, shuffler_pb2.OpenRoundResponse]) -> Callable[[], None]:
    shuffler = shuffler_pb2_grpc.ShufflerServiceStub(server.channel)
    terms = shuffler_pb2.RoundTerms(
        table_id=f"bench-{number}", ruleset_id="mau_binh.chi_2020", seat_count=4, currency="CHIP", stake_minor=100
    )

    def open_round() -> None:
        opened[number] = shuffler.OpenRound(shuffler_pb2.OpenRoundRequest(terms=terms))

    return open_round


def _deals(
    server: Measured,
    number: int,
    opened: shuffler_pb2.OpenRoundResponse,
    played: list[mau_binh_pb2.MauBinhRound],
) -> Callable[[], None]:
    shuffler = shuffler_pb2_grpc.ShufflerServiceStub(server.channel)
    request = shuffler_pb2.DealRoundRequest(
        table_id=f"bench-{number}", round_number=1, client_seeds=[secrets.token_bytes(32) for _ in range(4)]
    )

    def deal() -> None:
        dealt = shuffler.DealRound(request)
        one = mau_binh_pb2.MauBinhRound(header=opened.header, certificates=[dealt.certificate])
        for hand in dealt.hands:
            cards = sorted(hand.cards, reverse=True)
            one.events.add(
                seat=hand.seat,
                time=dealt.dealt_time,
                arrange=mau_binh_pb2.Arrangement(back=cards[:5], middle=cards[5:10], front=cards[10:]),
            )
        played.append(one)

    return deal


def _is_settleable(referee: mau_binh_pb2_grpc.MauBinhServiceStub, one: mau_binh_pb2.MauBinhRound) -> bool:
    """Whether the round may be settled with these events: an instant win at the deal takes none."""
    return not referee.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=one)).violations


def _await_reveals(server: Measured, *, size: int) -> None:
    log = log_pb2_grpc.LogServiceStub(server.channel)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        checkpoint = log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint
        if int(checkpoint.splitlines()[1]) >= size:
            return
        time.sleep(0.2)
    sys.stdout.write("not all rounds were revealed in time\n")


def _echo(server: Measured, count: int) -> float:
    echo: grpc.UnaryUnaryMultiCallable[bytes, bytes] = server.channel.unary_unary("/bench/Echo")
    payload = bytes(ECHO_BYTES)
    server.cost([_call(echo, payload)] * 200)
    return server.cost([_call(echo, payload)] * count)


def _call(method: Callable[..., object], request: object) -> Callable[[], object]:
    return lambda: method(request)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1500)
