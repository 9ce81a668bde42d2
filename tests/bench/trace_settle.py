"""Trace of a SettleRound through the code: ``python -m tests.bench.trace_settle`` prints files, rooms and switches.

A real server deals and plays rounds of each game to their end, every event with a receipt; a second server, which has
settled a round of the game before, settles a round that it has not seen and one that it has. Counted is every function
of ``referee`` that the second server enters for the call on any of its threads, without generated code and threads that
serve no call.
"""

import argparse
import itertools
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Final, TypeVar

import referee
from referee.server.process.options import ServerObserver
from referee.wire.registry import GAME_MESSAGES
from tests.driver.driver import Driver, play
from tests.driver.messages import GAMES, method_of, request_of
from tests.driver.running import Running

ROOT: Final = str(Path(referee.__file__).parent) + "/"
OF_CALLS: Final = re.compile(r"call_\d+|log-writer|Thread-\d+ \(_serve\)")
"""Threads that serve calls; others look at keys, store and clock from time to time, and are no part of any call."""
RecordT = TypeVar("RecordT")


def serves_calls() -> bool:
    """Return whether the current thread serves calls."""
    return OF_CALLS.fullmatch(threading.current_thread().name) is not None


@dataclass(frozen=True)
class Trace:
    """Functions that a call entered, in order, as (thread, file, function)."""

    entered: tuple[tuple[str, str, str], ...]

    @property
    def files(self) -> tuple[str, ...]:
        """Files in the order first entered, relative to the package."""
        return tuple(dict.fromkeys(file for _, file, _ in self.entered))

    @property
    def rooms(self) -> tuple[str, ...]:
        """Top-level packages of the files."""
        return tuple(dict.fromkeys(file.partition("/")[0] for file in self.files))

    @property
    def switches(self) -> int:
        """How often a function of another file than the one before it is entered on the same thread."""
        threads = {thread for thread, _, _ in self.entered}
        return sum(
            sum(one != other for one, other in itertools.pairwise(file for at, file, _ in self.entered if at == thread))
            for thread in threads
        )


class Recorder:
    """Profile function of all threads that start while it is installed; records while it is switched on."""

    def __init__(self) -> None:
        self._is_on = False
        self._entered: list[tuple[str, str, str]] = []

    def __call__(self, frame: FrameType, event: str, _arg: object) -> None:
        """Record the entry of a function of ours."""
        file = frame.f_code.co_filename
        if not (self._is_on and event == "call" and file.startswith(ROOT) and "/v1/" not in file):
            return
        if serves_calls():
            self._entered.append((threading.current_thread().name, file.removeprefix(ROOT), frame.f_code.co_qualname))

    def record(self, call: Callable[[], object]) -> Trace:
        """Make a call and return what it entered."""
        self._entered.clear()
        self._is_on = True
        try:
            call()
        finally:
            self._is_on = False
        return Trace(tuple(self._entered))


def played(driver: Driver, game: str, table: str) -> Any:  # noqa: ANN401 - a request of the game
    """Return the request that settles a round of two seats played to its end, every event with a receipt."""
    return request_of(game, "SettleRound", round=play(driver.deal_playable(table, game)).message)


def trace() -> Mapping[str, tuple[Trace, Trace]]:
    """Trace two settlements of each game: of a round never seen before, and of one that was just previewed."""
    recorder = Recorder()
    return settle_each(recorder, lambda call, _request: recorder.record(call))


def settle_each(
    profile: Callable[[FrameType, str, object], object],
    record: Callable[[Callable[[], object], Any], RecordT],
    observers: Sequence[ServerObserver] = (),
) -> Mapping[str, tuple[RecordT, RecordT]]:
    """Record two settlements of each game, of a round never seen before and of one that was just previewed.

    ``profile`` is called on all threads of the server that settles; ``record`` makes a call and gets its request too.
    """
    with tempfile.TemporaryDirectory() as name, closing(Running(Path(name))) as house:
        requests = {game: [played(house.driver, game, f"{game}-{one}") for one in range(3)] for game in GAMES}
        recorded = {}
        threading.setprofile(profile)
        try:
            house.restart(services=("referee", "log"), observers=observers)
            for game, (warming, unseen, seen) in requests.items():
                settle, preview = (
                    method_of(house.channel, f"{GAME_MESSAGES[game].descriptor.name}/{name}")
                    for name in ("SettleRound", "PreviewRound")
                )
                settle(warming)
                of_unseen = record(partial(settle, unseen), unseen)
                preview(request_of(game, "PreviewRound", round=seen.round))
                of_seen = record(partial(settle, seen), seen)
                recorded[game] = of_unseen, of_seen
        finally:
            threading.setprofile(None)
    return recorded


def main() -> None:
    """Print the table, and each file and function with ``--list``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="print every function entered, by thread")
    shown = parser.parse_args()
    sys.stdout.write(f"{'game, its round':<24}{'files':>8}{'rooms':>8}{'switches':>10}{'functions':>11}\n")
    traces = {
        f"{game}, {label}": one
        for game, pair in trace().items()
        for label, one in zip(("unseen", "seen"), pair, strict=True)
    }
    for label, one in traces.items():
        sys.stdout.write(
            f"{label:<24}{len(one.files):>8}{len(one.rooms):>8}{one.switches:>10}{len(set(one.entered)):>11}\n"
        )
    if shown.list:
        for label, one in traces.items():
            sys.stdout.write(f"\n{label}: {', '.join(one.rooms)}\n")
            for (thread, file), group in itertools.groupby(one.entered, key=lambda entry: entry[:2]):
                sys.stdout.write(f"  {thread:<12} {file:<36} {', '.join(function for _, _, function in group)}\n")


if __name__ == "__main__":
    main()
