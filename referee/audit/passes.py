"""The passes of an audit: each gets every leaf of the log in order, and is closed once after the last one.

A leaf goes to the keys first, because it is verified by those that were valid at its index, then to the rounds, the
tree, and last to the witnesses and documents, whose checkpoints are compared with a tree that has the leaf.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Protocol, TypeAlias, cast

import msgspec

from referee.audit.cause import kept_checkpoint_fault, root_key_mismatch, signer_faults
from referee.audit.cosignatures import CosignedHeads
from referee.audit.documents import Documents
from referee.audit.findings import AuditFindings
from referee.audit.log_receipts import LogReceiptCheck
from referee.audit.reading import Placed, ReadLeaf, read_header, signature_fault, unread_finding
from referee.audit.report import Report
from referee.audit.round_leaves import ExaminedRound, RoundReader
from referee.audit.source import FollowedLog, LogSource, TiledLog
from referee.audit.steps import RoundLeaf
from referee.audit.tables import Tables
from referee.audit.totals import Totals
from referee.audit.trust import TrustedKeys
from referee.audit.workers import RoundExaminer
from referee.dealing.leaf import DealLeaf, KeyLeaf, OpenLeaf, StartLeaf
from referee.evidence.dsse import Envelope
from referee.evidence.merkle import GrowingTree
from referee.evidence.vkey import VerifierKey
from referee.finding import Code, Difference, Finding, FindingError
from referee.log import Checkpoint
from referee.log.keys import KeyHistory, KeyLeafError, KeyRole
from referee.log.starts import StartHistory
from referee.transcript.inputs import Transcript

_OF_NO_ROUND: Final = (KeyLeaf, StartLeaf)
KeptCheckpoint: TypeAlias = tuple[Checkpoint, bytes]
"""A signed checkpoint, parsed and as its note."""


class LeafPass(Protocol):
    """A pass over the leaves of a log."""

    def leaf(self, leaf: ReadLeaf) -> None:
        """Take the next leaf."""


class KeyPass:
    """The keys and STARTs that the leaves so far named, and the leaves that cannot be read."""

    def __init__(self, report: Report, findings: AuditFindings, keys: TrustedKeys) -> None:
        self._report = report
        self._findings = findings
        self._trusted = keys
        self.history = KeyHistory(keys.root_key)
        self.starts = StartHistory()

    def leaf(self, leaf: ReadLeaf) -> None:
        """Apply a KEY or START; report a leaf that cannot be read."""
        if leaf.fault is not None:
            self._findings.add(unread_finding(leaf, leaf.fault, self.history.ring))
        elif leaf.envelope is not None and isinstance(leaf.leaf, _OF_NO_ROUND):
            fault = self._apply(leaf.index, leaf.envelope, leaf.leaf)
            if fault is None:
                self._report.checked.signatures += 1
            else:
                self._findings.add(Finding.of(*fault, leaf_index=leaf.index))

    def _apply(self, index: int, envelope: Envelope, leaf: KeyLeaf | StartLeaf) -> tuple[Code, str] | None:
        """Apply a leaf whose signature is valid; return the fault of any other."""
        if isinstance(leaf, StartLeaf):
            fault = signature_fault(envelope, self.history.ring)
            if fault is None:
                self.starts.add(leaf, leaf_index=index)
            return fault
        try:
            self.history.add(envelope, leaf, leaf_index=index)
        except KeyLeafError as error:
            return Code[error.fault], error.detail
        return None

    def close(self, notes: Sequence[KeptCheckpoint]) -> None:
        """Fill in the report's keys and STARTs, and compare the signers of checkpoints with these keys."""
        report = self._report
        report.keys = self.history.records
        report.starts, report.start_count = self.starts.records, self.starts.count
        for fault in signer_faults(notes, report.keys, log=self._trusted.log_key, size=report.size):
            self._findings.add(fault)
        if self.history.is_foreign:
            self._findings.add(root_key_mismatch(self._trusted.root_key, self._trusted.named_root))


class TreePass:
    """The tree over the leaves so far, which must end with the root that the log signed."""

    def __init__(self, report: Report, findings: AuditFindings) -> None:
        self._report = report
        self._findings = findings
        self.tree = GrowingTree()
        self.is_damaged = False
        """Whether leaves are missing or differ from those that the log signed."""

    def leaf(self, leaf: ReadLeaf) -> None:
        """Add a leaf to the tree."""
        self.tree.add(leaf.hash)

    def close(self, source: LogSource, checkpoint: Checkpoint) -> None:
        """Compare the root with the checkpoint's, and report the faults of tiles."""
        frontier = self.tree.extend()
        self._report.root = frontier.root.hex()
        self.is_damaged = (frontier.size, frontier.root) != (checkpoint.size, checkpoint.root)
        if frontier.size < checkpoint.size:
            detail = f"the checkpoint is of {checkpoint.size} leaves, and there are {frontier.size}"
            self._findings.add(Finding.of(Code.LOG_TRUNCATED, detail))
        elif self.is_damaged:
            difference = Difference("root", checkpoint.root.hex(), frontier.root.hex())
            detail = "the leaves are not those that the log signed"
            self._findings.add(Finding.of(Code.ROOT_MISMATCH, detail, difference=difference))
        if isinstance(source, TiledLog | FollowedLog):
            for fault in source.faults:
                self._findings.add(fault)


class RoundPass:
    """The rounds: each is examined once it is complete, and handed to the totals and to each reader."""

    def __init__(  # noqa: PLR0913 - the parts that a leaf of a round is compared with
        self,
        report: Report,
        findings: AuditFindings,
        keys: KeyPass,
        tables: Tables,
        totals: Totals,
        *,
        examiner: RoundExaminer,
        readers: Sequence[RoundReader],
        vouch: Callable[[Placed[OpenLeaf], Placed[DealLeaf], Sequence[VerifierKey]], bool],
    ) -> None:
        self._report = report
        self._findings = findings
        self._keys = keys
        self._tables = tables
        self._totals = totals
        self._examiner = examiner
        self._readers = readers
        self._vouch = vouch

    def leaf(self, leaf: ReadLeaf) -> None:
        """Apply a leaf of a round, and examine the round that it completes."""
        payload, envelope, ring = leaf.leaf, leaf.envelope, self._keys.history.ring
        if payload is None or envelope is None or isinstance(payload, _OF_NO_ROUND):
            return
        placed = Placed(index=leaf.index, hash=leaf.hash, envelope=envelope, ring=ring, leaf=payload)
        if isinstance(payload, OpenLeaf):
            try:
                self._tables.open(cast("Placed[OpenLeaf]", placed), read_header(payload))
            except FindingError as error:
                self._findings.add(unread_finding(leaf, (error.code, error.detail), ring))
            return
        if isinstance(payload, Transcript):
            self._check_started(payload, leaf.index)
        if isinstance(payload, DealLeaf) and payload.cosigned_checkpoint is not msgspec.UNSET:
            self._carry(cast("Placed[DealLeaf]", placed))
        complete = self._tables.add(cast("Placed[RoundLeaf]", placed))
        if complete is not None:
            self._read(self._examiner.submit(complete))

    def close(self, *, grace: int) -> None:
        """Examine the incomplete rounds as they are, and fill in the report's numbers of rounds."""
        report = self._report
        for leaves in self._tables.close(as_of=report.as_of, now=report.now, grace=grace):
            self._read(self._examiner.submit(leaves))
        self._read(self._examiner.finish())
        report.tables = dict(sorted(self._tables.counts.items()))
        for counts in report.tables.values():
            report.rounds.add(counts)
        self._totals.close()
        for reader in self._readers:
            for finding in reader.close(report):
                self._findings.add(finding)

    def _read(self, rounds: Iterable[ExaminedRound]) -> None:
        for examined in rounds:
            self._totals.on_round(examined)
            for reader in self._readers:
                reader.on_round(examined)

    def _check_started(self, settled: Transcript, index: int) -> None:
        """Note a settlement under a ruleset that no START in force names, in a log that has any by then."""
        header, starts = settled.inputs.header, self._keys.starts
        if starts.count and not starts.names(header.ruleset_digest_hex):
            ruleset = f"{header.ruleset_id} {header.ruleset_version}, {header.ruleset_digest_hex}"
            detail = f"no START in force names {ruleset}"
            slot = header.table_id, header.round_number
            self._findings.add(Finding.of(Code.RULESET_NOT_STARTED, detail, leaf_index=index, slot=slot))

    def _carry(self, dealt: Placed[DealLeaf]) -> None:
        """Verify the cosigned checkpoint in a DEAL. If a quorum cosigned it, add the DEAL to ``Totals.vouched``."""
        opened = self._tables.opened(bytes.fromhex(dealt.leaf.round_id))
        named = [VerifierKey.parse(one.key) for one in self._keys.history.records if one.role is KeyRole.LOG]
        if opened is not None and self._vouch(opened, dealt, named):
            self._totals.vouched.add(dealt.index)


class WitnessPass:
    """Checkpoints that witnesses cosigned, each compared with the tree of its size."""

    def __init__(self, heads: CosignedHeads, tree: GrowingTree, log_keys: Sequence[VerifierKey]) -> None:
        self._heads = heads
        self._tree = tree
        self._log_keys = log_keys
        self._compare(0)

    def leaf(self, leaf: ReadLeaf) -> None:
        """Compare the checkpoints of the tree that a leaf completes."""
        self._compare(leaf.index + 1)

    def vouch(self, opened: Placed[OpenLeaf], dealt: Placed[DealLeaf], named: Sequence[VerifierKey]) -> bool:
        """Return whether a DEAL carries a checkpoint that a quorum cosigned; ``named`` are keys of the log."""
        return self._heads.vouch(opened, dealt, root_of=self._tree.root_at, log_keys=(*self._log_keys, *named))

    def close(self, report: Report, checkpoint: Checkpoint, outgrown: Sequence[KeptCheckpoint]) -> None:
        """Report what is wrong with the quorum, and an outgrown checkpoint that the log did not grow beyond."""
        self._heads.close(checkpoint, report.keys, outgrown)

    def _compare(self, size: int) -> None:
        if self._heads.next_size == size:
            self._heads.compare(size, self._tree.extend().root, self._log_keys)


class DocumentPass:
    """Documents that people kept: earlier checkpoints and log receipts, compared with the tree, and those of rounds."""

    def __init__(  # noqa: PLR0913 - all that people keep, and what it is compared with
        self,
        report: Report,
        findings: AuditFindings,
        tree: GrowingTree,
        *,
        kept: Iterable[KeptCheckpoint],
        receipts: LogReceiptCheck,
        by_round: Mapping[bytes, Documents],
        documented: set[bytes],
    ) -> None:
        self._report = report
        self._findings = findings
        self._tree = tree
        self._receipts = receipts
        self._by_round = by_round
        self._documented = documented
        self._kept: dict[int, list[KeptCheckpoint]] = {}
        for one in kept:
            self._kept.setdefault(one[0].size, []).append(one)
        self._sizes = receipts.sizes | self._kept.keys()
        self._compare(0)
        for larger in sorted(size for size in self._kept if size > report.size):
            self._compare_kept(self._kept[larger][0], None)

    def leaf(self, leaf: ReadLeaf) -> None:
        """Compare a leaf, and the tree that it completes, with what people kept of both."""
        self._receipts.add_leaf(leaf.index, leaf.hash)
        self._compare(leaf.index + 1)

    def close(self) -> None:
        """Report documents of rounds that the log does not have, and log receipts that do not hold."""
        for round_id, documents in self._by_round.items():
            if round_id in self._documented:
                continue
            name = f"round {round_id.hex()}" if round_id else "no round"
            for code, held, of in (
                (Code.CERTIFICATE_REFUSED, documents.certificates, "a certificate is of"),
                (Code.RECEIPT_REFUSED, documents.event_receipts, "an event receipt is of"),
                (Code.HELD_SEED_REFUSED, documents.seeds, "a seed was handed in for"),
            ):
                if held:
                    self._findings.add(Finding.of(code, f"{of} {name}, which the log does not have"))
        for fault in self._receipts.close(self._report.checkpoint, size=self._report.size):
            self._findings.add(fault)

    def _compare(self, size: int) -> None:
        if size not in self._sizes:
            return
        frontier = self._tree.extend()
        if size < self._report.size:
            for kept in self._kept.get(size, ()):
                self._compare_kept(kept, frontier.root)
        self._receipts.compare(frontier)

    def _compare_kept(self, kept: KeptCheckpoint, root: bytes | None) -> None:
        """Report a kept checkpoint whose tree is not the log's of that size; None if the log has no such tree."""
        fault = kept_checkpoint_fault(*kept, size=self._report.size, root=root, shown=self._report.checkpoint)
        if fault is not None:
            self._findings.add(fault)
