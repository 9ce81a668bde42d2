"""What happens around every call: a request id, a log line, who watches, and one way for a refusal to become a status.

The log line names the method, the outcome, sizes and times; it never holds a request's or an answer's content, so no
card, seed or key can reach a log. The request id is the caller's, or a new one; it comes back in the trailers of every
answer and refusal, and stands in the line with the places of the leaves that the call put into the log.
"""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import grpc
import structlog
from google.protobuf.message import DecodeError

from referee.service.call import Call, Observer, enter
from referee.service.pool import CallPool
from referee.service.settling import log_refusals
from referee.service.status import to_status
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

REQUEST_ID: Final = "x-request-id"
TRACE_PARENT: Final = "traceparent"
_MAX_REQUEST_ID: Final = 128
_MAX_TRACE_PARENT: Final = 64
_ALWAYS: Final = "/grpc."
"""Health and reflection are answered also by a server that has too much to do."""

_log = structlog.get_logger("referee.call")

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Answering: TypeAlias = Callable[[bytes, grpc.ServicerContext], bytes]


@dataclass(frozen=True, slots=True)
class _Ending(grpc.Status):
    """How a call ends that is not answered; a grpc.Status."""

    code: grpc.StatusCode
    details: str
    trailing_metadata: tuple[tuple[str, str | bytes], ...]


class CallInterceptor(grpc.ServerInterceptor):
    """Wraps every unary method; methods of health and reflection included.

    A message longer than ``max_message_bytes``, or one that is no message, is refused like any other bad question:
    the transport alone would say so without a reason. So is a call that comes while ``pool`` is full.
    """

    def __init__(
        self, *, max_message_bytes: int, pool: CallPool | None = None, observers: Sequence[Observer] = ()
    ) -> None:
        self._max_message_bytes = max_message_bytes
        self._pool = pool
        self._observers = tuple(observers)

    def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Handler | None]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler | None":
        """The handler of the method with the wrapping around it."""
        handler = continuation(handler_call_details)
        if handler is None or handler.unary_unary is None:
            return handler
        method, pool = handler_call_details.method, self._pool
        call = _call(method, handler_call_details.invocation_metadata)
        answer = _encoded(handler, self._max_message_bytes)
        if pool is not None and pool.is_full and not method.startswith(_ALWAYS):
            refused = _wrapped(_refuse_overload, call, self._observers)
            refused.experimental_thread_pool = pool.refusing  # type: ignore[attr-defined] # where gRPC looks for it
            return grpc.unary_unary_rpc_method_handler(refused)
        return grpc.unary_unary_rpc_method_handler(_wrapped(answer, call, self._observers))


def _wrapped(answer: Answering, call: Call, observers: Sequence[Observer]) -> Answering:
    def run(data: bytes, context: grpc.ServicerContext) -> bytes:
        call.started = time.perf_counter()
        call.caller = context.peer()
        call.request_bytes = len(data)
        enter(call)
        for observer in observers:
            observer.began(call)
        try:
            with log_refusals():
                response = answer(data, context)
        except RefusedError as refusal:
            _abort(refusal, call, context, observers)
        except Exception as error:
            code = context.code()  # type: ignore[attr-defined] # the stubs leave it out
            if code is not None:  # the method aborted by itself
                call.code = code.name
                _end(call, "refused", observers)
                raise
            internal = RefusedError(
                ErrorReason.ERROR_REASON_INTERNAL,
                f"the server failed; its log has the request id {call.request_id}",
                request_id=call.request_id,
            )
            _log.exception("failed", method=call.method, request_id=call.request_id, error=type(error).__name__)
            _abort(internal, call, context, observers)
        call.response_bytes = len(response)
        context.set_trailing_metadata(((REQUEST_ID, call.request_id),))
        _end(call, "answered", observers)
        return response

    return run


def _abort(refusal: RefusedError, call: Call, context: grpc.ServicerContext, observers: Sequence[Observer]) -> None:
    status: Any = to_status(refusal)
    call.code, call.reason = status.code.name, refusal.reason_name
    _end(call, "refused", observers)
    trailers = (*status.trailing_metadata, (REQUEST_ID, call.request_id))
    context.abort_with_status(_Ending(status.code, status.details, trailers))


def _end(call: Call, event: str, observers: Sequence[Observer]) -> None:
    call.ended = time.perf_counter()
    said: dict[str, object] = {"reason": call.reason} if call.reason else {}
    if call.leaves:
        said["leaves"] = call.leaves
    _log.info(
        event,
        method=call.method,
        code=call.code,
        ms=round(call.seconds * 1000, 3),
        waited_ms=round(call.waited * 1000, 3),
        request_bytes=call.request_bytes,
        response_bytes=call.response_bytes,
        caller=call.caller,
        request_id=call.request_id,
        **said,
    )
    for observer in observers:
        observer.ended(call)


def _encoded(handler: Handler, limit: int) -> Answering:
    """The method on bytes; refuses those that are too many or no message."""
    method: Callable[[Any, grpc.ServicerContext], Any] = handler.unary_unary  # type: ignore[assignment] # checked before

    def answer(data: bytes, context: grpc.ServicerContext) -> bytes:
        if len(data) > limit:
            raise RefusedError(
                ErrorReason.ERROR_REASON_MESSAGE_TOO_LARGE,
                f"the message has {len(data)} bytes and the server accepts {limit}; send a smaller batch",
                limit=limit,
                found=len(data),
            )
        try:
            request = handler.request_deserializer(data) if handler.request_deserializer else data
        except (DecodeError, UnicodeDecodeError) as error:
            message = f"the bytes are no message of this method: {error}"
            raise RefusedError(ErrorReason.ERROR_REASON_MALFORMED, message) from None
        response = method(request, context)
        encoded: bytes = handler.response_serializer(response) if handler.response_serializer else response
        return encoded

    return answer


def _refuse_overload(_data: bytes, _context: grpc.ServicerContext) -> bytes:
    raise RefusedError(
        ErrorReason.ERROR_REASON_OVERLOADED,
        "more calls wait than the server can answer soon; nothing was done, and asking again a little later is safe",
    )


def _call(method: str, metadata: Any) -> Call:  # noqa: ANN401 - grpc types metadata as Any
    request_id = trace_parent = ""
    for key, value in metadata or ():
        if not isinstance(value, str):
            continue
        if key == REQUEST_ID and len(value) <= _MAX_REQUEST_ID and value.isascii() and value.isprintable():
            request_id = value
        elif key == TRACE_PARENT and len(value) <= _MAX_TRACE_PARENT:
            trace_parent = value
    return Call(
        method=method,
        request_id=request_id or secrets.token_hex(8),
        caller="",
        arrived=time.perf_counter(),
        trace_parent=trace_parent,
    )
