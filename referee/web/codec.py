"""Messages between a browser and the service: bytes that are passed on as they are, or JSON written by their types.

The law: a binary message is not read here; what is wrong with it the service says, with its reason. JSON is the proto3
mapping: field names in lowerCamelCase (proto names are read as well), int64 as strings, bytes in base64. Fields that
this version does not know are passed over, as they are in binary. JSON that is no message is refused with the reason
that binary has, MALFORMED.

>>> from referee.v1.ruleset_pb2 import GetRulesetRequest
>>> told = Json().decode(b'{"rulesetId": "mau_binh.classic"}', GetRulesetRequest)
>>> Json().encode(EncodedAnswer(told, GetRulesetRequest))
b'{"rulesetId":"mau_binh.classic"}'
"""

import json
from dataclasses import dataclass
from typing import Any, Final

from connectrpc.code import Code
from connectrpc.codec import Codec
from connectrpc.errors import ConnectError
from google.protobuf import json_format
from google.protobuf.message import Message
from google.rpc import error_details_pb2

from referee.web.errors import readable

_LONGEST: Final = 1000


@dataclass(frozen=True, slots=True)
class EncodedAnswer:
    """What the service answered: the bytes, and the type that they are of."""

    data: bytes
    kind: type[Message]


class Binary(Codec[EncodedAnswer, Any]):
    """The bytes themselves."""

    def name(self) -> str:
        """As content types have it."""
        return "proto"

    def encode(self, message: EncodedAnswer) -> bytes:
        """The answer's bytes."""
        return message.data

    def decode(self, data: bytes | bytearray, message_class: type[Any]) -> bytes:  # noqa: ARG002 - read by JSON alone
        """The question's bytes, unread."""
        return bytes(data)


class Json(Codec[EncodedAnswer, Any]):
    """JSON for whoever reads and writes it by hand, and for clients that prefer it."""

    def name(self) -> str:
        """As content types have it."""
        return "json"

    def encode(self, message: EncodedAnswer) -> bytes:
        """The answer as one line of JSON, in UTF-8."""
        told = json_format.MessageToDict(message.kind.FromString(message.data))
        return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()

    def decode(self, data: bytes | bytearray, message_class: type[Any]) -> bytes:
        """The question as the service reads it; an empty body asks with nothing set."""
        told = bytes(data).strip() or b"{}"
        if not told.startswith(b"{"):
            msg = "it is no object"
            raise _malformed(msg)
        try:
            asked: Message = json_format.Parse(told, message_class(), ignore_unknown_fields=True)
        except (json_format.ParseError, UnicodeDecodeError, RecursionError) as error:
            raise _malformed(str(error)) from None
        return asked.SerializeToString()


def _malformed(why: str) -> ConnectError:
    info = error_details_pb2.ErrorInfo(reason="MALFORMED", domain="referee.v1")
    text = f"the JSON is no message of this method: {why}"
    return ConnectError(Code.INVALID_ARGUMENT, text[:_LONGEST], details=[readable(info)])


CODECS: Final = (Binary(), Json())
"""What a browser may speak."""
