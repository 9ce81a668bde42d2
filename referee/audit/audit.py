"""Audit of a log: its leaves are read once, in order, and compared with its signed checkpoint, its keys and its rounds.

Only two keys from outside are trusted, the log's and the root's. The root of the tree is computed again from the
leaves; this log must continue every checkpoint that was seen earlier; every round is examined whole. Memory holds the
rounds that wait for a leaf, a few numbers a table and a bounded list of findings, however long the log is.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Final

from referee.audit.carried import carried_checkpoint
from referee.audit.cosignatures import NO_WITNESSING, CosignedHeads, Witnessing
from referee.audit.documents import NO_DOCUMENTS, Documents, by_round
from referee.audit.finding import Code, Difference, Finding, FindingError, Severity
from referee.audit.keys import KeyHistory, KeyRole, is_signed, log_keys, signer_faults
from referee.audit.log_receipts import LogReceiptCheck
from referee.audit.owners import Owners
from referee.audit.population import Population
from referee.audit.questions import questions
from referee.audit.reading import SIGNERS, Placed, read_envelope, read_header, read_payload
from referee.audit.report import DealingLevel, Report, Statistics
from referee.audit.round_leaves import AuditTerms, RoundLeaves, RoundResult
from referee.audit.score import KEPT, judge
from referee.audit.seeds import SeedBook, SeedKind
from referee.audit.source import LogSource, TiledLog
from referee.audit.tables import Tables
from referee.audit.timeline import Timeline
from referee.audit.tree import GrowingTree
from referee.audit.workers import ProcessPool, RoundExaminer, WorkerPool
from referee.dealing.leaf import DealLeaf, KeyLeaf, OpenLeaf
from referee.evidence.dsse import Envelope
from referee.evidence.merkle import Frontier, leaf_hash
from referee.evidence.note import Note, NoteError
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint, CheckpointError, open_checkpoint
from referee.rulesets import Catalogue

GRACE_MS: Final = 60_000
"""Time after its deadline that a leaf may still be missing without a finding."""
MAX_FINDINGS: Final = 1_000
"""Findings of each severity that are listed; all are counted."""
_STEP: Final = 4_096
"""Leaves between two reports of progress."""

Progress = Callable[[int, int], None]
"""Called with the number of leaves done and of leaves in all."""
_Kept = tuple[Checkpoint, bytes]
"""A checkpoint that was seen earlier, and its note."""


def audit_log(  # noqa: PLR0913 - the terms of an audit
    source: LogSource,
    *,
    origin: str,
    log_key: str,
    root_key: str,
    catalogue: Catalogue,
    now: int,
    witnessed: Sequence[bytes] = (),
    documents: Documents = NO_DOCUMENTS,
    witnessing: Witnessing = NO_WITNESSING,
    workers: int = 1,
    make_pool: Callable[[AuditTerms], WorkerPool] | None = None,
    grace: int = GRACE_MS,
    progress: Progress | None = None,
) -> Report:
    """Audit a log and return a report.

    Keys are C2SP verifier key text; raise KeyTextError for any other. ``now`` is ms since 1970 UTC and decides which
    deadlines have passed, ``grace`` ms ago. ``witnessed`` are signed checkpoints that were kept, ``documents`` what
    people kept of single rounds, ``witnessing`` what is known of witnesses. Rounds are examined by this process, by
    ``workers`` processes, or by the pool that ``make_pool`` makes; the report is the same. A log without a valid
    checkpoint is not read any further; a log that changed its key is followed from the known key to those that the
    root named.
    """
    root, log = VerifierKey.parse(root_key), VerifierKey.parse(log_key)
    report = Report.empty(origin=origin, now=now)
    findings = _Findings()
    notes = (source.checkpoint, *witnessed, *witnessing.outgrown)
    keys = _log_keys(source, notes, log=log, root=root)
    try:
        checkpoint = open_checkpoint(source.checkpoint, origin=origin, keys=keys)
    except (CheckpointError, NoteError) as error:
        findings.add(Finding.of(Code.CHECKPOINT_REFUSED, str(error)))
        findings.fill(report)
        return report
    report.checkpoint = source.checkpoint.decode()
    report.size = checkpoint.size
    kept = _open_kept(notes[1:], origin=origin, keys=keys, findings=findings)
    timeline = Timeline(findings.add, now=now)
    heads = CosignedHeads(witnessing, kept=notes, origin=origin, now=now, report=findings.add, timeline=timeline)
    receipts = LogReceiptCheck(documents.log_receipts, origin=origin, keys=keys)
    tables = Tables(findings.add, documents=by_round(documents), timeline=timeline)
    owners = Owners(are_seeds_handed_in=bool(documents.seeds))
    audit = _Audit(report, findings, KeyHistory(root), tables=tables, owners=owners, heads=heads, log_keys=keys)
    terms = AuditTerms(origin=origin, catalogue=catalogue)
    if make_pool is None and workers > 1:
        make_pool = partial(ProcessPool, count=workers)
    with audit.seeds, RoundExaminer(terms, None if make_pool is None else make_pool(terms)) as examiner:
        audit.read(source, checkpoint, kept, examiner, progress, receipts=receipts)
        audit.close(examiner, grace=grace)
    for fault in signer_faults([(checkpoint, source.checkpoint), *kept], report.keys, log=log, size=checkpoint.size):
        findings.add(fault)
    heads.close(checkpoint, report.keys, [one for one in kept if one[1] in witnessing.outgrown])
    audit.check_documents(by_round(documents))
    for fault in receipts.close(report.checkpoint, size=report.size):
        findings.add(fault)
    findings.fill(report)
    return report


class _Findings:
    """Findings of an audit: all are counted, the first of each severity kept."""

    def __init__(self) -> None:
        self._counts: Counter[Code] = Counter()
        self._kept: dict[Severity, list[Finding]] = {severity: [] for severity in Severity}

    def add(self, finding: Finding) -> None:
        self._counts[finding.code] += 1
        kept = self._kept[finding.severity]
        if len(kept) < MAX_FINDINGS:
            kept.append(finding)

    def fill(self, report: Report) -> None:
        report.finding_counts = dict(sorted(self._counts.items()))
        together = [finding for severity in Severity for finding in self._kept[severity]]
        report.findings = tuple(sorted(together, key=lambda finding: finding.order))


class _Audit:
    """State of one audit while leaves are read."""

    def __init__(  # noqa: PLR0913 - the parts of an audit
        self,
        report: Report,
        findings: _Findings,
        keys: KeyHistory,
        *,
        tables: Tables,
        owners: Owners,
        heads: CosignedHeads,
        log_keys: Sequence[VerifierKey],
    ) -> None:
        self.seeds = SeedBook()
        self._heads = heads
        self._log_keys = log_keys
        self._report = report
        self._findings = findings
        self._keys = keys
        self._tables = tables
        self._tree = GrowingTree()
        self._population = Population()
        self._owners = owners
        self._section_keys: dict[bytes, tuple[int, int]] = {}
        self._vouched: set[int] = set()
        """DEAL leaves whose round is not examined yet and whose OPEN a quorum vouches for."""
        self._independent = bytearray(report.size // 8 + 1)
        self._witnessed = bytearray(report.size // 8 + 1)

    def read(  # noqa: PLR0913 - all that a log is compared with
        self,
        source: LogSource,
        checkpoint: Checkpoint,
        kept: Sequence[_Kept],
        examiner: RoundExaminer,
        progress: Progress | None,
        *,
        receipts: LogReceiptCheck,
    ) -> None:
        """Read the leaves once, and compare the tree with every checkpoint whose size it passes."""
        tree = self._tree
        at_size: dict[int, list[_Kept]] = {}
        for one in kept:
            at_size.setdefault(one[0].size, []).append(one)
        self._compare(tree.frontier, at_size)
        receipts.compare(tree.frontier)
        for larger in sorted(size for size in at_size if size > checkpoint.size):
            note = at_size[larger][0][1]
            difference = Difference("checkpoint", self._report.checkpoint, note.decode())
            detail = f"the log has {checkpoint.size} leaves and once signed that it has {larger}"
            self._find(Code.LOG_TRUNCATED, detail, difference=difference)
        for size, data in enumerate(source.leaves(0, checkpoint.size), 1):
            hashed = leaf_hash(data)
            leaves = self._add(data, hashed, size - 1)
            if leaves is not None:
                self._count(examiner.submit(leaves))
            receipts.add_leaf(size - 1, hashed)
            is_whole = tree.add(hashed)
            if is_whole or size in at_size or size in receipts.sizes or size == self._heads.next_size:
                frontier = tree.extend()
                self._compare(frontier, at_size)
                receipts.compare(frontier)
            if progress is not None and size % _STEP == 0:
                progress(size, checkpoint.size)
        frontier = tree.extend()
        self._check_root(frontier, checkpoint)
        if isinstance(source, TiledLog):
            for fault in source.faults:
                self._findings.add(fault)
        if progress is not None:
            progress(frontier.size, checkpoint.size)

    def close(self, examiner: RoundExaminer, *, grace: int) -> None:
        """Examine rounds that still wait for leaves as they are, compare seeds, and fill the report's numbers."""
        for leaves in self._tables.close(now=self._report.now, grace=grace):
            self._count(examiner.submit(leaves))
        self._count(examiner.finish())
        repeated = self._compare_seeds()
        self._report.keys = self._keys.records
        self._report.tables = dict(sorted(self._tables.counts.items()))
        for counts in self._report.tables.values():
            self._report.rounds.add(counts)
        self._judge(repeated)

    def check_documents(self, by_id: dict[bytes, Documents]) -> None:
        """Report documents of rounds that the log does not have."""
        for round_id, documents in by_id.items():
            if round_id in self._tables.documented:
                continue
            name = f"round {round_id.hex()}" if round_id else "no round"
            if documents.certificates:
                detail = f"a certificate is of {name}, which the log does not have"
                self._find(Code.CERTIFICATE_REFUSED, detail)
            if documents.event_receipts:
                detail = f"an event receipt is of {name}, which the log does not have"
                self._find(Code.RECEIPT_REFUSED, detail)
            if documents.seeds:
                detail = f"a seed was handed in for {name}, which the log does not have"
                self._find(Code.HELD_SEED_REFUSED, detail)

    def _find(
        self, code: Code, detail: str, *, leaf_index: int | None = None, difference: Difference | None = None
    ) -> None:
        self._findings.add(Finding.of(code, detail, leaf_index=leaf_index, difference=difference))

    def _check_root(self, frontier: Frontier, checkpoint: Checkpoint) -> None:
        self._report.root = frontier.root.hex()
        if frontier.size < checkpoint.size:
            detail = f"the checkpoint is of {checkpoint.size} leaves, and there are {frontier.size}"
            self._find(Code.LOG_TRUNCATED, detail)
        elif frontier.root != checkpoint.root:
            difference = Difference("root", checkpoint.root.hex(), frontier.root.hex())
            self._find(Code.ROOT_MISMATCH, "the leaves are not those that the log signed", difference=difference)

    def _add(self, data: bytes, hashed: bytes, index: int) -> RoundLeaves | None:
        """Read a leaf, report its faults, and return the round that it completes, or None."""
        envelope: Envelope | None = None
        try:
            envelope = read_envelope(data)
            leaf = read_payload(envelope)
            if isinstance(leaf, OpenLeaf):
                opened = Placed(index=index, hash=hashed, envelope=envelope, ring=self._keys.ring, leaf=leaf)
                self._tables.open(opened, read_header(leaf))
                return None
        except FindingError as error:
            code, detail = self._forged(envelope) or (error.code, error.detail)
            self._find(code, detail, leaf_index=index)
            return None
        if isinstance(leaf, KeyLeaf):
            try:
                self._keys.add(envelope, leaf, leaf_index=index)
            except FindingError as error:
                self._find(error.code, error.detail, leaf_index=index)
            else:
                self._report.checked.signatures += 1
            return None
        if isinstance(leaf, DealLeaf):
            self._carry(Placed(index=index, hash=hashed, envelope=envelope, ring=self._keys.ring, leaf=leaf))
        return self._tables.add(Placed(index=index, hash=hashed, envelope=envelope, ring=self._keys.ring, leaf=leaf))

    def _carry(self, dealt: Placed[DealLeaf]) -> None:
        """Verify the cosigned checkpoint of a DEAL; note the leaf if a quorum vouches by it for its round's OPEN."""
        opened = self._tables.opened(bytes.fromhex(dealt.leaf.round_id))
        if opened is None:
            return
        try:
            carried = carried_checkpoint(opened, dealt)
        except FindingError:
            return  # reported with its round
        root = None if carried is None else self._tree.root_at(carried.checkpoint.size)
        if carried is None or root is None:
            return
        named = [VerifierKey.parse(one.key) for one in self._keys.records if one.role is KeyRole.LOG]
        if self._heads.carry(carried, opened, dealt, root=root, log_keys=(*self._log_keys, *named)):
            self._vouched.add(dealt.index)

    def _forged(self, envelope: Envelope | None) -> tuple[Code, str] | None:
        """Return what is wrong with the signature of an unreadable leaf, if its type has a signer."""
        role = None if envelope is None else SIGNERS.get(envelope.payload_type)
        return None if envelope is None or role is None else self._keys.ring.fault_of(envelope, role)

    def _count(self, results: Iterable[RoundResult]) -> None:
        """Add results of rounds to the findings, the report's numbers and the statistics."""
        report = self._report
        for one in results:
            for finding in one.findings:
                self._findings.add(finding)
            report.checked.signatures += one.signatures
            report.checked.replayed += one.is_replayed
            report.checked.redealt += one.is_redealt
            if one.event_level is not None:
                report.event_levels[one.event_level] += 1
            if one.dealing_level is not None:
                report.dealing_levels[one.dealing_level] += 1
                is_vouched = one.client_seeds_leaf in self._vouched
                self._vouched.discard(one.client_seeds_leaf)
                if one.dealing_level is DealingLevel.L2:
                    self._raise(one.client_seeds_leaf, is_vouched=is_vouched)
            self._population.add(one.sample)
            self._owners.add(one.sample)
            for section, key in one.opened:
                self._compare_key(section, key, leaf=one.sample.leaf_index)
            if one.sample.shown:
                self.seeds.add(SeedKind.DECK, one.sample.shown, leaf=one.sample.leaf_index)
            for seed in one.client_seeds:
                self.seeds.add(SeedKind.CLIENT, seed, leaf=one.client_seeds_leaf)
            if one.server_seed is not None:
                self.seeds.add(SeedKind.SERVER, one.server_seed, leaf=one.server_seed_leaf)

    def _judge(self, repeated: Sequence[tuple[int, int]]) -> None:
        """Compare the counts with chance."""
        population, report = self._population, self._report
        judged = judge(questions(population, self._owners, report.tables, repeated=repeated))
        for finding in judged.findings:
            self._findings.add(finding)
        places = tuple([tuple(row[1:]) for row in population.cells]) if population.decks else ()
        report.statistics = Statistics(
            decks=population.decks,
            asked=judged.asked,
            scores=judged.scores,
            places=places,
            without_seed=dict(islice(self._owners.blamed().items(), KEPT)),
        )

    def _compare_seeds(self) -> list[tuple[int, int]]:
        """Report seeds that were used twice; return the pairs of leaves in which one deck was dealt."""
        decks: list[tuple[int, int]] = []
        for again in self.seeds.repeated():
            if again.kind is SeedKind.DECK:
                if len(decks) < KEPT:
                    decks.append((again.first_leaf, again.leaf))
            elif again.kind is SeedKind.SERVER:
                detail = f"leaf {again.first_leaf} shows the same server seed"
                self._find(Code.SERVER_SEED_REPEATED, detail, leaf_index=again.leaf)
            else:
                detail = f"leaf {again.first_leaf} has a seat's seed too"
                self._find(Code.CLIENT_SEED_REPEATED, detail, leaf_index=again.leaf)
                self._lower(again.first_leaf)
                self._lower(again.leaf)
        return decks

    def _compare_key(self, section: int, key: bytes, *, leaf: int) -> None:
        """Report a section's key that opens a section of another round too."""
        first, before = self._section_keys.setdefault(key, (section, leaf))
        if before != leaf:
            detail = f"the key of section {section} opens section {first} of the round dealt in leaf {before} too"
            self._find(Code.SECTION_KEY_WEAK, detail, leaf_index=leaf)

    def _raise(self, dealt: int, *, is_vouched: bool) -> None:
        """Note a round of level L2 with this DEAL leaf; raise it to L3 if a quorum vouches for its OPEN."""
        bit = 1 << (dealt & 7)
        self._independent[dealt >> 3] |= bit
        if is_vouched:
            self._witnessed[dealt >> 3] |= bit
            self._report.dealing_levels[DealingLevel.L2] -= 1
            self._report.dealing_levels[DealingLevel.L3] += 1

    def _lower(self, leaf: int) -> None:
        """Lower a round of level L2 or L3 with this DEAL leaf to L1, once."""
        bit = 1 << (leaf & 7)
        if self._independent[leaf >> 3] & bit:
            self._independent[leaf >> 3] ^= bit
            is_witnessed = self._witnessed[leaf >> 3] & bit
            self._report.dealing_levels[DealingLevel.L3 if is_witnessed else DealingLevel.L2] -= 1
            self._report.dealing_levels[DealingLevel.L1] += 1

    def _compare(self, frontier: Frontier, at_size: dict[int, list[_Kept]]) -> None:
        """Compare the tree so far with each checkpoint of its size."""
        if self._heads.next_size == frontier.size:
            self._heads.compare(frontier.size, frontier.root, self._log_keys)
        for kept, note in at_size.get(frontier.size, ()):
            if kept.root != frontier.root:
                code = Code.SPLIT_VIEW if kept.size == self._report.size else Code.HISTORY_REWRITTEN
                detail = "the log signed two checkpoints of which neither continues the other"
                difference = Difference("checkpoint", self._report.checkpoint, note.decode())
                self._find(code, detail, difference=difference)


def _log_keys(
    source: LogSource, notes: Sequence[bytes], *, log: VerifierKey, root: VerifierKey
) -> tuple[VerifierKey, ...]:
    """Return the keys that may have signed these notes: the known one, or all that the root named beside it."""
    if all(is_signed(note, [log]) for note in notes):
        return (log,)
    try:
        claimed = Checkpoint.parse(Note.parse(source.checkpoint).text).size
    except (CheckpointError, NoteError):
        return (log,)
    named = log_keys(source.leaves(0, claimed), root=root)
    return named if log in named else (log,)


def _open_kept(notes: Sequence[bytes], *, origin: str, keys: Sequence[VerifierKey], findings: _Findings) -> list[_Kept]:
    kept = []
    for number, note in enumerate(notes):
        try:
            kept.append((open_checkpoint(note, origin=origin, keys=keys), note))
        except (CheckpointError, NoteError) as error:
            findings.add(Finding.of(Code.CHECKPOINT_REFUSED, f"checkpoint {number} that was kept: {error}"))
    return kept
