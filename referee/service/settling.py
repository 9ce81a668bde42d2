"""What the referee does with a told round in every game: checks receipts and signatures, chains events, signs, logs.

A round is settled in the same two steps in every game: ``close`` judges it and signs its transcript, ``log`` puts that
into the log; ``answer`` does both for one request. A settlement is anchored to its deal: the log takes it only where
the table's slot holds a DEAL with the same round id and deck root and no terminal leaf. The same told round again is
answered from the log, whenever it is asked.
"""

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from referee.dealing.header import NO_KEY
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope, EnvelopeError, EnvelopeFault
from referee.evidence.ed25519 import Signer, is_signature
from referee.log import SettleStep, SlotKey, Stage
from referee.rulesets import Texts
from referee.service.appending import append_each
from referee.service.rounds import VerifiedRound
from referee.storage import Append, Reader, Writer
from referee.transcript.chain import first_hash, next_hash
from referee.transcript.inputs import MEDIA_TYPE, Attested, InputEvent, Inputs
from referee.transcript.receipt import FORM, RECEIPT_TYPE, EventReceipt, sign_receipt
from referee.transcript.replay import write_transcript
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.round_pb2 import LogReceipt
from referee.verdict import Violation
from referee.wire.receipt import fill_logged
from referee.wire.refusal import RefusedError
from referee.wire.violation import write_violations

if TYPE_CHECKING:
    from google.protobuf.internal.containers import RepeatedCompositeFieldContainer
    from google.protobuf.message import Message

    from referee.v1.violation_pb2 import Violation as ViolationMessage

_MEMO_SIZE: Final = 16_384


class Received(msgspec.Struct, frozen=True, kw_only=True):
    """An event as a request carries it: its own bytes, its time, its receipt's envelope and its seat's signature.

    The latter two are empty where there is none. ``opens_section`` is the section that its receipt must name; None
    where the event opens none. ``is_imposed`` says that others tell it of the seat, such as that its time ran out.
    """

    event: bytes
    time: int
    seat: int
    receipt: bytes = b""
    signature: bytes = b""
    opens_section: int | None = None
    is_imposed: bool = False


class Chain(msgspec.Struct, frozen=True):
    """The events as told, and h_n."""

    events: tuple[InputEvent, ...]
    last_hash: bytes


class Reading(Protocol):
    """A round of a question as its game has read it, its events played up to the first unlawful one."""

    @property
    def verified(self) -> VerifiedRound:
        """Its terms and open cards."""

    @property
    def chain(self) -> Chain:
        """All its events."""

    def faults_at(self, time: int) -> tuple[Violation, ...]:
        """What keeps it from being settled at a time."""

    def told_at(self, time: int) -> Inputs:
        """What its transcript tells when it is settled at a time; refuses a round whose cards are not all open."""

    @property
    def found(self) -> msgspec.Raw:
        """What it comes to, as in a transcript; it has no faults."""

    @property
    def shown(self) -> bytes:
        """The same as the bytes of the answer's outcome."""


class Settled(Protocol):
    """The answer to a settlement."""

    @property
    def violations(self) -> "RepeatedCompositeFieldContainer[ViolationMessage]":
        """What keeps the round from being settled."""

    @property
    def outcome(self) -> "Message":
        """What it comes to."""

    @property
    def log_receipt(self) -> LogReceipt:
        """Its place in the log."""


class Settler:
    """Signs receipts and settlements with the referee's key and appends to the log."""

    def __init__(  # noqa: PLR0913 - each is a separate part that the server builds
        self,
        *,
        signer: Signer,
        referee_keys: Sequence[bytes],
        writer: Writer,
        reader: Reader,
        clock: Callable[[], int],
        on_settled: Callable[[], None],
    ) -> None:
        self._signer = signer
        self._keys = tuple(referee_keys)
        self._writer = writer
        self._reader = reader
        self._on_settled = on_settled
        self.clock = clock

    def chain(self, verified: VerifiedRound, received: Sequence[Received], *, field: str) -> Chain:
        """The events chained and attested; refuses a receipt that is forged or of another event."""
        return self.extended(verified, first_chain(verified), received, field=field)

    def extended(self, verified: VerifiedRound, chain: Chain, received: Sequence[Received], *, field: str) -> Chain:
        """The chain with more events of its round behind it, attested like the first."""
        last, told = chain.last_hash, list(chain.events)
        for number, one in enumerate(received, start=len(told) + 1):
            last = next_hash(last, number=number, event=one.event)
            if one.signature or verified.is_sealed:
                check_seat_signature(verified, one, last, field=f"{field}.events[{number - 1}]")
            if one.receipt:
                told.append(
                    self._told(verified, one, last, number=number, field=f"{field}.events[{number - 1}].receipt")
                )
            else:
                told.append(_told_event(one, receipt=""))
        return Chain(tuple(told), last)

    def check_unexpired(self, verified: VerifiedRound, *, now: int) -> None:
        """Nothing while the round lasts or once it is settled, so that a settlement can be asked for again."""
        if now <= verified.expires_time:
            return
        if not self._is_settled(verified):
            raise RefusedError(
                ErrorReason.ERROR_REASON_EXPIRED,
                f"the round ended at {verified.expires_time} and it is {now}",
                field="round.certificates",
                expires_time=verified.expires_time,
                now=now,
            )

    def _is_settled(self, verified: VerifiedRound) -> bool:
        """Whether the log has a settlement of the round."""
        found = self._reader.round(SlotKey(verified.header.table_id, verified.header.round_number))
        return found is not None and found.stage is Stage.SETTLED

    def check_signature(self, verified: VerifiedRound, chain: Chain, one: Received, *, field: str) -> None:
        """Nothing, where the next event has no signature or its seat's; refuses another one."""
        if one.signature:
            hashed = next_hash(chain.last_hash, number=len(chain.events) + 1, event=one.event)
            check_seat_signature(verified, one, hashed, field=field)

    def accept(self, verified: VerifiedRound, chain: Chain, one: Received, *, field: str) -> tuple[bytes, Chain]:
        """The signed receipt of the next event, which has none yet, and the chain with that event behind it.

        Refuses a signature that does not hold, ``field`` being the event's path.
        """
        number = len(chain.events) + 1
        last = next_hash(chain.last_hash, number=number, event=one.event)
        check_seat_signature(verified, one, last, field=field)
        receipt = EventReceipt(
            event_hash=last.hex(),
            number=number,
            received_time=one.time,
            round_id=verified.header.round_id.hex(),
            opens_section=msgspec.UNSET if one.opens_section is None else one.opens_section,
        )
        envelope = sign_receipt(receipt, self._signer)
        told = _told_event(one, receipt=(Envelope.parse(envelope).signature or b"").hex())
        return envelope, Chain((*chain.events, told), last)

    def answer(self, reading: Reading, answer: Settled, texts: Texts) -> None:
        """The empty answer says what the round comes to, once that is durable, or what keeps it from being settled."""
        append = self.close(reading, answer, texts)
        if append is not None:
            (refused,) = self.log([(answer.log_receipt, append)])
            if refused is not None:
                raise refused

    def close(self, reading: Reading, answer: Settled, texts: Texts) -> Append | None:
        """What to log of the round settled now; None where it may not be settled. The answer says the one or the other.

        Refuses a round that ended before it was settled, and one whose cards are not all open.
        """
        verified, last_hash, now = reading.verified, reading.chain.last_hash, self.clock()
        self.check_unexpired(verified, now=now)
        violations = reading.faults_at(now)
        if violations and self._is_settled(verified):
            now = verified.expires_time  # the clock was set back since: what stands is answered as at any later time
            violations = reading.faults_at(now)
        if violations:
            answer.violations.extend(write_violations(violations, texts))
            return None
        header, told = verified.header, reading.told_at(now)
        leaf = Envelope.signed(MEDIA_TYPE, write_transcript(header, told, reading.found), self._signer)
        answer.outcome.MergeFromString(reading.shown)
        step = SettleStep(
            SlotKey(header.table_id, header.round_number), round_id=header.round_id, deck_root=verified.deck_root
        )
        return Append(leaf=leaf.to_bytes(), step=step, request_digest=_told_digest(told, last_hash))

    def log(self, appends: Sequence[tuple[LogReceipt, Append]]) -> "list[RefusedError | None]":
        """Append each settlement; return for each None, its receipt filled, or why the log refuses it."""
        refusals: list[RefusedError | None] = []
        logged = append_each(self._writer, [append for _, append in appends])
        for (receipt, _), one in zip(appends, logged, strict=True):
            if isinstance(one, RefusedError):
                refusals.append(one)
            else:
                refusals.append(None)
                fill_logged(receipt, one)
        if None in refusals:
            self._on_settled()
        return refusals

    def _told(self, verified: VerifiedRound, one: Received, hashed: bytes, *, number: int, field: str) -> InputEvent:
        """An event with a receipt as a transcript tells it; refuses a receipt that is forged or of another event."""
        receipt = read_receipt(one.receipt, keys=self._keys, field=field)
        opens = msgspec.UNSET if one.opens_section is None else one.opens_section
        found = (receipt.round_id, receipt.number, receipt.event_hash, receipt.received_time, receipt.opens_section)
        expected = (verified.header.round_id.hex(), number, hashed.hex(), one.time, opens)
        if found != expected:
            raise RefusedError(
                ErrorReason.ERROR_REASON_FOREIGN,
                "the receipt is for another event, number, time or round; events cannot be edited, moved or dropped",
                field=field,
            )
        return _told_event(one, receipt=_read_receipt(one.receipt, self._keys)[1])


def first_chain(verified: VerifiedRound) -> Chain:
    """The chain of a round before its first event."""
    return Chain((), first_hash(round_id=verified.header.round_id, deck_root=verified.deck_root))


def check_seat_signature(verified: VerifiedRound, one: Received, hashed: bytes, *, field: str) -> None:
    """Nothing, where the seat's key signed h_k, or where there is no signature and none is needed; refuses otherwise.

    On a sealed table every event of a seat with a key needs its signature, but for those that others tell of it:
    without, whoever wants to see the hands could tell that all seats have committed or folded.
    """
    keys = verified.header.seat_keys
    key = keys[one.seat] if one.seat < len(keys) else NO_KEY
    if not one.signature:
        if not verified.is_sealed or key == NO_KEY or one.is_imposed:
            return
        message = f"on a sealed table seat {one.seat} signs its events, for it has a key"
    elif key == NO_KEY:
        message = f"seat {one.seat} has no key in the header to sign with"
    elif not _is_signature(one.signature, hashed, key):
        message = f"this is not the signature of seat {one.seat} over the hash of this event in this place"
    else:
        return
    raise RefusedError(ErrorReason.ERROR_REASON_BAD_SIGNATURE, message, field=f"{field}.signature", seat=one.seat)


_is_signature: Final = lru_cache(maxsize=_MEMO_SIZE)(is_signature)
"""A pure memo: every question of a round repeats all signatures."""


def _told_event(one: Received, *, receipt: str) -> InputEvent:
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


def read_receipt(data: bytes, *, keys: Sequence[bytes], field: str) -> EventReceipt:
    """The event receipt in an envelope that one of the referee's keys signed; refuses any other bytes."""
    try:
        return _read_receipt(data, tuple(keys))[0]
    except EnvelopeError as error:
        forged = error.fault is EnvelopeFault.FORGED
        reason = ErrorReason.ERROR_REASON_FORGED if forged else ErrorReason.ERROR_REASON_MALFORMED
        raise RefusedError(reason, error.detail, field=field) from None
    except CanonicalError as error:
        raise RefusedError(ErrorReason.ERROR_REASON_MALFORMED, str(error), field=field) from None


@lru_cache(maxsize=_MEMO_SIZE)
def _read_receipt(data: bytes, keys: tuple[bytes, ...]) -> tuple[EventReceipt, str]:
    """The receipt in an envelope, and its signature in hex. A pure memo: every question of a round repeats them all."""
    envelope = Envelope.parse(data)
    envelope.verify_any(payload_type=RECEIPT_TYPE, public_keys=keys)
    return FORM.read(envelope.payload), (envelope.signature or b"").hex()


def _told_digest(told: Inputs, last_hash: bytes) -> bytes:
    """What names a told round: all of it but the time at which it was asked to be settled."""
    attested = tuple([(event.time, event.attested) for event in told.events])
    return hashlib.sha256(last_hash + repr((attested, told.leader, told.previous_winner_seat)).encode()).digest()
