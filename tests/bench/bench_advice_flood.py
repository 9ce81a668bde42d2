"""Latency of judging calls on a quiet server and under a flood of the dearest advice: ``bench_advice_flood [ROUNDS]``.

The server has one core, which the process that advises shares; callers have the others. One caller asks GetKeys and
settles rounds, one call after the other. The flood is a process of its own, whose callers ask SuggestPlay with 200
samples: half of them wait for the answer, half give up and ask again, and one that is refused asks again when the
refusal says. Quiet and flooded stretches alternate, so that whatever else the machine does is in both. One question is
asked before: the first starts the process.
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
    advice_pb2,
    log_pb2,
    log_pb2_grpc,
    mau_binh_pb2,
)
from tests.bench.measuring import Measured, leave_first_core, measured_server
from tests.bench.played_rounds import played_round
from tests.driver.messages import method_of

AIM: Final = 3.0
CALLERS: Final = 24
SAMPLES: Final = 200
SUGGEST: Final = "/referee.v1.AdviceService/SuggestPlay"
STRETCHES: Final = 3
GIVE_UP_SECONDS: Final = 0.5


def main(rounds: int) -> None:
    """Print the table."""
    leave_first_core()
    times: dict[tuple[str, bool], list[float]] = {}
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name, measured_server(Path(name), "shuffler,referee,advice,log") as server:
        keys = log_pb2_grpc.LogServiceStub(server.channel).GetKeys
        settle = method_of(server.channel, "MauBinhService/SettleRound")
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
        times_ms = [_at(quiet, 0.5), _at(quiet, 0.99), _at(flooded, 0.5), _at(flooded, 0.99)]
        figures = "".join([f"{time_ms:>{width}.2f}" for time_ms, width in zip(times_ms, (11, 8, 11, 8), strict=True)])
        sys.stdout.write(f"{method:<22}{figures}{times_ms[3] / times_ms[1]:>13.2f}x  <= {AIM:g}\n")
    counted_ends = ", ".join(f"{count} {name}" for name, count in sorted(ends.items()))
    sys.stdout.write(f"\nquestions of the flood by how they ended: {counted_ends}\n")


def _time(
    times: dict[tuple[str, bool], list[float]], key: tuple[str, bool], call: Callable[..., object], request: object
) -> None:
    begun = time.perf_counter()
    call(request)
    times.setdefault(key, []).append((time.perf_counter() - begun) * 1000)


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _settleable(server: Measured, table: str) -> mau_binh_pb2.MauBinhServiceSettleRoundRequest:
    """Play a round of Mậu Binh that can be settled, its events the frontend's own report."""
    played = played_round("mau_binh", table, server.channel)
    played.report()
    request: mau_binh_pb2.MauBinhServiceSettleRoundRequest = played.settlement
    return request


def _first_lead(server: Measured) -> bytes:
    """Return a request for the dearest advice: the first lead of four seats."""
    begun = played_round("tien_len", "advised", server.channel).begun
    return advice_pb2.SuggestPlayRequest(round=begun, count=1, samples=SAMPLES).SerializeToString()


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
