"""Errors of the service for browsers, with code, message and all details.

gRPC-Web carries the details in ``grpc-status-details-bin``, Connect in the body, each with a readable ``debug`` field.

>>> detail = readable(error_details_pb2.ErrorInfo(reason="MALFORMED", domain="referee.v1"))
>>> detail.type_name
'google.rpc.ErrorInfo'
"""

import json
from collections.abc import Iterable, Mapping
from typing import Final

import grpc
import grpc.aio
from connectrpc.code import Code
from connectrpc.errors import ConnectError, ErrorDetail
from google.protobuf import json_format, symbol_database
from google.protobuf.any_pb2 import Any
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2, status_pb2
from protobuf import wkt
from starlette.responses import JSONResponse

DETAILS: Final = "grpc-status-details-bin"
_CODES: Final = {
    code: Code["CANCELED" if code.name == "CANCELLED" else code.name] for code in grpc.StatusCode if code.value[0]
}
_KNOWN: Final = frozenset(error_details_pb2.DESCRIPTOR.message_types_by_name)


class _ReadableDetail(ErrorDetail):
    """A detail with its value as JSON."""

    def __init__(self, packed: wkt.Any, shown: wkt.Struct | None) -> None:
        super().__init__(packed)
        self._shown = shown

    def value(self, *_: object) -> wkt.Struct | None:  # type: ignore[override] # called for JSON only, with a Struct
        """Return the value of ``debug``."""
        return self._shown


def readable(message: Message) -> ErrorDetail:
    """Wrap a message as an error detail."""
    packed = Any()
    packed.Pack(message)
    return _detail(packed)


def error_response(status: int, code: Code, message: str, headers: Mapping[str, str]) -> JSONResponse:
    """Return an error of Connect as an HTTP response of its own."""
    return JSONResponse({"code": code.value, "message": message}, status_code=status, headers=headers)


def connect_error(error: grpc.aio.AioRpcError) -> ConnectError:
    """Convert the error of a failed call."""
    return ConnectError(_CODES[error.code()], error.details() or "", details=_details(error.trailing_metadata() or ()))


def _details(trailers: Iterable[tuple[str, str | bytes]]) -> list[ErrorDetail]:
    for key, value in trailers:
        if key == DETAILS and isinstance(value, bytes):
            try:
                return [_detail(packed) for packed in status_pb2.Status.FromString(value).details]
            except DecodeError:
                return []
    return []


def _detail(packed: Any) -> ErrorDetail:
    return _ReadableDetail(wkt.Any(type_url=packed.type_url, value=packed.value), _shown(packed))


def _shown(packed: Any) -> wkt.Struct | None:
    """Return the detail as JSON if its type is known."""
    if packed.TypeName().removeprefix("google.rpc.") not in _KNOWN:
        return None
    message = symbol_database.Default().GetSymbol(packed.TypeName())()
    if not packed.Unpack(message):
        return None
    return wkt.Struct.from_json(json.dumps(json_format.MessageToDict(message)))
