"""Requests received before a thread takes the call: by names of gRPC that it does not publish, and without them."""

from typing import Any

import grpc
import pytest

from referee.service import transport
from referee.service.pool import CallPool

METHOD = "/test.Echo/Echo"


def echo(calls: CallPool) -> grpc.GenericRpcHandler:
    """Return a handler that answers a request with itself, once it has a turn."""

    def answer(request: bytes, _context: grpc.ServicerContext) -> bytes:
        calls.begin_work()
        return request

    method: Any = grpc.unary_unary_rpc_method_handler(answer)  # of bytes as they come
    return grpc.method_handlers_generic_handler("test.Echo", {"Echo": method})


def test_names_that_this_grpc_does_not_publish_are_there() -> None:
    """A release of gRPC without them answers too, as below, but each call wakes its thread twice."""
    assert transport.can_send()


@pytest.mark.parametrize("is_known", [True, False], ids=["known", "unknown"])
def test_calls_are_answered_whatever_names_grpc_has(monkeypatch: pytest.MonkeyPatch, is_known: bool) -> None:  # noqa: FBT001 - a case
    if not is_known:
        monkeypatch.setattr(transport, "_BEHAVIORS", frozenset())
    with CallPool(threads=2, queue=64) as threads:
        executor: Any = threads
        server = grpc.server(executor, handlers=[echo(threads)])
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
                called: Any = channel.unary_unary(METHOD)
                calls = [called.future(bytes([number]), timeout=60) for number in range(40)]
                assert [call.result() for call in calls] == [bytes([number]) for number in range(40)]
        finally:
            server.stop(None).wait(60)
