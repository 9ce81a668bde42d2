"""ABORT leaves, which end a round without a settlement (fairness.md, "A round").

Until a seat's seed is received the operator may give a round up. After that a party that has the seeds could know the
cards, so a round ends without a settlement only once a deadline has passed, and its reason follows from what the log
shows.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from referee.dealing.leaf import ABORT_TYPE, AbortLeaf, DealLeaf
from referee.dealing.leaf import encode as encode_leaf
from referee.dealing.leaf import parse as parse_leaf
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import Signer
from referee.log import AbortStep, Round, StepKind
from referee.service.contributing import leaf_seeds, missing_seats
from referee.service.revealing import OpenedRound
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


def overdue_reason(found: Round, opened: OpenedRound, contributed: Sequence[Contribution]) -> AbortWord:
    """Return the reason for which a round is aborted after its deadline."""
    is_expected = bool(contributed) or any(opened.client_commitments)
    is_missing = bool(missing_seats(opened.header.seat_count, contributed))
    return "SEED_MISSING" if found.deck_root is None and is_expected and is_missing else "DEADLINE"


def check_abort(
    found: Round, opened: OpenedRound, word: AbortWord, *, contributed: Sequence[Contribution], now: int
) -> None:
    """Refuse an abort that comes too early, or for another reason than the round's own.

    A round that has ended is not looked at, because a repeated abort is answered.
    """
    deadline = found.deadline
    if found.stage.is_terminal or deadline is None:
        return
    is_dealt = found.deck_root is not None
    if word == "OPERATOR" and not (is_dealt or contributed):
        return
    if word == "OPERATOR" and (now > deadline or not is_dealt):
        raise RefusedError(
            ErrorReason.ERROR_REASON_SEEDS_RECEIVED,
            f"a seat's seed has been received, so the round cannot be given up; it can be aborted after {deadline}",
            field="reason",
            deadline_time=deadline,
            received_time=now,
        )
    if now <= deadline:
        raise RefusedError(
            ErrorReason.ERROR_REASON_DEADLINE_NOT_PASSED,
            f"the round is dealt and may be settled until {deadline}; it can be aborted after that"
            if is_dealt
            else f"the round may be dealt until {deadline}",
            field="" if is_dealt else "reason",
            deadline_time=deadline,
            received_time=now,
        )
    expected = overdue_reason(found, opened, contributed)
    if word != expected:
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            f"the reason that follows from the log is {expected}, not {word}",
            field="reason",
            expected=expected,
            found=word,
        )


def abort_of(  # noqa: PLR0913 - members of an ABORT
    found: Round,
    word: AbortWord,
    *,
    client_seeds: Sequence[str],
    contributed: int | None,
    now: int,
    signer: Signer,
    seed: Contribution | None = None,
) -> Append:
    """Return the signed ABORT of a round to append; ``client_seeds`` by seat, empty where none is known.

    ``contributed`` is the number of contributed seeds that it includes before the deal, None after it; ``seed`` is one
    more, which is kept with it.
    """
    leaf = AbortLeaf(
        aborted_time=now,
        client_seeds=tuple(client_seeds),
        reason=word,
        round_id=found.round_id.hex(),
        stage="OPENED" if found.deck_root is None else "DEALT",
    )
    return Append(
        leaf=Envelope.signed(ABORT_TYPE, encode_leaf(leaf), signer).to_bytes(),
        step=AbortStep(found.key, round_id=found.round_id, deck_root=found.deck_root),
        request_digest=hashlib.sha256(word.encode()).digest(),
        contributed=contributed,
        seed=seed,
        time=now,
    )


def requested_abort_of(  # noqa: PLR0913 - facts of the round
    found: Round,
    word: AbortWord,
    leaves: Mapping[StepKind, bytes],
    contributed: Sequence[Contribution],
    *,
    now: int,
    signer: Signer,
) -> Append:
    """Return the ABORT of a round with the seeds that were received; ``leaves`` are its own so far."""
    if StepKind.DEAL in leaves:
        seeds = parse_leaf(Envelope.parse(leaves[StepKind.DEAL]).payload, DealLeaf).client_seeds
        return abort_of(found, word, client_seeds=seeds, contributed=None, now=now, signer=signer)
    seeds = leaf_seeds(OpenedRound.of(leaves[StepKind.OPEN]).header.seat_count, contributed)
    return abort_of(found, word, client_seeds=seeds, contributed=len(contributed), now=now, signer=signer)


def overdue_abort_of(
    found: Round, leaves: Mapping[StepKind, bytes], contributed: Sequence[Contribution], *, now: int, signer: Signer
) -> Append:
    """Return the ABORT of a round that was not dealt or settled by its deadline; ``leaves`` are its own so far."""
    word = overdue_reason(found, OpenedRound.of(leaves[StepKind.OPEN]), contributed)
    return requested_abort_of(found, word, leaves, contributed, now=now, signer=signer)
