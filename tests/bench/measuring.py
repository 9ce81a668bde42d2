"""Servers to be measured, and their CPU beside that of an echo on a plain ``grpc.server`` in the same run.

A measured server has the first core to itself and its clients have the others. CPU is user and system time of the whole
process as the system counts it, without what its threads use while nobody asks. A measurement is cut into turns, each
beside echoes of the plain server. Other work on the machine makes all of it dearer, and the echo not as much as the
rest: a turn counts only if other processes used less than a twentieth of a core meanwhile, and after ten lost turns the
bench stops. Figures are medians of the turns.
"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc
import psutil

CALLERS: Final = 8
ECHO_BYTES: Final = 1024
TURNS: Final = 5
TURN_SECONDS: Final = 1.0
"""Shortest turn: the system counts CPU in hundredths of a second."""
ECHOES: Final = 200
"""Calls of the plain echo that are made together."""
ALLOWED: Final = 0.05
"""Part of a core that other processes may use during a turn."""
LOST: Final = 10
"""Turns that a bench may lose before it stops."""
KTHREADD: Final = 2
"""Process that Linux starts the kernel's threads from; a container does not see it."""
CORES: Final = tuple(sorted(os.sched_getaffinity(0)))
"""The first is the measured server's, the others are its clients'."""

_SERVE: Final = "from tests.bench.measured_server import main; main()"

Calls = Sequence[Callable[[], object]]


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

    def used_ns(self, calls: Calls) -> int:
        """Make all calls, by eight callers at once; return the server's CPU nanoseconds meanwhile."""
        before = self.cpu_ns()
        run(calls)
        return self.cpu_ns() - before

    def cost(self, calls: Calls) -> float:
        """Return the server's CPU microseconds a call."""
        return self.used_ns(calls) / len(calls) / 1000

    def echo(self, size: int = ECHO_BYTES) -> Callable[[], object]:
        """Return the call that echoes so many bytes."""
        method: grpc.UnaryUnaryMultiCallable[bytes, bytes] = self.channel.unary_unary("/bench/Echo")
        return call(method, bytes(size))


def run(calls: Calls) -> None:
    """Make all calls, by eight callers at once."""
    with ThreadPoolExecutor(CALLERS) as pool:
        for answer in [pool.submit(one) for one in calls]:
            answer.result()


def call(method: Callable[..., object], request: object) -> Callable[[], object]:
    """Return the call of a method with a request."""
    return lambda: method(request)


class BusyMachineError(Exception):
    """Other processes used too much of the machine for figures to be true."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: median CPU microseconds of a call, and the median, least and greatest number of echoes."""

    label: str
    us: float
    ratio: float
    least: float
    greatest: float

    @property
    def figures(self) -> tuple[float, float, float, float]:
        """The line as it is kept: microseconds to a tenth, ratios to a hundredth."""
        return round(self.us, 1), round(self.ratio, 2), round(self.least, 2), round(self.greatest, 2)


@dataclass(frozen=True, slots=True)
class Turn:
    """CPU nanoseconds that a server used for a turn's work, without its idle time, and for an echo beside it."""

    used_ns: float
    echo_ns: float


@dataclass(slots=True)
class Turns:
    """Turns beside a plain echo, and how many were lost because others used the machine."""

    plain: Measured
    lost: int = 0
    echoed: list[float] = field(default_factory=list)
    """CPU nanoseconds of an echo, in each turn that was kept."""
    _idle: dict[int, float] = field(default_factory=dict)

    def take(self, server: Measured, work: Callable[[], object]) -> Turn | None:
        """Do some work of a server, with echoes until the turn is long enough; return None if the turn is lost.

        Raises BusyMachineError if that is one too many.
        """
        idle = self._idle_of(server)
        begun, others, count = time.monotonic(), Others(), ECHOES
        echoed = self.plain.used_ns(self._echoes)
        before, started = server.cpu_ns(), time.monotonic()
        work()
        used = server.cpu_ns() - before - idle * (time.monotonic() - started)
        while time.monotonic() < begun + TURN_SECONDS:
            echoed += self.plain.used_ns(self._echoes)
            count += ECHOES
        if (share := others.share()) > ALLOWED:
            self.lost += 1
            if self.lost >= LOST:
                raise BusyMachineError(
                    f"{self.lost} turns were lost: other processes use {share:.0%} of a core, and {ALLOWED:.0%} are "
                    "allowed; stop them and measure again"
                )
            return None
        self.echoed.append(echoed / count)
        return Turn(used, echoed / count)

    @property
    def _echoes(self) -> Calls:
        return [self.plain.echo()] * ECHOES

    def _idle_of(self, server: Measured) -> float:
        """Return the CPU nanoseconds a second that a server uses while nobody asks."""
        if server.process.pid not in self._idle:
            before, begun = server.cpu_ns(), time.monotonic()
            time.sleep(TURN_SECONDS)
            self._idle[server.process.pid] = (server.cpu_ns() - before) / (time.monotonic() - begun)
        return self._idle[server.process.pid]


class Others:
    """CPU that processes use which are neither this one nor its descendants, from now on.

    Interrupts and the kernel's own threads are left out: they write and send what the measured server forces to disk.
    """

    def __init__(self) -> None:
        self._begun: Final = time.monotonic()
        self._busy: Final = _busy_seconds()
        self._own: Final = _own_seconds()

    def share(self) -> float:
        """Return how many cores they have used on average since then."""
        used = _busy_seconds() - self._busy - (_own_seconds() - self._own)
        return max(0.0, used) / (time.monotonic() - self._begun)


def _busy_seconds() -> float:
    """Return the seconds in which any core ran a process, or another machine on it, since the machine started."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system + times.steal)  # user time has the guests' already


def _own_seconds() -> float:
    own, total = psutil.Process(), 0.0
    kernel = psutil.Process(KTHREADD).children() if psutil.pid_exists(KTHREADD) else []
    for process in (own, *own.children(recursive=True), *kernel):
        with contextlib.suppress(psutil.NoSuchProcess):
            total += sum(process.cpu_times()[:4])  # user and system time, and those of children that have ended
    return total


@dataclass(slots=True)
class Bench:
    """Measurements beside a plain echo."""

    turns: Turns
    rows: list[Row] = field(default_factory=list)
    events: dict[str, float] = field(default_factory=dict)
    """Events of a round by game, on average."""

    def measure(
        self,
        label: str,
        server: Measured,
        calls: Calls,
        *,
        per: int | None = None,
        after: Callable[[int], object] = lambda _: None,
    ) -> Row:
        """Measure calls and return their line, which is not kept; raise BusyMachineError if no turn counts.

        ``per`` is the number of what is counted where it is not calls; ``after`` ends each turn within its measurement
        and gets the number of calls so far.
        """
        size, costs, ratios = -(-len(calls) // TURNS), list[float](), list[float]()
        for at in range(0, len(calls), size):
            some = calls[at : at + size]

            def work(some: Calls = some, done: int = at + len(some)) -> None:
                run(some)
                after(done)

            turn = self.turns.take(server, work)
            if turn is not None:
                costs.append(turn.used_ns / len(some) * len(calls) / (per or len(calls)))
                ratios.append(costs[-1] / turn.echo_ns)
        if not costs:
            raise BusyMachineError(f"{label}: every turn was lost")
        return Row(label, statistics.median(costs) / 1000, statistics.median(ratios), min(ratios), max(ratios))

    def add(self, label: str, server: Measured, calls: Calls, *, per: int | None = None) -> Row:
        """Measure calls and keep their line."""
        row = self.measure(label, server, calls, per=per)
        self.rows.append(row)
        return row


@contextlib.contextmanager
def measured_server(
    folder: Path, services: str, *, core: int = CORES[0], memo_bytes: int | None = None
) -> Iterator[Measured]:
    """Start a server pinned to a core, its log lines written to nowhere; ``memo_bytes`` as in its settings."""
    # not by -m: an advice process begins with the module that was started, which in production imports nothing
    command = [sys.executable, "-c", _SERVE, str(folder), services, str(core), str(memo_bytes or "")]
    with _started(command) as (process, ports), _measured(process, ports[0]) as server:
        yield server


@contextlib.contextmanager
def plain_echoes() -> Iterator[tuple[Measured, Measured]]:
    """Start a plain gRPC server that echoes, and gRPC's binding without its Python server, in one process."""
    command = [sys.executable, "-m", "tests.bench.raw_echo", str(CORES[0])]
    with (
        _started(command) as (process, ports),
        _measured(process, ports[0]) as plain,
        _measured(process, ports[1]) as bare,
    ):
        run([plain.echo()] * ECHOES)
        yield plain, bare


@contextlib.contextmanager
def _started(command: Sequence[str]) -> Iterator[tuple[subprocess.Popen[str], Sequence[int]]]:
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, text=True) as process:
        assert process.stdout is not None
        yield process, [int(port) for port in process.stdout.readline().split()]
        process.communicate("")


@contextlib.contextmanager
def _measured(process: "subprocess.Popen[str]", port: int) -> Iterator[Measured]:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Measured(channel, psutil.Process(process.pid), f"127.0.0.1:{port}")


def kept(file: Path) -> Any:  # noqa: ANN401 - JSON
    """Return what was measured and kept in a file."""
    return json.loads(file.read_text(encoding="utf-8"))


def keep(file: Path, found: Mapping[str, Any]) -> None:
    """Keep what was measured in a file, a line a row."""
    file.write_text(lines_of(found), encoding="utf-8")


def lines_of(found: Mapping[str, Any]) -> str:
    """Format what was measured as JSON: each member has a line, or each of its own members has one.

    >>> print(lines_of({"machine": "x", "rows": {"echo": [117.0, 1.0], "deal": [546.0, 4.25]}}), end="")
    {
      "machine": "x",
      "rows": {
        "echo": [117.0, 1.0],
        "deal": [546.0, 4.25]
      }
    }
    """
    members = []
    for name, value in found.items():
        if isinstance(value, Mapping):
            rows = [f"    {_json(key)}: {_json(row)}" for key, row in value.items()]
            members.append(f"  {_json(name)}: {{\n" + ",\n".join(rows) + "\n  }")
        else:
            members.append(f"  {_json(name)}: {_json(value)}")
    return "{\n" + ",\n".join(members) + "\n}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def leave_first_core() -> None:
    """Pin the process to the other cores, if there are any."""
    os.sched_setaffinity(0, CORES[1:] or CORES)
