"""Proofs of a round's events: verification of the newest receipt and the seats' newest signatures, and new receipts."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope, EnvelopeError, EnvelopeFault
from referee.evidence.ed25519 import Signer
from referee.transcript.chain import FORM, RECEIPT_TYPE, EventReceipt
from referee.transcript.proof import EvidenceError, EvidenceFault
from referee.transcript.round import Round
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError, foreign, invalid_field


class ProofVerifier:
    """Verifier of receipts, which any of ``referee_keys`` may have signed, and of seats' signatures."""

    def __init__(self, *, referee_keys: Sequence[bytes]) -> None:
        self._keys = tuple(referee_keys)

    def verify(self, played: Round, receipt: bytes, signatures: Sequence[bytes], *, field: str) -> Round:
        """Verify the receipt and the signatures of a round; return the round with them, or refuse wrong ones.

        ``receipt`` is empty if no event was received. ``signatures`` has one signature for each seat, empty for a seat
        that has signed nothing; it may be empty as a whole. ``field`` is the round's field in the request.
        """
        seats = played.header.seat_count
        if signatures and len(signatures) != seats:
            raise invalid_field(
                f"{len(signatures)} signatures are given for {seats} seats: send one a seat, empty for none",
                field=f"{field}.signatures",
                expected=seats,
                found=len(signatures),
            )
        receipt_signature = self._check_receipt(played, receipt, field=f"{field}.receipt")
        try:
            return played.prove(
                receipt=receipt,
                receipt_signature=receipt_signature,
                signatures=tuple(signatures) or (b"",) * seats,
            )
        except EvidenceError as error:
            raise evidence_refusal(error, field=f"{field}.signatures[{error.seat}]") from None

    def _check_receipt(self, played: Round, data: bytes, *, field: str) -> bytes:
        """Refuse a receipt unless it is the one that the round must have; return its signature.

        ``data`` is empty for no receipt, which is right while no event was received; its signature is then empty.
        """
        due, receipt, signature = played.due_receipt, None, b""
        if data:
            receipt, signature = read_receipt(data, keys=self._keys, field=field)
        if receipt == due:
            return signature
        if due is not None and (receipt is None or receipt.number < due.number):
            raise RefusedError(
                ErrorReason.ERROR_REASON_NOT_RECEIVED,
                f"event {due.number} is marked as received, but its receipt is missing; send the newest receipt",
                field=field,
                number=due.number,
            )
        raise foreign(
            "the receipt is for other events, times or another round; what it covers cannot be edited or dropped",
            field=field,
        )


class Attestor(ProofVerifier):
    """Signer of event receipts with the referee's key, which verifies what came before."""

    def __init__(self, signer: Signer, *, referee_keys: Sequence[bytes]) -> None:
        super().__init__(referee_keys=referee_keys)
        self._signer = signer

    def accept(self, played: Round, signature: bytes, *, seat: int, has_chain: bool) -> Round:
        """Sign the receipt of a round's last event; return the round with it. Refuse a wrong signature of the seat.

        ``played`` has the signatures of the earlier events, which are verified. With ``has_chain`` the seat must have
        signed its last event; otherwise ``signature`` must be empty.
        """
        signatures = played.signatures
        if has_chain:
            try:
                played.check_signature(signature, seat=seat)
            except EvidenceError as error:
                raise evidence_refusal(error, field="signature") from None
            signatures = (*signatures[:seat], signature, *signatures[seat + 1 :])
        elif signature:
            message = f"seat {seat} signs no such event: it has no key, or others report the event"
            raise RefusedError(ErrorReason.ERROR_REASON_BAD_SIGNATURE, message, field="signature", seat=seat)
        receipt = played.due_receipt
        if receipt is None:
            raise AssertionError("an event that the referee accepts is received")
        envelope = Envelope.signed(RECEIPT_TYPE, FORM.write(receipt), self._signer)
        return replace(
            played,
            receipt=envelope.to_bytes(),
            receipt_signature=envelope.signature or b"",
            signatures=signatures,
        )


def read_receipt(data: bytes, *, keys: Sequence[bytes], field: str) -> tuple[EventReceipt, bytes]:
    """Read an event receipt that one of these keys has signed; return it and its signature. Refuse any other bytes."""
    try:
        envelope = Envelope.parse(data)
        envelope.verify_any(payload_type=RECEIPT_TYPE, public_keys=keys)
        return FORM.read(envelope.payload), envelope.signature or b""
    except EnvelopeError as error:
        is_forged = error.fault is EnvelopeFault.FORGED
        reason = ErrorReason.ERROR_REASON_FORGED if is_forged else ErrorReason.ERROR_REASON_MALFORMED
        raise RefusedError(reason, error.detail, field=field) from None
    except CanonicalError as error:
        raise RefusedError(ErrorReason.ERROR_REASON_MALFORMED, str(error), field=field) from None


_REASONS: Final = {
    EvidenceFault.NOT_RECEIVED: ErrorReason.ERROR_REASON_NOT_RECEIVED,
    EvidenceFault.NOT_SEEN: ErrorReason.ERROR_REASON_NOT_SEEN,
    EvidenceFault.NOT_UNSEALED: ErrorReason.ERROR_REASON_SECTION_MISSING,
    EvidenceFault.OTHER_COURSE: ErrorReason.ERROR_REASON_COURSE_FORKED,
    EvidenceFault.SIGNATURE_MISSING: ErrorReason.ERROR_REASON_SIGNATURE_MISSING,
    EvidenceFault.BAD_SIGNATURE: ErrorReason.ERROR_REASON_BAD_SIGNATURE,
}


def evidence_refusal(error: EvidenceError, *, field: str) -> RefusedError:
    """Return the refusal of an event for which ``error`` names the missing or wrong evidence."""
    facts = {"number": error.number or None, "seat": error.seat, "expected": error.expected, "found": error.found}
    given = {name: value for name, value in facts.items() if value is not None}
    return RefusedError(_REASONS[error.fault], error.detail, field=field, **given)
