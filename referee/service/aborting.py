"""ABORT leaves, which end a round without a settlement (fairness.md, "A round").

Before its deal a round may be given up at any time. Once dealt, cards may have been seen, so until its deadline it can
only be settled, and after that only be aborted. A seat is blamed for a missing seed only if its seed is not here.
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
from referee.service.contributing import leaf_seeds, missing_seats
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
"""Reasons that may be requested. That a round is void is found when it is dealt."""


def culprit_of(
    word: AbortWord, culprit: int | None, *, seat_count: int, contributed: Sequence[Contribution]
) -> int | None:
    """Return the seat at fault: the one named, or the first without a seed where others have contributed theirs."""
    missing = missing_seats(seat_count, contributed)
    if culprit is None and word == "SEED_MISSING" and contributed and missing:
        return missing[0]
    return culprit


def check_abort(  # noqa: PLR0913 - facts that an abort is judged by
    found: Round,
    word: AbortWord,
    *,
    culprit: int | None,
    seat_count: int,
    contributed: Sequence[Contribution],
    now: int,
) -> None:
    """Refuse an abort that comes too early or blames a seat wrongly.

    A round that has ended is refused only what no abort may say, because a repeated abort is answered.
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


def abort_of(  # noqa: PLR0913 - members of an ABORT
    found: Round,
    word: AbortWord,
    *,
    culprit: int | None,
    client_seeds: Sequence[str],
    contributed: int | None,
    now: int,
    signer: Signer,
) -> Append:
    """Return the signed ABORT of a round to append; ``client_seeds`` by seat, empty where none is known.

    ``contributed`` is the number of contributed seeds that it includes before the deal, None after it.
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
    """Return the ABORT of a round that was not dealt or settled by its deadline; ``leaves`` are its own so far.

    It blames the first seat without a seed if other seats have contributed theirs; if none has, the seeds may have
    taken another way, and no seat is blamed.
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
        client_seeds=leaf_seeds(seat_count, contributed),
        contributed=len(contributed),
        now=now,
        signer=signer,
    )
