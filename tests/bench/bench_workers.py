"""Two pinned workers beside one, overload beside capacity, and how much one log takes, however many write to it.

Calls are made by h2load (Debian's nghttp2-client), which costs a tenth of a Python client. Beside one worker it has the
other cores to itself. Beside two it runs on the cores that they use, so that two cores cannot show the whole of a
doubling; ``by CPU`` is the doubling by what a call costs the servers. An overload asks three times what one worker can
answer, and has a quarter as many calls under way as its queue has room for, half as many, and as many.

Loads that are compared take turns: what they are divided by was measured just before, for a crowd just before and just
after. Of five turns the median counts, and the least and the greatest are printed beside it.

``python -m tests.bench.bench_workers`` prints the tables.
"""

import argparse
import contextlib
import json
import os
import re
import secrets
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

import grpc
import psutil

from referee.storage import Writer, is_postgres, open_store
from referee.v1 import mau_binh_pb2
from tests.bench.openings import ORIGIN, SIGNER, opening_of
from tests.bench.played_rounds import played_round
from tests.storage.postgres_server import PostgresServer, missing

CLIENTS: Final = 32
"""So many that the system spreads them about evenly over two workers."""
SECONDS: Final = 6
OVERLOAD: Final = 3
CROWDS: Final = (8, 16, 32)
"""Connections of a crowd."""
STREAMS: Final = 32
"""Calls at once on a connection of a crowd: as many as a server grants it."""
TURNS: Final = 5
"""How often each pair of loads is repeated."""
APPENDED: Final = 4_096
"""Leaves that each writer of one log appends."""
CHECK: Final = "/referee.v1.MauBinhService/CheckArrangement"
SETTLE: Final = "/referee.v1.MauBinhService/SettleRound"
LABELS: Final = {CHECK: "CheckArrangement", SETTLE: "SettleRound, known to the log"}
PINNED: Final = (
    "from sys import argv; import os, runpy; os.sched_setaffinity(0, {int(argv.pop(1))}); "
    "runpy.run_module('referee', run_name='__main__')"
)


@dataclass(frozen=True, slots=True)
class Server:
    """A running ``referee serve``."""

    address: str
    metrics: Sequence[str]
    pid: int

    def cpu(self) -> float:
        """Processor seconds of its processes that serve."""
        parent = psutil.Process(self.pid)
        serving = parent.children() or [parent]
        return sum(sum(process.cpu_times()[:2]) for process in serving)

    def answered(self) -> float:
        """Count the calls answered with OK so far."""
        total = 0.0
        for address in self.metrics:
            with urllib.request.urlopen(f"http://{address}/metrics") as answer:
                counts = re.findall(rb'^referee_calls_total\{code="OK".*\} (\S+)$', answer.read(), re.MULTILINE)
            total += sum(map(float, counts))
        return total


@contextlib.contextmanager
def served(folder: Path, workers: int) -> Iterator[Server]:
    """Start a server of so many pinned workers."""
    core = min(os.sched_getaffinity(0))
    start = [sys.executable, "-m", "referee"] if workers > 1 else [sys.executable, "-c", PINNED, str(core)]
    options = ["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--quiet", "--workers", str(workers)]
    unbound = ["--set", "limits.calls_at_once=0"]  # all callers here have one address
    command = [*start, "serve", "--data", str(folder), *options, *unbound]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        metrics = [worker["metrics"] for worker in ready.get("workers", [ready])]
        yield Server(ready["address"], metrics, process.pid)
        process.terminate()


@contextlib.contextmanager
def elsewhere(workers: int) -> Iterator[None]:
    """While it lasts, what this process starts keeps off the first core, if that is all that the server has."""
    cores = os.sched_getaffinity(0)
    if workers == 1 and len(cores) > 1:
        os.sched_setaffinity(0, cores - {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came of a load: calls answered with OK a second, server CPU of one, and when 99 of 100 were done."""

    rate: float
    cpu_us: float
    p99_ms: float


def load(  # noqa: PLR0913 - a bench
    server: Server,
    method: str,
    request: bytes,
    folder: Path,
    *,
    rps: float = 0,
    clients: int = CLIENTS,
    streams: int = 4,
) -> Loaded:
    """Call the method over many connections for some seconds: as fast as answers come, or so often a second."""
    body, log = folder / "body", folder / "times"
    body.write_bytes(b"\x00" + struct.pack(">I", len(request)) + request)
    log.unlink(missing_ok=True)
    command = ["h2load", f"-D{SECONDS}", f"-c{clients}", f"-m{streams}", f"--log-file={log}", "-d", str(body)]
    command += [f"--rps={max(1, round(rps / clients))}"] if rps else []
    headers = ["-H", "content-type: application/grpc", "-H", "te: trailers"]
    before, cpu, begun = server.answered(), server.cpu(), time.monotonic()
    subprocess.run([*command, *headers, f"http://{server.address}{method}"], check=True, capture_output=True)
    seconds, answered = time.monotonic() - begun, server.answered() - before
    times = sorted(int(line.split("\t")[2]) for line in log.read_text().splitlines())
    return Loaded(
        rate=answered / seconds,
        cpu_us=(server.cpu() - cpu) / max(1, answered) * 1e6,
        p99_ms=times[int(len(times) * 0.99)] / 1000 if times else 0.0,
    )


def questions(server: Server, table: str) -> dict[str, bytes]:
    """Make a request of each measured method. The settlement is repeated, and answered from the log."""
    with grpc.insecure_channel(server.address) as channel:
        played = played_round("mau_binh", table, channel)
    played.report()
    arrange = played.message.events[0].arrange
    check = mau_binh_pb2.CheckArrangementRequest(round=played.begun, seat=0, arrangement=arrange)
    return {CHECK: check.SerializeToString(), SETTLE: played.settlement.SerializeToString()}


def main() -> None:
    """Print the tables."""
    if not shutil.which("h2load"):
        sys.stdout.write("there is no h2load here: apt-get install nghttp2-client\n")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with served(folder / "one", 1) as one, served(folder / "two", 2) as two:
            _print_workers(one, two, folder)
            _print_overload(one, folder)
        _print_one_log(folder)


def _print_workers(one: Server, two: Server, folder: Path) -> None:
    """Print what two workers do beside one, measured in turns: medians, and the least and greatest ratio."""
    heads = "".join(f"{head:>7}" for head in ("one/s", "two/s", "ratio", "from", "to"))
    sys.stdout.write(f"{'pinned workers':<32}{heads}{'us':>6}{'us':>6}{'by CPU':>8}\n")
    requests = [questions(server, "w") for server in (one, two)]
    for method, label in LABELS.items():
        turns: list[tuple[Loaded, Loaded]] = []
        for _ in range(1 + TURNS):
            with elsewhere(1):
                alone = load(one, method, requests[0][method], folder)
            turns.append((alone, load(two, method, requests[1][method], folder)))
        del turns[0]  # it warmed both servers up
        ratios = sorted(both.rate / alone.rate for alone, both in turns)
        by_cpu = median(2 * alone.cpu_us / both.cpu_us for alone, both in turns)
        rates = "".join(f"{median(loaded.rate for loaded in column):>7.0f}" for column in zip(*turns, strict=True))
        costs = "".join(f"{median(loaded.cpu_us for loaded in column):>6.0f}" for column in zip(*turns, strict=True))
        spread = "".join(f"{ratio:>6.2f}x" for ratio in (median(ratios), ratios[0], ratios[-1]))
        sys.stdout.write(f"{label:<32}{rates}{spread}{costs}{by_cpu:>7.2f}x\n")
    sys.stdout.write("\n")


def _print_overload(server: Server, folder: Path) -> None:
    """Print what crowds are answered of what the worker answered just before and just after each."""
    label = f"{OVERLOAD} times what one worker can do"
    sys.stdout.write(f"{label:<42}{'answered':>9}{'from':>6}{'to':>6}{'by CPU':>8}{'p99 ms':>8}\n")
    requests = questions(server, "o")
    for method, label in LABELS.items():
        with elsewhere(1):
            load(server, method, requests[method], folder)
            calm = [load(server, method, requests[method], folder)]
            for crowd in CROWDS:
                turns: list[tuple[float, float, float]] = []
                for _ in range(TURNS):
                    before = calm[-1]
                    rps = OVERLOAD * before.rate
                    busy = load(server, method, requests[method], folder, rps=rps, clients=crowd, streams=STREAMS)
                    calm.append(load(server, method, requests[method], folder))
                    can, cost = (before.rate + calm[-1].rate) / 2, (before.cpu_us + calm[-1].cpu_us) / 2
                    turns.append((busy.rate / can, cost / busy.cpu_us, busy.p99_ms))
                answered, by_cpu, p99 = ([*column] for column in zip(*turns, strict=True))
                shares = "".join(f"{share:>6.0%}" for share in (min(answered), max(answered)))
                sys.stdout.write(
                    f"{f'{label}, {crowd * STREAMS:,} at once':<42}{median(answered):>9.0%}{shares}"
                    f"{median(by_cpu):>8.0%}{median(p99):>8.0f}\n"
                )
    sys.stdout.write("\n")


def _print_one_log(folder: Path) -> None:
    sys.stdout.write(f"{'one log, by its writers':<32}{'leaves/s':>9}{'CPU us a leaf':>16}\n")
    for writers in (1, 2, 4):
        for store, (rate, cpu_us) in append_rates(folder / f"log-{writers}", writers).items():
            sys.stdout.write(f"{f'{store}, {writers}':<32}{rate:>9.0f}{cpu_us:>16.0f}\n")
    sys.stdout.write(f"{missing()}\n" if missing() else "")


def append_rates(folder: Path, writers: int) -> dict[str, tuple[float, float]]:
    """Append to one log from so many processes, forced to disk; return leaves a second and CPU us a leaf by store."""
    rates = {"SQLite": _append_rate(str(folder), writers)}
    if not missing():
        with contextlib.closing(PostgresServer()) as server:
            rates["PostgreSQL"] = _append_rate(server.make_schema(f"bench_{writers}"), writers)
    return rates


def _append_rate(place: str, writers: int) -> tuple[float, float]:
    command = [sys.executable, "-m", "tests.bench.bench_workers", "--append", place, "--count", str(APPENDED)]
    running = [subprocess.Popen([*command, "--name", str(n)], stdout=subprocess.PIPE) for n in range(writers)]
    printed = [[float(word) for word in process.communicate()[0].split()] for process in running]
    begins, ends, cpu = zip(*printed, strict=True)
    leaves = writers * APPENDED
    return leaves / (max(ends) - min(begins)), sum(cpu) / leaves * 1e6


def append(place: str, name: str, count: int) -> None:
    """So many rounds are opened in the log of a folder or database, 64 at once; prints begin, end and CPU seconds."""
    store = open_store(Path(place), database=place if is_postgres(place) else None)
    appends = [opening_of(name, n, leaf=secrets.token_bytes(1500)) for n in range(count)]
    with Writer(store, SIGNER, origin=ORIGIN) as writer:
        begun, cpu = time.time(), time.process_time()
        for at in range(0, count, 64):
            for answer in [writer.submit(step) for step in appends[at : at + 64]]:
                answer.result()
        sys.stdout.write(f"{begun} {time.time()} {time.process_time() - cpu}\n")
    store.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--append")
    parser.add_argument("--name", default="")
    parser.add_argument("--count", type=int, default=0)
    options = parser.parse_args()
    if options.append:
        append(options.append, options.name, options.count)
    else:
        main()
