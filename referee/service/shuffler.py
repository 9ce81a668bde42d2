"""ShufflerService: opens rounds, deals them, ends them and reveals their seeds.

The server's seed is drawn here, sealed into the OPEN leaf and kept nowhere else, so any replica with the sealing key
can finish any round. Answers come from the leaf in the log, never from a submitted leaf, so a repeated call gets the
stored answer.
"""

import hmac
from collections.abc import Callable, Sequence
from typing import TypeVar

import grpc
import msgspec

from referee.cards import Seat
from referee.dealing.commitment import SEED_SIZE, seat_token_hash, server_commitment
from referee.dealing.deal import Deal
from referee.dealing.header import NO_KEY, Header
from referee.dealing.leaf import OpenLeaf, RevealLeaf, read_leaf, sign_leaf
from referee.dealing.seal import NONCE_SIZE, encrypt_seed
from referee.games import game_of
from referee.log import OpenStep, Slot, SlotKey, Stage, StepKind
from referee.service.aborting import ABORT_REASONS, check_abort, received_abort_of
from referee.service.appending import Appending, fill_receipt, run, run_each, write_receipt
from referee.service.batching import check_batch
from referee.service.contributing import check_seat, missing_seats
from referee.service.dealing import Dealer
from referee.service.opened import read_open, reveal_of
from referee.service.shuffler_parts import ShufflerParts
from referee.service.terms import check_seat_tokens, leaf_time
from referee.service.unsealing import Unsealer, unseal_leaves
from referee.storage import Append, Contribution, Logged
from referee.v1 import shuffler_pb2, shuffler_pb2_grpc
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError, invalid_field, missing_choice, missing_field, round_refusal
from referee.wire.repeat_key import repeat_key
from referee.wire.round import read_slot, read_which_round, write_header
from referee.wire.values import numbers_of

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")


class ShufflerService(shuffler_pb2_grpc.ShufflerServiceServicer):
    """Servicer of the shuffler; it answers only after its leaves are durable in the log."""

    def __init__(self, parts: ShufflerParts) -> None:
        self._parts = parts
        self._dealer = Dealer(parts)
        self._unsealer = Unsealer(parts)

    def PrepareRound(
        self, request: shuffler_pb2.PrepareRoundRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.PrepareRoundResponse:
        """Return the header that OpenRound would make of these terms now; write nothing."""
        header_maker, terms = self._parts.header_maker, request.terms
        table_id, _ = read_which_round(terms, field="terms")
        header, _ = header_maker.header_of(terms, self._parts.reader.latest_round(table_id), field="terms")
        return shuffler_pb2.PrepareRoundResponse(header=write_header(header), round_id=header.round_id)

    def OpenRound(
        self, request: shuffler_pb2.OpenRoundRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.OpenRoundResponse:
        """Open a round: log its terms and the server's commitment."""
        return run(self._parts.writer, self._open(request))

    def OpenRounds(
        self, request: shuffler_pb2.OpenRoundsRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.OpenRoundsResponse:
        """Open many rounds, each independently and all in one commit."""
        responses = self._run_each(self._open, request.requests, shuffler_pb2.OpenRoundResponse)
        return shuffler_pb2.OpenRoundsResponse(responses=responses)

    def _run_each(
        self, work: Callable[[RequestT], Appending[ResponseT]], requests: Sequence[RequestT], kind: type[ResponseT]
    ) -> list[ResponseT]:
        """Run ``work`` for each request of a batch; return the answers, messages of ``kind``, in the same order."""
        check_batch(requests)
        make: Callable[..., ResponseT] = kind
        return run_each(
            self._parts.writer, [work(one) for one in requests], refused=lambda status: make(refused=status)
        )

    def _open(self, request: shuffler_pb2.OpenRoundRequest) -> Appending[shuffler_pb2.OpenRoundResponse]:
        digest = repeat_key(request)
        before, latest = self._opened_before(request, digest)
        if before is not None:
            return _write_logged(before)
        try:
            header, commitments, opened_time = self._read_open_request(request, latest)
        except RefusedError:
            before, _ = self._opened_before(request, digest)  # by an equal call at the same time
            if before is None:
                raise
            return _write_logged(before)
        seed = self._parts.seed_for(header)
        commitment = server_commitment(round_id=header.round_id, seed=seed)
        sealed = encrypt_seed(
            seed,
            sealing_key=self._parts.sealing_key,
            round_id=header.round_id,
            commitment=commitment,
            nonce=self._parts.entropy(NONCE_SIZE),
        )
        leaf = OpenLeaf(
            client_commitments=tuple([one.hex() for one in commitments]),
            header=header,
            opened_time=opened_time,
            round_id=header.round_id.hex(),
            sealed_seed=sealed.hex(),
            server_commitment=commitment.hex(),
            seat_tokens=tuple([one.hex() for one in request.seat_tokens]) or msgspec.UNSET,
        )
        step = OpenStep(
            SlotKey(header.table_id, header.round_number),
            round_id=header.round_id,
            previous_leaf=header.previous_leaf,
            deal_deadline=header.deal_deadline,
            round_deadline=header.round_deadline,
        )
        data = sign_leaf(leaf, self._parts.signer)
        answer = _write_opened(leaf)  # before the append, which this thread waits for
        keys = tuple([key for key in header.seat_keys if key != NO_KEY])
        logged = yield Append(leaf=data, step=step, request_digest=digest, time=opened_time, seat_keys=keys)
        if logged.is_repeat:
            return _write_logged(logged)
        fill_receipt(answer.log_receipt, logged)
        return answer

    def ContributeSeed(
        self, request: shuffler_pb2.ContributeSeedRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.ContributeSeedResponse:
        """Keep a seat's seed durably until the deal or the end of the round publishes it; the last seed deals it."""
        key = read_slot(request.round)
        kept = run(self._parts.writer, self._dealer.contribute(key, request))
        _, opened = self._dealer.find(key)
        missing = missing_seats(opened.header.seat_count, kept)
        ended = None if missing else self._dealer.ended_waiting(key)
        return shuffler_pb2.ContributeSeedResponse(
            missing_seats=missing, log_receipt=None if ended is None else write_receipt(ended)
        )

    def DealRound(
        self, request: shuffler_pb2.DealRoundRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.DealRoundResponse:
        """Deal a round; answer a certificate with all hands on an open table.

        On a sealed table it has no hand, unless a dealt hand ends the round at once: then all hands are open.
        """
        return run(self._parts.writer, self._deal(request))

    def DealRounds(
        self, request: shuffler_pb2.DealRoundsRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.DealRoundsResponse:
        """Deal many rounds, each independently and all in one commit."""
        responses = self._run_each(self._deal, request.requests, shuffler_pb2.DealRoundResponse)
        return shuffler_pb2.DealRoundsResponse(responses=responses)

    def _deal(self, request: shuffler_pb2.DealRoundRequest) -> Appending[shuffler_pb2.DealRoundResponse]:
        return (yield from self._dealer.deal(read_slot(request.round), request))

    def OpenHand(
        self, request: shuffler_pb2.OpenHandRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.OpenHandResponse:
        """Show a seat its own hand on a sealed table; the seat proves itself by its token."""
        key = read_slot(request.round)
        found, opened = self._dealer.find(key)
        self._dealer.require_ruleset(found, opened)
        check_token(opened, request)
        if found.deck_root is None:
            raise RefusedError(ErrorReason.ERROR_REASON_NOT_DEALT, "the round has not been dealt")
        deal, leaf = self._dealer.derive(key, opened)
        (hand,) = write_hands(deal, [request.seat])
        return shuffler_pb2.OpenHandResponse(
            certificate=self._dealer.certify(opened, deal, [request.seat], leaf=leaf), hand=hand
        )

    def OpenSection(
        self, request: shuffler_pb2.OpenSectionRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.OpenSectionResponse:
        """Open the section that a receipt names; answer a certificate with it and all sections opened before."""
        return run(self._parts.writer, self._open_section(request))

    def OpenSections(
        self, request: shuffler_pb2.OpenSectionsRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.OpenSectionsResponse:
        """Open sections of many rounds, each independently and all in one commit."""
        responses = self._run_each(self._open_section, request.requests, shuffler_pb2.OpenSectionResponse)
        return shuffler_pb2.OpenSectionsResponse(responses=responses)

    def _open_section(self, request: shuffler_pb2.OpenSectionRequest) -> Appending[shuffler_pb2.OpenSectionResponse]:
        key = read_slot(request.round)
        found, opened = self._dealer.find(key)
        self._dealer.require_ruleset(found, opened)
        unsealed, logged = yield from self._unsealer.unseal(found, opened, request)
        leaves = [leaf for leaf, _ in unseal_leaves(self._parts.reader, key) if leaf.number <= unsealed.number]
        times = {index: leaf.unsealed_time for leaf in leaves for index in leaf.sections}
        layout = game_of(opened.header.ruleset_id).layout(opened.header.seat_count)
        sections = sorted({*times, *(() if opened.is_sealed else layout.hands)})
        board = [layout.board(name) for name in layout.opening_order]
        deal, dealt = self._dealer.derive(key, opened)
        return shuffler_pb2.OpenSectionResponse(
            certificate=self._dealer.certify(opened, deal, sections, leaf=dealt, unsealed_times=times),
            section=unsealed.opens_section,
            cards=numbers_of(deal.sections[unsealed.opens_section]),
            opened=[
                shuffler_pb2.OpenedSection(
                    section=index, name=layout.name(index), cards=numbers_of(deal.sections[index])
                )
                for index in board
                if index in times
            ],
            hands=write_hands(deal, [index for index in sections if index in layout.hands]) if opened.is_sealed else (),
            unsealed_time=unsealed.unsealed_time,
            log_receipt=write_receipt(logged),
        )

    def AbortRound(
        self, request: shuffler_pb2.AbortRoundRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.AbortRoundResponse:
        """End a round without a settlement."""
        key = read_slot(request.round)

        def abort(found: Slot, opened: OpenLeaf, contributed: Sequence[Contribution]) -> Appending[Logged]:
            if request.reason == shuffler_pb2.ABORT_REASON_VOID:
                raise invalid_field("a round is found void when it is dealt", field="reason")
            reason = ABORT_REASONS.get(request.reason)
            if reason is None:
                names = ", ".join(map(shuffler_pb2.AbortReason.Name, ABORT_REASONS))
                raise missing_field(f"say why the round is aborted, by one of {names}", field="reason")
            now = leaf_time(self._parts.clock(), floor=found.newest_time)
            check_abort(found, opened, reason, contributed=contributed, now=now)
            leaves = {mark.kind: self._parts.reader.leaf(mark.index) for mark in self._parts.reader.marks(key)}
            return (yield received_abort_of(found, reason, leaves, contributed, now=now, signer=self._parts.signer))

        logged = run(self._parts.writer, self._dealer.with_seeds(key, abort))
        self._parts.on_ended()
        return shuffler_pb2.AbortRoundResponse(log_receipt=write_receipt(logged))

    def RevealRound(
        self, request: shuffler_pb2.RevealRoundRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.RevealRoundResponse:
        """Publish the server's seed of an ended round in the log."""
        return run(self._parts.writer, self._reveal(request))

    def RevealRounds(
        self, request: shuffler_pb2.RevealRoundsRequest, context: grpc.ServicerContext
    ) -> shuffler_pb2.RevealRoundsResponse:
        """Publish the seeds of many ended rounds, each independently and all in one commit."""
        responses = self._run_each(self._reveal, request.requests, shuffler_pb2.RevealRoundResponse)
        return shuffler_pb2.RevealRoundsResponse(responses=responses)

    def _reveal(self, request: shuffler_pb2.RevealRoundRequest) -> Appending[shuffler_pb2.RevealRoundResponse]:
        key = read_slot(request.round)
        found, opened = self._dealer.find(key)
        if not found.stage.is_terminal:
            message = f"round {key.round_number} of table {key.table_id} is {found.stage.name}; its seed stays sealed"
            reason = ErrorReason.ERROR_REASON_NOT_TERMINAL
            raise round_refusal(reason, message, table_id=key.table_id, round_number=key.round_number)
        logged = yield reveal_of(opened, sealing_key=self._parts.sealing_key)
        revealed = read_leaf(logged.leaf, RevealLeaf)
        return shuffler_pb2.RevealRoundResponse(
            server_seed=bytes.fromhex(revealed.server_seed), log_receipt=write_receipt(logged)
        )

    def _read_open_request(
        self, request: shuffler_pb2.OpenRoundRequest, latest: Slot | None
    ) -> tuple[Header, Sequence[bytes], int]:
        """Read a request to open a round; return its header, the seats' commitments and the OPEN's time in ms.

        A commitment is empty for a seat that gives none. Refuse terms, tokens and commitments that no round can have.
        """
        header_maker = self._parts.header_maker
        match request.WhichOneof("round"):
            case "terms":
                header, opened_time = header_maker.header_of(request.terms, latest, field="terms")
                for field in ("client_commitments", "seat_tokens"):
                    if getattr(request, field):
                        raise invalid_field(
                            "commitments bind a round id; ask PrepareRound for the header and open with that",
                            field=field,
                        )
            case "header":
                header, ruleset = self._parts.verifier.read_terms(request.header, field="header")
                check_seat_tokens(request.seat_tokens, ruleset, seat_count=header.seat_count)
                opened_time = header_maker.opened_time_of(latest)
                header_maker.check_terms(header, ruleset, opened_time=opened_time, field="header")
            case _:
                raise missing_choice("give the round", request, "round", field="terms")
        commitments = list(request.client_commitments) or [b""] * header.seat_count
        if len(commitments) != header.seat_count:
            raise invalid_field(
                f"{header.seat_count} seats have {len(commitments)} commitments; give one a seat, or none at all",
                field="client_commitments",
            )
        for seat, commitment in enumerate(commitments):
            if len(commitment) not in (0, SEED_SIZE):
                raise invalid_field(
                    f"a commitment has {SEED_SIZE} bytes, not {len(commitment)}", field=f"client_commitments[{seat}]"
                )
        return header, commitments, opened_time

    def _opened_before(
        self, request: shuffler_pb2.OpenRoundRequest, digest: bytes
    ) -> tuple[Logged | None, Slot | None]:
        """Return the OPEN leaf of an earlier equal request, and the table's last round; None for one that is absent."""
        field = request.WhichOneof("round")
        if field is None:
            return None, None
        if field == "terms":
            table_id, number = read_which_round(request.terms, field=field)
        else:
            key = read_slot(request.header.round, field="header.round")
            table_id, number = key.table_id, key.round_number
        reader = self._parts.reader
        latest = reader.latest_round(table_id)
        if latest is None or (latest.stage is not Stage.OPENED if number is None else number > latest.key.round_number):
            return None, latest
        key = SlotKey(table_id, number or latest.key.round_number)
        mark = next((mark for mark in reader.marks(key) if mark.kind is StepKind.OPEN), None)
        if mark is None or mark.request_digest != digest:
            return None, latest
        return reader.logged(mark.index), latest


def _write_logged(logged: Logged) -> shuffler_pb2.OpenRoundResponse:
    """Write the answer to OpenRound from the OPEN leaf in the log, with its receipt."""
    answer = _write_opened(read_open(logged.leaf))
    fill_receipt(answer.log_receipt, logged)
    return answer


def _write_opened(opened: OpenLeaf) -> shuffler_pb2.OpenRoundResponse:
    """Write the answer to OpenRound; its log receipt is still empty."""
    return shuffler_pb2.OpenRoundResponse(
        header=write_header(opened.header),
        round_id=opened.header.round_id,
        server_commitment=bytes.fromhex(opened.server_commitment),
    )


def check_token(opened: OpenLeaf, request: shuffler_pb2.OpenHandRequest) -> None:
    """Refuse a request for a hand unless the table is sealed and the request has the token of the seat."""
    if not opened.is_sealed:
        raise RefusedError(
            ErrorReason.ERROR_REASON_NOT_SEALED, "the table is an open one; its hands came with the deal"
        )
    check_seat(opened, request.seat)
    token, seat = request.token, Seat(request.seat)
    hashed = b""
    if len(token) == SEED_SIZE:
        hashed = seat_token_hash(round_id=opened.header.round_id, seat=seat, token=token)
    if not hmac.compare_digest(hashed, opened.token_hash(seat)):
        raise RefusedError(
            ErrorReason.ERROR_REASON_WRONG_TOKEN, f"this token does not open the hand of seat {seat}", field="token"
        )


def write_hands(deal: Deal, hands: Sequence[int]) -> list[shuffler_pb2.Hand]:
    """Write the hands of these seats, in their order, from a deal."""
    return [shuffler_pb2.Hand(seat=hand, cards=deal.numbers[hand]) for hand in hands]  # type: ignore[arg-type] # the enum of the wire is the number itself
