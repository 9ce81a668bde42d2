"""A round in dispute: its leaves and what was found in them, read from its bundle or from its whole log."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from referee.audit.as_of import AuditTime
from referee.audit.audit import audit_log
from referee.audit.bundle import prove_round
from referee.audit.cosignatures import NO_WITNESSING, Witnessing
from referee.audit.documents import NO_DOCUMENTS, Documents, HeldSeed
from referee.audit.page.story import RoundKey
from referee.audit.report import Report
from referee.audit.round import examine
from referee.audit.round_leaves import AuditTerms, ExaminedRound, RoundLeaves, RoundResult
from referee.audit.source import LogSource
from referee.audit.trust import TrustedKeys
from referee.evidence.merkle import GrowingTree, leaf_hash
from referee.evidence.note import Note
from referee.evidence.outside import OutsideError, read_json
from referee.evidence.vkey import VerifierKey
from referee.finding import Code, Finding
from referee.log import Checkpoint
from referee.log.cosignature import Quorum
from referee.log.keys import KeyRole, log_keys
from referee.suspicion.reader import Suspicion

UNREADABLE: Final = frozenset({Code.CHECKPOINT_REFUSED, Code.ROOT_KEY_MISMATCH, Code.ROOT_MISMATCH, Code.LOG_TRUNCATED})
"""Codes after which nothing that the leaves say can be held against a person."""
_OF_SEEDS: Final = frozenset({Code.SEED_HELD, Code.HELD_SEED_REFUSED})
"""Codes of what a seed itself shows, which is said of the file that it is in."""
_ENVELOPES: Final = ("certificates", "event_receipts")
"""Members of a bundle that somebody added to what the log gave."""


class CaseError(ValueError):
    """A log without the round."""


@dataclass(frozen=True, slots=True)
class Grown:
    """Hashes of a log's leaves by index, and its trees by size, as far as both are wanted and known."""

    hashes: Mapping[int, bytes] = field(default_factory=dict)
    trees: Mapping[int, Checkpoint] = field(default_factory=dict)


Grow = Callable[[Collection[int], Collection[int]], Grown]
"""Function that looks up leaves by index and trees by size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A round and what can be compared with it.

    ``findings`` are those of the round and of the log as a whole, made without anything that people hold; ``elsewhere``
    counts those of other rounds. ``is_whole`` says that the whole log was read. ``leaves`` and ``result`` are None
    where the round cannot be read. ``quorum`` has the witnesses that are believed, None for none. ``now`` is the time,
    in ms since 1970 UTC, at which the case was read.
    """

    terms: AuditTerms
    checkpoint: str
    log_keys: Sequence[VerifierKey]
    findings: tuple[Finding, ...]
    elsewhere: int = 0
    unchecked: tuple[str, ...] = ()
    is_whole: bool
    leaves: RoundLeaves | None
    result: RoundResult | None
    grow: Grow
    quorum: Quorum | None = None
    now: int

    @property
    def size(self) -> int:
        """Number of leaves under the checkpoint; 0 without a checkpoint that can be read."""
        return Checkpoint.parse(Note.parse(self.checkpoint.encode()).text).size if self.is_signed else 0

    @property
    def is_signed(self) -> bool:
        """Whether the checkpoint is the log's."""
        return bool(self.checkpoint) and all(one.code is not Code.CHECKPOINT_REFUSED for one in self.findings)

    @property
    def is_readable(self) -> bool:
        """Whether the keys are the log's, and the leaves those that it signed."""
        return self.leaves is not None and not any(one.code in UNREADABLE for one in self.findings)


def case_of_bundle(
    data: bytes,
    terms: AuditTerms,
    trusted: TrustedKeys,
    time: AuditTime,
    *,
    witnessing: Witnessing = NO_WITNESSING,
) -> Case:
    """Read the round of a bundle, without what somebody added to it; raise BundleError and AsOfError."""
    try:
        members: object = read_json(data)
    except OutsideError:
        members = None
    if isinstance(members, dict):
        data = msgspec.json.encode({name: one for name, one in members.items() if name not in _ENVELOPES})
    proved = prove_round(data, terms, trusted, time, witnessing=witnessing)
    texts = {one["index"]: one["leaf"].encode() for one in read_json(data, dict[str, Any])["leaves"]}
    hashes = {index: leaf_hash(leaf) for index, leaf in texts.items()}
    trees = {size: Checkpoint(terms.origin, size, root) for size, root in proved.roots.items()}
    log, named = trusted.log_key, log_keys(texts.values(), root=trusted.root_key)
    return Case(
        terms=terms,
        checkpoint=proved.checkpoint,
        log_keys=named if log in named else (log,),
        findings=proved.findings,
        unchecked=proved.unchecked,
        is_whole=False,
        leaves=proved.leaves,
        result=proved.result,
        grow=lambda _places, _sizes: Grown(hashes, trees),
        quorum=witnessing.quorum,
        now=time.now,
    )


def case_of_log(  # noqa: PLR0913 - the terms of an audit
    source: LogSource,
    key: RoundKey,
    terms: AuditTerms,
    trusted: TrustedKeys,
    time: AuditTime,
    *,
    witnessing: Witnessing = NO_WITNESSING,
    seeds: tuple[HeldSeed, ...] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Case:
    """Audit a log and read a round of it, number 0 for the table's latest; raise CaseError if there is none.

    Of a copy, a round that is late by the auditor's clock alone is unfinished.
    ``seeds`` are those that people hold of rounds that were given up: only with them are these decks scored. The round
    of the case is examined without them, so that a seed that is refused changes nothing in it.
    """
    kept, documents = _Kept(*key), Documents(seeds=seeds)
    with Suspicion(documents) as suspicion:
        report = audit_log(
            source,
            terms,
            trusted,
            time,
            documents=documents,
            witnessing=witnessing,
            readers=(suspicion, kept),
            progress=progress,
        )
    leaves = kept.leaves
    if leaves is None and not any(one.code in UNREADABLE for one in report.findings):
        raise CaseError(f"table {key[0]} has no such round")
    result = None if leaves is None else examine(leaves, terms)
    own = [one for one in _of_round(report.findings, leaves) if one.code not in _OF_SEEDS]
    if result is not None and not any(one.code in UNREADABLE for one in own):
        own += [one for one in result.findings if one not in own]
    log = trusted.log_key
    named = [VerifierKey.parse(one.key) for one in report.keys if one.role is KeyRole.LOG]
    return Case(
        terms=terms,
        checkpoint=report.checkpoint,
        log_keys=named if log in named else (log,),
        findings=tuple(own),
        elsewhere=_count_apart_from_seeds(report) - sum(one in own for one in report.findings),
        is_whole=True,
        leaves=leaves,
        result=result,
        grow=lambda places, sizes: _grown(source, report.size, terms.origin, places=places, sizes=sizes),
        quorum=witnessing.quorum,
        now=time.now,
    )


@dataclass(slots=True)
class _Kept:
    """Reader that keeps the rounds of a table with this number, or those with its latest number for 0."""

    table_id: str
    round_number: int
    rounds: list[RoundLeaves] = field(default_factory=list)

    def on_round(self, examined: ExaminedRound) -> None:
        """Keep the next round if it is one of these."""
        leaves = examined.leaves
        number = leaves.header.round_number
        if leaves.header.table_id == self.table_id and self.round_number in {0, number}:
            if self.round_number == 0 and self.rounds and self.rounds[0].header.round_number < number:
                self.rounds.clear()
            self.rounds.append(leaves)

    def close(self, _report: Report) -> Iterable[Finding]:
        """Add no finding."""
        return ()

    @property
    def leaves(self) -> RoundLeaves | None:
        """The leaves of the round that was opened first, without documents; None if there is no such round."""
        first = min(self.rounds, key=lambda one: one.open.index, default=None)
        return None if first is None else msgspec.structs.replace(first, documents=NO_DOCUMENTS)


def _count_apart_from_seeds(report: Report) -> int:
    return sum(count for code, count in report.finding_counts.items() if code not in _OF_SEEDS)


def _of_round(findings: Iterable[Finding], leaves: RoundLeaves | None) -> list[Finding]:
    """Return the findings that concern a round: its own, its table's, and those of the whole log."""
    if leaves is None:
        return [one for one in findings if one.table_id is None and one.leaf_index is None]
    indexes = {placed.index for placed in leaves.placed}
    key = leaves.header.table_id, leaves.header.round_number
    return [
        one
        for one in findings
        if (one.table_id, one.round_number) in {key, (key[0], None)}
        or (one.table_id is None and (one.leaf_index is None or one.leaf_index in indexes))
    ]


def _grown(source: LogSource, size: int, origin: str, *, places: Collection[int], sizes: Collection[int]) -> Grown:
    """Look up leaves and trees of a log in one pass over it."""
    hashes: dict[int, bytes] = {}
    trees: dict[int, Checkpoint] = {}
    tree = GrowingTree()
    if not places and not sizes:
        return Grown()
    for index, data in enumerate(source.leaves(0, size)):
        if index in sizes:
            trees[index] = Checkpoint(origin, index, tree.extend().root)
        hashed = leaf_hash(data)
        tree.add(hashed)
        if index in places:
            hashes[index] = hashed
    if size in sizes:
        trees[size] = Checkpoint(origin, size, tree.extend().root)
    return Grown(hashes, trees)
