"""What lives at the start is not walked again by the garbage collector; what calls leave behind is."""

import gc
import weakref
from pathlib import Path

import grpc

from referee.server.app import Application, freeze_heap
from referee.server.options import ServerOptions
from referee.v1 import log_pb2, log_pb2_grpc


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
        Application(ServerOptions(data=tmp_path, listen="127.0.0.1:0", queue=0)) as app,
        grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel,
    ):
        log = log_pb2_grpc.LogServiceStub(channel)
        gc.collect()
        gc.disable()
        try:
            found = [_code_of(log) for _ in range(300)]
        finally:
            gc.enable()
    assert found == [grpc.StatusCode.RESOURCE_EXHAUSTED] * 300


def _code_of(log: log_pb2_grpc.LogServiceStub) -> grpc.StatusCode:
    try:
        log.GetKeys(log_pb2.GetKeysRequest(), timeout=60)
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK
