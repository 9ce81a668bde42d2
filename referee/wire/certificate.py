"""Refusals of certificates."""

from referee.dealing.certificate import CertificateError, CertificateFault, CertificateReason
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

_REASONS = {
    CertificateReason.MALFORMED: ErrorReason.ERROR_REASON_MALFORMED,
    CertificateReason.FORGED: ErrorReason.ERROR_REASON_FORGED,
    CertificateReason.FOREIGN: ErrorReason.ERROR_REASON_FOREIGN,
    CertificateReason.EXPIRED: ErrorReason.ERROR_REASON_EXPIRED,
}


def certificate_refusal(error: CertificateError, *, field: str) -> RefusedError:
    """The refusal that a certificate's error comes to."""
    is_double = error.fault is CertificateFault.DUPLICATE_CARD
    reason = ErrorReason.ERROR_REASON_DUPLICATE_CARD if is_double else _REASONS[error.reason]
    return RefusedError(reason, str(error), field=field)
