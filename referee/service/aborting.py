"""ABORT: the leaf that ends a round without a settlement, and when it may.

The law (fairness.md, "A round"): before its deal a round may be given up at any time. Once dealt, somebody may have
seen cards, so it can only be settled until its deadline; after that, and not before, it may be aborted. The server's
seed is revealed in either case.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from referee.dealing.leaf import ABORT_TYPE, AbortLeaf, DealLeaf, OpenLeaf
from referee.dealing.leaf import encode as encode_leaf
from referee.dealing.leaf import parse as parse_leaf
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import Signer
from referee.log import Abort, Kind, Round
from referee.storage import Append
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.shuffler_pb2 import AbortReason
from referee.wire.refusal import RefusedError

AbortWord: TypeAlias = Literal["SEED_MISSING", "DEADLINE", "OPERATOR"]

ABORT_WORDS: Final[dict[int, AbortWord]] = {
    AbortReason.ABORT_REASON_SEED_MISSING: "SEED_MISSING",
    AbortReason.ABORT_REASON_DEADLINE: "DEADLINE",
    AbortReason.ABORT_REASON_OPERATOR: "OPERATOR",
}


def check_abort(found: Round, word: AbortWord, *, culprit: int | None, seat_count: int, now: int) -> None:
    """Refuses an abort that the law does not allow, or that blames a seat the round does not have."""
    if culprit is not None and culprit >= seat_count:
        raise RefusedError(ErrorReason.ERROR_REASON_INVALID_SEAT, f"the round has no seat {culprit}", field="culprit")
    if word == "SEED_MISSING" and (found.deck_root is not None or culprit is None):
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "a missing seed ends a round before its deal and names the seat",
            field="reason",
        )
    deadline = found.deadline
    if deadline is None or now > deadline:
        return
    if found.deck_root is not None:
        raise RefusedError(
            ErrorReason.ERROR_REASON_DEADLINE_NOT_PASSED,
            f"the round is dealt and may be settled until {deadline}; it can be aborted after that",
            deadline_time=deadline,
            received_time=now,
        )
    if word == "DEADLINE":
        raise RefusedError(
            ErrorReason.ERROR_REASON_DEADLINE_NOT_PASSED,
            f"the round may be dealt until {deadline}",
            field="reason",
            deadline_time=deadline,
            received_time=now,
        )


def abort_of(  # noqa: PLR0913 - what an ABORT says
    found: Round, word: AbortWord, *, culprit: int | None, client_seeds: Sequence[str], now: int, signer: Signer
) -> Append:
    """The ABORT of a round, signed and ready to be appended; ``client_seeds`` by seat, empty where none is known."""
    leaf = AbortLeaf(
        aborted_time=now,
        client_seeds=tuple(client_seeds),
        reason=word,
        round_id=found.round_id.hex(),
        stage="OPENED" if found.deck_root is None else "DEALT",
        culprit=msgspec.UNSET if culprit is None else culprit,
    )
    return Append(
        leaf=Envelope.signed(ABORT_TYPE, encode_leaf(leaf), signer).to_bytes(),
        step=Abort(found.key, round_id=found.round_id, deck_root=found.deck_root),
        told_digest=hashlib.sha256(repr((word, culprit)).encode()).digest(),
    )


def overdue_abort_of(found: Round, leaves: Mapping[Kind, bytes], *, now: int, signer: Signer) -> Append:
    """The ABORT of a round that nobody dealt or settled by its deadline; ``leaves`` are its own so far."""
    if Kind.DEAL in leaves:
        seeds = parse_leaf(Envelope.parse(leaves[Kind.DEAL]).payload, DealLeaf).client_seeds
    else:
        opened = parse_leaf(Envelope.parse(leaves[Kind.OPEN]).payload, OpenLeaf)
        seeds = ("",) * len(opened.header.seat_keys)
    return abort_of(found, "DEADLINE", culprit=None, client_seeds=seeds, now=now, signer=signer)
