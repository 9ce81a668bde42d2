"""Conversion of errors to refusals, and of refusals to gRPC statuses: code, ErrorInfo, BadRequest and RetryInfo.

``error_reason.proto`` documents the code of each reason for callers; a test compares it with ``CODES``.
"""

import traceback
from typing import Final

import grpc
import structlog
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from referee.evidence.ed25519 import SignerRetiredError, SignerUnavailableError
from referee.evidence.printable import error_words
from referee.games import LawError
from referee.log import SlotError
from referee.storage import (
    ClockError,
    DataLossError,
    LateLeafError,
    QueueFullError,
    StaleRoundError,
    StoreError,
    WriterClosedError,
)
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError
from referee.wire.round import slot_refusal

DOMAIN: Final = "referee.v1"
_log = structlog.get_logger("referee.law")
LONGEST: Final = 1000
"""Longest text in a status, in characters: a status travels in trailers, and clients limit the size of trailers."""

_REASONS: Final = {
    code_pb2.INVALID_ARGUMENT: """
        MISSING_FIELD INVALID_FIELD INVALID_CARD DUPLICATE_CARD INVALID_SEAT INVALID_STAKE INVALID_HEADER
        MALFORMED FOREIGN SECTION_MISSING SEED_MISMATCH TOO_MANY_EVENTS BAD_SIGNATURE
        SIGNATURE_MISSING NOT_RECEIVED NOT_SEEN
        DEADLINE_OUT_OF_BOUNDS
    """,
    code_pb2.NOT_FOUND: "UNKNOWN_RULESET",
    code_pb2.PERMISSION_DENIED: "FORGED WRONG_TOKEN ROLE_FORBIDDEN TABLE_FORBIDDEN SEAT_FORBIDDEN",
    code_pb2.FAILED_PRECONDITION: """
        EXPIRED NOT_OPENED NOT_DEALT ABORTED PREVIOUS_ROUND_OPEN WRONG_PREVIOUS DEAL_MISMATCH
        DEADLINE_PASSED NOT_TERMINAL SECTION_CLOSED DEADLINE_NOT_PASSED NOT_SEALED SEED_MISSING NO_WITNESSES
        NO_ADVICE SEEDS_RECEIVED COURSE_FORKED RULESET_LOST
        ROUND_UNKNOWN RULESET_CLOSED
    """,
    code_pb2.ALREADY_EXISTS: "ALREADY_OPENED ALREADY_DEALT ALREADY_SETTLED ALREADY_CONTRIBUTED",
    code_pb2.RESOURCE_EXHAUSTED: "MESSAGE_TOO_LARGE OVERLOADED RATE_LIMITED TOO_MANY_CALLS ADVICE_BUSY",
    code_pb2.DEADLINE_EXCEEDED: "ADVICE_TOO_LONG",
    code_pb2.UNAVAILABLE: "LOG_BUSY NOT_COSIGNED SIGNER_UNAVAILABLE ADVICE_LOST CLOCK_BEHIND PROVIDER_UNAVAILABLE",
    code_pb2.DATA_LOSS: "LOG_DAMAGED",
    code_pb2.OUT_OF_RANGE: "BEYOND_LOG",
    code_pb2.INTERNAL: "INTERNAL",
    code_pb2.UNAUTHENTICATED: """
        CREDENTIALS_MISSING CREDENTIALS_INVALID CREDENTIALS_EXPIRED CREDENTIALS_REVOKED SIGNATURE_EXPIRED
    """,
}
"""Names of reasons by status code."""
CODES: Final = {
    ErrorReason.Value(f"ERROR_REASON_{name}"): code for code, names in _REASONS.items() for name in names.split()
}
"""The status code of each reason."""


def refusal_of(error: BaseException) -> RefusedError | None:
    """Return the refusal of a call for an error of the log, the store, a signer or a game's law; None for other errors.

    A LateLeafError gives LOG_BUSY. Any other StaleRoundError gives None, because the shuffler catches it and builds the
    leaf again.
    """
    match error:
        case RefusedError():
            return error
        case SlotError():
            return slot_refusal(error)
        case LawError():
            return _law_refusal(error)
        case DataLossError():
            reason, message = ErrorReason.ERROR_REASON_LOG_DAMAGED, str(error)
        case ClockError():
            return RefusedError(ErrorReason.ERROR_REASON_CLOCK_BEHIND, str(error), retry_seconds=error.seconds)
        case LateLeafError():
            reason = ErrorReason.ERROR_REASON_LOG_BUSY
            message = "the log was away for so long that the leaf became too old; ask again, the call is idempotent"
        case SignerRetiredError():
            reason, message = ErrorReason.ERROR_REASON_SIGNER_UNAVAILABLE, str(error)
        case SignerUnavailableError():
            reason = ErrorReason.ERROR_REASON_SIGNER_UNAVAILABLE
            message = "the signer that holds the server's private key does not answer; nothing was done, ask again"
        case QueueFullError() | WriterClosedError() | StoreError() | TimeoutError() if not isinstance(
            error, StaleRoundError
        ):
            reason = ErrorReason.ERROR_REASON_LOG_BUSY
            message = f"{error or 'the log did not answer in time'}; ask again, the call is idempotent"
        case _:
            return None
    return RefusedError(reason, message)


def release(error: BaseException) -> None:
    """Clear the local variables that an error, its causes and its contexts hold through their tracebacks.

    A frame with a variable for the error that holds this frame is a cycle. It would keep the call alive until the next
    garbage collection, and with it a stream of its connection. Frames that still run keep their variables.
    """
    errors, seen = [error], set[int]()
    while errors:
        current = errors.pop()
        seen.add(id(current))
        trace, current.__traceback__ = current.__traceback__, None
        traceback.clear_frames(trace)
        causes = current.__cause__, current.__context__
        errors += [cause for cause in causes if cause is not None and id(cause) not in seen]


def _law_refusal(error: LawError) -> RefusedError:
    """Return the refusal for a defect of a game's law; its fact ``event`` is 0 if the defect showed at no event."""
    return RefusedError(
        ErrorReason.ERROR_REASON_INTERNAL,
        str(error),
        game=error.game,
        ruleset=error.ruleset,
        function=error.function,
        event=error.event,
        fault=error.fault,
    )


def log_law_error(error: LawError, **about: str) -> None:
    """Log a defect of a game's law with its traceback, which shows the place in the game's package."""
    _log.error("law failed", error=error_words(error), exc_info=error, **about)


def to_status(refusal: RefusedError) -> grpc.Status:
    """Return the gRPC status of a refused call."""
    status: grpc.Status = rpc_status.to_status(status_message(refusal))
    return status


def status_message(refusal: RefusedError) -> status_pb2.Status:
    """Return the status of a refusal as a message; a batch answers it for a single refused request."""
    message, field = _shorten(refusal.message), _shorten(refusal.field)
    facts = {name: _shorten(value) for name, value in refusal.facts.items()}
    details = [_pack(error_details_pb2.ErrorInfo(reason=refusal.reason_name, domain=DOMAIN, metadata=facts))]
    if field:
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=field, description=message, reason=refusal.reason_name
        )
        details.append(_pack(error_details_pb2.BadRequest(field_violations=[violation])))
    if refusal.retry_seconds is not None:
        delay = duration_pb2.Duration()
        delay.FromMicroseconds(round(refusal.retry_seconds * 1_000_000))
        details.append(_pack(error_details_pb2.RetryInfo(retry_delay=delay)))
    return status_pb2.Status(
        code=CODES[refusal.reason], message=f"{field}: {message}" if field else message, details=details
    )


def status_of(error: BaseException) -> status_pb2.Status | None:
    """Return the status of a batch's request that an error refuses; None if the error is a fault of the server.

    Keep the status, not the error: its traceback would keep the call alive.
    """
    refusal = refusal_of(error)
    if refusal is None:
        return None
    if isinstance(error, LawError):
        log_law_error(error)
    return status_message(refusal)


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text)} characters)"


def _pack(detail: Message) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(detail)
    return packed
