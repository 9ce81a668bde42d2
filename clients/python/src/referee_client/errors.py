"""A refused call as an exception that says what was wrong, where, and whether asking again can help.

Every refusal is a ``RefereeError``; its class follows from the gRPC status code alone, so a reason that this
version does not know is still caught. ``reason`` is the name of a value of ``ErrorReason`` without its prefix, such as
``"SEED_MISMATCH"``; ``field`` is the path of the request's field at fault, such as ``"client_seeds[2]"``.

A broken rule of a game is no error: it is answered with ``violations``. What a server says and cannot prove is no
refusal either, but a ``VerificationError``.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Self

import grpc
import grpc.aio
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

_DETAILS: Final = "grpc-status-details-bin"
_DOMAIN: Final = "referee.v1"
_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}


class VerificationError(Exception):
    """Something that a server said does not hold: a signature, a proof, a commitment, cards that were not dealt.

    Keep what it was said in; it is evidence. Asking again is no use, and nothing that follows should be believed.
    """


class WrongSecretsError(ValueError):
    """Secrets of a seat that are not those that the round was opened with; nothing that the server did is wrong."""


class RoundLapsesError(Exception):
    """A resumed round in which a move may be missing for which the referee gave a receipt.

    Going on could settle it without that move, which an audit charges to the frontend. Abort it after its deadline with
    the reason DEADLINE, or leave that to the server.
    """


class RefereeError(Exception):
    """A call that was refused or did not arrive. ``reason`` and ``field`` are empty where the server named none."""

    def __init__(
        self, message: str, *, code: grpc.StatusCode, reason: str = "", field: str = "", facts: Mapping[str, str] = {}
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.field = field
        self.facts: Mapping[str, str] = dict(facts)

    @classmethod
    def of(cls, call: grpc.Call | grpc.aio.AioRpcError, *, method: str = "", seconds: float | None = None) -> Self:
        """Return the error that the status of a failed call describes.

        What gRPC itself reports, without a reason of the server, is completed with the method and what to do.
        """
        error = cls._of(call.code(), call.details() or "", _details_of(call))
        if not error.reason:
            message = _completed(call.code(), call.details() or "", method=method, seconds=seconds)
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
    """The request cannot be meant: a field is missing or out of range. Mend the caller; asking again is no use."""


class NotFoundError(RefereeError):
    """What was named does not exist, such as a ruleset."""


class DeniedError(RefereeError):
    """A forged certificate, a wrong token, or a caller who may not ask this."""


class ConflictError(RefereeError):
    """The slot is taken by something else: the round was opened, dealt or settled otherwise."""


class NotReadyError(RefereeError):
    """The round is not where this call needs it; read its state, then continue from there."""


class UnavailableError(RefereeError):
    """The server cannot be reached or has no room now. What is idempotent was tried again; do so later."""


class TimedOutError(RefereeError):
    """No answer within the deadline. The call may have been carried out: ask again, it is idempotent, or look."""


class DataLossError(RefereeError):
    """The log does not hold what it promised. A person has to look; nothing can be written meanwhile."""


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


def _completed(code: grpc.StatusCode, message: str, *, method: str, seconds: float | None) -> str:
    """Return gRPC's own message with the method and what to do about it."""
    name = method.rpartition("/")[2] or "the call"
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        within = "" if seconds is None else f" within {seconds:g} s"
        return f"{name} was not answered{within}; it may have been carried out, so ask again: the answer is the same"
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED and "larger than max" in message:
        return (
            f"{name} carries more than the server reads ({message}); send one round a request, and no certificate twice"
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
            return list(status_pb2.Status.FromString(value).details)
    return []
