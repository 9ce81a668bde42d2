"""Real server processes, started and killed as an operator's machine would, and rounds played on them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import grpc
import pytest

from referee.v1 import (
    log_pb2_grpc,
    mau_binh_pb2,
    mau_binh_pb2_grpc,
    shuffler_pb2,
    shuffler_pb2_grpc,
)

STOP_SECONDS: Final = 20


@dataclass(frozen=True)
class Table:
    """A dealt round of Mậu Binh in which every seat has submitted its cards as dealt."""

    opened: shuffler_pb2.OpenRoundResponse
    dealt: shuffler_pb2.DealRoundResponse
    seeds: list[bytes]
    request: mau_binh_pb2.MauBinhServiceSettleRoundRequest


class Process:
    """One ``referee serve`` with its stubs; what it prints on standard error goes to a file."""

    def __init__(self, data: Path, errors: IO[bytes], *options: str) -> None:
        self.data = data
        self._process = subprocess.Popen(
            [sys.executable, "-m", "referee", "serve", "--data", str(data), "--listen", "127.0.0.1:0", *options],
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        assert self._process.stdout is not None
        self._output = self._process.stdout
        self.printed = self._output.readline()
        assert self.printed, "the server did not start"
        self.channel = grpc.insecure_channel(json.loads(self.printed)["address"])
        self.shuffler = shuffler_pb2_grpc.ShufflerServiceStub(self.channel)
        self.referee = mau_binh_pb2_grpc.MauBinhServiceStub(self.channel)
        self.log = log_pb2_grpc.LogServiceStub(self.channel)

    def play(self, table: str, *, seats: int = 2) -> Table:
        """A round at a new table, ready to be settled; as it is where an instant win has ended it."""
        terms = shuffler_pb2.RoundTerms(
            table_id=table, ruleset_id="mau_binh.classic", seat_count=seats, currency="CHIP", stake_minor=10
        )
        seeds = [os.urandom(32) for _ in range(seats)]
        opened = self.shuffler.OpenRound(shuffler_pb2.OpenRoundRequest(terms=terms))
        dealt = self.shuffler.DealRound(
            shuffler_pb2.DealRoundRequest(table_id=table, round_number=1, client_seeds=seeds)
        )
        told = mau_binh_pb2.MauBinhRound(header=opened.header, certificates=[dealt.certificate])
        if self.referee.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=told)).violations:
            for hand in dealt.hands:
                cards = list(hand.cards)
                arrange = mau_binh_pb2.Arrangement(back=cards[:5], middle=cards[5:10], front=cards[10:])
                told.events.add(time=dealt.dealt_time, seat=hand.seat, arrange=arrange)
        return Table(opened, dealt, seeds, mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=told))

    def kill(self) -> None:
        """The process is dead at once, as in a power cut."""
        self._process.kill()
        self._process.wait(STOP_SECONDS)
        self.channel.close()
        self._output.close()

    def terminate(self) -> None:
        """The process is asked to stop."""
        self._process.send_signal(signal.SIGTERM)

    def stop(self) -> int:
        """The process has stopped by itself after SIGTERM; its exit code."""
        if self._process.poll() is None:
            self.terminate()
        code = self._process.wait(STOP_SECONDS)
        self.channel.close()
        self._output.close()
        return code

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Starts servers on this test's data folder; all have stopped when the test ends. ``errors.log`` has their logs."""
    started: list[Process] = []
    with (tmp_path / "errors.log").open("ab") as errors:

        def start(*options: str) -> Process:
            started.append(Process(tmp_path / "data", errors, *options))
            return started[-1]

        yield start
        for process in started:
            if process.is_running:
                process.stop()
