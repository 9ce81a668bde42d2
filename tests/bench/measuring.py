"""Servers to be measured, and their CPU beside that of an echo on a plain ``grpc.server`` in the same run.

A measured server has the first core to itself and its clients have the others. CPU is user and system time of the whole
process as the system counts it. Other work on the machine makes all of it dearer for some time, so a measurement is cut
into slices, and the plain echo is measured before each.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc
import psutil

CALLERS: Final = 8
ECHO_BYTES: Final = 1024
SLICES: Final = 5
ECHOES: Final = 200
"""Calls of the plain echo beside each slice."""
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


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: CPU microseconds of a call, and how many echoes that is."""

    label: str
    us: float
    ratio: float


@dataclass(slots=True)
class Bench:
    """Measurements beside a plain echo."""

    plain: Measured
    rows: list[Row] = field(default_factory=list)
    events: dict[str, float] = field(default_factory=dict)
    """Events of a round by game, on average."""
    _echo_ns: int = 0
    _echoes: int = 0

    @property
    def echo_us(self) -> float:
        """CPU of the plain echo over the whole run."""
        return self._echo_ns / max(1, self._echoes) / 1000

    def measure(
        self,
        label: str,
        server: Measured,
        calls: Calls,
        *,
        per: int | None = None,
        after: Callable[[int], object] = lambda _: None,
    ) -> Row:
        """Measure calls and return their line, which is not kept.

        ``per`` is the number of what is counted where it is not calls; ``after`` ends each slice within its measurement
        and gets the number of calls so far.
        """
        echo = [self.plain.echo()] * ECHOES
        size = -(-len(calls) // SLICES)
        used = echoed = count = 0
        for at in range(0, len(calls), size):
            echoed += self.plain.used_ns(echo)
            count += ECHOES
            some = calls[at : at + size]
            before = server.cpu_ns()
            run(some)
            after(at + len(some))
            used += server.cpu_ns() - before
        self._echo_ns += echoed
        self._echoes += count
        us = used / (per or len(calls)) / 1000
        return Row(label, us, us / (echoed / count / 1000))

    def add(self, label: str, server: Measured, calls: Calls, *, per: int | None = None) -> Row:
        """Measure calls and keep their line."""
        row = self.measure(label, server, calls, per=per)
        self.rows.append(row)
        return row


@contextlib.contextmanager
def measured_server(folder: Path, services: str, *, core: int = CORES[0]) -> Iterator[Measured]:
    """Start a server pinned to a core, its log lines written to nowhere."""
    # not by -m: an advice process begins with the module that was started, which in production imports nothing
    command = [sys.executable, "-c", _SERVE, str(folder), services, str(core)]
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
