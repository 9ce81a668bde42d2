"""Requests received before a thread takes the call up.

gRPC's own server waits for the request of a call on the thread that will answer it: each call wakes that thread twice,
and a caller who sends slowly holds it. Here the thread that reads gRPC's events starts receiving the request, and the
call gets a thread of the pool once the request has arrived. That uses private names of gRPC's server. If a release of
gRPC lacks these names, ``receive`` returns None and the call waits on its thread.
"""

from collections.abc import Callable
from typing import Any, Final

try:
    from grpc import _server
    from grpc._cython import cygrpc  # type: ignore[attr-defined] # not published

    _ANSWER: Any = _server._unary_response_in_pool  # noqa: SLF001 - as above
    _RECEIVE: Final[Any] = _server._receive_message  # noqa: SLF001
    _TOKEN: Final[Any] = _server._RECEIVE_MESSAGE_TOKEN  # noqa: SLF001
    _OPERATION: Final[Any] = cygrpc.ReceiveMessageOperation
except (ImportError, AttributeError):  # pragma: no cover - another release of gRPC
    _ANSWER = None
_ARGUMENTS: Final = 7
"""Number of the executor's arguments for a call: the function that answers the call, and its arguments."""


def receive(args: tuple[Any, ...], ready: Callable[[], object]) -> tuple[Any, ...] | None:
    """Start receiving the request of a call, and return the function and arguments that then answer the call.

    ``args`` are the executor's. ``ready`` is called, on the thread that reads gRPC's events, once the request has
    arrived or the call has ended. Return None and do nothing for work other than a call, and if gRPC's names differ.
    """
    if len(args) != _ARGUMENTS or args[0] is not _ANSWER:
        return None
    answer, event, state, method, wait_for_request, deserialize, serialize = args
    note_request = _RECEIVE(state, event.call, deserialize)

    def received(arrival: Any) -> Any:
        try:
            return note_request(arrival)
        finally:
            ready()

    def take_request() -> Any:
        request, state.request = state.request, None
        return wait_for_request() if request is None else request  # without a request gRPC itself ends the call

    event.call.start_server_batch((_OPERATION(0),), received)
    state.due.add(_TOKEN)
    return answer, event, state, method, take_request, deserialize, serialize
