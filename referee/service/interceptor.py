"""The interceptor of all calls: request id, access control, bounds, a log line, and refusals sent as gRPC statuses.

The log line names the method, outcome, sizes, times and caller. It never holds content or credentials, so no card,
seed, key or token reaches a log. The request id is the caller's or a new one; every answer and refusal returns it in
its trailers. A call that its headers or a full queue rule out is refused at once, without reading its request.
"""

import hmac
import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias, cast

import grpc
import structlog
from google.protobuf.message import DecodeError, Message

from referee.games import LawError
from referee.service.call import Call, CallEndedError, Gate, Observer, enter
from referee.service.pool import LARGE, CallPool, UnreadAnswers
from referee.service.status import log_law_error, refusal_of, release, to_status
from referee.storage import LateLeafError
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

REQUEST_ID: Final = "x-request-id"
TRACE_PARENT: Final = "traceparent"
CREDENTIALS: Final = "authorization"
GATEWAY: Final = "x-referee-gateway"
"""Header with the secret of the gateway in front of this server; with it, the forwarded address is believed."""
FORWARDED_FOR: Final = "x-referee-forwarded-for"
"""Header with the caller's address as a gRPC peer, such as ``ipv4:127.0.0.1:40112``."""
_MAX_REQUEST_ID: Final = 128
_MAX_TRACE_PARENT: Final = 64
_HEALTH: Final = "/grpc.health."
"""Health is answered without access control, also by a server that is overloaded."""

_PROCESS: Final = os.urandom(4).hex()
_numbers: Final = itertools.count(int.from_bytes(os.urandom(4)))
"""Parts of the request id of a call that brings none: eight digits of the process, then eight of the call."""

_OVERLOADED: Final = RefusedError(
    ErrorReason.ERROR_REASON_OVERLOADED,
    "more calls wait than the server can answer soon; nothing was done, and asking again a little later is safe",
)
_OVERLOADED_STATUS: Final = to_status(_OVERLOADED)
"""Status of ``_OVERLOADED``, encoded once, because an overloaded server has no time to encode it for each call."""

_log = structlog.get_logger("referee.call")

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Method: TypeAlias = Callable[[bytes, grpc.ServicerContext], bytes]
Answer: TypeAlias = Callable[[Call, bytes, grpc.ServicerContext], bytes]

_arrived: Final[ContextVar[tuple[Call, str]]] = ContextVar("arrived")
"""The call that arrived, and its credentials. gRPC runs the interceptors and the method of a call in one context."""


class _Known(NamedTuple):
    """A served method and its handler, None if the method is not to be served.

    The handler is wrapped, except for a method that answers in a stream; an unguarded method gets no checks at all.
    """

    handler: "Handler | None"
    gate: Gate | None
    is_health: bool
    is_stream: bool
    is_unguarded: bool


@dataclass(frozen=True, slots=True)
class _RefusedStatus(grpc.Status):
    """Status of a refused call."""

    code: grpc.StatusCode
    details: str
    trailing_metadata: tuple[tuple[str, str | bytes], ...]


class CallInterceptor(grpc.ServerInterceptor):
    """Interceptor of every method but the streams of the health service.

    A method that takes a stream and gives one answer is not served. A request has at most ``message_bytes``, and large
    answers that lie unread have at most ``unread_bytes`` together. An answer may lie unread, and a stream may last, for
    ``answer_seconds``. ``admit`` counts a call against its caller until the call and its work have ended, once its
    request has arrived, and refuses it beyond the caller's limit.
    """

    def __init__(  # noqa: PLR0913 - the limits and parts of a server
        self,
        *,
        message_bytes: int,
        unread_bytes: int,
        answer_seconds: float,
        admit: Callable[[Call, grpc.ServicerContext], None] | None,
        pool: CallPool,
        gate: Gate | None,
        gateway_pass: str,
        observers: Sequence[Observer],
    ) -> None:
        self._message_bytes = message_bytes
        self._answer_seconds = answer_seconds
        self._admit = admit
        self._pool = pool
        self._gate = gate
        self._gateway_pass = gateway_pass
        self._observers = tuple(observers)
        self._unread = UnreadAnswers(limit=unread_bytes)
        self._known: dict[str, _Known] = {}

    def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Handler | None]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler | None":
        """Return the method's wrapped handler, one that refuses the call, or None if the method is not served.

        The call is refused here if its metadata rule it out or the queue has no room for it.
        """
        method = handler_call_details.method
        known = self._known.get(method)
        if known is None:
            handler = continuation(handler_call_details)
            if handler is None:
                return None
            known = self._known[method] = self._know(method, handler)
        if known.is_unguarded:
            return known.handler
        metadata = handler_call_details.invocation_metadata
        call, credentials = _read_metadata(method, metadata, gateway_pass=self._gateway_pass)
        is_stream, gate = known.is_stream, known.gate
        try:
            if not known.is_health:
                _check_credentials_once(metadata)
            if gate is not None:
                gate.knock(call, credentials)
        except RefusedError as refusal:
            release(refusal)
            return self._refuse_at_once(refusal, call)
        if not known.is_health and (not self._pool.has_stream() if is_stream else self._pool.is_full):
            return self._refuse_at_once(_OVERLOADED, call)
        if is_stream and known.handler is not None:
            return self._wrap_stream(known.handler, call, credentials)
        _arrived.set((call, credentials))
        return known.handler

    def _know(self, method: str, handler: Handler) -> "_Known":
        """Return the entry of a method: its handler, wrapped, and the facts that each call needs."""
        is_health, is_stream = method.startswith(_HEALTH), bool(handler.response_streaming)
        gate = None if is_health else self._gate
        if is_stream or handler.unary_unary is None:
            is_unguarded = is_health or not is_stream
            return _Known(handler if is_stream else None, gate, is_health, is_stream, is_unguarded)
        answer = self._wrap(self._wrap_codec(handler, gate), gate, is_health=is_health)
        return _Known(grpc.unary_unary_rpc_method_handler(answer), gate, is_health, is_stream, is_unguarded=False)

    def _wrap(self, answer: Answer, gate: Gate | None, *, is_health: bool) -> Method:
        def run(data: bytes, context: grpc.ServicerContext) -> bytes:
            call, credentials = _arrived.get()
            call.request_bytes = len(data)
            try:
                self._await_turn(call, context, is_health=is_health)
                if gate is not None:
                    gate.enter(call, credentials, context)
                response = answer(call, data, context)
                if len(response) >= LARGE:
                    self._count_unread(len(response), context)
            except Exception as error:
                self._fail(error, call, context)
                raise
            finally:
                call.leave()
            call.response_bytes = len(response)
            context.set_trailing_metadata(((REQUEST_ID, call.request_id),))
            self._end(call, "answered")
            return response

        return run

    def _await_turn(self, call: Call, context: grpc.ServicerContext, *, is_health: bool) -> None:
        """Count a call against its caller and wait for its turn; raise CallEndedError if it has ended meanwhile."""
        call.peer = call.peer or context.peer()
        try:
            if is_health:
                self._pool.note_arrival()  # without a turn: it reads a value, and turns may all be taken
                return
            if self._admit is not None:
                self._admit(call, context)
            self._pool.begin_work()
        finally:
            self._begin(call, context)
        if not context.is_active():
            raise CallEndedError

    def _wrap_codec(self, handler: Handler, gate: Gate | None) -> Answer:
        """Return the method as a function of encoded requests to encoded answers.

        It refuses a request that is too large, malformed, or forbidden to the caller. It calls the method once more
        after LateLeafError, so that the method builds its leaf again with the present time.
        """
        method: Callable[[Any, grpc.ServicerContext], Any] = handler.unary_unary  # type: ignore[assignment] # checked before
        limit = self._message_bytes

        def answer(call: Call, data: bytes, context: grpc.ServicerContext) -> bytes:
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
            try:
                response = method(request, context)
            except LateLeafError as error:
                release(error)
                response = method(request, context)
            if isinstance(response, bytes) or handler.response_serializer is None:
                return cast("bytes", response)  # encoded by the method
            return handler.response_serializer(response)

        return answer

    def _count_unread(self, size: int, context: grpc.ServicerContext) -> None:
        """Count a large answer as unread until the call ends; cancel the call if its caller takes too long to read it.

        Refuse the call if too many bytes of answers lie unread already.
        """
        if not self._unread.add(size):
            raise RefusedError(_OVERLOADED.reason, _OVERLOADED.message)
        timeouts = self._pool.timeouts
        number = timeouts.start(context.cancel, seconds=self._answer_seconds)

        def end() -> None:
            timeouts.stop(number)
            self._unread.remove(size)

        if not context.add_callback(end):
            end()

    def _refuse_at_once(self, refusal: RefusedError, call: Call) -> Handler:
        """Return a handler that refuses the call without waiting for its request, which may never arrive."""

        def refuse(_requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
            self._begin(call, context)
            self._refuse(refusal, call, context)
            yield b""

        refuse.experimental_thread_pool = self._pool.refusing  # type: ignore[attr-defined] # where gRPC looks for it
        return grpc.stream_stream_rpc_method_handler(refuse)

    def _wrap_stream(self, handler: Handler, call: Call, credentials: str) -> Handler:
        """Wrap a method that answers in a stream, so that it runs on a thread for streams and for a limited time."""
        gate, pool = self._gate, self._pool
        method: Any = handler.stream_stream if handler.request_streaming else handler.unary_stream

        def run(asked: Any, context: grpc.ServicerContext) -> Iterator[Any]:
            self._begin(call, context)
            number = pool.timeouts.start(context.cancel, seconds=self._answer_seconds)
            try:
                if self._admit is not None:
                    self._admit(call, context)
                if gate is not None:
                    gate.enter(call, credentials, context)
                with pool.stream(context):
                    yield from method(asked, context)
            except RefusedError as refusal:
                release(refusal)
                self._refuse(refusal, call, context)
            except BaseException:
                call.code = grpc.StatusCode.CANCELLED.name
                self._end(call, "given up")
                raise
            finally:
                pool.timeouts.stop(number)
                call.leave()
            self._end(call, "answered")

        run.experimental_thread_pool = pool.streaming  # type: ignore[attr-defined] # where gRPC looks for it
        make = (
            grpc.stream_stream_rpc_method_handler if handler.request_streaming else grpc.unary_stream_rpc_method_handler
        )
        return make(run, handler.request_deserializer, handler.response_serializer)

    def _begin(self, call: Call, context: grpc.ServicerContext) -> None:
        call.started = time.perf_counter()
        call.peer = call.peer or context.peer()
        call.caller = call.caller or call.peer
        call.rpc = context
        enter(call)
        for observer in self._observers:
            observer.began(call)

    def _fail(self, error: Exception, call: Call, context: grpc.ServicerContext) -> None:
        """End the call with an error's status, by raising gRPC's exception; return if the method has ended it."""
        refusal = refusal_of(error)
        if isinstance(error, LawError):
            log_law_error(error, method=call.method, request_id=call.request_id)
        if refusal is not None:
            release(error)
            self._refuse(refusal, call, context)
        if isinstance(error, CallEndedError | CancelledError):
            is_late = context.time_remaining() <= 0
            code = grpc.StatusCode.DEADLINE_EXCEEDED if is_late else grpc.StatusCode.CANCELLED
            call.code = code.name
            self._end(call, "given up")
            release(error)
            context.abort(code, "the caller no longer waits for the answer; nothing more was begun")
        code = context.code()  # type: ignore[attr-defined] # the stubs leave it out
        if code is not None:  # the method aborted by itself
            call.code = code.name
            self._end(call, "refused")
            return
        _log.error("failed", method=call.method, request_id=call.request_id, error=type(error).__name__, exc_info=error)
        release(error)
        internal = RefusedError(
            ErrorReason.ERROR_REASON_INTERNAL,
            f"the server failed; its log has the request id {call.request_id}",
            request_id=call.request_id,
        )
        self._refuse(internal, call, context)

    def _refuse(self, refusal: RefusedError, call: Call, context: grpc.ServicerContext) -> None:
        """End the call with the status of a refusal: raise gRPC's own exception."""
        status: Any = _OVERLOADED_STATUS if refusal is _OVERLOADED else to_status(refusal)
        call.code, call.reason = status.code.name, refusal.reason_name
        self._end(call, "refused")
        trailers = (*status.trailing_metadata, (REQUEST_ID, call.request_id))
        context.abort_with_status(_RefusedStatus(status.code, status.details, trailers))

    def _end(self, call: Call, event: str) -> None:
        call.ended = time.perf_counter()
        call.rpc = None  # break the cycle with the transport, whose memory would else wait for the garbage collector
        known: dict[str, object] = {"reason": call.reason} if call.reason else {}
        if call.role:
            known |= {"role": call.role, "tenant": call.tenant, "peer": call.peer}
        if call.leaves:
            known["leaves"] = call.leaves
        _log.info(
            event,
            method=call.method,
            code=call.code,
            ms=_ms(call.ended - call.started),
            waited_ms=_ms(call.started - call.arrived),
            request_bytes=call.request_bytes,
            response_bytes=call.response_bytes,
            caller=call.caller,
            request_id=call.request_id,
            **known,
        )
        for observer in self._observers:
            observer.ended(call)


def _ms(seconds: float) -> float:
    """Return seconds as milliseconds, rounded to the microsecond."""
    return int(seconds * 1e6 + 0.5) / 1000


def _check_credentials_once(metadata: Any) -> None:
    """Refuse a call with several ``authorization`` headers: a proxy may have checked another one than this server."""
    count = [key for key, _ in metadata or ()].count(CREDENTIALS)
    if count > 1:
        raise RefusedError(
            ErrorReason.ERROR_REASON_CREDENTIALS_INVALID,
            f"the call has {count} authorization headers; send one",
            found=count,
            limit=1,
        )


def _read_metadata(method: str, metadata: Any, *, gateway_pass: str) -> tuple[Call, str]:
    """Read a call from the request's metadata; return it and its credentials, which the call itself must not hold."""
    known: dict[str, str] = dict(metadata or ())  # no header read here is bytes: only names that end in -bin are
    request_id, trace_parent = known.get(REQUEST_ID, ""), known.get(TRACE_PARENT, "")
    if len(request_id) > _MAX_REQUEST_ID or not request_id.isascii() or not request_id.isprintable():
        request_id = ""
    is_forwarded = bool(gateway_pass) and hmac.compare_digest(known.get(GATEWAY, "").encode(), gateway_pass.encode())
    call = Call(
        method=method,
        request_id=request_id or f"{_PROCESS}{next(_numbers) & 0xFFFFFFFF:08x}",
        caller="",
        arrived=time.perf_counter(),
        trace_parent=trace_parent if len(trace_parent) <= _MAX_TRACE_PARENT else "",
        peer=known.get(FORWARDED_FOR, "") if is_forwarded else "",
    )
    return call, known.get(CREDENTIALS, "")
