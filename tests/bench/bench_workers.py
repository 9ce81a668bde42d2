"""Two pinned workers beside one, overload beside capacity, and how much one log takes, however many write to it.

Calls are made by h2load (Debian's nghttp2-client), which costs a tenth of a Python client. Beside one worker it has the
other cores to itself. Beside two it runs on the cores that they use, so that two cores cannot show the whole of a
doubling; ``by CPU`` is the doubling by what a call costs the servers. An overload asks three times what one worker can
answer, and has a quarter as many calls under way as its queue has room for, half as many, and as many.

``python -m tests.bench.bench_workers`` prints the tables.
"""

import argparse
import contextlib
import hashlib
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
from typing import Final

import grpc
import psutil
from nacl.signing import SigningKey

from referee.log import NO_LEAF, CheckpointSigner, OpenStep, SlotKey
from referee.storage import Append, Writer, is_postgres, open_store
from referee.v1 import mau_binh_pb2, mau_binh_pb2_grpc, shuffler_pb2, shuffler_pb2_grpc
from tests.storage.postgres_server import PostgresServer, missing

CLIENTS: Final = 32
"""So many that the system spreads them about evenly over two workers."""
SECONDS: Final = 6
OVERLOAD: Final = 3
CROWDS: Final = (8, 16, 32)
"""Connections of an overload, each with as many calls at once as a server grants one."""
CHECK: Final = "/referee.v1.MauBinhService/CheckArrangement"
SETTLE: Final = "/referee.v1.MauBinhService/SettleRound"
PINNED: Final = (
    "from sys import argv; import os, runpy; os.sched_setaffinity(0, {int(argv.pop(1))}); "
    "runpy.run_module('referee', run_name='__main__')"
)
ORIGIN: Final = "log.example/1"


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
        return sum(sum(one.cpu_times()[:2]) for one in serving)

    def answered(self) -> float:
        """Count the calls answered with OK so far."""
        total = 0.0
        for address in self.metrics:
            with urllib.request.urlopen(f"http://{address}/metrics") as answer:
                found = re.findall(rb'^referee_calls_total\{code="OK".*\} (\S+)$', answer.read(), re.MULTILINE)
            total += sum(map(float, found))
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
        metrics = [one["metrics"] for one in ready.get("workers", [ready])]
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


def played(server: Server, table: str) -> mau_binh_pb2.MauBinhRound:
    """Make a dealt round that can be settled."""
    with grpc.insecure_channel(server.address) as channel:
        shuffler = shuffler_pb2_grpc.ShufflerServiceStub(channel)
        referee = mau_binh_pb2_grpc.MauBinhServiceStub(channel)
        for number in range(100):
            terms = shuffler_pb2.RoundTerms(
                table_id=f"{table}-{number}",
                ruleset_id="mau_binh.chi_2020",
                seat_count=4,
                currency="CHIP",
                stake_minor=1,
            )
            opened = shuffler.OpenRound(shuffler_pb2.OpenRoundRequest(terms=terms))
            seeds = [secrets.token_bytes(32) for _ in range(4)]
            dealt = shuffler.DealRound(
                shuffler_pb2.DealRoundRequest(table_id=terms.table_id, round_number=1, client_seeds=seeds)
            )
            message = mau_binh_pb2.MauBinhRound(header=opened.header, certificates=[dealt.certificate])
            if referee.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=message)).violations:
                for hand in dealt.hands:
                    cards = list(hand.cards)
                    arrange = mau_binh_pb2.Arrangement(back=cards[:5], middle=cards[5:10], front=cards[10:])
                    message.events.add(time=dealt.dealt_time, seat=hand.seat, arrange=arrange)
                return message
    msg = "every round was won at the deal"
    raise RuntimeError(msg)


def questions(server: Server, table: str) -> dict[str, bytes]:
    """Make a request of each measured method. The settlement is repeated, and answered from the log."""
    message = played(server, table)
    first = mau_binh_pb2.MauBinhRound(header=message.header, certificates=message.certificates)
    check = mau_binh_pb2.CheckArrangementRequest(round=first, seat=0, arrangement=message.events[0].arrange)
    settle = mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=message)
    return {CHECK: check.SerializeToString(), SETTLE: settle.SerializeToString()}


def main() -> None:
    """Print the tables."""
    if not shutil.which("h2load"):
        sys.stdout.write("there is no h2load here: apt-get install nghttp2-client\n")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found: dict[tuple[str, int], Loaded] = {}
        for workers in (1, 2):
            with served(folder / "data", workers) as server, elsewhere(workers):
                for method, request in questions(server, f"w{workers}").items():
                    load(server, method, request, folder)
                    found[method, workers] = load(server, method, request, folder)
                if workers == 1:
                    asked = questions(server, "o")
                    overloads = [
                        (
                            method,
                            clients,
                            load(server, method, asked[method], folder, rps=rate, clients=clients, streams=32),
                        )
                        for method in (CHECK, SETTLE)
                        for clients, rate in [(many, OVERLOAD * found[method, 1].rate) for many in CROWDS]
                    ]
        sys.stdout.write(
            f"{'pinned workers':<32}{'one/s':>8}{'two/s':>8}{'ratio':>8}{'us':>7}{'us':>6}{'by CPU':>8}  aim\n"
        )
        for method in (CHECK, SETTLE):
            one, two = found[method, 1], found[method, 2]
            label = method.rpartition("/")[2] + (" (known to the log)" if method == SETTLE else "")
            ratio, by_cpu = f"{two.rate / one.rate:>7.2f}x", f"{2 * one.cpu_us / two.cpu_us:>7.2f}x"
            sys.stdout.write(
                f"{label:<32}{one.rate:>8.0f}{two.rate:>8.0f}{ratio}{one.cpu_us:>7.0f}{two.cpu_us:>6.0f}{by_cpu}"
                f"{'  >= 1.8x' if method == CHECK else ''}\n"
            )
        sys.stdout.write(
            f"\n{f'{OVERLOAD} times what one worker can do':<32}{'answered':>9}{'by CPU':>8}{'p99 ms':>8}\n"
        )
        for method, clients, loaded in overloads:
            alone = found[method, 1]
            label = f"{method.rpartition('/')[2]}, {clients} x 32 at once"
            cost = alone.cpu_us / loaded.cpu_us
            sys.stdout.write(f"{label:<32}{loaded.rate / alone.rate:>9.0%}{cost:>8.0%}{loaded.p99_ms:>8.0f}\n")
        sys.stdout.write("\n")
        _print_one_log(folder)


def _print_one_log(folder: Path) -> None:
    sys.stdout.write(f"{'one log, by its writers':<32}{'leaves/s':>9}{'CPU us a leaf':>16}\n")
    for writers in (1, 2, 4):
        _print_writers(f"SQLite, {writers}", writers, str(folder / f"log-{writers}"))
    if missing():
        sys.stdout.write(f"{missing()}\n")
        return
    server = PostgresServer()
    try:
        for writers in (1, 2, 4):
            _print_writers(f"PostgreSQL, {writers}", writers, server.make_schema(f"bench_{writers}"))
    finally:
        server.close()


def _print_writers(label: str, writers: int, place: str) -> None:
    count = 4096
    command = [sys.executable, "-m", "tests.bench.bench_workers", "--append", place, "--count", str(count)]
    running = [subprocess.Popen([*command, "--name", str(n)], stdout=subprocess.PIPE) for n in range(writers)]
    printed = [[float(word) for word in one.communicate()[0].split()] for one in running]
    seconds = max(end for _, end, _ in printed) - min(begun for begun, _, _ in printed)
    leaves = writers * count
    cpu = sum(one[2] for one in printed)
    sys.stdout.write(f"{label:<32}{leaves / seconds:>9.0f}{cpu / leaves * 1e6:>16.0f}\n")


class BenchKey:
    """One key that is known to all."""

    def __init__(self) -> None:
        self._key = SigningKey(bytes(32))
        self.public_key = bytes(self._key.verify_key)

    def sign(self, message: bytes) -> bytes:
        """Sign a message."""
        return self._key.sign(message).signature


def append(place: str, name: str, count: int) -> None:
    """So many rounds are opened in the log of a folder or database, 64 at once; prints begin, end and CPU seconds."""
    store = open_store(Path(place), database=place if is_postgres(place) else None)
    step_of = [
        Append(
            leaf=secrets.token_bytes(1500),
            step=OpenStep(
                SlotKey(f"{name}-{n}", 1), round_id=bytes(32), previous_leaf=NO_LEAF, deal_deadline=1, round_deadline=2
            ),
            request_digest=hashlib.sha256(b"%d" % n).digest(),
        )
        for n in range(count)
    ]
    with Writer(store, CheckpointSigner(BenchKey(), key_name=ORIGIN), origin=ORIGIN) as writer:
        begun, cpu = time.time(), time.process_time()
        for at in range(0, count, 64):
            for answer in [writer.submit(one) for one in step_of[at : at + 64]]:
                answer.result()
        sys.stdout.write(f"{begun} {time.time()} {time.process_time() - cpu}\n")
    store.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--append")
    parser.add_argument("--name", default="")
    parser.add_argument("--count", type=int, default=0)
    given = parser.parse_args()
    if given.append:
        append(given.append, given.name, given.count)
    else:
        main()
