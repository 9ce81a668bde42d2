"""Receipts and seats' signatures: both are verified on reported events; receipts are signed for accepted events."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

from referee.dealing.header import NO_KEY
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope, EnvelopeError, EnvelopeFault
from referee.evidence.ed25519 import Signer, is_signature
from referee.service.verifying import VerifiedRound
from referee.transcript.chain import FORM, RECEIPT_TYPE, EventReceipt, first_hash, next_hash, sign_receipt
from referee.transcript.inputs import Attested, InputEvent
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

_MEMO_SIZE: Final = 16_384


class ReportedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event as a request reports it: canonical bytes, time, seat, receipt envelope and signature (empty for none).

    ``opens_section`` is the section that its receipt must name, None where the event opens none. ``is_imposed`` marks
    an event that others report of the seat, such as that its time ran out.
    """

    event: bytes
    time: int
    seat: int
    receipt: bytes = b""
    signature: bytes = b""
    opens_section: int | None = None
    is_imposed: bool = False


class Chain(msgspec.Struct, frozen=True):
    """Events of a round as its transcript has them, and the hash of the last one."""

    events: tuple[InputEvent, ...]
    last_hash: bytes

    def next_hash(self, event: bytes) -> bytes:
        """Return the hash that an event would have behind these."""
        return next_hash(self.last_hash, number=len(self.events) + 1, event=event)


def first_chain(verified: VerifiedRound) -> Chain:
    """Return the chain of a round before its first event."""
    return Chain((), first_hash(round_id=verified.header.round_id, deck_root=verified.deck_root))


class Attestor:
    """Signs event receipts with the referee's key, and verifies those of all its keys."""

    def __init__(self, signer: Signer, *, referee_keys: Sequence[bytes]) -> None:
        self._signer = signer
        self._keys = tuple(referee_keys)

    def extend(self, verified: VerifiedRound, chain: Chain, reported: Sequence[ReportedEvent], *, field: str) -> Chain:
        """Append reported events to a chain; refuse a receipt or signature that is forged or of another event."""
        last, events = chain.last_hash, list(chain.events)
        for number, one in enumerate(reported, start=len(events) + 1):
            last = next_hash(last, number=number, event=one.event)
            path = f"{field}.events[{number - 1}]"
            if one.signature or verified.is_sealed:
                _check_signature(verified, one, last, field=path)
            if one.receipt:
                self._check_receipt(verified, one, last, number=number, field=f"{path}.receipt")
            events.append(_attested(one, receipt=_read_receipt(one.receipt, self._keys)[1] if one.receipt else ""))
        return Chain(tuple(events), last)

    def check_signature(self, verified: VerifiedRound, chain: Chain, one: ReportedEvent, *, field: str) -> None:
        """Verify the signature of the event that would follow, if it has one; ``field`` is the event's path."""
        if one.signature:
            _check_signature(verified, one, chain.next_hash(one.event), field=field)

    def accept(self, verified: VerifiedRound, chain: Chain, one: ReportedEvent, *, field: str) -> tuple[bytes, Chain]:
        """Sign the receipt of the next event; return it and the chain with that event, or refuse its signature."""
        last = chain.next_hash(one.event)
        _check_signature(verified, one, last, field=field)
        receipt = EventReceipt(
            event_hash=last.hex(),
            number=len(chain.events) + 1,
            received_time=one.time,
            round_id=verified.header.round_id.hex(),
            opens_section=msgspec.UNSET if one.opens_section is None else one.opens_section,
        )
        envelope = sign_receipt(receipt, self._signer)
        event = _attested(one, receipt=(Envelope.parse(envelope).signature or b"").hex())
        return envelope, Chain((*chain.events, event), last)

    def _check_receipt(
        self, verified: VerifiedRound, one: ReportedEvent, event_hash: bytes, *, number: int, field: str
    ) -> None:
        receipt = read_receipt(one.receipt, keys=self._keys, field=field)
        opens = msgspec.UNSET if one.opens_section is None else one.opens_section
        found = (receipt.round_id, receipt.number, receipt.event_hash, receipt.received_time, receipt.opens_section)
        if found != (verified.header.round_id.hex(), number, event_hash.hex(), one.time, opens):
            raise RefusedError(
                ErrorReason.ERROR_REASON_FOREIGN,
                "the receipt is for another event, number, time or round; events cannot be edited, moved or dropped",
                field=field,
            )


def read_receipt(data: bytes, *, keys: Sequence[bytes], field: str) -> EventReceipt:
    """Read an event receipt signed by one of these keys; refuse any other bytes."""
    try:
        return _read_receipt(data, tuple(keys))[0]
    except EnvelopeError as error:
        is_forged = error.fault is EnvelopeFault.FORGED
        reason = ErrorReason.ERROR_REASON_FORGED if is_forged else ErrorReason.ERROR_REASON_MALFORMED
        raise RefusedError(reason, error.detail, field=field) from None
    except CanonicalError as error:
        raise RefusedError(ErrorReason.ERROR_REASON_MALFORMED, str(error), field=field) from None


@lru_cache(maxsize=_MEMO_SIZE)
def _read_receipt(data: bytes, keys: tuple[bytes, ...]) -> tuple[EventReceipt, str]:
    """Return a receipt and its signature in hex. Cached, because each request of a round repeats all receipts."""
    envelope = Envelope.parse(data)
    envelope.verify_any(payload_type=RECEIPT_TYPE, public_keys=keys)
    return FORM.read(envelope.payload), (envelope.signature or b"").hex()


_is_signature: Final = lru_cache(maxsize=_MEMO_SIZE)(is_signature)
"""Cached, because each request of a round repeats all signatures."""


def _check_signature(verified: VerifiedRound, one: ReportedEvent, event_hash: bytes, *, field: str) -> None:
    """Refuse a signature that is not the seat's, and a missing one where it is needed.

    On a sealed table a seat with a key signs its events, but for imposed ones: without that, a frontend that wants to
    see the hands could report that all seats have committed or folded.
    """
    keys = verified.header.seat_keys
    key = keys[one.seat] if one.seat < len(keys) else NO_KEY
    if not one.signature:
        if not verified.is_sealed or key == NO_KEY or one.is_imposed:
            return
        message = f"on a sealed table seat {one.seat} signs its events, for it has a key"
    elif key == NO_KEY:
        message = f"seat {one.seat} has no key in the header to sign with"
    elif not _is_signature(one.signature, event_hash, key):
        message = f"this is not the signature of seat {one.seat} over the hash of this event in this place"
    else:
        return
    raise RefusedError(ErrorReason.ERROR_REASON_BAD_SIGNATURE, message, field=f"{field}.signature", seat=one.seat)


def _attested(one: ReportedEvent, *, receipt: str) -> InputEvent:
    if not one.signature and not receipt:
        return InputEvent(msgspec.Raw(one.event), one.time, "FRONTEND")
    attested: Attested = "SEAT" if one.signature else "RECEIPT"
    return InputEvent(
        event=msgspec.Raw(one.event),
        time=one.time,
        attested=attested,
        receipt=receipt,
        signature=one.signature.hex(),
        opens_section=msgspec.UNSET if one.opens_section is None or not receipt else one.opens_section,
    )
