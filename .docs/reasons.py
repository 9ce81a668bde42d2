"""The page of all reasons for which a call is refused, each with its remedy, made from the comments of the protos."""

from collections.abc import Iterator
from typing import Final

import reference
from google.rpc import code_pb2, status_pb2
from referee_client import RefereeError

from referee.service.status import CODES
from referee.v1.error_reason_pb2 import ErrorReason

_REMEDY: Final = "Remedy: "
_HEAD: Final = """\
# Why calls are refused, and what to do

A refused call carries `google.rpc.ErrorInfo` with the domain `referee.v1` and one of these {count} reasons. The SDKs
give it as `reason` of the error, beside `field`, the path of the request's field at fault, and `facts`, the metadata.
Over Connect it is in `details` of the body, readable in `debug`. Nothing was written, unless the reason says so. An
error without a reason comes from gRPC or from what is between client and server.

Reasons may be added: treat one that you do not know by its status.
"""


def page() -> str:
    """Return the page, in Markdown, with a section for each reason, sorted by name."""
    names = sorted(ErrorReason.Name(number).removeprefix("ERROR_REASON_") for number in CODES)
    lines = [line for name in names for line in _section(name)]
    return "\n".join([_HEAD.format(count=len(names)), *lines, ""])


def _section(name: str) -> Iterator[str]:
    number = ErrorReason.Value(f"ERROR_REASON_{name}")
    code = code_pb2.Code.Name(CODES[number])
    *paragraphs, remedy = reference.paragraphs_of()[f"referee.v1.ErrorReason.ERROR_REASON_{name}"]
    if not remedy.startswith(_REMEDY):
        msg = f"the comment of ERROR_REASON_{name} in error_reason.proto has no last paragraph '{_REMEDY}...'"
        raise ValueError(msg)
    raised = type(RefereeError.of_status(status_pb2.Status(code=CODES[number]))).__name__
    yield f"## {name}"
    yield ""
    yield f"Status `{code}`, thrown as `{raised}`; number {number}."
    yield ""
    yield from (f"{text.removeprefix(f'{code}. ')}\n" for text in paragraphs)
    yield f"**Remedy.** {remedy.removeprefix(_REMEDY)}"
    yield ""
