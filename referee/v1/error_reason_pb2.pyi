from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_REASON_UNSPECIFIED: _ClassVar[ErrorReason]
    ERROR_REASON_MISSING_FIELD: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_FIELD: _ClassVar[ErrorReason]
    ERROR_REASON_UNKNOWN_RULESET: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_CARD: _ClassVar[ErrorReason]
    ERROR_REASON_DUPLICATE_CARD: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_SEAT: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_STAKE: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_HEADER: _ClassVar[ErrorReason]
    ERROR_REASON_MALFORMED: _ClassVar[ErrorReason]
    ERROR_REASON_FORGED: _ClassVar[ErrorReason]
    ERROR_REASON_FOREIGN: _ClassVar[ErrorReason]
    ERROR_REASON_EXPIRED: _ClassVar[ErrorReason]
    ERROR_REASON_SECTION_MISSING: _ClassVar[ErrorReason]
    ERROR_REASON_NOT_OPENED: _ClassVar[ErrorReason]
    ERROR_REASON_NOT_DEALT: _ClassVar[ErrorReason]
    ERROR_REASON_ALREADY_OPENED: _ClassVar[ErrorReason]
    ERROR_REASON_ALREADY_DEALT: _ClassVar[ErrorReason]
    ERROR_REASON_ALREADY_SETTLED: _ClassVar[ErrorReason]
    ERROR_REASON_ABORTED: _ClassVar[ErrorReason]
    ERROR_REASON_PREVIOUS_ROUND_OPEN: _ClassVar[ErrorReason]
    ERROR_REASON_WRONG_PREVIOUS: _ClassVar[ErrorReason]
    ERROR_REASON_DEAL_MISMATCH: _ClassVar[ErrorReason]
    ERROR_REASON_DEADLINE_PASSED: _ClassVar[ErrorReason]
    ERROR_REASON_SEED_MISMATCH: _ClassVar[ErrorReason]
    ERROR_REASON_NOT_TERMINAL: _ClassVar[ErrorReason]
    ERROR_REASON_TOO_MANY_EVENTS: _ClassVar[ErrorReason]
    ERROR_REASON_MESSAGE_TOO_LARGE: _ClassVar[ErrorReason]
    ERROR_REASON_LOG_BUSY: _ClassVar[ErrorReason]
    ERROR_REASON_LOG_DAMAGED: _ClassVar[ErrorReason]
    ERROR_REASON_BEYOND_LOG: _ClassVar[ErrorReason]
    ERROR_REASON_SECTION_CLOSED: _ClassVar[ErrorReason]
    ERROR_REASON_INTERNAL: _ClassVar[ErrorReason]
ERROR_REASON_UNSPECIFIED: ErrorReason
ERROR_REASON_MISSING_FIELD: ErrorReason
ERROR_REASON_INVALID_FIELD: ErrorReason
ERROR_REASON_UNKNOWN_RULESET: ErrorReason
ERROR_REASON_INVALID_CARD: ErrorReason
ERROR_REASON_DUPLICATE_CARD: ErrorReason
ERROR_REASON_INVALID_SEAT: ErrorReason
ERROR_REASON_INVALID_STAKE: ErrorReason
ERROR_REASON_INVALID_HEADER: ErrorReason
ERROR_REASON_MALFORMED: ErrorReason
ERROR_REASON_FORGED: ErrorReason
ERROR_REASON_FOREIGN: ErrorReason
ERROR_REASON_EXPIRED: ErrorReason
ERROR_REASON_SECTION_MISSING: ErrorReason
ERROR_REASON_NOT_OPENED: ErrorReason
ERROR_REASON_NOT_DEALT: ErrorReason
ERROR_REASON_ALREADY_OPENED: ErrorReason
ERROR_REASON_ALREADY_DEALT: ErrorReason
ERROR_REASON_ALREADY_SETTLED: ErrorReason
ERROR_REASON_ABORTED: ErrorReason
ERROR_REASON_PREVIOUS_ROUND_OPEN: ErrorReason
ERROR_REASON_WRONG_PREVIOUS: ErrorReason
ERROR_REASON_DEAL_MISMATCH: ErrorReason
ERROR_REASON_DEADLINE_PASSED: ErrorReason
ERROR_REASON_SEED_MISMATCH: ErrorReason
ERROR_REASON_NOT_TERMINAL: ErrorReason
ERROR_REASON_TOO_MANY_EVENTS: ErrorReason
ERROR_REASON_MESSAGE_TOO_LARGE: ErrorReason
ERROR_REASON_LOG_BUSY: ErrorReason
ERROR_REASON_LOG_DAMAGED: ErrorReason
ERROR_REASON_BEYOND_LOG: ErrorReason
ERROR_REASON_SECTION_CLOSED: ErrorReason
ERROR_REASON_INTERNAL: ErrorReason
