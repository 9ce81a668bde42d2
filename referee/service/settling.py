"""What the referee does with a told round in every game: checks receipts and signatures, chains events, signs, logs.

A settlement is anchored to its deal: the log takes it only where the table's slot holds a DEAL with the same round id
and deck root and no terminal leaf. The same told round again is answered from the log, whenever it is asked.
"""

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import lru_cache
from typing import Final

import msgspec

from referee.dealing.header import NO_KEY
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope, EnvelopeError, EnvelopeFault
from referee.evidence.ed25519 import Signer, is_signature
from referee.log import Settle, SlotError, SlotKey, Stage
from referee.service.call import note_leaf
from referee.service.rounds import VerifiedRound
from referee.storage import (
    Append,
    DataLossError,
    Logged,
    QueueFullError,
    Reader,
    SeedCameError,
    StoreError,
    Writer,
    WriterClosedError,
)
from referee.transcript.chain import first_hash, next_hash
from referee.transcript.receipt import FORM, RECEIPT_TYPE, EventReceipt, sign_receipt
from referee.transcript.told import MEDIA_TYPE, Attested, Told, ToldEvent
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError
from referee.wire.slot import slot_refusal

APPEND_SECONDS: Final = 30.0
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

    events: tuple[ToldEvent, ...]
    last_hash: bytes


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
        start = Chain((), first_hash(round_id=verified.header.round_id, deck_root=verified.deck_root))
        return self.extended(verified, start, received, field=field)

    def extended(self, verified: VerifiedRound, chain: Chain, received: Sequence[Received], *, field: str) -> Chain:
        """The chain with more events of its round behind it, attested like the first."""
        last, told = chain.last_hash, list(chain.events)
        for number, one in enumerate(received, start=len(told) + 1):
            last = next_hash(last, number=number, event=one.event)
            path = f"{field}.events[{number - 1}]"
            check_seat_signature(verified, one, last, field=path)
            told.append(self._told(verified, one, last, number=number, field=path))
        return Chain(tuple(told), last)

    def check_unexpired(self, verified: VerifiedRound, *, now: int) -> None:
        """Nothing while the round lasts or once it is settled, so that a settlement can be asked for again."""
        if now <= verified.expires_time:
            return
        header = verified.header
        found = self._reader.round(SlotKey(header.table_id, header.round_number))
        if found is None or found.stage is not Stage.SETTLED:
            raise RefusedError(
                ErrorReason.ERROR_REASON_EXPIRED,
                f"the round ended at {verified.expires_time} and it is {now}",
                field="round.certificates",
                expires_time=verified.expires_time,
                now=now,
            )

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

    def submit(
        self, verified: VerifiedRound, told: Told, payload: bytes, *, last_hash: bytes
    ) -> "Future[tuple[Logged, ...]]":
        """The coming place of the settlement in the log; refuses at once where the log is busy or damaged."""
        header = verified.header
        step = Settle(
            SlotKey(header.table_id, header.round_number), round_id=header.round_id, deck_root=verified.deck_root
        )
        leaf = Envelope.signed(MEDIA_TYPE, payload, self._signer).to_bytes()
        with log_refusals():
            return self._writer.submit(Append(leaf=leaf, step=step, told_digest=_told_digest(told, last_hash)))

    def logged(self, future: "Future[tuple[Logged, ...]]") -> Logged:
        """The settlement's place in the log, once it is durable; refuses where the slot does not take it."""
        with log_refusals():
            logged = future.result(APPEND_SECONDS)[0]
        note_leaf(logged.receipt.index)
        self._on_settled()
        return logged

    def _told(self, verified: VerifiedRound, one: Received, hashed: bytes, *, number: int, field: str) -> ToldEvent:
        """The event as it stands in the transcript; refuses a receipt that is forged or of another event."""
        if not one.receipt:
            return _told_event(one, receipt="")
        receipt = read_receipt(one.receipt, keys=self._keys, field=f"{field}.receipt")
        opens = msgspec.UNSET if one.opens_section is None else one.opens_section
        found = (receipt.round_id, receipt.number, receipt.event_hash, receipt.received_time, receipt.opens_section)
        expected = (verified.header.round_id.hex(), number, hashed.hex(), one.time, opens)
        if found != expected:
            raise RefusedError(
                ErrorReason.ERROR_REASON_FOREIGN,
                "the receipt is for another event, number, time or round; events cannot be edited, moved or dropped",
                field=f"{field}.receipt",
            )
        return _told_event(one, receipt=_read_receipt(one.receipt, self._keys)[1])


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


def _told_event(one: Received, *, receipt: str) -> ToldEvent:
    attested: Attested = "SEAT" if one.signature else "RECEIPT" if receipt else "FRONTEND"
    return ToldEvent(
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


class log_refusals:  # noqa: N801 - reads as the context manager that it is
    """Turns what the log says into refusals while the block runs.

    That a seed came meanwhile is left to whoever made the leaf up.
    """

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, SeedCameError):
            return
        if isinstance(error, SlotError):
            raise slot_refusal(error) from None
        if isinstance(error, DataLossError):
            raise RefusedError(ErrorReason.ERROR_REASON_LOG_DAMAGED, str(error)) from None
        if isinstance(error, QueueFullError | WriterClosedError | StoreError | TimeoutError):
            message = f"{error or 'the log did not answer in time'}; ask again, the call is idempotent"
            raise RefusedError(ErrorReason.ERROR_REASON_LOG_BUSY, message) from None


def _told_digest(told: Told, last_hash: bytes) -> bytes:
    """What names a told round: all of it but the time at which it was asked to be settled."""
    attested = tuple([(event.time, event.attested) for event in told.events])
    return hashlib.sha256(last_hash + repr((attested, told.leader, told.previous_winner_seat)).encode()).digest()
