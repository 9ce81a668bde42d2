"""Server CPU of every kind of call beside an echo on a plain ``grpc.server``: ``python -m tests.bench.bench_serving``.

Eight callers at once. A first server, with all services, opens, deals and plays rounds of each game, a receipt for
every event, and settles and reveals some of them: together the CPU of a whole round. A second server, without the
shuffler, so that no reveal is counted in, settles the others. Rounds of Mậu Binh it settles are reported
without receipts. *Only the certificate seen*: the server has answered one question about the deal and none about its
events; *after a preview*: it has seen the very round.

The last column is the table that was kept, in ``serving.json``, with the machine that it is of; ``--keep`` keeps this.
"""

import argparse
import os
import platform
import statistics
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import grpc

from referee.v1 import log_pb2, log_pb2_grpc, mau_binh_pb2, tien_len_pb2, ultimate_texas_pb2
from tests.bench.measuring import (
    CORES,
    Bench,
    BusyMachineError,
    Measured,
    Row,
    Turns,
    call,
    keep,
    kept,
    leave_first_core,
    measured_server,
    plain_echoes,
    run,
)
from tests.bench.played_rounds import PlayedRound
from tests.driver.messages import GAMES, request_of
from tests.service.stubs import stub_of

FILE: Final = Path(__file__).parent / "serving.json"
ROUNDS: Final = {"mau_binh": 720, "tien_len": 96, "ultimate_texas": 150}
BATCH: Final = 64
NAMES: Final = {"mau_binh": "Mậu Binh", "tien_len": "Tiến Lên", "ultimate_texas": "Ultimate Texas"}
ECHO: Final = "echo of 1 kB, with interceptors, metrics and log line"
AIMS: Final = {
    ECHO: 1.2,
    "Mậu Binh: OpenRound": 3.5,
    "Mậu Binh: DealRound": 4,
    "Mậu Binh: CheckArrangement, certificate known": 2,
    "Mậu Binh: SettleRound, only the certificate seen": 3,
    "Mậu Binh: SettleRound, after a preview": 2.2,
    "Tiến Lên: CheckPlay, late, round never seen": 6,
    "Tiến Lên: SettleRound, only the certificate seen": 5,
    "Ultimate Texas: SettleRound, only the certificate seen": 4,
}
BATCH_AIMS_US: Final = {f"Mậu Binh: SettleRounds of {BATCH}, after previews, a round": 110}
WHOLE: Final = "whole round, all events received, until its reveal"


def main() -> None:
    """Print the table; with ``--keep`` write it to the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="measure so many times the usual number of rounds")
    parser.add_argument("--keep", action="store_true", help="keep the table beside this file")
    given = parser.parse_args()
    try:
        found = measured(given.scale)
    except BusyMachineError as error:
        sys.exit(str(error))
    sys.stdout.write(table_of(found, kept(FILE)))
    if given.keep:
        keep(FILE, found)


def table_of(found: Any, earlier: Any) -> str:  # noqa: ANN401 - JSON
    """Return the table of what was measured, beside what was kept."""
    lines = [f"{found['machine']}", f"kept: {earlier['machine']}", ""]
    head = f"{'us':>8}{'to plain, range':>22}{'aim':>11}{'kept us':>10}{'kept':>8}"
    lines.append(f"{'server CPU a call, medians of turns':<62}{head}")
    for label, (us, ratio, least, greatest) in found["rows"].items():
        before = earlier["rows"].get(label)
        kept_columns = f"{before[0]:>10,.0f}{before[1]:>7.2f}x" if before else f"{'-':>10}{'-':>8}"
        spread = f"{ratio:.2f}x {least:.2f}-{greatest:.2f}"
        aim = f"<= {AIMS[label]}x" if label in AIMS else ""
        aim = f"<= {BATCH_AIMS_US[label]} us" if label in BATCH_AIMS_US else aim
        lines.append(f"{label:<62}{us:>8,.0f}{spread:>22}{aim:>11}{kept_columns}")
    lines.append(f"\nevents a round: {', '.join(f'{name} {count}' for name, count in found['events'].items())}")
    return "\n".join([*lines, ""])


def machine() -> str:
    """Return what the figures depend on: the machine, how busy it is, and how its Python was built."""
    built = sysconfig.get_config_var("CONFIG_ARGS") or ""
    way = ", configured with --enable-optimizations" if "--enable-optimizations" in built else ""
    return (
        f"{platform.machine()}, {len(CORES)} cores, Python {platform.python_version()} "
        f"({sysconfig.get_config_var('OPT')}{way}), gRPC {grpc.__version__}, load {os.getloadavg()[0]:.0f}"
    )


def measured(scale: float) -> dict[str, Any]:
    """Measure everything in one run; return the rows with the machine."""
    leave_first_core()
    with tempfile.TemporaryDirectory() as name, plain_echoes() as (plain, bare):
        bench = Bench(Turns(plain))
        folder = Path(name)
        with served(folder, "rulesets,seating,shuffler,referee,log") as server, _adviser(folder) as adviser:
            bench.add(ECHO, server, [server.echo()] * 1500)
            bench.add("echo, gRPC's binding alone", bare, [bare.echo()] * 1500)
            played = {game: _play(bench, server, adviser, game, round(ROUNDS[game] * scale)) for game in GAMES}
        with served(folder, "referee,log") as server:
            for game, (ended, left) in played.items():
                settle = stub_of(game, server.channel).SettleRound
                run([call(settle, one.settlement) for one in ended])  # a process that has just begun is slower
                SETTLED[game](bench, server, left)
        echoed = bench.turns.echoed
        median = statistics.median(echoed)
        plain_row = Row(
            "echo of 1 kB, a plain gRPC server", median / 1000, 1, min(echoed) / median, max(echoed) / median
        )
        rows = {row.label: row.figures for row in (plain_row, *bench.rows)}
        events = {name: round(count, 1) for name, count in bench.events.items()}
        return {"machine": f"{machine()}, {bench.turns.lost} turns lost", "events": events, "rows": rows}


@contextmanager
def served(folder: Path, services: str) -> Iterator[Measured]:
    """Start a server that has answered some echoes, so that its threads are there."""
    with measured_server(folder / "data", services) as server:
        run([server.echo()] * 500)
        yield server


@contextmanager
def _adviser(folder: Path) -> Iterator[Measured]:
    """Start what answers the players' own questions, off the measured core, with the same keys."""
    with measured_server(folder / "data", "rulesets,referee", core=CORES[-1]) as server:
        yield server


def _play(
    bench: Bench, server: Measured, adviser: Measured, game: str, count: int
) -> tuple[Sequence[PlayedRound], Sequence[PlayedRound]]:
    """Open, deal and play rounds, settle and reveal a third; return these and those left to settle."""
    name = NAMES[game]
    _whole(server, adviser, [PlayedRound(game, f"warm-{game}-{n}") for n in range(16)])
    rounds = [PlayedRound(game, f"bench-{game}-{number}") for number in range(count)]
    opened = bench.add(f"{name}: OpenRound", server, [partial(one.open, server.channel) for one in rounds])
    dealt = bench.add(f"{name}: DealRound", server, [partial(one.deal, server.channel) for one in rounds])
    played: list[PlayedRound] = []

    def play(one: PlayedRound) -> None:
        if one.play(server.channel, adviser.channel):  # not won at the deal
            played.append(one)

    accepted = bench.measure("", server, [partial(play, one) for one in rounds])
    ended, left = played[: len(played) // 3], played[len(played) // 3 :]
    settle, size = stub_of(game, server.channel).SettleRound, log_size(server)
    settled = bench.measure(
        "",
        server,
        [call(settle, one.settlement) for one in ended],
        after=lambda count: _await_leaves(server, size + 2 * count),
    )
    parts = (opened, dealt, accepted, settled)
    us, ratio, least, greatest = map(sum, zip(*(row.figures for row in parts), strict=True))
    bench.rows.append(Row(f"{name}: {WHOLE}", us, ratio, least, greatest))
    bench.events[name] = sum(len(one.message.events) for one in played) / len(played)
    return ended, left


def _whole(server: Measured, adviser: Measured, rounds: Sequence[PlayedRound]) -> None:
    for step in (
        lambda one: one.open(server.channel),
        lambda one: one.deal(server.channel),
        lambda one: one.play(server.channel, adviser.channel),
    ):
        run([partial(step, one) for one in rounds])


def log_size(server: Measured) -> int:
    """Return the number of leaves of the server's log."""
    log = log_pb2_grpc.LogServiceStub(server.channel)
    return int(log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint.splitlines()[1])


def _await_leaves(server: Measured, size: int) -> None:
    """Wait until the log has so many leaves; raise TimeoutError after a minute."""
    deadline = time.monotonic() + 60
    while log_size(server) < size:
        if time.monotonic() > deadline:
            raise TimeoutError(f"the log has {log_size(server)} leaves and not {size}")
        time.sleep(0.05)


def _settle_mau_binh(bench: Bench, server: Measured, rounds: Sequence[PlayedRound]) -> None:
    """Measure settlements of events as a frontend reports them: one that is received costs a signature more."""
    for one in rounds:
        one.report()
    name, referee = NAMES["mau_binh"], stub_of("mau_binh", server.channel)
    questions = [
        mau_binh_pb2.CheckArrangementRequest(round=one.begun, seat=0, arrangement=one.message.events[0].arrange)
        for one in rounds
    ]
    asked = [call(referee.CheckArrangement, one) for one in questions]
    bench.add(f"{name}: CheckArrangement, never seen", server, asked)
    bench.add(f"{name}: CheckArrangement, certificate known", server, asked * 3)
    batches = [rounds[at : at + BATCH] for at in range(0, 3 * BATCH, BATCH)]
    _settle_two_ways(bench, server, rounds[3 * BATCH :])
    known = [request_of("mau_binh", "PreviewRound", round=one.message) for batch in batches[:2] for one in batch]
    run([call(referee.PreviewRound, one) for one in known])
    for label, some in (("after previews", batches[:2]), ("only certificates seen", batches[2:])):
        calls = [
            call(
                referee.SettleRounds,
                mau_binh_pb2.MauBinhServiceSettleRoundsRequest(requests=[one.settlement for one in batch]),
            )
            for batch in some
        ]
        bench.add(f"{name}: SettleRounds of {BATCH}, {label}, a round", server, calls, per=BATCH * len(some))


def _settle_tien_len(bench: Bench, server: Measured, rounds: Sequence[PlayedRound]) -> None:
    name, referee = NAMES["tien_len"], stub_of("tien_len", server.channel)
    half = len(rounds) // 2
    late = []
    for one in rounds[:half]:
        event = tien_len_pb2.TienLenEvent(seat=one.message.events[-1].seat)
        event.pass_turn.SetInParent()
        late.append(call(referee.CheckPlay, tien_len_pb2.CheckPlayRequest(round=one.message, event=event)))
    bench.add(f"{name}: CheckPlay, late, round never seen", server, late)
    bench.add(f"{name}: CheckPlay, late, round known", server, late * 5)
    run([call(referee.CheckPlay, tien_len_pb2.CheckPlayRequest(round=one.begun, event=event)) for one in rounds[half:]])
    _settle_two_ways(bench, server, rounds)


def _settle_ultimate_texas(bench: Bench, server: Measured, rounds: Sequence[PlayedRound]) -> None:
    name, referee = NAMES["ultimate_texas"], stub_of("ultimate_texas", server.channel)
    asked = [
        call(
            referee.CheckDecision,
            ultimate_texas_pb2.CheckDecisionRequest(round=one.begun, event=_unmade(one.message.events[0])),
        )
        for one in rounds
    ]
    bench.add(f"{name}: CheckDecision, never seen", server, asked)
    _settle_two_ways(bench, server, rounds)


def _unmade(event: Any) -> Any:  # noqa: ANN401 - a message of the game
    """Return an event as it is asked about: without its time."""
    asked = type(event)()
    asked.CopyFrom(event)
    asked.ClearField("time")
    asked.ClearField("received")
    return asked


def _settle_two_ways(bench: Bench, server: Measured, rounds: Sequence[PlayedRound]) -> None:
    """Settle one half of the rounds after a preview, the other with the certificate alone seen."""
    game = rounds[0].game
    referee, name = stub_of(game, server.channel), NAMES[game]
    half = len(rounds) // 2
    run([call(referee.PreviewRound, request_of(game, "PreviewRound", round=one.message)) for one in rounds[:half]])
    for label, some in (("only the certificate seen", rounds[half:]), ("after a preview", rounds[:half])):
        calls = [call(referee.SettleRound, one.settlement) for one in some]
        bench.add(f"{name}: SettleRound, {label}", server, calls)


SETTLED: Final[dict[str, Callable[[Bench, Measured, Sequence[PlayedRound]], None]]] = {
    "mau_binh": _settle_mau_binh,
    "tien_len": _settle_tien_len,
    "ultimate_texas": _settle_ultimate_texas,
}


if __name__ == "__main__":
    main()
