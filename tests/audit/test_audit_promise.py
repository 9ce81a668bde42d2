"""Receipts and proofs beside a log: every one that is true holds, and no trick with a tree does."""

from collections.abc import Iterator, Sequence

import pytest

from referee.audit import Code, Documents
from referee.audit.documents import KeptReceipt
from referee.audit.log_receipts import LogReceiptCheck
from referee.evidence.merkle import (
    Frontier,
    LeafIndex,
    ProofError,
    inclusion_path,
    leaf_hash,
    node_hash,
    root,
    verify_inclusion,
)
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint, CheckpointSigner, LogReceipt, ReceiptError
from tests.audit.audit_attacks_promises import promise
from tests.audit.audit_builder import LOG, ORIGIN, Auditor, LogBuilder, NamedSigner, Table, codes, digest, key_leaf

LARGEST = 130
KEY = VerifierKey.parse(LOG.text)
TABLE = Table(name="felt", ruleset_id="mau_binh.classic", seats=2, received=False)


def tricks(hashes: Sequence[bytes], index: int, proof: Sequence[bytes]) -> Iterator[tuple[str, int, Sequence[bytes]]]:
    """Each trick by its name, with the index and the proof that it claims for the same leaf."""
    size = len(hashes)
    yield "index is the size", size, proof
    yield "index beyond the size", size + index + 1, proof
    yield "index below zero", -1 - index, proof
    if proof:
        yield "proof too short", index, proof[:-1]
        yield "proof without its first hash", index, proof[1:]
        yield "proof turned round", index ^ 1 if index ^ 1 < size else index - 1, proof
    yield "proof too long", index, (*proof, digest("more"))
    yield "proof with the root behind it", index, (*proof, root([b""]))
    yield "proof with the leaf before it", index, (hashes[index], *proof)


def test_receipt_of_every_leaf_of_every_small_tree_holds_and_no_trick_does():
    """Every size below 130 and every leaf: 8,385 receipts, and seven to nine tricks with each, under one checkpoint."""
    signer = CheckpointSigner(LOG, key_name=LOG.name)
    refused = 0
    for size in range(1, LARGEST):
        leaves = [b"leaf %d" % number for number in range(size)]
        hashes = [leaf_hash(leaf) for leaf in leaves]
        top = root(leaves)
        note = signer.sign(Checkpoint(ORIGIN, size, top))
        opened = LogReceipt(index=LeafIndex(0), leaf_hash=hashes[0], proof=(), checkpoint=note)
        for index in range(size):
            proof = inclusion_path(hashes, index)
            receipt = LogReceipt(index=LeafIndex(index), leaf_hash=hashes[index], proof=proof, checkpoint=note)
            if index % 16 == 0:  # a signature takes a while; the proof is checked alike below
                assert receipt.verify(leaves[index], origin=ORIGIN, keys=[KEY]).size == size
            assert holds(hashes[index], index=index, size=size, proof=proof, top=top)
            for name, claimed, other in tricks(hashes, index, proof):
                assert not holds(hashes[index], index=claimed, size=size, proof=other, top=top), name
                refused += 1
        with pytest.raises(ReceiptError):
            opened.verify(b"no such leaf", origin=ORIGIN, keys=[KEY])
    assert refused > 60_000


def holds(hashed: bytes, *, index: int, size: int, proof: Sequence[bytes], top: bytes) -> bool:
    """Return the result of the receipt's own check without its signature."""
    try:
        verify_inclusion(hashed, index=index, size=size, proof=proof, root=top)
    except ProofError:
        return False
    return True


def test_no_inner_node_of_a_small_tree_passes_for_a_leaf():
    """The data of a leaf may be two hashes; as a leaf they hash to something else than as a node, at every index."""
    for size in range(2, LARGEST):
        hashes = [leaf_hash(b"leaf %d" % number) for number in range(size)]
        top = Frontier().extend(hashes).root
        for left in range(0, size - 1, 2):
            data = hashes[left] + hashes[left + 1]
            assert leaf_hash(data) != node_hash(hashes[left], hashes[left + 1])
            path = inclusion_path(hashes, left)
            for index in {left, left // 2}:
                for proof in (path, path[1:]):
                    assert not holds(leaf_hash(data), index=index, size=size, proof=proof, top=top)


def built(rounds: int) -> LogBuilder:
    return LogBuilder.of(TABLE, rounds=rounds)


@pytest.mark.parametrize("with_leaf", [True, False])
def test_receipts_of_every_leaf_at_every_earlier_size_are_kept(audit: Auditor, *, with_leaf: bool):
    log = built(4)
    promises = []
    for size in range(3, len(log.entries) + 1, 2):
        earlier = LogBuilder(log.entries[:size])
        promises += [promise(earlier, index, with_leaf=with_leaf) for index in range(size)]
    assert audit(log.bundle(), documents=Documents(log_receipts=tuple(promises))).findings == ()


def test_every_leaf_taken_out_breaks_its_promise(audit: Auditor):
    """The holder of its receipt and the leaf finds it gone, at its place, beside whatever else is found."""
    log = built(2)
    for index in range(len(log.entries)):
        kept = promise(log, index)
        without = LogBuilder([*log.entries[:index], *log.entries[index + 1 :]])
        report = audit(without.bundle(), documents=Documents(log_receipts=(kept,)))
        broken = [one for one in report.findings if one.code is Code.PROMISED_LEAF_ABSENT]
        assert [one.leaf_index for one in broken] == [index]
        assert broken[0].difference is not None
        assert broken[0].difference.found == log.checkpoint().decode()


def test_receipt_beside_one_key_of_several_holds():
    """As for a log that changed its key."""
    other = NamedSigner("log.example/1/later")
    log = LogBuilder([key_leaf(LOG, "log")])
    keys = [VerifierKey(LOG.name, other.public_key), KEY]
    check = LogReceiptCheck([promise(log, 0)], origin=ORIGIN, keys=keys)
    assert check.sizes == {1}
    assert [one.code for one in check.close("", size=1)] == [Code.PROMISED_LEAF_ABSENT]


@pytest.mark.parametrize(
    "text", [b"", b"c2sp.org/tlog-proof@v1\n", b"\xff" * 100, b"c2sp.org/tlog-proof@v1\nindex x\n\n"]
)
def test_text_that_is_no_receipt_is_refused(audit: Auditor, text: bytes):
    log = built(1)
    for leaf in (None, b"", log.entries[0]):
        report = audit(log.bundle(), documents=Documents(log_receipts=(KeptReceipt(receipt=text, leaf=leaf),)))
        assert codes(report) == [Code.LOG_RECEIPT_REFUSED]
