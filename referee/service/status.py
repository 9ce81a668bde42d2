"""Errors as refusals, and refusals as gRPC statuses: a code, ErrorInfo, BadRequest for a field, RetryInfo.

``error_reason.proto`` documents the table of codes for callers; a test compares the two.
"""

from typing import Final

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from referee.evidence.ed25519 import SignerUnavailableError
from referee.log import SlotError
from referee.storage import DataLossError, QueueFullError, SeedCameError, StoreError, WriterClosedError
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError
from referee.wire.round import slot_refusal

DOMAIN: Final = "referee.v1"
LONGEST: Final = 1000
"""Characters of a text in a status, which travels in trailers; callers accept only short ones."""

CODES: Final = {
    ErrorReason.ERROR_REASON_MISSING_FIELD: code_pb2.INVALID_ARGUMENT,
    ErrorReason.ERROR_REASON_INVALID_FIELD: code_pb2.INVALID_ARGUMENT,
    ErrorReason.ERROR_REASON_UNKNOWN_RULESET: code_pb2.NOT_FOUND,
    ErrorReason.ERROR_REASON_INVALID_CARD: code_pb2.INVALID_ARGUMENT,
    ErrorReason.ERROR_REASON_DUPLICATE_CARD: code_pb2.INVALID_ARGUMENT,
    ErrorReason.ERROR_REASON_INVALID_SEAT: code_pb2.INVALID_ARGUMENT,
    ErrorReason.ERROR_REASON_INVALID_STAKE: code_pb2.INVALID_ARGUMENT,
    ErrorReason.ERROR_REASON_INVALID_HEADER: code_pb2.INVALID_ARGUMENT,
    ErrorReason.ERROR_REASON_MALFORMED: code_pb2.INVALID_ARGUMENT,
    ErrorReason.ERROR_REASON_FORGED: code_pb2.PERMISSION_DENIED,
    ErrorReason.ERROR_REASON_FOREIGN: code_pb2.INVALID_ARGUMENT,
    ErrorReason.ERROR_REASON_EXPIRED: code_pb2.FAILED_PRECONDITION,
    ErrorReason.ERROR_REASON_SECTION_MISSING: code_pb2.INVALID_ARGUMENT,
    ErrorReason.ERROR_REASON_NOT_OPENED: code_pb2.FAILED_PRECONDITION,
    ErrorReason.ERROR_REASON_NOT_DEALT: code_pb2.FAILED_PRECONDITION,
    ErrorReason.ERROR_REASON_ALREADY_OPENED: code_pb2.ALREADY_EXISTS,
    ErrorReason.ERROR_REASON_ALREADY_DEALT: code_pb2.ALREADY_EXISTS,
    ErrorReason.ERROR_REASON_ALREADY_SETTLED: code_pb2.ALREADY_EXISTS,
    ErrorReason.ERROR_REASON_ABORTED: code_pb2.FAILED_PRECONDITION,
    ErrorReason.ERROR_REASON_PREVIOUS_ROUND_OPEN: code_pb2.FAILED_PRECONDITION,
    ErrorReason.ERROR_REASON_WRONG_PREVIOUS: code_pb2.FAILED_PRECONDITION,
    ErrorReason.ERROR_REASON_DEAL_MISMATCH: code_pb2.FAILED_PRECONDITION,
    ErrorReason.ERROR_REASON_DEADLINE_PASSED: code_pb2.FAILED_PRECONDITION,
    ErrorReason.ERROR_REASON_SEED_MISMATCH: code_pb2.INVALID_ARGUMENT,
    ErrorReason.ERROR_REASON_NOT_TERMINAL: code_pb2.FAILED_PRECONDITION,
    ErrorReason.ERROR_REASON_TOO_MANY_EVENTS: code_pb2.INVALID_ARGUMENT,
    ErrorReason.ERROR_REASON_MESSAGE_TOO_LARGE: code_pb2.RESOURCE_EXHAUSTED,
    ErrorReason.ERROR_REASON_LOG_BUSY: code_pb2.UNAVAILABLE,
    ErrorReason.ERROR_REASON_LOG_DAMAGED: code_pb2.DATA_LOSS,
    ErrorReason.ERROR_REASON_BEYOND_LOG: code_pb2.OUT_OF_RANGE,
    ErrorReason.ERROR_REASON_SECTION_CLOSED: code_pb2.FAILED_PRECONDITION,
    ErrorReason.ERROR_REASON_INTERNAL: code_pb2.INTERNAL,
    ErrorReason.ERROR_REASON_DEADLINE_NOT_PASSED: code_pb2.FAILED_PRECONDITION,
    ErrorReason.ERROR_REASON_BAD_SIGNATURE: code_pb2.INVALID_ARGUMENT,
    ErrorReason.ERROR_REASON_WRONG_TOKEN: code_pb2.PERMISSION_DENIED,
    ErrorReason.ERROR_REASON_NOT_SEALED: code_pb2.FAILED_PRECONDITION,
    ErrorReason.ERROR_REASON_SEED_MISSING: code_pb2.FAILED_PRECONDITION,
    ErrorReason.ERROR_REASON_ALREADY_CONTRIBUTED: code_pb2.ALREADY_EXISTS,
    ErrorReason.ERROR_REASON_NOT_COSIGNED: code_pb2.UNAVAILABLE,
    ErrorReason.ERROR_REASON_NO_WITNESSES: code_pb2.FAILED_PRECONDITION,
    ErrorReason.ERROR_REASON_NO_ADVICE: code_pb2.FAILED_PRECONDITION,
    ErrorReason.ERROR_REASON_OVERLOADED: code_pb2.RESOURCE_EXHAUSTED,
    ErrorReason.ERROR_REASON_CREDENTIALS_MISSING: code_pb2.UNAUTHENTICATED,
    ErrorReason.ERROR_REASON_CREDENTIALS_INVALID: code_pb2.UNAUTHENTICATED,
    ErrorReason.ERROR_REASON_CREDENTIALS_EXPIRED: code_pb2.UNAUTHENTICATED,
    ErrorReason.ERROR_REASON_CREDENTIALS_REVOKED: code_pb2.UNAUTHENTICATED,
    ErrorReason.ERROR_REASON_ROLE_FORBIDDEN: code_pb2.PERMISSION_DENIED,
    ErrorReason.ERROR_REASON_TABLE_FORBIDDEN: code_pb2.PERMISSION_DENIED,
    ErrorReason.ERROR_REASON_SEAT_FORBIDDEN: code_pb2.PERMISSION_DENIED,
    ErrorReason.ERROR_REASON_RATE_LIMITED: code_pb2.RESOURCE_EXHAUSTED,
    ErrorReason.ERROR_REASON_TOO_MANY_CALLS: code_pb2.RESOURCE_EXHAUSTED,
    ErrorReason.ERROR_REASON_SIGNER_UNAVAILABLE: code_pb2.UNAVAILABLE,
}
"""The status code of each reason."""


def refusal_of(error: BaseException) -> RefusedError | None:
    """Return the refusal that an error of the log, the store or a signer means to a caller; None for any other error.

    SeedCameError means none: the shuffler makes its leaf again.
    """
    match error:
        case RefusedError():
            return error
        case SlotError():
            return slot_refusal(error)
        case DataLossError():
            reason, message = ErrorReason.ERROR_REASON_LOG_DAMAGED, str(error)
        case SignerUnavailableError():
            reason = ErrorReason.ERROR_REASON_SIGNER_UNAVAILABLE
            message = "the signer that holds the server's private key does not answer; nothing was done, ask again"
        case QueueFullError() | WriterClosedError() | StoreError() | TimeoutError() if not isinstance(
            error, SeedCameError
        ):
            reason = ErrorReason.ERROR_REASON_LOG_BUSY
            message = f"{error or 'the log did not answer in time'}; ask again, the call is idempotent"
        case _:
            return None
    return RefusedError(reason, message)


def to_status(refusal: RefusedError) -> grpc.Status:
    """Return the gRPC status of a refusal."""
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
    status: grpc.Status = rpc_status.to_status(
        status_pb2.Status(
            code=CODES[refusal.reason], message=f"{field}: {message}" if field else message, details=details
        )
    )
    return status


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text)} characters)"


def _pack(detail: Message) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(detail)
    return packed
