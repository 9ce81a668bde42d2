"""What proves the events of a round: the newest receipt and the seats' newest signatures, verified; receipts signed."""

from collections.abc import Sequence
from typing import Final, NamedTuple, Self

from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope, EnvelopeError, EnvelopeFault
from referee.evidence.ed25519 import Signer, is_signature
from referee.service.verifying import Memo
from referee.transcript.chain import FORM, RECEIPT_TYPE, EventReceipt, sign_receipt
from referee.transcript.inputs import InputReceipt
from referee.transcript.played import EvidenceError, EvidenceFault, PlayedCourse
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

_MEMO_BYTES: Final = 4 * 1024 * 1024
_ENTRY_BYTES: Final = 512
"""Memory of what is remembered of a signature or receipt beside its own bytes, on the safe side."""


class Attested(NamedTuple):
    """A receipt, and as inputs have it: what does not follow from the events, and the signature."""

    receipt: EventReceipt
    inputs: InputReceipt

    @classmethod
    def of(cls, receipt: EventReceipt, envelope: Envelope) -> Self:
        """Return what an envelope proves."""
        signature = envelope.signature or b""
        return cls(receipt, InputReceipt(receipt.number, signature.hex(), receipt.opens_section))


class Evidence(NamedTuple):
    """Verified proof of a round's events: the newest receipt, and each seat's newest signature by seat.

    ``receipt`` is the envelope, ``attested`` the same as inputs have it, None where no event was received.
    """

    receipt: bytes
    signatures: tuple[bytes, ...]
    attested: InputReceipt | None = None


class Attestor:
    """Signs event receipts with the referee's key, and verifies those of all its keys and the signatures of seats."""

    def __init__(self, signer: Signer, *, referee_keys: Sequence[bytes]) -> None:
        self._signer = signer
        self._keys = tuple(referee_keys)
        self._receipts: Memo[bytes, Attested] = Memo(max_bytes=_MEMO_BYTES)
        self._signatures: Memo[tuple[bytes, bytes, bytes], bool] = Memo(max_bytes=_MEMO_BYTES)

    def verify(self, played: PlayedCourse, receipt: bytes, signatures: Sequence[bytes], *, field: str) -> Evidence:
        """Verify the receipt and signatures of a round in a request's field; refuse them unless they prove its events.

        ``signatures`` may be empty where no seat has signed.
        """
        seats = len(played.seat_keys)
        if signatures and len(signatures) != seats:
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_FIELD,
                f"{len(signatures)} signatures are given for {seats} seats: send one a seat, empty for none",
                field=f"{field}.signatures",
                expected=seats,
                found=len(signatures),
            )
        by_seat = tuple(signatures) or (b"",) * seats
        attested = self._check_receipt(played, receipt, field=f"{field}.receipt")
        try:
            played.check_signatures(by_seat, self._holds)
        except EvidenceError as error:
            raise evidence_refusal(error, field=f"{field}.signatures[{error.seat}]") from None
        return Evidence(receipt, by_seat, attested)

    def accept(
        self, played: PlayedCourse, known: Evidence, signature: bytes, *, seat: int, has_chain: bool
    ) -> Evidence:
        """Sign the receipt of the round's last event, made by a seat, whose signature is verified first.

        ``known`` proves the events before it, ``has_chain`` is whether the seat signs the event.
        """
        if has_chain:
            signatures = (*known.signatures[:seat], signature, *known.signatures[seat + 1 :])
        elif signature:
            message = f"seat {seat} signs no such event: it has no key, or others report the event"
            raise RefusedError(ErrorReason.ERROR_REASON_BAD_SIGNATURE, message, field="signature", seat=seat)
        else:
            signatures = known.signatures
        try:
            played.check_signatures(signatures, self._holds)
        except EvidenceError as error:
            raise evidence_refusal(error, field="signature") from None
        receipt = played.receipt
        if receipt is None:
            raise AssertionError("an event that the referee accepts is received")
        envelope = sign_receipt(receipt, self._signer)
        attested = Attested.of(receipt, Envelope.parse(envelope))
        self._remember(envelope, attested)
        return Evidence(envelope, signatures, attested.inputs)

    def _check_receipt(self, played: PlayedCourse, data: bytes, *, field: str) -> InputReceipt | None:
        due, attested, receipt = played.receipt, None, None
        if data:
            attested = self._receipts.get(data)
            if attested is None:
                attested = read_receipt(data, keys=self._keys, field=field)
                self._remember(data, attested)
            receipt = attested.receipt
        if receipt == due:
            return None if attested is None else attested.inputs
        if due is not None and (receipt is None or receipt.number < due.number):
            raise RefusedError(
                ErrorReason.ERROR_REASON_NOT_RECEIVED,
                f"event {due.number} is said to be received and there is no receipt of it; send the newest",
                field=field,
                number=due.number,
            )
        raise RefusedError(
            ErrorReason.ERROR_REASON_FOREIGN,
            "the receipt is for other events, times or another round; what it covers cannot be edited or dropped",
            field=field,
        )

    def _remember(self, data: bytes, attested: Attested) -> None:
        self._receipts.put(data, attested, size=_ENTRY_BYTES + 2 * len(data))

    def _holds(self, signature: bytes, message: bytes, key: bytes) -> bool:
        known = (signature, message, key)
        if self._signatures.get(known):
            return True
        holds = is_signature(signature, message, key)
        if holds:
            self._signatures.put(known, holds, size=_ENTRY_BYTES)
        return holds


def read_receipt(data: bytes, *, keys: Sequence[bytes], field: str) -> Attested:
    """Read an event receipt signed by one of these keys; refuse any other bytes."""
    try:
        envelope = Envelope.parse(data)
        envelope.verify_any(payload_type=RECEIPT_TYPE, public_keys=keys)
        return Attested.of(FORM.read(envelope.payload), envelope)
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
    """Return the refusal of an event that is not proved."""
    facts = {"number": error.number or None, "seat": error.seat, "expected": error.expected, "found": error.found}
    given = {name: value for name, value in facts.items() if value is not None}
    return RefusedError(_REASONS[error.fault], error.detail, field=field, **given)
