"""What lives at the start is not walked again by the garbage collector; what calls leave behind is."""

import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc

from referee.server.process.app import Application, freeze_heap
from referee.v1 import log_pb2, log_pb2_grpc, mau_binh_pb2, shuffler_pb2
from tests.server.options import server_options


class Leaf:
    """Something that can be part of a cycle."""

    itself: "Leaf"


def test_objects_of_the_start_are_left_out_and_what_comes_later_is_collected() -> None:
    early = [Leaf() for _ in range(1000)]
    try:
        assert freeze_heap() >= len(early)
        assert len(gc.get_objects()) < len(early)
        later = Leaf()
        later.itself = later
        gone = weakref.ref(later)
        del later
        gc.collect()
        assert gone() is None
    finally:
        gc.unfreeze()


def test_refusals_leave_nothing_for_the_collector(tmp_path: Path) -> None:
    """Each would take one of its connection's streams until the next collection; after 32 there would be none."""
    with (
        Application(server_options(data=tmp_path, queue=0, streams=32)) as app,
        grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel,
    ):
        log = log_pb2_grpc.LogServiceStub(channel)
        gc.collect()
        gc.disable()
        try:
            found = [_code_of(lambda: log.GetKeys(log_pb2.GetKeysRequest(), timeout=60)) for _ in range(300)]
        finally:
            gc.enable()
    assert found == [grpc.StatusCode.RESOURCE_EXHAUSTED] * 300


def test_refused_settlements_and_aborts_leave_nothing_for_the_collector(
    tmp_path: Path, caller_type: Callable[..., Any]
) -> None:
    """An abort for another reason, and in a batch a settlement unlike the one on record and one of no round."""
    with (
        Application(server_options(data=tmp_path, streams=32)) as app,
        grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel,
    ):
        caller = caller_type(channel)
        tables = (caller.play(f"t-{number}") for number in range(1000))
        settled = next(one for one in tables if one.request.round.events)  # one that no hand wins at the deal
        caller.referee.SettleRound(settled.request)
        settled.request.round.events[0].arrange.back.reverse()
        batch = mau_binh_pb2.MauBinhServiceSettleRoundsRequest(requests=[settled.request])
        empty = mau_binh_pb2.MauBinhServiceSettleRoundsRequest(
            requests=[mau_binh_pb2.MauBinhServiceSettleRoundRequest()]
        )
        aborted = shuffler_pb2.AbortRoundRequest(
            table_id=settled.opened.header.table_id, round_number=1, reason=shuffler_pb2.ABORT_REASON_OPERATOR
        )
        gc.collect()
        gc.disable()
        try:
            batches = [caller.referee.SettleRounds(batch).responses[0].refused.code for _ in range(100)]
            empties = [caller.referee.SettleRounds(empty).responses[0].refused.code for _ in range(100)]
            aborts = [_code_of(lambda: caller.shuffler.AbortRound(aborted)) for _ in range(100)]
        finally:
            gc.enable()
    assert set(batches) == {grpc.StatusCode.ALREADY_EXISTS.value[0]}
    assert set(empties) == {grpc.StatusCode.INVALID_ARGUMENT.value[0]}
    assert set(aborts) == {grpc.StatusCode.ALREADY_EXISTS}


def _code_of(call: Callable[[], object]) -> grpc.StatusCode:
    try:
        call()
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK
