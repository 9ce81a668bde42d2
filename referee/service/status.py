"""One place turns a refusal into a gRPC status: its reason's code, ErrorInfo, BadRequest for a field, RetryInfo.

The table below is the whole policy; ``error_reason.proto`` documents it for callers and a test compares the two.
"""

from typing import Final

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

DOMAIN: Final = "referee.v1"
LONGEST: Final = 1000
"""Characters of a text in a status. It travels in trailers, which callers take only when they are short."""

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


def to_status(refusal: RefusedError) -> grpc.Status:
    """The gRPC status that says everything the refusal says."""
    told, field = _short(refusal.message), _short(refusal.field)
    facts = {name: _short(value) for name, value in refusal.facts.items()}
    details = [_packed(error_details_pb2.ErrorInfo(reason=refusal.reason_name, domain=DOMAIN, metadata=facts))]
    if field:
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=field, description=told, reason=refusal.reason_name
        )
        details.append(_packed(error_details_pb2.BadRequest(field_violations=[violation])))
    if refusal.retry_seconds is not None:
        delay = duration_pb2.Duration()
        delay.FromMicroseconds(round(refusal.retry_seconds * 1_000_000))
        details.append(_packed(error_details_pb2.RetryInfo(retry_delay=delay)))
    message = f"{field}: {told}" if field else told
    status: grpc.Status = rpc_status.to_status(
        status_pb2.Status(code=CODES[refusal.reason], message=message, details=details)
    )
    return status


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text)} characters)"


def _packed(detail: Message) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(detail)
    return packed
