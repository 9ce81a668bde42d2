"""Message codecs between browser and service: binary, passed on unread, and proto3 JSON; and their content types.

JSON accepts lowerCamelCase and proto field names and ignores unknown fields, as binary does. JSON that does not parse
is rejected as MALFORMED.

>>> from referee.v1.ruleset_pb2 import GetRulesetRequest
>>> request = Json().decode(b'{"rulesetId": "mau_binh.classic"}', GetRulesetRequest)
>>> Json().encode(EncodedAnswer(request, GetRulesetRequest))
b'{"rulesetId":"mau_binh.classic"}'
"""

import json
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs

from connectrpc.code import Code
from connectrpc.codec import Codec
from connectrpc.errors import ConnectError
from google.protobuf import json_format
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from starlette.responses import JSONResponse

from referee.web.errors import error_response, readable

_LONGEST: Final = 1000


@dataclass(frozen=True, slots=True)
class EncodedAnswer:
    """An answer of the service: its bytes and their message type."""

    data: bytes
    kind: type[Message]


class Binary(Codec[EncodedAnswer, Any]):
    """Codec that passes bytes on."""

    def name(self) -> str:
        """Return the name in content types."""
        return "proto"

    def encode(self, message: EncodedAnswer) -> bytes:
        """Return the answer's bytes."""
        return message.data

    def decode(self, data: bytes | bytearray, message_class: type[Any]) -> bytes:  # noqa: ARG002 - used by JSON only
        """Return the request's bytes."""
        return bytes(data)


class Json(Codec[EncodedAnswer, Any]):
    """Codec of proto3 JSON."""

    def name(self) -> str:
        """Return the name in content types."""
        return "json"

    def encode(self, message: EncodedAnswer) -> bytes:
        """Encode the answer as one line of JSON in UTF-8."""
        fields = json_format.MessageToDict(message.kind.FromString(message.data))
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()

    def decode(self, data: bytes | bytearray, message_class: type[Any]) -> bytes:
        """Parse a request; an empty body is an empty message."""
        text = bytes(data).strip() or b"{}"
        if not text.startswith(b"{"):
            raise _malformed("it is not an object")
        try:
            request: Message = json_format.Parse(text, message_class(), ignore_unknown_fields=True)
        except (json_format.ParseError, UnicodeDecodeError, RecursionError) as error:
            raise _malformed(str(error)) from None
        return request.SerializeToString()


def _malformed(why: str) -> ConnectError:
    info = error_details_pb2.ErrorInfo(reason="MALFORMED", domain="referee.v1")
    text = f"the JSON is not a message of this method: {why}"
    return ConnectError(Code.INVALID_ARGUMENT, text[:_LONGEST], details=[readable(info)])


CODECS: Final = (Binary(), Json())
"""The codecs that browsers may use."""
_NAMES: Final = tuple(sorted(codec.name() for codec in CODECS))
_WEB: Final = ("application/grpc-web", *(f"application/grpc-web+{name}" for name in _NAMES))
UNARY_TYPES: Final = (*(f"application/{name}" for name in _NAMES), *_WEB)
STREAM_TYPES: Final = (*(f"application/connect+{name}" for name in _NAMES), *_WEB)
_GRPC: Final = "application/grpc"


def refusal(method: str, content_type: str, query: str, *, is_stream: bool, is_reading: bool) -> JSONResponse | None:
    """Return the response that refuses a request for a method of the services; None for one that is a call.

    ``is_reading`` marks methods that may be asked by GET.

    >>> print(refusal("POST", "text/plain", "", is_stream=False, is_reading=False).body.decode())  # doctest: +ELLIPSIS
    {..."message":"a call has one of these content types: application/json, application/proto, ...; found 'text/plain'"}
    """
    types = STREAM_TYPES if is_stream else UNARY_TYPES
    methods = ("GET", "POST") if is_reading and not is_stream else ("POST",)
    if method not in methods:
        text = f"this method is called by {' or '.join(methods)}; found {method}"
        return error_response(405, Code.UNIMPLEMENTED, text, {"allow": ", ".join(methods)})
    if method == "GET":
        encoding = parse_qs(query).get("encoding", [""])[0]
        if encoding in _NAMES:
            return None
        text = f"a call by GET has one of these in ?encoding=: {', '.join(_NAMES)}; found {encoding!r}"
        return error_response(415, Code.INVALID_ARGUMENT, text, {"accept-post": ", ".join(types)})
    found = content_type.partition(";")[0].strip().lower()
    if found in types:
        return None
    text = f"a call has one of these content types: {', '.join(types)}; found {found!r}"
    if found == _GRPC or found.startswith(f"{_GRPC}+"):
        text += ". gRPC itself is spoken at the server's own address, not at the gateway"
    return error_response(415, Code.INVALID_ARGUMENT, text, {"accept-post": ", ".join(types)})
