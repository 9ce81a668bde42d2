"""A round's deal: made once, durably, from seeds that were checked, and derived from the log whenever it is asked for.

No deck, hand or clear seed of the server is kept: every call unseals the seed from the OPEN leaf. Answers are made from
the leaf that stands in the log, never from the one that was offered.
"""

import hmac
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from referee.cards import Seat
from referee.dealing import certificate
from referee.dealing.commitment import SEED_SIZE, seat_token_hash
from referee.dealing.deal import Deal
from referee.dealing.deck import StreamUsedUpError
from referee.dealing.header import MAX_SEATS, Header
from referee.dealing.leaf import DEAL_TYPE, DealLeaf
from referee.dealing.leaf import encode as encode_leaf
from referee.dealing.leaf import parse as parse_leaf
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import Signer
from referee.games.mau_binh.instant_win import instant_win_of
from referee.games.mau_binh.rules import MauBinhRules
from referee.log import DealStep, Round, SlotKey, Stage, StepKind
from referee.service.aborting import abort_of
from referee.service.appending import append_one
from referee.service.contributing import Given, check_seat, read_seeds
from referee.service.opening import Opener
from referee.service.revealing import Sealed
from referee.service.rounds import RoundVerifier
from referee.storage import Append, Contribution, Logged, Reader, SeedCameError, Writer
from referee.v1 import shuffler_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.card import numbers_of
from referee.wire.refusal import RefusedError

ToldT = TypeVar("ToldT")


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
    told_seed: Callable[[Header], bytes] | None = None
    """Where the seed of a round comes from under suite 250, whose decks are told; drawn from ``entropy`` without."""

    def seed_for(self, header: Header) -> bytes:
        """The server's seed of a round that is about to be opened."""
        return self.entropy(SEED_SIZE) if self.told_seed is None else self.told_seed(header)


class Dealer:
    """Deals rounds, and certifies what of a deal may be seen; who may see it is the caller's to say."""

    def __init__(self, parts: ShufflerParts) -> None:
        self._parts = parts

    def opened(self, key: SlotKey) -> tuple[Round, Sealed]:
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

    def tell(self, key: SlotKey, tell: Callable[[Sequence[Contribution]], ToldT]) -> ToldT:
        """What a leaf that tells the contributed seeds comes to; made up anew where another seed came meanwhile."""
        for _ in range(MAX_SEATS + 1):  # each seat contributes once
            with suppress(SeedCameError):
                return tell(self._parts.reader.contributions(key))
        raise RefusedError(ErrorReason.ERROR_REASON_LOG_BUSY, "seeds keep coming; ask again, the call is idempotent")

    def deal(
        self, key: SlotKey, request: shuffler_pb2.DealRoundRequest, contributed: Sequence[Contribution]
    ) -> tuple[Deal, Logged]:
        """The deal from the seeds told and contributed, and its leaf of this time or the one that stood there before.

        Refuses a time after the deadline. A round that cannot be dealt is void, and aborted as that.
        """
        found, sealed = self.opened(key)
        header = sealed.header
        given = read_seeds(sealed, request, contributed)
        try:
            deal = Deal.derive(header, server_seed=sealed.seed(self._parts.sealing_key), client_seeds=given.seeds)
        except StreamUsedUpError as error:
            self._void(found, given, contributed=len(contributed))
            raise RefusedError(ErrorReason.ERROR_REASON_ABORTED, str(error)) from None
        if found.stage is not Stage.OPENED:
            return deal, self._dealt(found, deal)
        self.check_time(sealed, found)
        leaf = DealLeaf(
            client_seeds=tuple([seed.hex() for seed in given.seeds]),
            dealt_time=self._parts.clock(),
            deck_root=deal.deck_root.hex(),
            mix=deal.mixed.hex(),
            round_id=deal.round_id.hex(),
            leader=msgspec.UNSET if deal.leader is None else deal.leader,
            seed_signatures=given.signatures_told,
        )
        append = Append(
            leaf=Envelope.signed(DEAL_TYPE, encode_leaf(leaf), self._parts.signer).to_bytes(),
            step=DealStep(key, round_id=deal.round_id, deck_root=deal.deck_root),
            request_digest=deal.mixed,
            contributed=len(contributed),
        )
        return deal, self.append(append)

    def _void(self, found: Round, given: Given, *, contributed: int) -> None:
        """The round is aborted as void, unless it has ended."""
        if found.stage is Stage.OPENED:
            seeds = [seed.hex() for seed in given.seeds]
            now, signer = self._parts.clock(), self._parts.signer
            self.append(
                abort_of(
                    found, "VOID", culprit=None, client_seeds=seeds, contributed=contributed, now=now, signer=signer
                )
            )
            self._parts.on_ended()

    def check_time(self, sealed: Sealed, found: Round) -> None:
        """Refuses a time after the deal's deadline while the round waits for its deal."""
        now, deadline = self._parts.clock(), sealed.header.deal_deadline
        if found.stage is Stage.OPENED and now > deadline:
            raise RefusedError(
                ErrorReason.ERROR_REASON_DEADLINE_PASSED,
                f"the round was to be dealt by {deadline} and it is {now}; abort it",
                deadline_time=deadline,
                received_time=now,
            )

    def is_won(self, header: Header, deal: Deal) -> bool:
        """Whether a hand ends the round at the deal, so that nothing is left to hide."""
        rules = self._parts.opener.catalogue.of_digest(header.ruleset_digest).rules
        if not isinstance(rules, MauBinhRules):
            return False
        return any(instant_win_of(rules, hand) for hand in deal.sections[: header.seat_count])

    def dealt_again(self, key: SlotKey, sealed: Sealed) -> tuple[Deal, int]:
        """The deal of a dealt round, derived from its leaf, and its time."""
        leaf = self.deal_leaf(key)
        seeds = [bytes.fromhex(seed) for seed in leaf.client_seeds]
        seed = sealed.seed(self._parts.sealing_key)
        return Deal.derive(sealed.header, server_seed=seed, client_seeds=seeds), leaf.dealt_time

    def certify(self, sealed: Sealed, deal: Deal, sections: Sequence[int], *, dealt_time: int) -> bytes:
        """The certificate that opens these sections of a round's deal."""
        return certificate.issue(
            deal,
            sealed.header,
            sections=sections,
            dealt_time=dealt_time,
            signer=self._parts.signer,
            is_sealed=sealed.is_sealed_table,
        )

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
        mark = next(mark for mark in self._parts.reader.marks(found.key) if mark.kind is StepKind.DEAL)
        return stored(self._parts.reader, mark.index)

    def deal_leaf(self, key: SlotKey) -> DealLeaf:
        """The DEAL of a dealt round."""
        mark = next(mark for mark in self._parts.reader.marks(key) if mark.kind is StepKind.DEAL)
        return parse_deal(self._parts.reader.leaf(mark.index))

    def append(self, append: Append) -> Logged:
        """What stands in the log, once it is durable; refuses where the slot does not take it."""
        return append_one(self._parts.writer, append)


def check_token(sealed: Sealed, request: shuffler_pb2.OpenHandRequest) -> None:
    """Refuses whoever does not show the token of a seat of a sealed table."""
    if not sealed.is_sealed_table:
        raise RefusedError(
            ErrorReason.ERROR_REASON_NOT_SEALED, "the table is an open one; its hands came with the deal"
        )
    check_seat(sealed, request.seat)
    token, seat = request.token, Seat(request.seat)
    hashed = b""
    if len(token) == SEED_SIZE:
        hashed = seat_token_hash(round_id=sealed.header.round_id, seat=seat, token=token)
    if not hmac.compare_digest(hashed, sealed.seat_tokens[seat]):
        raise RefusedError(
            ErrorReason.ERROR_REASON_WRONG_TOKEN, f"this token does not open the hand of seat {seat}", field="token"
        )


def write_hands(deal: Deal, hands: Sequence[int]) -> list[shuffler_pb2.Hand]:
    """Hands of a deal, by section."""
    return [shuffler_pb2.Hand(seat=hand, cards=numbers_of(deal.sections[hand])) for hand in hands]


def parse_deal(leaf: bytes) -> DealLeaf:
    """What a DEAL of our own log says."""
    return parse_leaf(Envelope.parse(leaf).payload, DealLeaf)


def stored(reader: Reader, index: int) -> Logged:
    """A leaf that stood in the log before, with its receipt."""
    return Logged(leaf=reader.leaf(index), receipt=reader.receipt(index), is_repeat=True)


def game_of(header: Header) -> str:
    """The game of a header's ruleset."""
    return header.ruleset_id.partition(".")[0]
