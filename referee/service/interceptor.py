"""What happens around every call: a request id, a log line, who watches, and one way for a refusal to become a status.

The log line names the method, the outcome, sizes, times and the caller; it never holds a request's or an answer's
content, nor what the caller proved itself with, so no card, seed, key or token can reach a log. The request id is the
caller's, or a new one; it comes back in the trailers of every answer and refusal, and stands in the line with the
places of the leaves that the call put into the log.

What is refused before it waits is refused by a thread of its own, without waiting for the request to arrive.
"""

import hmac
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import grpc
import structlog
from google.protobuf.message import DecodeError, Message

from referee.service.call import Call, CallEndedError, Observer, enter
from referee.service.gate import Gate
from referee.service.pool import CallPool
from referee.service.settling import log_refusals
from referee.service.status import to_status
from referee.service.unread import LARGE, Unread
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

REQUEST_ID: Final = "x-request-id"
TRACE_PARENT: Final = "traceparent"
CREDENTIALS: Final = "authorization"
GATEWAY: Final = "x-referee-gateway"
"""What a gateway in front of this server shows that it is; then it is believed where the caller is."""
FORWARDED_FOR: Final = "x-referee-forwarded-for"
_MAX_REQUEST_ID: Final = 128
_MAX_TRACE_PARENT: Final = 64
_HEALTH: Final = "/grpc.health."
"""Health is answered to everybody, also by a server that has too much to do."""
_GIVEN_UP: Final = {True: grpc.StatusCode.DEADLINE_EXCEEDED, False: grpc.StatusCode.CANCELLED}

_log = structlog.get_logger("referee.call")

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Answering: TypeAlias = Callable[[bytes, grpc.ServicerContext], bytes]


@dataclass(frozen=True, slots=True)
class _Ending(grpc.Status):
    """How a call ends that is not answered; a grpc.Status."""

    code: grpc.StatusCode
    details: str
    trailing_metadata: tuple[tuple[str, str | bytes], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How large a request may be, how much may lie unread, and how long large answers and streams are waited for."""

    message_bytes: int
    unread_bytes: int = 256 * 1024 * 1024
    answer_seconds: float = 120.0


class CallInterceptor(grpc.ServerInterceptor):
    """Wraps every method but those of health that stream. A stream of requests with one answer is not served.

    A message that is too long, or one that is no message, is refused like any other bad question: the transport alone
    would say so without a reason. So is a call that comes while ``pool`` is full, or that ``gate`` lets not pass.
    """

    def __init__(
        self,
        *,
        bounds: Bounds,
        pool: CallPool,
        gate: Gate | None = None,
        gateway_pass: str = "",
        observers: Sequence[Observer] = (),
    ) -> None:
        self._bounds = bounds
        self._pool = pool
        self._gate = gate
        self._gateway_pass = gateway_pass
        self._observers = tuple(observers)
        self._unread = Unread(most=bounds.unread_bytes)

    def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Handler | None]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler | None":
        """The handler of the method with the wrapping around it."""
        handler = continuation(handler_call_details)
        if handler is None:
            return handler
        metadata = handler_call_details.invocation_metadata
        call, credentials = _call(handler_call_details.method, metadata, gateway_pass=self._gateway_pass)
        is_guarded = not call.method.startswith(_HEALTH)
        if handler.response_streaming:
            return self._streamed(handler, call, credentials) if is_guarded else handler
        if handler.unary_unary is None:
            return None
        gate = self._gate if is_guarded else None
        if is_guarded:
            try:
                if gate is not None:
                    gate.knock(call, credentials)
                if self._pool.is_full:
                    raise _overload()
            except RefusedError as refusal:
                return self._refused(refusal, call)
        answer = self._encoded(handler, call, gate)
        return grpc.unary_unary_rpc_method_handler(self._wrapped(answer, call, credentials, gate))

    def _wrapped(self, answer: Answering, call: Call, credentials: str, gate: Gate | None) -> Answering:
        observers = self._observers

        def run(data: bytes, context: grpc.ServicerContext) -> bytes:
            self._pool.arrived()
            _begin(call, context, observers)
            call.request_bytes = len(data)
            try:
                with log_refusals():
                    if gate is not None:
                        gate.enter(call, credentials, context)
                    response = answer(data, context)
                    if len(response) >= LARGE:
                        self._count_unread(len(response), context)
            except RefusedError as refusal:
                _abort(refusal, call, context, observers)
            except (CallEndedError, CancelledError):
                code = _GIVEN_UP[context.time_remaining() <= 0]
                call.code = code.name
                _end(call, "given up", observers)
                context.abort(code, "nobody waits for the answer; nothing more was begun")
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

    def _encoded(self, handler: Handler, call: Call, gate: Gate | None) -> Answering:
        """The method on bytes; refuses those that are too many, no message, or name what is not the caller's."""
        method: Callable[[Any, grpc.ServicerContext], Any] = handler.unary_unary  # type: ignore[assignment] # checked before
        limit = self._bounds.message_bytes

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
            if gate is not None and isinstance(request, Message):
                gate.ask(call, request)
            response = method(request, context)
            encoded: bytes = handler.response_serializer(response) if handler.response_serializer else response
            return encoded

        return answer

    def _count_unread(self, size: int, context: grpc.ServicerContext) -> None:
        """The answer counts as unread until the call is over, which it is in time; refuses one without room."""
        if not self._unread.take(size):
            raise _overload()
        patience = self._pool.patience
        number = patience.watch(context.cancel, seconds=self._bounds.answer_seconds)

        def over() -> None:
            patience.over(number)
            self._unread.give(size)

        if not context.add_callback(over):
            over()

    def _refused(self, refusal: RefusedError, call: Call) -> Handler:
        """A handler that refuses the call without waiting for its request, which may never come."""
        observers = self._observers

        def refuse(_requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
            _begin(call, context, observers)
            _abort(refusal, call, context, observers)
            yield b""

        refuse.experimental_thread_pool = self._pool.refusing  # type: ignore[attr-defined] # where gRPC looks for it
        return grpc.stream_stream_rpc_method_handler(refuse)

    def _streamed(self, handler: Handler, call: Call, credentials: str) -> Handler:
        """A method that answers in a stream, on a thread for streams, for a while; refused where no thread is free."""
        gate, pool, observers = self._gate, self._pool, self._observers
        try:
            if gate is not None:
                gate.knock(call, credentials)
            if not pool.has_stream:
                raise _overload()
        except RefusedError as refusal:
            return self._refused(refusal, call)
        method: Any = handler.stream_stream if handler.request_streaming else handler.unary_stream

        def run(asked: Any, context: grpc.ServicerContext) -> Iterator[Any]:  # noqa: ANN401 - of any method
            _begin(call, context, observers)
            number = pool.patience.watch(context.cancel, seconds=self._bounds.answer_seconds)
            try:
                if gate is not None:
                    gate.enter(call, credentials, context)
                yield from method(asked, context)
            except RefusedError as refusal:
                _abort(refusal, call, context, observers)
            except BaseException:
                call.code = grpc.StatusCode.CANCELLED.name
                _end(call, "given up", observers)
                raise
            finally:
                pool.patience.over(number)
            _end(call, "answered", observers)

        run.experimental_thread_pool = pool.streaming  # type: ignore[attr-defined] # where gRPC looks for it
        make = (
            grpc.stream_stream_rpc_method_handler if handler.request_streaming else grpc.unary_stream_rpc_method_handler
        )
        return make(run, handler.request_deserializer, handler.response_serializer)


def _begin(call: Call, context: grpc.ServicerContext, observers: Sequence[Observer]) -> None:
    call.started = time.perf_counter()
    call.peer = call.peer or context.peer()
    call.caller = call.caller or call.peer
    call.rpc = context
    enter(call)
    for observer in observers:
        observer.began(call)


def _abort(refusal: RefusedError, call: Call, context: grpc.ServicerContext, observers: Sequence[Observer]) -> None:
    status: Any = to_status(refusal)
    call.code, call.reason = status.code.name, refusal.reason_name
    _end(call, "refused", observers)
    trailers = (*status.trailing_metadata, (REQUEST_ID, call.request_id))
    context.abort_with_status(_Ending(status.code, status.details, trailers))


def _end(call: Call, event: str, observers: Sequence[Observer]) -> None:
    call.ended = time.perf_counter()
    call.rpc = None  # or the two would hold one another, and the transport's memory, until the next collection
    said: dict[str, object] = {"reason": call.reason} if call.reason else {}
    if call.role:
        said |= {"role": call.role, "tenant": call.tenant, "peer": call.peer}
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


def _overload() -> RefusedError:
    return RefusedError(
        ErrorReason.ERROR_REASON_OVERLOADED,
        "more calls wait than the server can answer soon; nothing was done, and asking again a little later is safe",
    )


def _call(method: str, metadata: Any, *, gateway_pass: str) -> tuple[Call, str]:  # noqa: ANN401 - as grpc types it
    """The call, and what the caller would prove itself with, which is kept out of it."""
    request_id = trace_parent = credentials = shown = forwarded_for = ""
    for key, value in metadata or ():
        if not isinstance(value, str):
            continue
        if key == REQUEST_ID and len(value) <= _MAX_REQUEST_ID and value.isascii() and value.isprintable():
            request_id = value
        elif key == TRACE_PARENT and len(value) <= _MAX_TRACE_PARENT:
            trace_parent = value
        elif key == CREDENTIALS:
            credentials = value
        elif key == GATEWAY:
            shown = value
        elif key == FORWARDED_FOR:
            forwarded_for = value
    is_forwarded = bool(gateway_pass) and hmac.compare_digest(shown.encode(), gateway_pass.encode())
    call = Call(
        method=method,
        request_id=request_id or secrets.token_hex(8),
        caller="",
        arrived=time.perf_counter(),
        trace_parent=trace_parent,
        peer=forwarded_for if is_forwarded else "",
    )
    return call, credentials
