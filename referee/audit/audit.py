"""Audit of a log: its leaves are read once, in order, and compared with its signed checkpoint, its keys and its rounds.

Only two keys from outside are trusted, the log's and the root's. The root of the tree is computed again from the
leaves; this log must continue every checkpoint that was seen earlier; every round is examined whole. Memory holds the
rounds that wait for a leaf, a few numbers a table and a bounded list of findings, however long the log is.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from referee.audit.as_of import AuditTime, held_times
from referee.audit.cause import checkpoint_refused, split_views
from referee.audit.cosignatures import NO_WITNESSING, CosignedHeads, Witnessing
from referee.audit.documents import NO_DOCUMENTS, Documents, by_round
from referee.audit.findings import AuditFindings
from referee.audit.log_receipts import LogReceiptCheck
from referee.audit.passes import DocumentPass, KeptCheckpoint, KeyPass, LeafPass, RoundPass, TreePass, WitnessPass
from referee.audit.reading import read_leaf
from referee.audit.report import Report
from referee.audit.round_leaves import AuditTerms, RoundReader
from referee.audit.seed_book import SeedBook
from referee.audit.source import LogSource
from referee.audit.tables import Tables
from referee.audit.timeline import OWN_CLOCK_MS, Timeline
from referee.audit.totals import Totals
from referee.audit.trust import TrustedKeys
from referee.audit.workers import RoundExaminer, WorkerPool
from referee.evidence.note import NoteError
from referee.evidence.vkey import VerifierKey
from referee.finding import Code, Finding
from referee.log import CheckpointError, open_checkpoint

_STEP: Final = 4_096
"""Number of leaves between two calls of ``Progress``."""

Progress = Callable[[int, int], None]
"""Callback; its arguments are the number of leaves read so far and the log's size."""


def audit_log(  # noqa: PLR0913 - the terms of an audit
    source: LogSource,
    terms: AuditTerms,
    keys: TrustedKeys,
    time: AuditTime,
    *,
    documents: Documents = NO_DOCUMENTS,
    witnessing: Witnessing = NO_WITNESSING,
    make_pool: Callable[[AuditTerms], WorkerPool] | None = None,
    readers: Sequence[RoundReader] = (),
    progress: Progress | None = None,
) -> Report:
    """Audit a log and return a report; raise AsOfError if ``time`` is before or after what is possible for this log.

    ``documents`` are what people kept beside the log, ``witnessing`` the trusted witnesses and their checkpoints.
    Rounds are examined by this process, or by the pool that ``make_pool`` makes; the report is the same. Each of the
    ``readers`` gets every examined round, and adds the findings of its ``close`` to the report.

    Of a log without a valid checkpoint no leaf is examined. If the log changed its key, the keys that the root named
    for it are trusted too, provided that ``keys.log`` is one of them.
    """
    report, findings = Report.empty(origin=terms.origin, now=time.now), AuditFindings()
    time.judged()
    notes = (source.checkpoint, *documents.checkpoints, *witnessing.outgrown)
    log_keys = keys.of_log(source, notes)
    try:
        checkpoint = open_checkpoint(source.checkpoint, origin=terms.origin, keys=log_keys)
    except (CheckpointError, NoteError) as error:
        findings.add(checkpoint_refused(source.checkpoint, [keys.log_key], str(error)))
        findings.fill(report)
        return report
    report.checkpoint, report.size = source.checkpoint.decode(), checkpoint.size
    head = checkpoint, source.checkpoint
    kept = [*_open_kept(notes[1:], origin=terms.origin, keys=log_keys, findings=findings)]
    for fault in split_views(head, kept):
        findings.add(fault, is_certain=True)

    timeline = Timeline(findings.add, now=time.now)
    heads = CosignedHeads(
        witnessing, kept=notes, origin=terms.origin, now=time.now, report=findings.add, timeline=timeline
    )
    receipts = LogReceiptCheck(documents.log_receipts, origin=terms.origin, keys=log_keys)
    held = by_round(documents)
    tables = Tables(findings.add, documents=held, timeline=timeline)
    tree_pass = TreePass(report, findings)
    tree = tree_pass.tree
    witness_pass = WitnessPass(heads, tree, log_keys)
    document_pass = DocumentPass(
        report, findings, tree, kept=kept, receipts=receipts, by_round=held, documented=tables.documented
    )
    key_pass = KeyPass(report, findings, keys)
    pool = None if make_pool is None else make_pool(terms)
    with RoundExaminer(terms, pool) as examiner, SeedBook() as seeds:
        totals = Totals(report, findings.add, seeds)
        round_pass = RoundPass(
            report, findings, key_pass, tables, totals, examiner=examiner, readers=readers, vouch=witness_pass.vouch
        )
        passes: Sequence[LeafPass] = (key_pass, round_pass, tree_pass, witness_pass, document_pass)
        for index, data in enumerate(source.leaves(0, checkpoint.size)):
            leaf = read_leaf(index, data)
            for one in passes:
                one.leaf(leaf)
            if progress is not None and (index + 1) % _STEP == 0:
                progress(index + 1, checkpoint.size)
        tree_pass.close(source, checkpoint)
        if progress is not None:
            progress(tree.frontier.size, checkpoint.size)
        dated = [at for at in held_times(documents, key_pass.history.records) if at <= time.now + OWN_CLOCK_MS]
        report.as_of = time.judged(max(heads.newest_time, *(timeline.period or (0,)), *dated))
        round_pass.close(grace=time.grace)
    report.first_time, report.last_time = timeline.period or (None, None)
    key_pass.close([head, *kept])
    witness_pass.close(report, checkpoint, [one for one in kept if one[1] in witnessing.outgrown])
    document_pass.close()
    findings.fill(report, is_explained=tree_pass.is_damaged or key_pass.history.is_foreign)
    return report


def _open_kept(
    notes: Sequence[bytes], *, origin: str, keys: Sequence[VerifierKey], findings: AuditFindings
) -> Iterator[KeptCheckpoint]:
    for number, note in enumerate(notes):
        try:
            yield open_checkpoint(note, origin=origin, keys=keys), note
        except (CheckpointError, NoteError) as error:
            findings.add(Finding.of(Code.CHECKPOINT_REFUSED, f"checkpoint {number} that was kept: {error}"))
