"""Requests and messages of calls that no thread waits for, by names of gRPC's server that it does not publish.

gRPC's own server waits on a thread until a request has arrived, and until the peer has room for each message of a
stream. A peer decides how long both take, so a thread that waits for one peer is not there for others. Here the thread
that reads gRPC's events starts both and is called back. Another release of gRPC may not have these names: requests are
then received by gRPC itself, and nothing can be sent.
"""

from collections.abc import Callable
from typing import Any, Final

import grpc

try:
    from grpc import _server
    from grpc._cython import cygrpc  # type: ignore[attr-defined] # not published

    _BEHAVIORS: frozenset[Any] = frozenset((_server._unary_response_in_pool, _server._stream_response_in_pool))  # noqa: SLF001 - as above
    _RECEIVE: Final[Any] = _server._receive_message  # noqa: SLF001
    _TOKEN: Final[Any] = _server._RECEIVE_MESSAGE_TOKEN  # noqa: SLF001
    _OPERATION: Final[Any] = cygrpc.ReceiveMessageOperation
    _SENT: Final[Any] = _server._send_message  # noqa: SLF001
    _SEND_TOKEN: Final[Any] = _server._SEND_MESSAGE_TOKEN  # noqa: SLF001
    _IS_ACTIVE: Final[Any] = _server._is_rpc_state_active  # noqa: SLF001
    _METADATA: Final[Any] = _server._get_initial_metadata_operation  # noqa: SLF001
    _SEND: Final[Any] = cygrpc.SendMessageOperation
except (ImportError, AttributeError):  # pragma: no cover - another release of gRPC
    _BEHAVIORS = frozenset()

_ARGUMENTS: Final = 7
"""Number of the executor's arguments for a call: the function that answers the call, and its arguments."""
_UNARY: Final = "unary_request"
"""Name of gRPC's function that waits for the only request of a call; a stream of requests has another one."""


def receive(args: tuple[Any, ...], ready: Callable[[], object]) -> tuple[Any, ...] | None:
    """Start receiving the request of a call, and return the function and arguments that then answer the call.

    ``args`` are the executor's. ``ready`` is called, on the thread that reads gRPC's events, once the request has
    arrived or the call has ended. Return None and do nothing for a call with a stream of requests, for work other than
    a call, and if gRPC's names differ.
    """
    if len(args) != _ARGUMENTS or args[0] not in _BEHAVIORS or getattr(args[4], "__name__", "") != _UNARY:
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


def cancel_of(args: tuple[object, ...]) -> Callable[[], object] | None:
    """Return the function that cancels a call, found among the arguments of gRPC's executor; None for other work.

    gRPC gives a servicer such a function only after the request has arrived, but the event that began the call has it.
    """
    for one in args[:2]:
        cancel: Callable[[], object] | None = getattr(getattr(one, "call", None), "cancel", None)
        if cancel is not None:
            return cancel
    return None


def can_send() -> bool:
    """Return whether this release of gRPC has the names that ``send`` needs."""
    return bool(_BEHAVIORS)


def send(context: grpc.ServicerContext, message: bytes, sent: Callable[[], object]) -> bool:
    """Start sending a message of a stream, and return at once; return False if the call has ended.

    ``sent`` is called, on the thread that reads gRPC's events, once the peer has room for the message or the call has
    ended. Start no other message of the call before that.
    """
    rpc: Any = context
    state, call = rpc._state, rpc._rpc_event.call  # noqa: SLF001 - not published
    note_sent = _SENT(state, _SEND_TOKEN)

    def went(event: Any) -> Any:
        try:
            return note_sent(event)
        finally:
            sent()

    with state.condition:
        if not _IS_ACTIVE(state):
            return False
        first = (_METADATA(state, None),) if state.initial_metadata_allowed else ()
        state.initial_metadata_allowed = False
        call.start_server_batch((*first, _SEND(message, 0)), went)
        state.due.add(_SEND_TOKEN)
    return True
