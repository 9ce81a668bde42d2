"""ShufflerService: opens rounds, deals them, ends them, and reveals their seeds.

The server's seed is drawn here, sealed into the OPEN leaf and kept nowhere else; every later call unseals it from
there, so any replica with the sealing key can finish any round. Answers are made from the leaf that stands in the log,
never from the one that was offered, so a repeated call gives the stored answer.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import grpc
import msgspec

from referee.cards import Seat
from referee.dealing import certificate
from referee.dealing.commitment import SEED_SIZE, client_commitment, server_commitment
from referee.dealing.deal import Deal
from referee.dealing.header import Header, HeaderJson
from referee.dealing.layout import OPENING_ORDER, layout_of
from referee.dealing.leaf import DEAL_TYPE, OPEN_TYPE, DealLeaf, OpenLeaf, RevealLeaf
from referee.dealing.leaf import encode as encode_leaf
from referee.dealing.leaf import parse as parse_leaf
from referee.dealing.seal import NONCE_SIZE, seal
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import Signer
from referee.log import FIRST_ROUND, Kind, Round, SlotKey, Stage
from referee.log import Deal as DealStep
from referee.log import Open as OpenStep
from referee.service.aborting import ABORT_WORDS, abort_of, check_abort
from referee.service.opening import Opener, check_terms
from referee.service.revealing import Sealed, reveal_of
from referee.service.rounds import RoundVerifier
from referee.service.settling import APPEND_SECONDS, log_refusals, read_receipt
from referee.storage import Append, Logged, Reader, Writer
from referee.v1 import shuffler_pb2, shuffler_pb2_grpc
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.card import numbers_of
from referee.wire.header import write_header
from referee.wire.receipt import write_logged
from referee.wire.refusal import RefusedError
from referee.wire.slot import read_slot


@dataclass(frozen=True, slots=True, kw_only=True)
class ShufflerParts:
    """What the shuffler is given: the log, its key, the sealing key, the clock, and where bytes of chance come from."""

    opener: Opener
    verifier: RoundVerifier
    referee_keys: Sequence[bytes]
    reader: Reader
    writer: Writer
    signer: Signer
    sealing_key: bytes
    clock: Callable[[], int]
    entropy: Callable[[int], bytes]
    on_ended: Callable[[], None]


class ShufflerService(shuffler_pb2_grpc.ShufflerServiceServicer):
    """Deals through the log: nothing leaves before it is durable there."""

    def __init__(self, parts: ShufflerParts) -> None:
        self._parts = parts

    def PrepareRound(
        self, request: shuffler_pb2.PrepareRoundRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.PrepareRoundResponse:
        """The header that some terms would have."""
        del context
        header, _ = self._parts.opener.header_of(request.terms, field="terms")
        return shuffler_pb2.PrepareRoundResponse(header=write_header(header), round_id=header.round_id)

    def OpenRound(
        self, request: shuffler_pb2.OpenRoundRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.OpenRoundResponse:
        """The round opened, its terms and the server's commitment durable."""
        del context
        digest = _request_digest(request)
        stored = self._opened_before(request, digest)
        if stored is not None:
            return _write_opened(stored)
        try:
            header, commitments = self._read_opening(request)
        except RefusedError:
            stored = self._opened_before(request, digest)  # by a call that asked the same at the same time
            if stored is None:
                raise
            return _write_opened(stored)
        seed = self._parts.entropy(SEED_SIZE)
        commitment = server_commitment(round_id=header.round_id, seed=seed)
        sealed = seal(
            seed,
            sealing_key=self._parts.sealing_key,
            round_id=header.round_id,
            commitment=commitment,
            nonce=self._parts.entropy(NONCE_SIZE),
        )
        leaf = OpenLeaf(
            client_commitments=tuple([one.hex() for one in commitments]),
            header=HeaderJson.of(header),
            round_id=header.round_id.hex(),
            sealed_seed=sealed.hex(),
            server_commitment=commitment.hex(),
        )
        step = OpenStep(
            SlotKey(header.table_id, header.round_number),
            round_id=header.round_id,
            previous_leaf=header.previous_leaf,
            deal_deadline=header.deal_deadline,
            round_deadline=header.round_deadline,
        )
        envelope = Envelope.signed(OPEN_TYPE, encode_leaf(leaf), self._parts.signer)
        return _write_opened(self._append(Append(leaf=envelope.to_bytes(), step=step, told_digest=digest)))

    def DealRound(
        self, request: shuffler_pb2.DealRoundRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.DealRoundResponse:
        """The round dealt: all hands in one certificate, once the deal is durable."""
        del context
        key = read_slot(request.table_id, request.round_number)
        found, sealed = self._opened(key)
        header = sealed.header
        _check_seeds(sealed, request.client_seeds)
        seed = sealed.seed(self._parts.sealing_key)
        deal = Deal.derive(header, server_seed=seed, client_seeds=request.client_seeds)
        now = self._parts.clock()
        if found.stage is Stage.OPENED:
            logged = self._append_deal(sealed, deal, request.client_seeds, now=now)
        else:
            logged = self._dealt(found, deal)
        dealt_time = _parse_deal(logged.leaf).dealt_time if logged.is_repeat else now
        hands = layout_of(_game_of(header), seat_count=header.seat_count).hands
        return shuffler_pb2.DealRoundResponse(
            certificate=certificate.issue(
                deal, header, sections=hands, dealt_time=dealt_time, signer=self._parts.signer
            ),
            hands=[shuffler_pb2.Hand(seat=hand, cards=numbers_of(deal.sections[hand])) for hand in hands],
            dealt_time=dealt_time,
            leader=deal.leader,
            log_receipt=write_logged(logged),
        )

    def OpenSection(
        self, request: shuffler_pb2.OpenSectionRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.OpenSectionResponse:
        """The section that the referee's receipt names, in a certificate that repeats what was opened before."""
        del context
        key = read_slot(request.table_id, request.round_number)
        found, sealed = self._opened(key)
        header = sealed.header
        if found.deck_root is None:
            raise RefusedError(ErrorReason.ERROR_REASON_NOT_DEALT, "the round has not been dealt")
        receipt = read_receipt(request.event_receipt, keys=self._parts.referee_keys, field="event_receipt")
        if receipt.round_id != header.round_id.hex():
            raise RefusedError(
                ErrorReason.ERROR_REASON_FOREIGN, "the receipt is of another round", field="event_receipt"
            )
        layout = layout_of(_game_of(header), seat_count=header.seat_count)
        section = -1 if isinstance(receipt.opens_section, msgspec.UnsetType) else receipt.opens_section
        try:
            sections = layout.opened_until(section)
        except KeyError:
            raise RefusedError(
                ErrorReason.ERROR_REASON_SECTION_CLOSED,
                "the receipt opens no section; send that of the event that closed the street",
                field="event_receipt",
            ) from None
        seeds = [bytes.fromhex(seed) for seed in self._deal_leaf(key).client_seeds]
        deal = Deal.derive(header, server_seed=sealed.seed(self._parts.sealing_key), client_seeds=seeds)
        return shuffler_pb2.OpenSectionResponse(
            certificate=certificate.issue(
                deal,
                header,
                sections=sections,
                dealt_time=self._deal_leaf(key).dealt_time,
                signer=self._parts.signer,
            ),
            section=section,
            cards=numbers_of(deal.sections[section]),
            opened=[
                shuffler_pb2.OpenedSection(section=index, name=name, cards=numbers_of(deal.sections[index]))
                for index, name in zip(sections[layout.seat_count :], OPENING_ORDER, strict=False)
            ],
        )

    def AbortRound(
        self, request: shuffler_pb2.AbortRoundRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.AbortRoundResponse:
        """The round ended without a settlement."""
        del context
        key = read_slot(request.table_id, request.round_number)
        found, sealed = self._opened(key)
        word = ABORT_WORDS.get(request.reason)
        if word is None:
            raise RefusedError(ErrorReason.ERROR_REASON_MISSING_FIELD, "say why the round is aborted", field="reason")
        culprit = request.culprit if request.HasField("culprit") else None
        seats, now = sealed.header.seat_count, self._parts.clock()
        if not found.stage.is_terminal:
            check_abort(found, word, culprit=culprit, seat_count=seats, now=now)
        seeds = self._deal_leaf(key).client_seeds if found.deck_root is not None else ("",) * seats
        logged = self._append(
            abort_of(found, word, culprit=culprit, client_seeds=seeds, now=now, signer=self._parts.signer)
        )
        self._parts.on_ended()
        return shuffler_pb2.AbortRoundResponse(log_receipt=write_logged(logged))

    def RevealRound(
        self, request: shuffler_pb2.RevealRoundRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.RevealRoundResponse:
        """The server's seed of an ended round, durable in the log."""
        del context
        key = read_slot(request.table_id, request.round_number)
        found, sealed = self._opened(key)
        if not found.stage.is_terminal:
            raise RefusedError(
                ErrorReason.ERROR_REASON_NOT_TERMINAL,
                f"round {key.round_number} of table {key.table_id} is {found.stage.name}; its seed stays sealed",
                table_id=key.table_id,
                round_number=key.round_number,
            )
        logged = self._append(reveal_of(sealed, sealing_key=self._parts.sealing_key))
        revealed = parse_leaf(Envelope.parse(logged.leaf).payload, RevealLeaf)
        return shuffler_pb2.RevealRoundResponse(
            server_seed=bytes.fromhex(revealed.server_seed), log_receipt=write_logged(logged)
        )

    def _read_opening(self, request: shuffler_pb2.OpenRoundRequest) -> tuple[Header, Sequence[bytes]]:
        match request.WhichOneof("round"):
            case "terms":
                header, _ = self._parts.opener.header_of(request.terms, field="terms")
                if request.client_commitments:
                    raise RefusedError(
                        ErrorReason.ERROR_REASON_INVALID_FIELD,
                        "commitments bind a round id; ask PrepareRound for the header and open with that",
                        field="client_commitments",
                    )
            case "header":
                header, ruleset = self._parts.verifier.read_terms(request.header, field="header")
                check_terms(header, ruleset, now=self._parts.clock(), field="header")
            case _:
                raise RefusedError(
                    ErrorReason.ERROR_REASON_MISSING_FIELD, "say what to play: terms or a header", field="terms"
                )
        commitments = list(request.client_commitments) or [b""] * header.seat_count
        if len(commitments) != header.seat_count:
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_FIELD,
                f"{header.seat_count} seats have {len(commitments)} commitments; give one a seat, or none at all",
                field="client_commitments",
            )
        for seat, one in enumerate(commitments):
            if len(one) not in (0, SEED_SIZE):
                raise RefusedError(
                    ErrorReason.ERROR_REASON_INVALID_FIELD,
                    f"a commitment has {SEED_SIZE} bytes, not {len(one)}",
                    field=f"client_commitments[{seat}]",
                )
        return header, commitments

    def _opened_before(self, request: shuffler_pb2.OpenRoundRequest, digest: bytes) -> Logged | None:
        """The OPEN leaf that the very same request has led to; None where it has not."""
        field = request.WhichOneof("round")
        if field is None:
            return None
        asked = request.terms if field == "terms" else request.header
        read_slot(asked.table_id, FIRST_ROUND, field=field)
        reader = self._parts.reader
        if asked.round_number:
            found = reader.round(read_slot(asked.table_id, asked.round_number, field=field))
        else:
            found = reader.latest_round(asked.table_id)
            if found is not None and found.stage is not Stage.OPENED:
                return None
        if found is None:
            return None
        mark = next(mark for mark in reader.marks(found.key) if mark.kind is Kind.OPEN)
        if mark.told_digest != digest:
            return None
        return _stored(reader, mark.index)

    def _opened(self, key: SlotKey) -> tuple[Round, Sealed]:
        """The round and its OPEN leaf; refuses a round that was never opened."""
        opened = self._parts.reader.opened(key)
        if opened is None:
            raise RefusedError(
                ErrorReason.ERROR_REASON_NOT_OPENED,
                f"round {key.round_number} of table {key.table_id} was never opened",
                table_id=key.table_id,
                round_number=key.round_number,
            )
        found, leaf = opened
        return found, Sealed.of(leaf)

    def _append_deal(self, sealed: Sealed, deal: Deal, client_seeds: Sequence[bytes], *, now: int) -> Logged:
        """The DEAL leaf of this time, or the one that stood there before; refuses a time after the deadline."""
        header = sealed.header
        if now > header.deal_deadline:
            raise RefusedError(
                ErrorReason.ERROR_REASON_DEADLINE_PASSED,
                f"the round was to be dealt by {header.deal_deadline} and it is {now}; abort it",
                deadline_time=header.deal_deadline,
                received_time=now,
            )
        leaf = DealLeaf(
            client_seeds=tuple([seed.hex() for seed in client_seeds]),
            dealt_time=now,
            deck_root=deal.deck_root.hex(),
            mix=deal.mixed.hex(),
            round_id=deal.round_id.hex(),
            leader=msgspec.UNSET if deal.leader is None else deal.leader,
        )
        key = SlotKey(header.table_id, header.round_number)
        envelope = Envelope.signed(DEAL_TYPE, encode_leaf(leaf), self._parts.signer)
        step = DealStep(key, round_id=deal.round_id, deck_root=deal.deck_root)
        return self._append(Append(leaf=envelope.to_bytes(), step=step, told_digest=deal.mixed))

    def _dealt(self, found: Round, deal: Deal) -> Logged:
        """The DEAL leaf of a round that was dealt from the same seeds; refuses other seeds, or a round never dealt."""
        if found.deck_root is None:
            raise RefusedError(ErrorReason.ERROR_REASON_ABORTED, "the round was aborted before its deal")
        if found.deck_root != deal.deck_root:
            raise RefusedError(
                ErrorReason.ERROR_REASON_ALREADY_DEALT,
                f"round {found.key.round_number} of table {found.key.table_id} was dealt from other seeds",
                field="client_seeds",
            )
        mark = next(mark for mark in self._parts.reader.marks(found.key) if mark.kind is Kind.DEAL)
        return _stored(self._parts.reader, mark.index)

    def _deal_leaf(self, key: SlotKey) -> DealLeaf:
        mark = next(mark for mark in self._parts.reader.marks(key) if mark.kind is Kind.DEAL)
        return _parse_deal(self._parts.reader.leaf(mark.index))

    def _append(self, append: Append) -> Logged:
        with log_refusals():
            return self._parts.writer.append(append, timeout=APPEND_SECONDS)


def _check_seeds(sealed: Sealed, seeds: Sequence[bytes]) -> None:
    """Refuses seeds that are not one of 32 bytes a seat, or do not open what their seats committed to."""
    if len(seeds) != sealed.header.seat_count:
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            f"{sealed.header.seat_count} seats need as many seeds, not {len(seeds)}",
            field="client_seeds",
        )
    for seat, (seed, committed) in enumerate(zip(seeds, sealed.client_commitments, strict=True)):
        if len(seed) != SEED_SIZE:
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_FIELD,
                f"a seed has {SEED_SIZE} bytes, not {len(seed)}",
                field=f"client_seeds[{seat}]",
            )
        opened = client_commitment(round_id=sealed.header.round_id, seat=Seat(seat), seed=seed)
        if committed not in (b"", opened):
            raise RefusedError(
                ErrorReason.ERROR_REASON_SEED_MISMATCH,
                f"the seed of seat {seat} does not open its commitment",
                field=f"client_seeds[{seat}]",
            )


def _write_opened(logged: Logged) -> shuffler_pb2.OpenRoundResponse:
    sealed = Sealed.of(logged.leaf)
    return shuffler_pb2.OpenRoundResponse(
        header=write_header(sealed.header),
        round_id=sealed.header.round_id,
        server_commitment=sealed.commitment,
        log_receipt=write_logged(logged),
    )


def _parse_deal(leaf: bytes) -> DealLeaf:
    return parse_leaf(Envelope.parse(leaf).payload, DealLeaf)


def _stored(reader: Reader, index: int) -> Logged:
    return Logged(leaf=reader.leaf(index), receipt=reader.receipt(index), is_repeat=True)


def _request_digest(request: shuffler_pb2.OpenRoundRequest) -> bytes:
    return hashlib.sha256(request.SerializeToString(deterministic=True)).digest()


def _game_of(header: Header) -> str:
    return header.ruleset_id.partition(".")[0]
