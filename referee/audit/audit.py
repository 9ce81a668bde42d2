"""An audit: a log's leaves read once, in order, against its signed checkpoint, its keys and its rounds.

The law: nothing is believed but the two keys given from outside, the log's and the root's. The root is computed again
from the leaves; checkpoints seen earlier must be of a log that this one continues; every round is examined whole.
Memory holds the rounds that wait for a leaf, one line a table and a bounded list of findings, however long the log is.

It refuses to know where leaves are kept, and the time, which is given.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from referee.audit.cosigned import NO_WITNESSING, CosignedHeads, Witnessing
from referee.audit.examiners import Examiners, Team
from referee.audit.exhibit import by_round
from referee.audit.finding import Code, Difference, Finding, Severity
from referee.audit.gathered import Examined, GatheredRound, Law
from referee.audit.inquiry import questions
from referee.audit.keys import KeyFaultError, KeyHistory
from referee.audit.level import DealingLevel
from referee.audit.population import Population
from referee.audit.processes import Processes
from referee.audit.promise import Promises
from referee.audit.reading import SIGNERS, LeafFaultError, Placed, read_envelope, read_header, read_payload
from referee.audit.report import Report, Statistics
from referee.audit.score import KEPT, judge
from referee.audit.seeds import Owner, SeedBook
from referee.audit.source import NO_EXHIBITS, Exhibits, LogSource
from referee.audit.succession import is_signed, log_keys, signer_faults
from referee.audit.table import Tables
from referee.audit.tiled import TiledLog
from referee.dealing.leaf import KeyLeaf, OpenLeaf
from referee.evidence.dsse import Envelope
from referee.evidence.merkle import Frontier, leaf_hash
from referee.evidence.note import Note, NoteError
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint, CheckpointError, open_checkpoint
from referee.rulesets import Catalogue

GRACE_MS: Final = 60_000
"""How long after its deadline a leaf may be missing before that is a finding."""
MAX_FINDINGS: Final = 1_000
"""Findings of each severity that are listed; all are counted."""
_STEP: Final = 4_096
"""Leaves between two words of progress."""
_HASHES: Final = 64
"""Leaf hashes that take their places in the tree together."""

Progress = Callable[[int, int], None]


def audit_log(  # noqa: PLR0913 - what an audit goes by
    source: LogSource,
    *,
    origin: str,
    log_key: str,
    root_key: str,
    catalogue: Catalogue,
    now: int,
    witnessed: Sequence[bytes] = (),
    exhibits: Exhibits = NO_EXHIBITS,
    witnessing: Witnessing = NO_WITNESSING,
    workers: int = 1,
    assemble: Callable[[Law], Team] | None = None,
    grace: int = GRACE_MS,
    progress: Progress | None = None,
) -> Report:
    """What is to be said about a log.

    Keys are C2SP verifier key text; KeyTextError where one is none. ``now`` is ms since 1970 UTC and decides which
    deadlines have passed, ``grace`` ms ago. ``witnessed`` are signed checkpoints that somebody kept, ``exhibits`` what
    people hold of single rounds, ``witnessing`` what is known of witnesses. Rounds are examined by this process, by
    ``workers`` of this machine where there are several, or by the team that ``assemble`` makes; the report is the same.
    ``progress`` hears of leaves done and leaves in all. A log without a checkpoint that holds is not read any further;
    one that changed its key is followed from the key that is known to the ones that the root named.
    """
    root, log = VerifierKey.parse(root_key), VerifierKey.parse(log_key)
    report = Report.empty(origin=origin, now=now)
    findings = _Findings()
    seen = (*witnessed, *witnessing.outgrown)
    keys = _log_keys(source, (source.checkpoint, *seen), log=log, root=root)
    try:
        checkpoint = open_checkpoint(source.checkpoint, origin=origin, keys=keys)
    except (CheckpointError, NoteError) as error:
        findings.add(Finding.of(Code.CHECKPOINT_REFUSED, str(error)))
        findings.fill(report)
        return report
    report.checkpoint = source.checkpoint.decode()
    report.size = checkpoint.size
    kept = _open_witnessed(seen, origin=origin, keys=keys, findings=findings)
    held = (source.checkpoint, *seen)
    heads = CosignedHeads(witnessing, kept=held, origin=origin, now=now, hear=findings.add)
    promises = Promises(exhibits.promises, origin=origin, keys=keys)
    rounds_held = by_round(exhibits)
    tables = Tables(findings.add, exhibits=rounds_held)
    audit = _Audit(report, findings, KeyHistory(root), tables, SeedBook(), heads=heads, log_keys=keys)
    law = Law(origin=origin, catalogue=catalogue)
    if assemble is None and workers > 1:
        assemble = partial(Processes, count=workers)
    with audit.seeds, Examiners(law, None if assemble is None else assemble(law)) as examiners:
        audit.read(source, checkpoint, kept, examiners, progress, promises=promises)
        audit.close(examiners, grace=grace)
    for fault in signer_faults([(checkpoint, source.checkpoint), *kept], report.keys, log=log, size=checkpoint.size):
        findings.add(fault)
    outgrown = [one for one in kept if one[1] in witnessing.outgrown]
    heads.close(checkpoint, report.keys, outgrown)
    audit.check_exhibits(rounds_held)
    for fault in promises.close(report.checkpoint, size=report.size):
        findings.add(fault)
    findings.fill(report)
    return report


class _Findings:
    """Findings as they come: all counted, the first of each severity kept."""

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
    """One audit under way."""

    def __init__(  # noqa: PLR0913 - what an audit is made of
        self,
        report: Report,
        findings: _Findings,
        keys: KeyHistory,
        tables: Tables,
        seeds: SeedBook,
        *,
        heads: CosignedHeads,
        log_keys: Sequence[VerifierKey],
    ) -> None:
        self.seeds = seeds
        self._heads = heads
        self._log_keys = log_keys
        self._report = report
        self._findings = findings
        self._keys = keys
        self._tables = tables
        self._population = Population()
        self._section_keys: dict[bytes, tuple[int, int]] = {}
        self._independent = bytearray(report.size // 8 + 1)
        self._witnessed = bytearray(report.size // 8 + 1)

    def read(  # noqa: PLR0913 - what a log is read against
        self,
        source: LogSource,
        checkpoint: Checkpoint,
        kept: Sequence[tuple[Checkpoint, bytes]],
        examiners: Examiners,
        progress: Progress | None,
        *,
        promises: Promises,
    ) -> None:
        """The leaves go by once; the tree is compared with every checkpoint it passes."""
        frontier = Frontier()
        at_size: dict[int, list[tuple[Checkpoint, bytes]]] = {}
        for one in kept:
            at_size.setdefault(one[0].size, []).append(one)
        self._compare(frontier, at_size)
        promises.compare(frontier)
        for larger in sorted(size for size in at_size if size > checkpoint.size):
            note = at_size[larger][0][1]
            difference = Difference("checkpoint", self._report.checkpoint, note.decode())
            detail = f"the log has {checkpoint.size} leaves and once signed that it has {larger}"
            self._findings.add(Finding.of(Code.LOG_TRUNCATED, detail, difference=difference))
        hashes: list[bytes] = []
        for size, data in enumerate(source.leaves(0, checkpoint.size), 1):
            hashed = leaf_hash(data)
            gathered = self._take(data, hashed, size - 1)
            if gathered is not None:
                self._hear(examiners.submit(gathered))
            hashes.append(hashed)
            promises.take(size - 1, hashed)
            if len(hashes) == _HASHES or size in at_size or size in promises.sizes or size == self._heads.next_size:
                frontier = frontier.extend(hashes)
                hashes.clear()
                self._compare(frontier, at_size)
                promises.compare(frontier)
            if progress is not None and size % _STEP == 0:
                progress(size, checkpoint.size)
        frontier = frontier.extend(hashes)
        self._check_root(frontier, checkpoint)
        if isinstance(source, TiledLog):
            for fault in source.faults:
                self._findings.add(fault)
        if progress is not None:
            progress(frontier.size, checkpoint.size)

    def _check_root(self, frontier: Frontier, checkpoint: Checkpoint) -> None:
        """The leaves that were read are those that the log signed."""
        self._report.root = frontier.root.hex()
        if frontier.size < checkpoint.size:
            detail = f"the checkpoint is of {checkpoint.size} leaves, and there are {frontier.size}"
            self._findings.add(Finding.of(Code.LOG_TRUNCATED, detail))
        elif frontier.root != checkpoint.root:
            difference = Difference("root", checkpoint.root.hex(), frontier.root.hex())
            detail = "the leaves are not those that the log signed"
            self._findings.add(Finding.of(Code.ROOT_MISMATCH, detail, difference=difference))

    def close(self, examiners: Examiners, *, grace: int) -> None:
        """Rounds that still wait are examined as they are, seeds compared, and everything counted."""
        for gathered in self._tables.close(now=self._report.now, grace=grace):
            self._hear(examiners.submit(gathered))
        self._hear(examiners.finish())
        repeated = self._compare_seeds()
        self._report.keys = self._keys.records
        self._report.tables = dict(sorted(self._tables.counts.items()))
        for counts in self._report.tables.values():
            self._report.rounds.add(counts)
        self._judge(repeated)

    def check_exhibits(self, held: dict[bytes, Exhibits]) -> None:
        """What people hold is of rounds that the log has."""
        for round_id, exhibits in held.items():
            if round_id in self._tables.exhibited:
                continue
            name = f"round {round_id.hex()}" if round_id else "no round"
            if exhibits.certificates:
                detail = f"a certificate is of {name}, which the log does not have"
                self._findings.add(Finding.of(Code.CERTIFICATE_REFUSED, detail))
            if exhibits.event_receipts:
                detail = f"an event receipt is of {name}, which the log does not have"
                self._findings.add(Finding.of(Code.RECEIPT_REFUSED, detail))

    def _take(self, data: bytes, hashed: bytes, index: int) -> GatheredRound | None:
        """The round that a leaf completes, if it does; its faults are findings."""
        envelope: Envelope | None = None
        try:
            envelope = read_envelope(data)
            leaf = read_payload(envelope)
            if isinstance(leaf, OpenLeaf):
                opened = Placed(index=index, hash=hashed, envelope=envelope, ring=self._keys.ring, leaf=leaf)
                self._tables.open(opened, read_header(leaf))
                return None
        except LeafFaultError as error:
            code, detail = self._forged(envelope) or (error.code, error.detail)
            self._findings.add(Finding.of(code, detail, leaf_index=index))
            return None
        if isinstance(leaf, KeyLeaf):
            try:
                self._keys.take(envelope, leaf, leaf_index=index)
            except KeyFaultError as error:
                self._findings.add(Finding.of(error.code, error.detail, leaf_index=index))
            else:
                self._report.checked.signatures += 1
            return None
        return self._tables.take(Placed(index=index, hash=hashed, envelope=envelope, ring=self._keys.ring, leaf=leaf))

    def _forged(self, envelope: Envelope | None) -> tuple[Code, str] | None:
        """What is wrong with the signature of a leaf that cannot be read, where its type says who signs it."""
        role = None if envelope is None else SIGNERS.get(envelope.payload_type)
        return None if envelope is None or role is None else self._keys.ring.fault_of(envelope, role)

    def _hear(self, examined: Iterable[Examined]) -> None:
        report = self._report
        for one in examined:
            for finding in one.findings:
                self._findings.add(finding)
            report.checked.signatures += one.signatures
            report.checked.replayed += one.is_replayed
            report.checked.redealt += one.is_redealt
            if one.event_level is not None:
                report.event_levels[one.event_level] += 1
            if one.dealing_level is not None:
                report.dealing_levels[one.dealing_level] += 1
                if one.dealing_level is DealingLevel.L2:
                    self._raise(one.open_leaf, one.client_seeds_leaf)
            self._population.add(one.drawn)
            for section, key in one.section_keys:
                self._compare_key(section, key, leaf=one.drawn.leaf_index)
            if one.drawn.shown:
                self.seeds.add(Owner.DECK, one.drawn.shown, leaf=one.drawn.leaf_index)
            for seed in one.client_seeds:
                self.seeds.add(Owner.CLIENT, seed, leaf=one.client_seeds_leaf)
            if one.server_seed is not None:
                self.seeds.add(Owner.SERVER, one.server_seed, leaf=one.server_seed_leaf)

    def _judge(self, repeated: Sequence[tuple[int, int]]) -> None:
        """What was counted is held against chance."""
        population, report = self._population, self._report
        judged = judge(questions(population, report.tables, repeated=repeated))
        for finding in judged.findings:
            self._findings.add(finding)
        places = tuple([tuple(row[1:]) for row in population.cells]) if population.decks else ()
        report.statistics = Statistics(decks=population.decks, asked=judged.asked, scores=judged.scores, places=places)

    def _compare_seeds(self) -> list[tuple[int, int]]:
        """Seeds that stand twice are findings; the pairs of leaves in which a deck does are returned."""
        decks: list[tuple[int, int]] = []
        for again in self.seeds.repeated():
            if again.owner is Owner.DECK:
                if len(decks) < KEPT:
                    decks.append((again.first_leaf, again.leaf))
            elif again.owner is Owner.SERVER:
                detail = f"leaf {again.first_leaf} shows the same server seed"
                self._findings.add(Finding.of(Code.SERVER_SEED_REPEATED, detail, leaf_index=again.leaf))
            else:
                detail = f"a seat's seed stands in leaf {again.first_leaf} too"
                self._findings.add(Finding.of(Code.CLIENT_SEED_REPEATED, detail, leaf_index=again.leaf))
                self._lower(again.first_leaf)
                self._lower(again.leaf)
        return decks

    def _compare_key(self, section: int, key: bytes, *, leaf: int) -> None:
        """A section's key that a certificate opens is no other round's."""
        first, before = self._section_keys.setdefault(key, (section, leaf))
        if before != leaf:
            detail = f"the key of section {section} opens section {first} of the round dealt in leaf {before} too"
            self._findings.add(Finding.of(Code.SECTION_KEY_WEAK, detail, leaf_index=leaf))

    def _raise(self, opened: int, dealt: int) -> None:
        """A round of level L2 with these leaves is remembered, and is of level L3 where it was witnessed in between."""
        bit = 1 << (dealt & 7)
        self._independent[dealt >> 3] |= bit
        if self._heads.is_witnessed_between(opened=opened, dealt=dealt):
            self._witnessed[dealt >> 3] |= bit
            self._report.dealing_levels[DealingLevel.L2] -= 1
            self._report.dealing_levels[DealingLevel.L3] += 1

    def _lower(self, leaf: int) -> None:
        """A round of level L2 or L3 with this DEAL leaf is of level L1, once."""
        bit = 1 << (leaf & 7)
        if self._independent[leaf >> 3] & bit:
            self._independent[leaf >> 3] ^= bit
            is_witnessed = self._witnessed[leaf >> 3] & bit
            self._report.dealing_levels[DealingLevel.L3 if is_witnessed else DealingLevel.L2] -= 1
            self._report.dealing_levels[DealingLevel.L1] += 1

    def _compare(self, frontier: Frontier, at_size: dict[int, list[tuple[Checkpoint, bytes]]]) -> None:
        """The tree so far is the one that each checkpoint of its size was signed for."""
        if self._heads.next_size == frontier.size:
            self._heads.compare(frontier.size, frontier.root, self._log_keys)
        for kept, note in at_size.get(frontier.size, ()):
            if kept.root != frontier.root:
                is_split = kept.size == self._report.size
                difference = Difference("checkpoint", self._report.checkpoint, note.decode())
                self._findings.add(
                    Finding.of(
                        Code.SPLIT_VIEW if is_split else Code.HISTORY_REWRITTEN,
                        "the log signed two checkpoints of which neither continues the other",
                        difference=difference,
                    )
                )


def _log_keys(
    source: LogSource, notes: Sequence[bytes], *, log: VerifierKey, root: VerifierKey
) -> tuple[VerifierKey, ...]:
    """The keys that may have signed these notes: the known one, or where the root named that, all that it named."""
    if all(is_signed(note, [log]) for note in notes):
        return (log,)
    try:
        claimed = Checkpoint.parse(Note.parse(source.checkpoint).text).size
    except (CheckpointError, NoteError):
        return (log,)
    named = log_keys(source.leaves(0, claimed), root=root)
    return named if log in named else (log,)


def _open_witnessed(
    notes: Sequence[bytes], *, origin: str, keys: Sequence[VerifierKey], findings: _Findings
) -> list[tuple[Checkpoint, bytes]]:
    kept = []
    for number, note in enumerate(notes):
        try:
            kept.append((open_checkpoint(note, origin=origin, keys=keys), note))
        except (CheckpointError, NoteError) as error:
            findings.add(Finding.of(Code.CHECKPOINT_REFUSED, f"checkpoint {number} that was kept: {error}"))
    return kept
