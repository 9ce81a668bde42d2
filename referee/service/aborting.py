"""ABORT: the leaf that ends a round without a settlement, and when it may.

The law (fairness.md, "A round"): before its deal a round may be given up at any time. Once dealt, somebody may have
seen cards, so it can only be settled until its deadline; after that, and not before, it may be aborted. A seat is
blamed for a missing seed only where its seed is not here. The server's seed is revealed in either case.
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
from referee.log import AbortStep, Round, StepKind
from referee.service.contributing import missing_seats, seeds_told
from referee.storage import Append, Contribution
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.shuffler_pb2 import AbortReason
from referee.wire.refusal import RefusedError

AbortWord: TypeAlias = Literal["SEED_MISSING", "DEADLINE", "OPERATOR", "VOID"]

ABORT_WORDS: Final[dict[int, AbortWord]] = {
    AbortReason.ABORT_REASON_SEED_MISSING: "SEED_MISSING",
    AbortReason.ABORT_REASON_DEADLINE: "DEADLINE",
    AbortReason.ABORT_REASON_OPERATOR: "OPERATOR",
}
"""What may be asked for. That a round is void is found when it is dealt."""


def culprit_of(
    word: AbortWord, culprit: int | None, *, seat_count: int, contributed: Sequence[Contribution]
) -> int | None:
    """The seat at fault: the one named, or for a missing seed the first without one where others have contributed."""
    missing = missing_seats(seat_count, contributed)
    if culprit is None and word == "SEED_MISSING" and contributed and missing:
        return missing[0]
    return culprit


def check_abort(  # noqa: PLR0913 - what an abort is judged by
    found: Round,
    word: AbortWord,
    *,
    culprit: int | None,
    seat_count: int,
    contributed: Sequence[Contribution],
    now: int,
) -> None:
    """Refuses an abort that the law does not allow, or that blames a seat the round does not have, or wrongly.

    Of a round that has ended only what no abort may say is refused here, for the same abort again is to be answered.
    """
    if culprit is not None and culprit >= seat_count:
        raise RefusedError(ErrorReason.ERROR_REASON_INVALID_SEAT, f"the round has no seat {culprit}", field="culprit")
    if word == "SEED_MISSING" and (found.deck_root is not None or culprit is None):
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "a missing seed ends a round before its deal and names the seat",
            field="reason",
        )
    if word == "SEED_MISSING" and culprit in {one.seat for one in contributed}:
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_FIELD, f"seat {culprit} has given its seed", field="culprit", found=culprit
        )
    deadline = found.deadline
    if found.stage.is_terminal or deadline is None or now > deadline:
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
    found: Round,
    word: AbortWord,
    *,
    culprit: int | None,
    client_seeds: Sequence[str],
    contributed: int | None,
    now: int,
    signer: Signer,
) -> Append:
    """The ABORT of a round, signed and ready to be appended; ``client_seeds`` by seat, empty where none is known.

    ``contributed`` is how many seeds it was made up from before the deal, None after it.
    """
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
        step=AbortStep(found.key, round_id=found.round_id, deck_root=found.deck_root),
        request_digest=hashlib.sha256(repr((word, culprit)).encode()).digest(),
        contributed=contributed,
    )


def overdue_abort_of(
    found: Round, leaves: Mapping[StepKind, bytes], contributed: Sequence[Contribution], *, now: int, signer: Signer
) -> Append:
    """The ABORT of a round that nobody dealt or settled by its deadline; ``leaves`` are its own so far.

    Where some seats have contributed their seeds and one has not, the first that has not is named. Where none has, the
    seeds may have gone another way, so nobody is.
    """
    if StepKind.DEAL in leaves:
        seeds = parse_leaf(Envelope.parse(leaves[StepKind.DEAL]).payload, DealLeaf).client_seeds
        return abort_of(found, "DEADLINE", culprit=None, client_seeds=seeds, contributed=None, now=now, signer=signer)
    opened = parse_leaf(Envelope.parse(leaves[StepKind.OPEN]).payload, OpenLeaf)
    seat_count = len(opened.header.seat_keys)
    culprit = culprit_of("SEED_MISSING", None, seat_count=seat_count, contributed=contributed)
    return abort_of(
        found,
        "DEADLINE" if culprit is None else "SEED_MISSING",
        culprit=culprit,
        client_seeds=seeds_told(seat_count, contributed),
        contributed=len(contributed),
        now=now,
        signer=signer,
    )
