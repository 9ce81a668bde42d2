"""ABORT leaves, which end a round without a settlement.

``referee.dealing.abort`` has the rules: from when on a round may be aborted, and which reasons are right.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final

from referee.dealing.abort import AbortFault, AbortReason, abort_faults, overdue_reason
from referee.dealing.leaf import AbortLeaf, DealLeaf, OpenLeaf, read_leaf, sign_leaf
from referee.evidence.ed25519 import Signer
from referee.log import AbortStep, Slot, StepKind
from referee.service.contributing import leaf_seeds
from referee.service.opened import read_open
from referee.storage import Append, Contribution
from referee.v1 import shuffler_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import deadline_refusal, invalid_field

ABORT_REASONS: Final[dict[int, AbortReason]] = {
    shuffler_pb2.ABORT_REASON_SEED_MISSING: "SEED_MISSING",
    shuffler_pb2.ABORT_REASON_DEADLINE: "DEADLINE",
    shuffler_pb2.ABORT_REASON_OPERATOR: "OPERATOR",
}
"""Reasons that a caller may request, by their enum value. VOID is absent: only the attempt to deal finds it."""


def reason_of(found: Slot, opened: OpenLeaf, contributed: Sequence[Contribution]) -> AbortReason:
    """Return the reason that an ABORT of this round must name once its deadline has passed.

    ``contributed`` are the seeds that its seats have contributed.
    """
    seeds = leaf_seeds(opened.header.seat_count, contributed)
    return overdue_reason(is_dealt=found.deck_root is not None, seeds=seeds, commitments=opened.client_commitments)


def check_abort(
    found: Slot, opened: OpenLeaf, reason: AbortReason, *, contributed: Sequence[Contribution], now: int
) -> None:
    """Refuse an abort that comes too early, or whose reason is not the one that the log shows.

    Accept every abort of a round that has ended: the log then answers an equal earlier abort, or refuses this one.
    """
    deadline, is_dealt = found.deadline, found.deck_root is not None
    if found.stage.is_terminal or deadline is None:
        return
    faults = abort_faults(
        reason,
        is_dealt=is_dealt,
        seeds=leaf_seeds(opened.header.seat_count, contributed),
        commitments=opened.client_commitments,
        deadline=deadline,
        time=now,
    )
    if AbortFault.TOO_EARLY in faults:
        fault, message = ErrorReason.ERROR_REASON_DEADLINE_NOT_PASSED, f"the round may be dealt until {deadline}"
        if is_dealt:
            message = f"the round is dealt and may be settled until {deadline}; it can be aborted after that"
        raise deadline_refusal(fault, message, deadline=deadline, now=now, field="" if is_dealt else "reason")
    if AbortFault.SEED_RECEIVED in faults:
        fault = ErrorReason.ERROR_REASON_SEEDS_RECEIVED
        message = (
            f"a seat's seed has been received, so the round cannot be given up; it can be aborted after {deadline}"
        )
        raise deadline_refusal(fault, message, deadline=deadline, now=now, field="reason")
    if AbortFault.WRONG_REASON in faults:
        expected = reason_of(found, opened, contributed)
        raise invalid_field(
            f"the reason that follows from the log is {expected}, not {reason}",
            field="reason",
            expected=expected,
            found=reason,
        )


def abort_of(  # noqa: PLR0913 - members of an ABORT
    found: Slot,
    reason: AbortReason,
    *,
    client_seeds: Sequence[str],
    contributed: int | None,
    now: int,
    signer: Signer,
    seed: Contribution | None = None,
) -> Append:
    """Return the signed ABORT of a round to append.

    ``client_seeds`` has one hexadecimal seed for each seat, empty for a seat whose seed is unknown. ``contributed`` is
    the number of kept seeds among them, or None after the deal. ``seed`` is a further seed, not kept yet, that the
    append keeps together with the ABORT.
    """
    leaf = AbortLeaf(
        aborted_time=now,
        client_seeds=tuple(client_seeds),
        reason=reason,
        round_id=found.round_id.hex(),
        stage="OPENED" if found.deck_root is None else "DEALT",
    )
    return Append(
        leaf=sign_leaf(leaf, signer),
        step=AbortStep(found.key, round_id=found.round_id, deck_root=found.deck_root),
        request_digest=hashlib.sha256(reason.encode()).digest(),
        contributed=contributed,
        seed=seed,
        time=now,
    )


def received_abort_of(  # noqa: PLR0913 - facts of the round
    found: Slot,
    reason: AbortReason | None,
    leaves: Mapping[StepKind, bytes],
    contributed: Sequence[Contribution],
    *,
    now: int,
    signer: Signer,
) -> Append:
    """Return the signed ABORT of a round with all seeds that were received: those of its DEAL, or the contributed ones.

    ``leaves`` are the leaves of the round in the log, of which its OPEN and DEAL are read. Without a ``reason``, the
    reason is the one that the log shows of a round that was not dealt or settled in time; the caller ensures that its
    deadline has passed.
    """
    opened = read_open(leaves[StepKind.OPEN])
    reason = reason or reason_of(found, opened, contributed)
    if StepKind.DEAL in leaves:
        seeds = read_leaf(leaves[StepKind.DEAL], DealLeaf).client_seeds
        return abort_of(found, reason, client_seeds=seeds, contributed=None, now=now, signer=signer)
    seeds = leaf_seeds(opened.header.seat_count, contributed)
    return abort_of(found, reason, client_seeds=seeds, contributed=len(contributed), now=now, signer=signer)
