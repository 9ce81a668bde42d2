"""Latency of judging calls on a quiet server and under a flood of the dearest advice: ``bench_advice_flood [ROUNDS]``.

The server has one core, which its advice process shares; callers have the others. One caller asks GetKeys and settles
rounds, one call after the other. The flood is a process of its own, whose callers ask SuggestPlay with 200 samples:
half of them wait for the answer, half give up and ask again, and one that is refused asks again when the refusal says.
Quiet and flooded stretches alternate, so that whatever else the machine does is in both. One question is asked before:
the first starts the process from which those of all others are forked.
"""

import contextlib
import multiprocessing
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from referee.v1 import (
    log_pb2,
    log_pb2_grpc,
    mau_binh_pb2,
    mau_binh_pb2_grpc,
    shuffler_pb2,
    shuffler_pb2_grpc,
    tien_len_pb2,
    tien_len_pb2_grpc,
)
from tests.bench.measuring import Measured, leave_first_core, measured_server
from tests.driver.opening import deal_round, open_round, terms_of

AIM: Final = 3.0
CALLERS: Final = 24
SAMPLES: Final = 200
SUGGEST: Final = "/referee.v1.TienLenService/SuggestPlay"
STRETCHES: Final = 3
GIVE_UP_SECONDS: Final = 0.5


def main(rounds: int) -> None:
    """Print the table."""
    leave_first_core()
    times: dict[tuple[str, bool], list[float]] = {}
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name, measured_server(Path(name), "shuffler,referee,log") as server:
        keys = log_pb2_grpc.LogServiceStub(server.channel).GetKeys
        settle = mau_binh_pb2_grpc.MauBinhServiceStub(server.channel).SettleRound
        played = [_settleable(server, f"bench-{number}") for number in range(rounds)]
        question = _first_lead(server)
        suggest: grpc.UnaryUnaryMultiCallable[bytes, bytes] = server.channel.unary_unary(SUGGEST)
        suggest(question)
        share = rounds // (2 * STRETCHES)
        for stretch in range(2 * STRETCHES):
            is_flooded = stretch % 2 == 1
            with contextlib.ExitStack() as stack:
                if is_flooded:
                    stack.enter_context(_flood(server.address, question, ends))
                for _ in range(4 * share):
                    _time(times, ("GetKeys", is_flooded), keys, log_pb2.GetKeysRequest())
                for request in played[stretch * share : (stretch + 1) * share]:
                    _time(times, ("SettleRound", is_flooded), settle, request)
    head = f"{'quiet p50':>11}{'p99':>8}{'flood p50':>11}{'p99':>8}{'ratio of p99':>14}"
    sys.stdout.write(f"{'milliseconds a call':<22}{head}  aim\n")
    for method in ("GetKeys", "SettleRound"):
        quiet, flooded = sorted(times[method, False]), sorted(times[method, True])
        found = [_at(quiet, 0.5), _at(quiet, 0.99), _at(flooded, 0.5), _at(flooded, 0.99)]
        figures = "".join([f"{one:>{width}.2f}" for one, width in zip(found, (11, 8, 11, 8), strict=True)])
        sys.stdout.write(f"{method:<22}{figures}{found[3] / found[1]:>13.2f}x  <= {AIM:g}\n")
    found_ends = ", ".join(f"{count} {name}" for name, count in sorted(ends.items()))
    sys.stdout.write(f"\nquestions of the flood by how they ended: {found_ends}\n")


def _time(
    times: dict[tuple[str, bool], list[float]], key: tuple[str, bool], call: Callable[..., object], request: object
) -> None:
    begun = time.perf_counter()
    call(request)
    times.setdefault(key, []).append((time.perf_counter() - begun) * 1000)


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _settleable(server: Measured, table: str) -> mau_binh_pb2.MauBinhServiceSettleRoundRequest:
    """Deal a round of Mậu Binh in which every seat's cards are in, as they were dealt."""
    opened, dealt = _deal(server, "mau_binh.chi_2020", table)
    one = mau_binh_pb2.MauBinhRound(header=opened.header, certificates=[dealt.certificate])
    referee = mau_binh_pb2_grpc.MauBinhServiceStub(server.channel)
    if not referee.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=one)).violations:
        return mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=one)  # an instant win ended it
    for hand in dealt.hands:
        cards = sorted(hand.cards, reverse=True)
        one.events.add(
            seat=hand.seat,
            time=dealt.dealt_time,
            arrange=mau_binh_pb2.Arrangement(back=cards[:5], middle=cards[5:10], front=cards[10:]),
        )
    return mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=one)


def _first_lead(server: Measured) -> bytes:
    """Return a request for the dearest advice: the first lead of four seats."""
    referee = tien_len_pb2_grpc.TienLenServiceStub(server.channel)
    for number in range(100):
        opened, dealt = _deal(server, "tien_len.mien_nam", f"advised-{number}")
        one = tien_len_pb2.TienLenRound(header=opened.header, certificates=[dealt.certificate])
        if referee.ListPlays(tien_len_pb2.ListPlaysRequest(round=one)).plays:
            return tien_len_pb2.SuggestPlayRequest(round=one, count=1, samples=SAMPLES).SerializeToString()
    raise RuntimeError("every round was won at the deal")


def _deal(
    server: Measured, ruleset: str, table: str
) -> tuple[shuffler_pb2.OpenRoundResponse, shuffler_pb2.DealRoundResponse]:
    shuffler = shuffler_pb2_grpc.ShufflerServiceStub(server.channel)
    terms = terms_of(table, ruleset_id=ruleset, seat_count=4, stake_minor=100)
    opened = open_round(shuffler, terms)
    return opened, deal_round(shuffler, opened)


@contextlib.contextmanager
def _flood(address: str, request: bytes, ends: Counter[str]) -> Iterator[None]:
    """Flood a server for the block, from a process of its own; count how its questions ended."""
    spawn = multiprocessing.get_context("spawn")
    asked, over, counted = spawn.Event(), spawn.Event(), spawn.SimpleQueue()
    process = spawn.Process(target=_ask_on, args=(address, request, asked, over, counted))
    process.start()
    asked.wait(60)
    yield
    over.set()
    ends.update(counted.get())
    process.join(60)


def _ask_on(address: str, request: bytes, asked: Any, over: Any, counted: Any) -> None:  # noqa: ANN401 - shared objects, whose types are private
    """Ask from as many threads as there are callers until it is over, each caller with a pace of its own."""
    ends: Counter[str] = Counter()
    begun = threading.Barrier(
        CALLERS, asked.set
    )  # until then the start of the callers takes the core of who is measured

    def ask(number: int) -> None:
        is_first = True
        pace = 0.5 + number / CALLERS
        with grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
            suggest: Any = channel.unary_unary(SUGGEST)
            while not over.is_set():
                try:
                    call = suggest.future(request, timeout=GIVE_UP_SECONDS * pace if number % 2 else 60)
                    if is_first:
                        begun.wait()
                        is_first = False
                    call.result()
                    ends["OK"] += 1
                except grpc.RpcError as error:
                    ends[error.code().name] += 1
                    over.wait(_retry_seconds(error) * pace)

    threads = [threading.Thread(target=ask, args=(number,), daemon=True) for number in range(CALLERS)]
    for thread in threads:
        thread.start()
    over.wait()
    counted.put(dict(ends))


def _retry_seconds(error: grpc.RpcError) -> float:
    """Return when a refused call may be repeated; 0 for one that was given up."""
    status, retry = rpc_status.from_call(error), error_details_pb2.RetryInfo()
    if status is None or not any(detail.Unpack(retry) for detail in status.details):
        return 0.0
    return float(retry.retry_delay.ToMicroseconds()) / 1_000_000


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1800)
