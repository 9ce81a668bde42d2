"""Where the time of a settlement goes, by thread and by step: ``python -m tests.bench.settle_report``.

First the CPU of each kind of thread of a measured server, as the system counts it, while eight callers settle at once;
beside it that of an echo. Then the CPU of each step on the thread that takes it, one call at a time and in one process,
each step without those within it. The steps are those of the service's README.
"""

import argparse
import functools
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, cast
from unittest import mock

import grpc
import structlog

from referee.evidence.dsse import Envelope
from referee.server.process.app import Application, freeze_heap
from referee.service import appending, round_service
from referee.service.attesting import Attestor
from referee.service.interceptor import CallInterceptor
from referee.service.reading import RoundReader
from referee.service.round_service import Settler
from referee.service.verifying import RoundVerifier
from referee.storage import writer
from referee.storage.store import Store, Transaction
from referee.transcript.round import Round
from tests.bench.bench_serving import machine
from tests.bench.measuring import Measured, call, leave_first_core, measured_server, run
from tests.bench.played_rounds import PlayedRound
from tests.driver.messages import GAMES, request_of, stub_of
from tests.server.options import server_options

STEPS: Final[Sequence[tuple[object, str, str]]] = (
    (CallInterceptor, "intercept_service", "1 headers read"),
    (CallInterceptor, "_await_turn", "1 turn awaited"),
    (CallInterceptor, "_end", "1 log line and counts"),
    (round_service.RoundService, "SettleRound", "2 method, answer filled"),
    (RoundReader, "read", "3 round read, events played"),
    (RoundVerifier, "verify_ended", "4 header and certificates"),
    (Attestor, "verify", "6 receipt and signatures"),
    (Settler, "judge", "7 judged, inputs written"),
    (Round, "outcome", "8 settled by the game"),
    (Round, "results", "9 results written"),
    (round_service.RoundService, "_write_outcome", "9 outcome for the answer"),
    (Round, "transcript", "9 transcript written"),
    (Envelope, "signed", "9 transcript signed"),
    (appending, "append_one", "10 queued and awaited"),
    (writer, "append_batch", "11 batch judged, signed, answered"),
    (Transaction, "write", "11 statements"),
    (Store, "_begin", "11 transaction begun"),
    (round_service, "fill_receipt", "12 log receipt"),
)
"""Functions that are timed: where they are looked up, their names, and their steps."""


class Stopwatch:
    """CPU nanoseconds by step, each without the steps within it."""

    def __init__(self) -> None:
        self.used: Counter[str] = Counter()
        self._open: defaultdict[int, list[list[int]]] = defaultdict(list)

    def timed(self, step: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, timed as a step."""

        @functools.wraps(function)
        def run_timed(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - of any function
            open_steps = self._open[threading.get_ident()]
            inner = [0]
            open_steps.append(inner)
            begun = time.thread_time_ns()
            try:
                return function(*args, **kwargs)
            finally:
                used = time.thread_time_ns() - begun
                open_steps.pop()
                self.used[step] += used - inner[0]
                if open_steps:
                    open_steps[-1][0] += used

        return run_timed

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Time the steps within the block."""
        with ExitStack() as stack:
            for place, name, step in STEPS:
                found = place.__dict__[name]
                changed: object
                match found:
                    case classmethod():
                        changed = classmethod(self.timed(step, found.__func__))
                    case functools.cached_property():
                        changed = functools.cached_property(self.timed(step, found.func))
                        changed.__set_name__(cast("type[Any]", place), name)
                    case _:
                        changed = self.timed(step, found)
                stack.enter_context(mock.patch.object(place, name, changed))
            yield


def threads(game: str, count: int) -> Mapping[str, Mapping[str, float]]:
    """Return the CPU microseconds of each kind of thread of an echo and of both ways to settle."""
    leave_first_core()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "data"
        with measured_server(folder, "rulesets,shuffler,referee,log") as server:
            rounds = played(game, server.channel, count)
        with measured_server(folder, "referee,log") as server:
            run([server.echo()] * 500)
            settle = stub_of(game, server.channel)
            half = len(rounds) // 2
            found = {"echo": _by_thread(server, [server.echo()] * 1000)}
            run([call(settle.PreviewRound, request_of(game, "PreviewRound", round=one.message)) for one in rounds])
            run([call(settle.SettleRound, one.settlement) for one in rounds[:8]])
            calls = [call(settle.SettleRound, one.settlement) for one in rounds[half:]]
            found["after a preview"] = _by_thread(server, calls)
        with measured_server(folder, "referee,log") as server:
            run([server.echo()] * 500)
            settle = stub_of(game, server.channel)
            run([call(settle.SettleRound, one.settlement) for one in rounds[half:]])  # again, to warm up
            calls = [call(settle.SettleRound, one.settlement) for one in rounds[8:half]]
            found["never seen"] = _by_thread(server, calls)
        return found


def _by_thread(server: Measured, calls: Sequence[Callable[[], object]]) -> Mapping[str, float]:
    before = server.threads_ns()
    run(calls)
    after = server.threads_ns()
    return {name: (used - before.get(name, 0)) / len(calls) / 1000 for name, used in after.items()}


def played(game: str, channel: grpc.Channel, count: int) -> list[PlayedRound]:
    """Open, deal and play rounds that no instant win ended at the deal."""
    rounds = [PlayedRound(game, f"report-{number}") for number in range(count)]
    run([partial(one.open, channel) for one in rounds])
    run([partial(one.deal, channel) for one in rounds])
    run([partial(one.play, channel, channel) for one in rounds])
    return [one for one in rounds if one.message.events]


def steps(game: str, count: int) -> Mapping[str, float]:
    """Return the CPU microseconds of each step of settling a round that the server has never seen."""
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "data"
        with _served(folder, "shuffler", "referee", "log") as channel:
            rounds = played(game, channel, count)
        with watch.watching(), _served(folder, "referee", "log") as channel:
            settle = stub_of(game, channel).SettleRound
            for one in rounds[: len(rounds) // 2]:
                settle(one.settlement)
            freeze_heap()
            watch.used.clear()
            for one in rounds[len(rounds) // 2 :]:
                settle(one.settlement)
        return {step: watch.used[step] / len(rounds[len(rounds) // 2 :]) / 1000 for _, _, step in STEPS}


@contextmanager
def _served(folder: Path, *services: str) -> Iterator[grpc.Channel]:
    options = server_options(data=folder, services=services, metrics="127.0.0.1:0")
    with Application(options) as app, grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        yield channel


def main() -> None:
    """Print both tables of each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=GAMES, help="games to report, or all")
    parser.add_argument("--rounds", type=int, default=120)
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    sys.stdout.write(f"{machine()}\n")
    for game in given.games:
        by_step = steps(game, given.rounds // 3)
        found = threads(game, given.rounds)
        sys.stdout.write(f"\n{game}, us of CPU a call{''.join(f'{label:>18}' for label in found)}\n")
        for name in sorted({name for one in found.values() for name in one}):
            numbers = [one.get(name, 0.0) for one in found.values()]
            if max(numbers) >= 1:
                sys.stdout.write(f"  thread {name:<26}{''.join(f'{number:>18.0f}' for number in numbers)}\n")
        sys.stdout.write(f"  {'in all':<33}{''.join(f'{sum(one.values()):>18.0f}' for one in found.values())}\n")
        sys.stdout.write(f"{game}, one call at a time, never seen: us of CPU a step\n")
        for step, used in by_step.items():
            sys.stdout.write(f"  {step:<36}{used:>8.0f}\n")
        sys.stdout.write(f"  {'in all steps':<36}{sum(by_step.values()):>8.0f}\n")


if __name__ == "__main__":
    main()
