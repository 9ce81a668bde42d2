"""Exceptions for calls that a server refused: the fault, the field, and whether a retry can help.

Every refusal is a ``RefereeError``; its class follows from the gRPC status code alone, so a reason that this version
does not know is still caught. ``reason`` is the name of a value of ``ErrorReason`` without its prefix, such as
``"SEED_MISMATCH"``; ``field`` is the path of the request's field at fault, such as ``"client_seeds[2]"``.

A move against a game's rules is no error: the answer lists ``violations``. If a server's answer cannot be verified, the
client raises ``VerificationError`` instead.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Self

import grpc
import grpc.aio
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from referee.evidence.outside import OutsideError, read_message
from referee.reach import proxy_words

_DETAILS: Final = "grpc-status-details-bin"
_DOMAIN: Final = "referee.v1"
_UNHEALTHY: Final = "backend unhealthy"
"""Text by which gRPC reports that a server was reached and its health is NOT_SERVING; there is no other sign of it."""
_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}


class VerificationError(Exception):
    """Error for a server's answer that proves false: a signature, a proof, a commitment, cards that were not dealt.

    Keep the answer, which is evidence. A retry does not help, and later answers must not be trusted.
    """


class WrongSecretsError(ValueError):
    """Error for a seat's secrets that are not those that the round was opened with; the server is not at fault."""


class RoundLapsesError(Exception):
    """Error for a resumed round that may lack a move for which the referee gave a receipt.

    Continuing could settle the round without that move, for which an audit blames the frontend. Abort it after its
    deadline with the reason DEADLINE, or let the server do so.
    """


class RefereeError(Exception):
    """Error for a call that was refused or did not arrive; its message says what was wrong and what to do."""

    def __init__(
        self, message: str, *, code: grpc.StatusCode, reason: str = "", field: str = "", facts: Mapping[str, str] = {}
    ) -> None:
        super().__init__(message)
        self.code: grpc.StatusCode = code
        """gRPC's status code."""
        self.reason: str = reason
        """Name of the ``ErrorReason``, such as ``"SEED_MISMATCH"``; empty if the server named none."""
        self.field: str = field
        """Path of the request's field at fault, such as ``"client_seeds[2]"``; empty if the server named none."""
        self.facts: Mapping[str, str] = dict(facts)
        """What else the server said, by name, such as ``"deadline_time"``."""

    @classmethod
    def of(
        cls,
        call: grpc.Call | grpc.aio.AioRpcError,
        *,
        method: str = "",
        seconds: float | None = None,
        address: str = "",
    ) -> Self:
        """Make the error for the status of a failed call to an address.

        If the status has no reason from the server, the message also names the method and what to do.
        """
        error = cls._of(call.code(), call.details() or "", _details_of(call))
        if not error.reason:
            message = _completed(call.code(), call.details() or "", method=method, seconds=seconds, address=address)
            return type(error)(message, code=error.code, reason="", field=error.field, facts=error.facts)
        return error

    @classmethod
    def of_status(cls, status: status_pb2.Status) -> Self:
        """Return the error of a request that its batch refused."""
        return cls._of(_CODES.get(status.code, grpc.StatusCode.UNKNOWN), status.message, status.details)

    @classmethod
    def _of(cls, code: grpc.StatusCode, message: str, details: Iterable[any_pb2.Any]) -> Self:
        reason, field, facts = "", "", {}
        for detail in details:
            info, request = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
            if detail.Unpack(info) and info.domain == _DOMAIN:
                reason, facts = info.reason, dict(info.metadata)
            elif detail.Unpack(request) and request.field_violations:
                field = request.field_violations[0].field
        kind = _KINDS.get(code, cls)
        return kind(message, code=code, reason=reason, field=field, facts=facts)  # type: ignore[return-value] # a subclass


class BadRequestError(RefereeError):
    """Error for an invalid request: a field is missing or out of range. Correct the caller; a retry does not help."""


class NotFoundError(RefereeError):
    """Error for a request that names something unknown, such as a ruleset."""


class DeniedError(RefereeError):
    """Error for a forged certificate, a wrong token, or a caller who may not call this method."""


class ConflictError(RefereeError):
    """Error for a round that was already opened, dealt or settled differently."""


class NotReadyError(RefereeError):
    """Error for a round in the wrong stage for this call; read its state, then continue from there."""


class UnavailableError(RefereeError):
    """Error for a server that cannot be reached or has too many calls.

    Idempotent calls were retried; try again later.
    """


class TimedOutError(RefereeError):
    """Error for a call without an answer in time.

    It may have been carried out: repeat it if it is idempotent, or check.
    """


class DataLossError(RefereeError):
    """Error for a log that lost leaves. A person must repair it; until then nothing can be written."""


_KINDS: Final[Mapping[grpc.StatusCode, type[RefereeError]]] = {
    grpc.StatusCode.INVALID_ARGUMENT: BadRequestError,
    grpc.StatusCode.OUT_OF_RANGE: BadRequestError,
    grpc.StatusCode.NOT_FOUND: NotFoundError,
    grpc.StatusCode.PERMISSION_DENIED: DeniedError,
    grpc.StatusCode.UNAUTHENTICATED: DeniedError,
    grpc.StatusCode.ALREADY_EXISTS: ConflictError,
    grpc.StatusCode.FAILED_PRECONDITION: NotReadyError,
    grpc.StatusCode.ABORTED: NotReadyError,
    grpc.StatusCode.UNAVAILABLE: UnavailableError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: UnavailableError,
    grpc.StatusCode.DEADLINE_EXCEEDED: TimedOutError,
    grpc.StatusCode.DATA_LOSS: DataLossError,
}


def _completed(code: grpc.StatusCode, message: str, *, method: str, seconds: float | None, address: str) -> str:
    """Return gRPC's own message, completed with the method and what to do."""
    name = method.rpartition("/")[2] or "the call"
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        within = "" if seconds is None else f" within {seconds:g} s"
        return f"{name} was not answered{within}; it may have been carried out, so ask again: the answer is the same"
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED and "larger than max" in message:
        return (
            f"{name} carries more than the server reads ({message}); send one round a request, and no certificate twice"
        )
    if code is grpc.StatusCode.UNAVAILABLE and (words := proxy_words(address)):
        return f"{name} did not reach the server ({message}); {words}"
    if code is grpc.StatusCode.UNAVAILABLE and _UNHEALTHY in message:
        return (
            f"{name} was not sent: the server is up and its health says NOT_SERVING, that it cannot serve; ask its "
            f"operator, whose log says why ({message})"
        )
    if code is grpc.StatusCode.UNAVAILABLE:
        return (
            f"{name} did not reach the server ({message}); check the address, and whether the server asks for TLS or "
            "for a client's certificate: without them it closes the connection"
        )
    return f"{name}: {message}" if method else message


def _details_of(call: grpc.Call | grpc.aio.AioRpcError) -> list[any_pb2.Any]:
    for key, value in call.trailing_metadata() or ():
        if key == _DETAILS and isinstance(value, bytes):
            try:
                return list(read_message(status_pb2.Status, value).details)
            except OutsideError:
                return []
    return []
