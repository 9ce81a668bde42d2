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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Final, TypeVar

import grpc

import referee
from referee.cli.demo_ultimate_texas import open_cards
from referee.server.process.app import Application
from referee.server.process.options import ServerObserver
from referee.v1 import (
    mau_binh_pb2,
    mau_binh_pb2_grpc,
    money_pb2,
    shuffler_pb2,
    shuffler_pb2_grpc,
    tien_len_pb2,
    tien_len_pb2_grpc,
    ultimate_texas_pb2,
    ultimate_texas_pb2_grpc,
)
from tests.driver.opening import deal_round, open_round
from tests.server.options import server_options

ROOT: Final = str(Path(referee.__file__).parent) + "/"
START: Final = 1_800_000_000_000
PREVIEWS: Final[Mapping[str, Any]] = {
    "mau_binh": mau_binh_pb2.MauBinhServicePreviewRoundRequest,
    "tien_len": tien_len_pb2.TienLenServicePreviewRoundRequest,
    "ultimate_texas": ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest,
}
OF_CALLS: Final = re.compile(r"call_\d+|log-writer|Thread-\d+ \(_serve\)")
"""Threads that serve calls; others look at keys, store and clock from time to time, and are no part of any call."""
_SEED: Final = bytes(32)
RecordT = TypeVar("RecordT")


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
        thread = threading.current_thread().name
        if OF_CALLS.fullmatch(thread):
            self._entered.append((thread, file.removeprefix(ROOT), frame.f_code.co_qualname))

    def record(self, call: Callable[[], object]) -> Trace:
        """Make a call and return what it entered."""
        self._entered.clear()
        self._is_on = True
        try:
            call()
        finally:
            self._is_on = False
        return Trace(tuple(self._entered))


class Table:
    """Plays rounds of each game against a running server."""

    def __init__(self, folder: Path) -> None:
        self.now = START
        self._folder = folder
        self._numbers = itertools.count(1)
        self._app: Application | None = None

    @contextmanager
    def serve(self, *services: str, observers: Sequence[ServerObserver] = ()) -> Iterator[None]:
        """Run a server with some services on the same folder."""
        settings = server_options(
            data=self._folder,
            listen="127.0.0.1:0",
            clock=lambda: self.now,
            services=services,
            sweep=False,
            observers=observers,
        )
        with Application(settings) as app, grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
            self.shuffler = shuffler_pb2_grpc.ShufflerServiceStub(channel)
            self.mau_binh = mau_binh_pb2_grpc.MauBinhServiceStub(channel)
            self.tien_len = tien_len_pb2_grpc.TienLenServiceStub(channel)
            self.ultimate_texas = ultimate_texas_pb2_grpc.UltimateTexasServiceStub(channel)
            yield

    def _deal(self, ruleset_id: str, **terms: Any) -> tuple[Any, shuffler_pb2.DealRoundResponse]:  # noqa: ANN401 - a header
        table = f"table-{next(self._numbers)}"
        given: dict[str, Any] = {
            "table_id": table,
            "ruleset_id": ruleset_id,
            "seat_count": 2,
            "currency": "VND",
        } | terms
        opened = open_round(self.shuffler, shuffler_pb2.RoundTerms(**given))
        dealt = deal_round(self.shuffler, opened, [_SEED, _SEED])
        return opened.header, dealt

    def play_mau_binh(self) -> mau_binh_pb2.MauBinhServiceSettleRoundRequest:
        """Return the request that settles a round whose seats arranged their cards as dealt."""
        while True:
            header, dealt = self._deal("mau_binh.classic", stake_minor=1000)
            reported = mau_binh_pb2.MauBinhRound(header=header, certificates=[dealt.certificate])
            asked = mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=reported)
            if self.mau_binh.PreviewRound(asked).violations:  # no instant win ended the round at the deal
                break
        for hand in dealt.hands:
            cards = mau_binh_pb2.Arrangement(back=hand.cards[:5], middle=hand.cards[5:10], front=hand.cards[10:])
            event = mau_binh_pb2.MauBinhEvent(seat=hand.seat, arrange=cards)
            accepted = self.mau_binh.AcceptEvent(
                mau_binh_pb2.MauBinhServiceAcceptEventRequest(round=reported, event=event)
            )
            reported.events.append(accepted.event)
            reported.receipt = accepted.receipt
        return mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=reported)

    def play_tien_len(self) -> tien_len_pb2.TienLenServiceSettleRoundRequest:
        """Return the request that settles a round whose seats played the first play listed, or passed."""
        header, dealt = self._deal("tien_len.mien_nam", stake_minor=1000)
        reported = tien_len_pb2.TienLenRound(header=header, certificates=[dealt.certificate])
        while True:
            listed = self.tien_len.ListPlays(tien_len_pb2.ListPlaysRequest(round=reported))
            if not listed.HasField("turn"):
                if not reported.events:  # an instant win ended the round at the deal
                    return self.play_tien_len()
                return tien_len_pb2.TienLenServiceSettleRoundRequest(round=reported)
            event = tien_len_pb2.TienLenEvent(seat=listed.turn)
            if listed.plays:
                event.play.cards.extend(listed.plays[0].cards)
            else:
                event.pass_turn.SetInParent()
            accepted = self.tien_len.AcceptEvent(
                tien_len_pb2.TienLenServiceAcceptEventRequest(round=reported, event=event)
            )
            reported.events.append(accepted.event)
            reported.receipt = accepted.receipt

    def play_ultimate_texas(self) -> ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest:
        """Return the request that settles a round whose seats checked twice and then bet once."""
        stakes = [money_pb2.SeatStake(bet_minor=20, side_bet_minor=4)] * 2
        header, dealt = self._deal("ultimate_texas.casino", stake_minor=2, seat_stakes=stakes)
        reported = ultimate_texas_pb2.UltimateTexasRound(header=header, certificates=[dealt.certificate])
        check, bet = ultimate_texas_pb2.DECISION_CHECK, ultimate_texas_pb2.DECISION_PLAY_1X
        for decision, seat in itertools.product((check, check, bet), range(2)):
            event = ultimate_texas_pb2.UltimateTexasEvent(seat=seat, decision=decision)
            accepted = self.ultimate_texas.AcceptEvent(
                ultimate_texas_pb2.UltimateTexasServiceAcceptEventRequest(round=reported, event=event)
            )
            reported.events.append(accepted.event)
            reported.receipt = accepted.receipt
            if accepted.HasField("opens_section"):
                open_cards(self.shuffler, dealt, reported)
        return ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest(round=reported)


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
    with tempfile.TemporaryDirectory() as name:
        table = Table(Path(name))
        play = {
            "mau_binh": table.play_mau_binh,
            "tien_len": table.play_tien_len,
            "ultimate_texas": table.play_ultimate_texas,
        }
        with table.serve("shuffler", "referee", "log"):
            requests: dict[str, tuple[Any, Any, Any]] = {game: (one(), one(), one()) for game, one in play.items()}
        recorded = {}
        threading.setprofile(profile)
        try:
            with table.serve("referee", "log", observers=observers):
                for game, (warming, unseen, seen) in requests.items():
                    stub: Any = getattr(table, game)
                    stub.SettleRound(warming)
                    of_unseen = record(partial(stub.SettleRound, unseen), unseen)
                    stub.PreviewRound(PREVIEWS[game](round=seen.round))
                    of_seen = record(partial(stub.SettleRound, seen), seen)
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
