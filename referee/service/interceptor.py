"""What happens around every call: a request id, one log line, and one way for a refusal to become a status.

The log line names the method, the outcome and how long it took; it never holds a request's or an answer's content,
so no card, seed or key can reach a log.
"""

import secrets
import time
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import grpc
import structlog
from google.protobuf.message import DecodeError

from referee.service.settling import log_refusals
from referee.service.status import to_status
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

REQUEST_ID: Final = "x-request-id"
_MAX_REQUEST_ID: Final = 128

_log = structlog.get_logger("referee.call")

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


class CallInterceptor(grpc.ServerInterceptor):
    """Wraps every unary method; methods of health and reflection included.

    A message longer than ``max_message_bytes``, or one that is no message, is refused like any other bad question:
    the transport alone would say so without a reason.
    """

    def __init__(self, *, max_message_bytes: int) -> None:
        self._max_message_bytes = max_message_bytes

    def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Handler | None]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler | None":
        """The handler of the method with the wrapping around it."""
        handler = continuation(handler_call_details)
        if handler is None or handler.unary_unary is None:
            return handler
        return grpc.unary_unary_rpc_method_handler(
            _wrapped(handler_call_details.method, handler.unary_unary, handler_call_details.invocation_metadata),
            request_deserializer=_reading(handler.request_deserializer, self._max_message_bytes),
            response_serializer=handler.response_serializer,
        )


def _wrapped(method: str, answer: Callable[[Any, grpc.ServicerContext], Any], metadata: Any) -> Callable[..., Any]:  # noqa: ANN401 - grpc types metadata and messages as Any
    def call(request: Any, context: grpc.ServicerContext) -> Any:  # noqa: ANN401 - any message
        start = time.perf_counter()
        request_id = _request_id(metadata)
        try:
            with log_refusals():
                response = answer(_readable(request), context)
        except RefusedError as refusal:
            _log.info("refused", method=method, request_id=request_id, reason=refusal.reason_name, ms=_ms(start))
            context.abort_with_status(to_status(refusal))
        except Exception as error:
            if context.code() is not None:  # type: ignore[attr-defined] # the method aborted by itself
                raise
            _log.exception("failed", method=method, request_id=request_id, error=type(error).__name__, ms=_ms(start))
            internal = RefusedError(
                ErrorReason.ERROR_REASON_INTERNAL,
                f"the server failed; its log has the request id {request_id}",
                request_id=request_id,
            )
            context.abort_with_status(to_status(internal))
        _log.info("answered", method=method, request_id=request_id, ms=_ms(start))
        return response

    return call


def _reading(parse: Callable[[bytes], Any] | None, limit: int) -> Callable[[bytes], Any]:
    def read(data: bytes) -> Any:  # noqa: ANN401 - any message
        if len(data) > limit:
            return RefusedError(
                ErrorReason.ERROR_REASON_MESSAGE_TOO_LARGE,
                f"the message has {len(data)} bytes and the server accepts {limit}; send a smaller batch",
                limit=limit,
                found=len(data),
            )
        try:
            return parse(data) if parse else data
        except (DecodeError, UnicodeDecodeError) as error:
            return RefusedError(ErrorReason.ERROR_REASON_MALFORMED, f"the bytes are no message of this method: {error}")

    return read


def _readable(request: Any) -> Any:  # noqa: ANN401 - any message
    if isinstance(request, RefusedError):
        raise request
    return request


def _request_id(metadata: Any) -> str:  # noqa: ANN401 - grpc types metadata as Any
    for key, value in metadata or ():
        if key == REQUEST_ID and isinstance(value, str) and len(value) <= _MAX_REQUEST_ID and value.isprintable():
            return value
    return secrets.token_hex(8)


def _ms(start: float) -> float:
    return round((time.perf_counter() - start) * 1000, 3)
