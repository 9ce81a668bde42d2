"""Two echoes in a process of their own that do less than any service can, as limits beside which to read the others.

``python -m tests.bench.raw_echo CORE`` prints two ports. On the first a plain ``grpc.server`` of eight threads answers
what it is sent, with nothing around it; on the second the binding below it does, on one thread that never waits for
another. Both have ``/bench/Cpu``, which answers the process's CPU nanoseconds so far. The process keeps to the core.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from grpc._cython import cygrpc  # type: ignore[attr-defined] # the stubs leave it out

_CPU = "/bench/Cpu"
_THREADS = 8


def answer_of(method: str, data: bytes) -> bytes:
    """Answer as either server does."""
    return str(time.process_time_ns()).encode() if method == _CPU else data


class Plain(grpc.GenericRpcHandler):
    """Every method is an echo, but for the meter."""

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, bytes]":
        """Return the handler of any method."""
        method = handler_call_details.method
        return grpc.unary_unary_rpc_method_handler(lambda data, _context: answer_of(method, data))


class Bare:
    """The same on the binding itself: each event of the queue asks for the next step of its call."""

    def __init__(self) -> None:
        self._queue = cygrpc.CompletionQueue()
        self._server = cygrpc.Server([], False)  # noqa: FBT003 - its own signature
        self._server.register_completion_queue(self._queue)
        self.port: int = self._server.add_http2_port(b"127.0.0.1:0")

    def run(self) -> None:
        """Answer calls until the process ends."""
        self._server.start()
        self._server.request_call(self._queue, self._queue, self._begin)
        while True:
            event: Any = self._queue.poll()
            event.tag(event)

    def _begin(self, event: Any) -> None:  # noqa: ANN401 - the binding has no types
        self._server.request_call(self._queue, self._queue, self._begin)
        event.call.start_server_batch((cygrpc.ReceiveMessageOperation(0),), self._answer(event))

    @staticmethod
    def _answer(begun: Any) -> Callable[[Any], None]:  # noqa: ANN401 - as above
        def answer(event: Any) -> None:  # noqa: ANN401 - as above
            data = event.batch_operations[0].message()
            method = begun.call_details.method.decode()
            operations = (
                cygrpc.SendInitialMetadataOperation(None, 0),
                cygrpc.SendMessageOperation(answer_of(method, data), 0),
                cygrpc.ReceiveCloseOnServerOperation(0),
                cygrpc.SendStatusFromServerOperation((), cygrpc.StatusCode.ok, b"", 0),
            )
            begun.call.start_server_batch(operations, lambda _: None)

        return answer


def main() -> None:
    """Serve until standard input ends."""
    os.sched_setaffinity(0, {int(sys.argv[1])})
    plain = grpc.server(ThreadPoolExecutor(_THREADS))
    plain.add_generic_rpc_handlers((Plain(),))
    port = plain.add_insecure_port("127.0.0.1:0")
    plain.start()
    bare = Bare()
    threading.Thread(target=bare.run, daemon=True).start()
    sys.stdout.write(f"{port} {bare.port}\n")
    sys.stdout.flush()
    sys.stdin.read()
    plain.stop(None)
    os._exit(0)  # the binding's queue is never shut down


if __name__ == "__main__":
    main()
