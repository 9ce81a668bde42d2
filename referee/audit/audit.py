"""Audit of a log: its leaves are read once, in order, and compared with its signed checkpoint, its keys and its rounds.

Only two keys from outside are trusted, the log's and the root's. The root of the tree is computed again from the
leaves; this log must continue every checkpoint that was seen earlier; every round is examined whole. Memory holds the
rounds that wait for a leaf, a few numbers a table and a bounded list of findings, however long the log is.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, cast

import msgspec

from referee.audit.as_of import as_of_time, held_times
from referee.audit.cause import (
    Cause,
    cause_of,
    checkpoint_refused,
    kept_checkpoint_fault,
    root_key_mismatch,
    signer_faults,
    sort_findings,
    split_views,
)
from referee.audit.cosignatures import NO_WITNESSING, CosignedHeads, Witnessing
from referee.audit.documents import NO_DOCUMENTS, Documents, by_round
from referee.audit.log_receipts import LogReceiptCheck
from referee.audit.reading import SIGNERS, Placed, read_envelope, read_header, read_payload, signature_fault
from referee.audit.report import Report
from referee.audit.round_leaves import AuditTerms, RoundLeaves
from referee.audit.source import LogSource, TiledLog
from referee.audit.tables import Tables
from referee.audit.timeline import GRACE_MS, OWN_CLOCK_MS, Timeline
from referee.audit.totals import Totals
from referee.audit.workers import ProcessPool, RoundExaminer, WorkerPool
from referee.dealing.leaf import DealLeaf, KeyLeaf, OpenLeaf, StartLeaf
from referee.evidence.dsse import Envelope
from referee.evidence.merkle import Frontier, GrowingTree, leaf_hash
from referee.evidence.note import Note, NoteError
from referee.evidence.vkey import VerifierKey
from referee.finding import Code, Difference, Finding, FindingError, Severity
from referee.log import Checkpoint, CheckpointError, open_checkpoint
from referee.log.keys import KeyHistory, KeyLeafError, KeyRecord, KeyRole, is_signed, log_keys
from referee.log.starts import StartHistory
from referee.rulesets import Catalogue
from referee.transcript.inputs import Transcript

MAX_FINDINGS: Final = 1_000
"""Most findings of one severity that a report lists; it counts all."""
_STEP: Final = 4_096
"""Number of leaves between two calls of ``Progress``."""

Progress = Callable[[int, int], None]
"""Callback; its arguments are the number of leaves read so far and the log's size."""
_Kept = tuple[Checkpoint, bytes]
"""An earlier checkpoint, parsed and as the signed note."""


def audit_log(  # noqa: PLR0913 - the terms of an audit
    source: LogSource,
    *,
    origin: str,
    log_key: str,
    root_key: str,
    catalogue: Catalogue,
    now: int,
    as_of: int | None = None,
    former: int = 0,
    witnessed: Sequence[bytes] = (),
    documents: Documents = NO_DOCUMENTS,
    witnessing: Witnessing = NO_WITNESSING,
    workers: int = 1,
    make_pool: Callable[[AuditTerms], WorkerPool] | None = None,
    grace: int = GRACE_MS,
    named_root: str = "",
    progress: Progress | None = None,
    on_round: Callable[[RoundLeaves], None] | None = None,
) -> Report:
    """Audit a log and return a report.

    Keys are C2SP verifier key text; raise KeyTextError for any other text. ``now`` is the auditor's clock, ``as_of``
    the time by which deadlines are judged, both ms since 1970 UTC: ``now`` for a running log. Without it the log is a
    copy, audited as of the newest time in it, in all that is handed in, and ``former``, the ``as_of`` of an earlier
    audit of this log; raise AsOfError for a time before that or after ``now``. A deadline has passed ``grace`` ms after
    it. ``witnessed`` are earlier signed checkpoints of the log, ``documents`` what people kept of single rounds,
    ``witnessing`` the trusted witnesses and their checkpoints. Rounds are examined by this process, by ``workers``
    processes, or by the pool that ``make_pool`` makes; the report is the same.

    Of a log without a valid checkpoint no leaf is examined. If the log changed its key, the keys that the root named
    for it are trusted too, provided that ``log_key`` is one of them. ``named_root`` is the root key that the log's
    keeper names; only the message about a wrong root key uses it. ``on_round`` is called with each round's
    leaves before the round is examined.
    """
    root, log = VerifierKey.parse(root_key), VerifierKey.parse(log_key)
    report = Report.empty(origin=origin, now=now)
    as_of_time(now=now, wanted=as_of, newest=former)
    findings = _Findings()
    notes = (source.checkpoint, *witnessed, *witnessing.outgrown)
    keys = keys_of_log(source, notes, log=log, root=root)
    try:
        checkpoint = open_checkpoint(source.checkpoint, origin=origin, keys=keys)
    except (CheckpointError, NoteError) as error:
        findings.add(checkpoint_refused(source.checkpoint, [log], str(error)))
        findings.fill(report)
        return report
    report.checkpoint = source.checkpoint.decode()
    report.size = checkpoint.size
    kept = _open_kept(notes[1:], origin=origin, keys=keys, findings=findings)
    for fault in split_views((checkpoint, source.checkpoint), kept):
        findings.add(fault, is_certain=True)
    timeline = Timeline(findings.add, now=now)
    heads = CosignedHeads(witnessing, kept=notes, origin=origin, now=now, report=findings.add, timeline=timeline)
    receipts = LogReceiptCheck(documents.log_receipts, origin=origin, keys=keys)
    tables = Tables(findings.add, documents=by_round(documents), timeline=timeline)
    totals = Totals(report, findings.add, are_seeds_handed_in=bool(documents.seeds))
    audit = _Audit(report, findings, KeyHistory(root), tables=tables, totals=totals, heads=heads, log_keys=keys)
    terms = AuditTerms(origin=origin, catalogue=catalogue)
    if make_pool is None and workers > 1:
        make_pool = partial(ProcessPool, count=workers)
    with totals.seeds, RoundExaminer(terms, None if make_pool is None else make_pool(terms), on_round) as examiner:
        audit.read(source, checkpoint, kept, examiner, progress, receipts=receipts)
        held = [time for time in held_times(documents, audit.key_records) if time <= now + OWN_CLOCK_MS]
        newest = max(former, heads.newest_time, *(timeline.period or (0,)), *held)
        report.as_of = as_of_time(now=now, wanted=as_of, newest=newest)
        audit.close(examiner, grace=grace)
    report.first_time, report.last_time = timeline.period or (None, None)
    for fault in signer_faults([(checkpoint, source.checkpoint), *kept], report.keys, log=log, size=checkpoint.size):
        findings.add(fault)
    heads.close(checkpoint, report.keys, [one for one in kept if one[1] in witnessing.outgrown])
    audit.check_documents(by_round(documents))
    for fault in receipts.close(report.checkpoint, size=report.size):
        findings.add(fault)
    if audit.has_foreign_root:
        findings.add(root_key_mismatch(root, named_root))
    findings.fill(report, is_explained=audit.has_foreign_root or audit.is_damaged)
    return report


class _Findings:
    """Findings of an audit. All are counted; the first ``MAX_FINDINGS`` of each severity and cause are kept."""

    def __init__(self) -> None:
        self._counts: Counter[Code] = Counter()
        self._certain: Counter[Code] = Counter()
        self._kept: defaultdict[tuple[Severity, Cause], list[Finding]] = defaultdict(list)

    def add(self, finding: Finding, *, is_certain: bool = False) -> None:
        """Add a finding. ``is_certain`` says that signed notes alone prove it, whatever the cause of its code is."""
        self._counts[finding.code] += 1
        cause = cause_of(finding.code)
        if is_certain:
            self._certain[finding.code] += 1
            cause = min(cause, Cause.STATEMENTS)
        kept = self._kept[finding.severity, cause]
        if len(kept) < MAX_FINDINGS:
            kept.append(finding)

    def fill(self, report: Report, *, is_explained: bool = False) -> None:
        """Fill in the report's findings; with ``is_explained``, leave out all that only the leaves prove."""
        counts, kept = self._counts, self._kept
        if is_explained:
            counts = Counter(
                {
                    code: count if cause_of(code) < Cause.LEAVES else self._certain[code]
                    for code, count in counts.items()
                    if cause_of(code) < Cause.LEAVES or code in self._certain
                }
            )
            kept = defaultdict(list, {key: found for key, found in kept.items() if key[1] < Cause.LEAVES})
        report.explained = self._counts.total() - counts.total()
        report.finding_counts = dict(sorted(counts.items()))
        listed: list[Finding] = []
        for severity in Severity:
            own = [one for (weight, _), found in sorted(kept.items()) if weight is severity for one in found]
            listed += sort_findings(own)[:MAX_FINDINGS]
        report.findings = tuple(listed)


class _Audit:
    """State of one audit while it reads the leaves."""

    def __init__(  # noqa: PLR0913 - the parts of an audit
        self,
        report: Report,
        findings: _Findings,
        keys: KeyHistory,
        *,
        tables: Tables,
        totals: Totals,
        heads: CosignedHeads,
        log_keys: Sequence[VerifierKey],
    ) -> None:
        self._heads = heads
        self._log_keys = log_keys
        self._report = report
        self._findings = findings
        self._keys = keys
        self._starts = StartHistory()
        self._tables = tables
        self._tree = GrowingTree()
        self._totals = totals
        self.is_damaged = False
        """Whether leaves are missing or differ from those that the log signed."""

    @property
    def has_foreign_root(self) -> bool:
        """Whether the given root key is not this log's."""
        return self._keys.is_foreign

    @property
    def key_records(self) -> Sequence[KeyRecord]:
        """Keys that the log named so far."""
        return self._keys.records

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
        """Read the leaves of a checkpoint's tree in one pass, giving each to the examiner and to the receipts.

        The tree is compared with each kept checkpoint when it has that one's size; a kept checkpoint that is larger is
        a finding. ``progress`` is called with the leaves read and their number.
        """
        tree = self._tree
        at_size: dict[int, list[_Kept]] = {}
        for one in kept:
            at_size.setdefault(one[0].size, []).append(one)
        self._compare(tree.frontier, at_size)
        receipts.compare(tree.frontier)
        for larger in sorted(size for size in at_size if size > checkpoint.size):
            self._compare_kept(at_size[larger][0], None)
        for size, data in enumerate(source.leaves(0, checkpoint.size), 1):
            hashed = leaf_hash(data)
            leaves = self._add(data, hashed, size - 1)
            if leaves is not None:
                self._totals.add(examiner.submit(leaves))
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
        """Examine the unfinished rounds as they are, compare seeds, and fill in the report's numbers."""
        for leaves in self._tables.close(as_of=self._report.as_of, now=self._report.now, grace=grace):
            self._totals.add(examiner.submit(leaves))
        self._totals.add(examiner.finish())
        self._report.keys = self._keys.records
        self._report.starts, self._report.start_count = self._starts.records, self._starts.count
        self._report.tables = dict(sorted(self._tables.counts.items()))
        for counts in self._report.tables.values():
            self._report.rounds.add(counts)
        self._totals.close()

    def check_documents(self, by_id: dict[bytes, Documents]) -> None:
        """Report documents of rounds that the log does not have."""
        for round_id, documents in by_id.items():
            if round_id in self._tables.documented:
                continue
            name = f"round {round_id.hex()}" if round_id else "no round"
            if documents.certificates:
                self._find(Code.CERTIFICATE_REFUSED, f"a certificate is of {name}, which the log does not have")
            if documents.event_receipts:
                self._find(Code.RECEIPT_REFUSED, f"an event receipt is of {name}, which the log does not have")
            if documents.seeds:
                self._find(Code.HELD_SEED_REFUSED, f"a seed was handed in for {name}, which the log does not have")

    def _find(
        self, code: Code, detail: str, *, leaf_index: int | None = None, difference: Difference | None = None
    ) -> None:
        self._findings.add(Finding.of(code, detail, leaf_index=leaf_index, difference=difference))

    def _check_root(self, frontier: Frontier, checkpoint: Checkpoint) -> None:
        self._report.root = frontier.root.hex()
        if frontier.size < checkpoint.size:
            self.is_damaged = True
            detail = f"the checkpoint is of {checkpoint.size} leaves, and there are {frontier.size}"
            self._find(Code.LOG_TRUNCATED, detail)
        elif frontier.root != checkpoint.root:
            self.is_damaged = True
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
            except KeyLeafError as error:
                self._find(Code[error.fault], error.detail, leaf_index=index)
            else:
                self._report.checked.signatures += 1
            return None
        if isinstance(leaf, StartLeaf):
            fault = signature_fault(envelope, self._keys.ring)
            if fault is not None:
                self._find(*fault, leaf_index=index)
            else:
                self._report.checked.signatures += 1
                self._starts.add(leaf, leaf_index=index)
            return None
        if isinstance(leaf, Transcript):
            self._check_started(leaf, index)
        placed = Placed(index=index, hash=hashed, envelope=envelope, ring=self._keys.ring, leaf=leaf)
        if isinstance(leaf, DealLeaf) and leaf.cosigned_checkpoint is not msgspec.UNSET:
            self._carry(cast("Placed[DealLeaf]", placed))
        return self._tables.add(placed)

    def _check_started(self, settled: Transcript, index: int) -> None:
        """Note a settlement under a ruleset that no START in force names, in a log that has any by then."""
        header, digest = settled.inputs.header, settled.inputs.header.ruleset_digest_hex
        if self._starts.count and not self._starts.names(digest):
            detail = f"no START in force names {header.ruleset_id} {header.ruleset_version}, {digest}"
            slot = header.table_id, header.round_number
            self._findings.add(Finding.of(Code.RULESET_NOT_STARTED, detail, leaf_index=index, slot=slot))

    def _carry(self, dealt: Placed[DealLeaf]) -> None:
        """Verify the cosigned checkpoint in a DEAL. If a quorum cosigned it, add the DEAL to ``Totals.vouched``."""
        opened = self._tables.opened(bytes.fromhex(dealt.leaf.round_id))
        named = [VerifierKey.parse(record.key) for record in self._keys.records if record.role is KeyRole.LOG]
        keys = (*self._log_keys, *named)
        if opened is not None and self._heads.vouch(opened, dealt, root_of=self._tree.root_at, log_keys=keys):
            self._totals.vouched.add(dealt.index)

    def _forged(self, envelope: Envelope | None) -> tuple[Code, str] | None:
        """Return the fault of an unreadable leaf's signature; None if it is valid or the leaf's type is unknown."""
        if envelope is None or envelope.payload_type not in SIGNERS:
            return None
        return signature_fault(envelope, self._keys.ring)

    def _compare(self, frontier: Frontier, at_size: dict[int, list[_Kept]]) -> None:
        """Compare the tree of the leaves so far with each checkpoint of the same size."""
        if self._heads.next_size == frontier.size:
            self._heads.compare(frontier.size, frontier.root, self._log_keys)
        for kept in at_size.get(frontier.size, ()):
            if frontier.size < self._report.size:
                self._compare_kept(kept, frontier.root)

    def _compare_kept(self, kept: _Kept, root: bytes | None) -> None:
        """Report a kept checkpoint whose tree is not the log's of that size; None if the log has no such tree."""
        fault = kept_checkpoint_fault(*kept, size=self._report.size, root=root, shown=self._report.checkpoint)
        if fault is not None:
            self._findings.add(fault)


def keys_of_log(
    source: LogSource, notes: Sequence[bytes], *, log: VerifierKey, root: VerifierKey
) -> tuple[VerifierKey, ...]:
    """Return the log keys to trust: the given key alone if it signed every note, else all that the root named.

    If the root did not name the given key, return the given key alone.
    """
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
