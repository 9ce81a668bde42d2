"""Attacks on what people hold: promised leaves that are gone, proofs that prove nothing, seeds that were missing."""

from collections.abc import Sequence
from functools import partial

from referee.audit import Code, Documents
from referee.audit.documents import HeldSeed, KeptReceipt
from referee.evidence.merkle import LeafIndex, inclusion_path, leaf_hash
from referee.log import LogReceipt
from tests.audit import audit_attack
from tests.audit.audit_attack import TABLE, Attacked, begun, ended
from tests.audit.audit_builder import STRANGER, LogBuilder, Parts, abort, digest

mutation = partial(audit_attack.mutation, file="held.jsonl")


def promise(  # noqa: PLR0913 - all that an attacker may change
    log: LogBuilder,
    index: int,
    *,
    proof: Sequence[bytes] | None = None,
    leaf: bytes | None = None,
    named: int | None = None,
    with_leaf: bool = True,
) -> KeptReceipt:
    """Make the log's receipt for a leaf, with the proof, leaf or index that an attacker names."""
    hashes = [leaf_hash(entry) for entry in log.entries]
    data = log.entries[index] if leaf is None else leaf
    receipt = LogReceipt(
        index=LeafIndex(index if named is None else named),
        leaf_hash=leaf_hash(data),
        proof=tuple(inclusion_path(hashes, index) if proof is None else proof),
        checkpoint=log.checkpoint(),
    )
    return KeptReceipt(receipt=receipt.text, leaf=data if with_leaf else None)


def holding(log: LogBuilder, *promises: KeptReceipt, parts: Parts | None = None) -> Attacked:
    """Return the log as it is now, with receipts that participants kept."""
    log.documents = Documents(log_receipts=promises)
    return ended(log, parts)


def another(log: LogBuilder) -> Parts:
    """Make the table's next round for another stake than it had."""
    return log.prepare(TABLE, stake=700)


@mutation(
    Code.PROMISED_LEAF_ABSENT,
    "the log gives a receipt for a settlement and later shows another in its place",
)
def promised_settlement_replaced() -> Attacked:
    log, parts = begun()
    other = another(log)
    before = LogBuilder([*log.entries])
    before.append(parts)
    return holding(log, promise(before, len(before.entries) - 2), parts=other)


@mutation(Code.PROMISED_LEAF_ABSENT, "the log gives a receipt for a leaf and is cut off before it")
def promised_leaf_cut_off() -> Attacked:
    log, parts = begun()
    before = LogBuilder([*log.entries])
    before.append(parts)
    return holding(log, promise(before, len(before.entries) - 1))


@mutation(
    Code.PROMISED_LEAF_ABSENT,
    "a receipt without its leaf is for a leaf that is no longer there, as the tree shows",
)
def promised_leaf_absent_without_the_leaf() -> Attacked:
    log, parts = begun()
    other = another(log)
    before = LogBuilder([*log.entries])
    before.append(parts)
    return holding(log, promise(before, len(before.entries) - 2, with_leaf=False), parts=other)


@mutation(Code.LOG_RECEIPT_REFUSED, "an inner node is passed off as a leaf that holds its two children")
def node_as_a_leaf() -> Attacked:
    log, parts = begun()
    log.append(parts)
    hashes = [leaf_hash(entry) for entry in log.entries]
    children = hashes[4] + hashes[5]
    return holding(log, promise(log, 4, leaf=children, proof=inclusion_path(hashes, 4)[1:], named=2))


@mutation(Code.LOG_RECEIPT_REFUSED, "a proof goes on above the root")
def proof_too_long() -> Attacked:
    log, parts = begun()
    log.append(parts)
    hashes = [leaf_hash(entry) for entry in log.entries]
    return holding(log, promise(log, 4, proof=(*inclusion_path(hashes, 4), digest("above"))))


@mutation(Code.LOG_RECEIPT_REFUSED, "a proof ends below the root")
def proof_too_short() -> Attacked:
    log, parts = begun()
    log.append(parts)
    hashes = [leaf_hash(entry) for entry in log.entries]
    return holding(log, promise(log, 4, proof=inclusion_path(hashes, 4)[:-1]))


@mutation(Code.LOG_RECEIPT_REFUSED, "a receipt names an index that its tree does not have")
def index_outside_the_tree() -> Attacked:
    log, parts = begun()
    log.append(parts)
    return holding(log, promise(log, 4, named=len(log.entries) + 4))


@mutation(Code.LOG_RECEIPT_REFUSED, "a receipt without its leaf has a hash of its proof changed")
def proof_changed_without_the_leaf() -> Attacked:
    log, parts = begun()
    log.append(parts)
    hashes = [leaf_hash(entry) for entry in log.entries]
    path = inclusion_path(hashes, 4)
    return holding(log, promise(log, 4, proof=(digest("another"), *path[1:]), with_leaf=False))


@mutation(Code.LOG_RECEIPT_REFUSED, "a receipt's checkpoint is signed by a key that is not the log's")
def receipt_of_a_stranger() -> Attacked:
    log, parts = begun()
    log.append(parts)
    honest = promise(log, 4)
    text = honest.receipt.replace(log.checkpoint(), log.checkpoint(signer=STRANGER))
    return holding(log, KeptReceipt(receipt=text, leaf=honest.leaf))


@mutation(Code.HISTORY_REWRITTEN, "a promised leaf is still at its index, but the leaves before it were changed")
def history_rewritten_before_a_promised_leaf() -> Attacked:
    log, parts = begun()
    log.append(parts)
    kept = promise(log, len(log.entries) - 1)
    log.entries[0], log.entries[1] = log.entries[1], log.entries[0]
    log.play(TABLE)
    return holding(log, kept)


@mutation(Code.SPLIT_VIEW, "a receipt's tree is as large as the log's and another")
def split_view_shown_by_a_receipt() -> Attacked:
    log, parts = begun()
    log.append(parts)
    kept = promise(log, len(log.entries) - 1)
    log.entries[0], log.entries[1] = log.entries[1], log.entries[0]
    return holding(log, kept)


@mutation(Code.LOG_TRUNCATED, "a receipt's leaf is there, and leaves that its tree had behind it are not")
def cut_off_behind_a_promised_leaf() -> Attacked:
    log, parts = begun()
    log.append(parts)
    kept = promise(log, 4)
    del log.entries[-4:]
    return holding(log, kept)


def given_up(seed: bytes) -> Attacked:
    """Make a log whose last round was given up for want of seat 1's seed, with what somebody hands in as that seed."""
    log, parts = begun()
    abort(parts, stage="OPENED", reason="SEED_MISSING", missing=(1,))
    log.append(parts, steps="OER")
    held = HeldSeed(round_id=parts.header.round_id.hex(), seat=1, seed=(seed or parts.client_seeds[1]).hex())
    log.documents = Documents(seeds=(held,))
    return ended(log)


@mutation(Code.SEED_HELD, "a deck is given up for want of a seed that its seat sent, and has")
def missing_seed_is_held() -> Attacked:
    return given_up(b"")


@mutation(Code.HELD_SEED_REFUSED, "a seed is made up for a deck that was given up")
def missing_seed_made_up() -> Attacked:
    return given_up(digest("made up"))


@mutation(Code.HELD_SEED_REFUSED, "a seed is handed in for a round that the log does not have")
def held_seed_of_no_round() -> Attacked:
    log, _ = begun()
    log.documents = Documents(seeds=(HeldSeed(round_id=digest("no round").hex(), seat=0, seed=digest("seed").hex()),))
    return ended(log)
