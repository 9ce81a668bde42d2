"""AdviceService in front of the process that advises: calls are judged here and forwarded as bytes.

A call that its caller gives up is stopped there by its id, and counts until the process has let go of it. A call that
is not answered ``GRACE_SECONDS`` after its time hangs, and with it the process.
"""

import itertools
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final, cast

import grpc
import structlog
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from referee.server.process.advice_child import RETRY_SECONDS, AdviceLine, bearing, lost
from referee.service.advising import ADVISING
from referee.service.call import CallEndedError, current
from referee.service.charter import CALL, CHARTER, INTRODUCE, NOW, SECONDS, STOP, UNINTRODUCED, Charter
from referee.service.interceptor import REQUEST_ID
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

GRACE_SECONDS: Final = 2.0
"""Time after the end of a call in which the process must have let go of it."""
OUTCOMES: Final = ("ANSWERED", "REFUSED", "GIVEN_UP", "LATE", "LOST")
"""What becomes of a question: answered, refused by the process, caller gone, too long, or the process lost."""
_CONTROL_SECONDS: Final = 10.0
_log = structlog.get_logger("referee.advice")
_DETAILS: Final = "grpc-status-details-bin"


class AdviceFront:
    """Handlers that forward calls for advice; at most ``most`` wait for the process.

    ``watch(outcome, seconds=...)`` is called after each question that was forwarded, with one of OUTCOMES.
    """

    def __init__(  # noqa: PLR0913 - the line, and what is sent over it
        self,
        line: AdviceLine,
        charter: Charter,
        *,
        most: int,
        seconds: float,
        clock: Callable[[], int],
        token: str = "",
        grace: float = GRACE_SECONDS,
        watch: Callable[..., None] = lambda _outcome, **_: None,
    ) -> None:
        self._line, self._charter = line, charter
        self._most, self.seconds, self.grace = most, seconds, grace
        self._clock, self.watch = clock, watch
        self._credentials = bearing(token)
        self._numbers = itertools.count()
        self._counting = threading.Lock()
        self.under_way = 0
        """Number of questions that the process has."""

    def add_to_server(self, server: grpc.Server) -> None:
        """Add the methods of all services that advise."""
        add_methods(server, lambda method: partial(self._answer, _path_of(method)))

    def _answer(self, path: str, request: Message, context: grpc.ServicerContext) -> bytes:
        """Forward a call and return the encoded answer, or end it with the status of the process."""
        self._begin()
        is_counted = True
        begun = time.perf_counter()
        try:
            left = context.time_remaining()
            seconds = self.seconds if left is None else max(0.0, min(self.seconds, left))
            channel, identity = self._line.channel(), f"{id(self):x}-{next(self._numbers)}"
            data = request.SerializeToString()
            future = self._forward(channel, path, data, identity, seconds)
            over = threading.Event()
            future.add_done_callback(lambda _: over.set())
            if not context.add_callback(over.set):
                over.set()
            over.wait()
            if future.done() and _is_uninformed(future):
                self._introduce(channel)
                over.clear()
                future = self._forward(channel, path, data, identity, seconds)
                future.add_done_callback(lambda _: over.set())
                if not context.is_active():
                    over.set()
                over.wait()
            future.add_done_callback(lambda done: self._end(done, channel, begun, is_given_up=not context.is_active()))
            is_counted = False  # until the process has let go of it
            if not future.done():
                self._stop(channel, identity)
                raise CallEndedError
            return self._result(future, context)
        finally:
            if is_counted:
                self._leave()

    def _begin(self) -> None:
        with self._counting:
            if self.under_way >= self._most:
                message = f"{self.under_way} calls for advice are under way, and the server takes no more"
                raise RefusedError(ErrorReason.ERROR_REASON_ADVICE_BUSY, message, retry_seconds=RETRY_SECONDS)
            self.under_way += 1

    def _leave(self) -> None:
        with self._counting:
            self.under_way -= 1

    def _forward(self, channel: grpc.Channel, path: str, data: bytes, identity: str, seconds: float) -> Any:  # noqa: ANN401 - gRPC's future
        call = current()
        metadata = [
            (CHARTER, self._charter.digest),
            (NOW, str(self._clock())),
            (SECONDS, f"{seconds:.6f}"),
            (CALL, identity),
            *self._credentials,
        ]
        if call is not None:
            metadata.append((REQUEST_ID, call.request_id))
        try:
            method: Any = channel.unary_unary(path)
            return method.future(data, timeout=seconds + self.grace, metadata=metadata)
        except ValueError:  # the channel was closed meanwhile, because the process ended
            raise lost() from None

    def _introduce(self, channel: grpc.Channel) -> None:
        try:
            method: Any = channel.unary_unary(INTRODUCE)
            method(self._charter.encoded, timeout=_CONTROL_SECONDS, metadata=self._credentials)
        except (grpc.RpcError, ValueError):
            raise lost() from None

    def _stop(self, channel: grpc.Channel, identity: str) -> None:
        with suppress(ValueError):  # the channel was closed meanwhile
            method: Any = channel.unary_unary(STOP)
            stopping = method.future(identity.encode(), timeout=_CONTROL_SECONDS, metadata=self._credentials)
            stopping.add_done_callback(lambda _: None)  # which keeps the call: gRPC cancels one that nobody refers to

    def _end(self, future: Any, channel: grpc.Channel, begun: float, *, is_given_up: bool) -> None:  # noqa: ANN401
        """Count a question no longer, which the process has let go of, or which hangs."""
        self._leave()
        code, has_reason = future.code(), bool(_reason_of(future))
        if code is grpc.StatusCode.DEADLINE_EXCEEDED and not has_reason:
            self._line.end_hung(channel)
        if code is grpc.StatusCode.OK:
            outcome = "ANSWERED"
        elif is_given_up:
            outcome = "GIVEN_UP"
        elif code is grpc.StatusCode.DEADLINE_EXCEEDED:
            outcome = "LATE"
        else:
            outcome = "REFUSED" if has_reason else "LOST"
        self.watch(outcome, seconds=time.perf_counter() - begun)

    def _result(self, future: Any, context: grpc.ServicerContext) -> bytes:  # noqa: ANN401 - gRPC's future
        """Return the answer of the process, or end the call with its status."""
        code = future.code()
        if code is grpc.StatusCode.OK:
            answer: bytes = future.result()
            return answer
        reason = _reason_of(future)
        if not context.is_active():
            raise CallEndedError
        if code is grpc.StatusCode.DEADLINE_EXCEEDED and not reason:
            raise RefusedError(
                ErrorReason.ERROR_REASON_ADVICE_TOO_LONG,
                f"the advice was not computed within {self.seconds:g} s, waiting included; ask for less",
                limit=f"{self.seconds:g}",
            )
        if code is grpc.StatusCode.UNAUTHENTICATED:
            _log.error("the process of advice knows another token", remedy="give both the same file at advice.token")
        if not reason or code is grpc.StatusCode.UNAUTHENTICATED:
            raise lost()
        call = current()
        trailers = [(key, value) for key, value in future.trailing_metadata() or () if key == _DETAILS]
        if call is not None:
            call.reason = reason
            trailers.append((REQUEST_ID, call.request_id))
        context.set_trailing_metadata(tuple(trailers))
        return cast("bytes", context.abort(code, future.details()))  # raises gRPC's own exception


def add_methods(server: grpc.Server, answer_of: Callable[[MethodDescriptor], Callable[..., Any]]) -> None:
    """Add the methods of all services that advise: requests are read, so that access is judged; answers are bytes."""
    for service in ADVISING.values():
        handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            method.name: grpc.unary_unary_rpc_method_handler(
                answer_of(method), request_deserializer=GetMessageClass(method.input_type).FromString
            )
            for method in service.descriptor.methods
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service.full_name, handlers),))
        server.add_registered_method_handlers(service.full_name, handlers)


def refuse_advice(server: grpc.Server) -> None:
    """Add the methods of all services that advise, each of which says that this server gives no advice."""

    def refuse(_request: Message, context: grpc.ServicerContext) -> bytes:
        context.abort(grpc.StatusCode.UNIMPLEMENTED, 'this server gives no advice: its advice.address is "off"')

    add_methods(server, lambda _method: refuse)


def _path_of(method: MethodDescriptor) -> str:
    return f"/{method.containing_service.full_name}/{method.name}"


def _is_uninformed(future: Any) -> bool:  # noqa: ANN401 - gRPC's future
    return future.code() is grpc.StatusCode.FAILED_PRECONDITION and future.details() == UNINTRODUCED


def _reason_of(future: Any) -> str:  # noqa: ANN401 - gRPC's future
    """Return the reason that a status of the process gives; empty for a status of the transport."""
    if future.code() is grpc.StatusCode.OK:
        return ""
    status = rpc_status.from_call(future)
    info = error_details_pb2.ErrorInfo()
    for detail in () if status is None else status.details:
        if detail.Unpack(info):
            return str(info.reason)
    return ""
