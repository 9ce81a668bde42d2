"""One place turns a refusal into a gRPC status: the code that its reason has, ErrorInfo, and BadRequest for a field.

The table below is the whole policy; ``error_reason.proto`` documents it for callers and a test compares the two.
"""

from typing import Final

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

DOMAIN: Final = "referee.v1"

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
}
"""The status code of each reason."""


def to_status(refusal: RefusedError) -> grpc.Status:
    """The gRPC status that says everything the refusal says."""
    details = [_packed(error_details_pb2.ErrorInfo(reason=refusal.reason_name, domain=DOMAIN, metadata=refusal.facts))]
    if refusal.field:
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=refusal.field, description=refusal.message, reason=refusal.reason_name
        )
        details.append(_packed(error_details_pb2.BadRequest(field_violations=[violation])))
    message = f"{refusal.field}: {refusal.message}" if refusal.field else refusal.message
    status: grpc.Status = rpc_status.to_status(
        status_pb2.Status(code=CODES[refusal.reason], message=message, details=details)
    )
    return status


def _packed(detail: error_details_pb2.ErrorInfo | error_details_pb2.BadRequest) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(detail)
    return packed
