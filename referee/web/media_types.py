"""HTTP methods and content types that the gateway takes, and its answer to all others.

>>> print(refusal("POST", "text/plain", "", is_stream=False, is_reading=False).message)  # doctest: +ELLIPSIS
a call has one of these content types: application/json, application/proto, ...; found 'text/plain'
"""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs

from connectrpc.code import Code
from starlette.responses import JSONResponse

from referee.web.codec import CODECS

_NAMES: Final = tuple(sorted(codec.name() for codec in CODECS))
_WEB: Final = ("application/grpc-web", *(f"application/grpc-web+{name}" for name in _NAMES))
UNARY_TYPES: Final = (*(f"application/{name}" for name in _NAMES), *_WEB)
STREAM_TYPES: Final = (*(f"application/connect+{name}" for name in _NAMES), *_WEB)
_GRPC: Final = "application/grpc"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer to a request that cannot be read as a call; ``allowed`` goes into the header named ``header``."""

    status: HTTPStatus
    code: Code
    message: str
    header: str
    allowed: tuple[str, ...]

    def response(self) -> JSONResponse:
        """Return the response, an error of Connect."""
        body = {"code": self.code.value, "message": self.message}
        return JSONResponse(body, status_code=self.status, headers={self.header: ", ".join(self.allowed)})


def refusal(method: str, content_type: str, query: str, *, is_stream: bool, is_reading: bool) -> Refusal | None:
    """Return what refuses a request for a method of the services; None for one that is a call.

    ``is_reading`` marks methods that may be asked by GET.
    """
    types = STREAM_TYPES if is_stream else UNARY_TYPES
    methods = ("GET", "POST") if is_reading and not is_stream else ("POST",)
    if method not in methods:
        text = f"this method is called by {' or '.join(methods)}; found {method}"
        return Refusal(HTTPStatus.METHOD_NOT_ALLOWED, Code.UNIMPLEMENTED, text, "allow", methods)
    if method == "GET":
        encoding = parse_qs(query).get("encoding", [""])[0]
        if encoding in _NAMES:
            return None
        text = f"a call by GET has one of these in ?encoding=: {', '.join(_NAMES)}; found {encoding!r}"
        return Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, Code.INVALID_ARGUMENT, text, "accept-post", types)
    found = content_type.partition(";")[0].strip().lower()
    if found in types:
        return None
    text = f"a call has one of these content types: {', '.join(types)}; found {found!r}"
    if found == _GRPC or found.startswith(f"{_GRPC}+"):
        text += ". gRPC itself is spoken at the server's own address, not at the gateway"
    return Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, Code.INVALID_ARGUMENT, text, "accept-post", types)
