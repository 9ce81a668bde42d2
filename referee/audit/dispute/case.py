"""A round in dispute: its leaves and what was found in them, read from its bundle or from its whole log."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from referee.audit.audit import audit_log
from referee.audit.bundle import prove_round
from referee.audit.cosignatures import NO_WITNESSING, Witnessing
from referee.audit.documents import NO_DOCUMENTS, Documents, HeldSeed
from referee.audit.report import Report
from referee.audit.round import examine
from referee.audit.round_leaves import AuditTerms, RoundLeaves, RoundResult
from referee.audit.source import LogSource
from referee.audit.timeline import GRACE_MS
from referee.evidence.merkle import GrowingTree, leaf_hash
from referee.evidence.note import Note
from referee.evidence.outside import OutsideError, read_json
from referee.evidence.vkey import VerifierKey
from referee.finding import Code, Finding
from referee.log import Checkpoint
from referee.log.cosignature import Quorum
from referee.log.keys import KeyRole, log_keys
from referee.rulesets import Catalogue

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


def case_of_bundle(  # noqa: PLR0913 - the terms of a proof
    data: bytes,
    *,
    origin: str,
    log_key: str,
    root_key: str,
    catalogue: Catalogue,
    witnessing: Witnessing = NO_WITNESSING,
    now: int,
    as_of: int | None = None,
) -> Case:
    """Read the round of a bundle, without what somebody added to it; raise KeyTextError, BundleError and AsOfError.

    ``now`` and ``as_of`` are those of ``prove_round``.
    """
    try:
        members: object = read_json(data)
    except OutsideError:
        members = None
    if isinstance(members, dict):
        data = msgspec.json.encode({name: one for name, one in members.items() if name not in _ENVELOPES})
    proved = prove_round(
        data,
        origin=origin,
        log_key=log_key,
        root_key=root_key,
        catalogue=catalogue,
        witnessing=witnessing,
        now=now,
        as_of=as_of,
    )
    texts = {one["index"]: one["leaf"].encode() for one in read_json(data, dict[str, Any])["leaves"]}
    hashes = {index: leaf_hash(leaf) for index, leaf in texts.items()}
    trees = {size: Checkpoint(origin, size, root) for size, root in proved.roots.items()}
    log, named = VerifierKey.parse(log_key), log_keys(texts.values(), root=VerifierKey.parse(root_key))
    return Case(
        terms=AuditTerms(origin=origin, catalogue=catalogue),
        checkpoint=proved.checkpoint,
        log_keys=named if log in named else (log,),
        findings=proved.findings,
        unchecked=proved.unchecked,
        is_whole=False,
        leaves=proved.leaves,
        result=proved.result,
        grow=lambda _places, _sizes: Grown(hashes, trees),
        quorum=witnessing.quorum,
        now=now,
    )


def case_of_log(  # noqa: PLR0913 - the terms of an audit
    source: LogSource,
    table_id: str,
    round_number: int,
    *,
    origin: str,
    log_key: str,
    root_key: str,
    catalogue: Catalogue,
    witnessing: Witnessing = NO_WITNESSING,
    now: int,
    as_of: int | None = None,
    grace: int = GRACE_MS,
    named_root: str = "",
    seeds: tuple[HeldSeed, ...] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Case:
    """Audit a log and read a round of it, 0 for the table's latest; raise KeyTextError, and CaseError without it.

    ``now`` and ``as_of`` are those of ``audit_log``: of a copy, a round that is late by ``now`` alone is unfinished.
    ``seeds`` are those that people hold of rounds that were given up: only with them are these decks scored. The round
    of the case is examined without them, so that a seed that is refused changes nothing in it.
    """
    found: list[RoundLeaves] = []

    def keep(leaves: RoundLeaves) -> None:
        number = leaves.header.round_number
        if leaves.header.table_id == table_id and round_number in {0, number}:
            if round_number == 0 and found and found[0].header.round_number < number:
                found.clear()
            found.append(leaves)

    report = audit_log(
        source,
        origin=origin,
        log_key=log_key,
        root_key=root_key,
        catalogue=catalogue,
        now=now,
        as_of=as_of,
        grace=grace,
        witnessing=witnessing,
        named_root=named_root,
        documents=Documents(seeds=seeds),
        progress=progress,
        on_round=keep,
    )
    terms = AuditTerms(origin=origin, catalogue=catalogue)
    leaves = (
        msgspec.structs.replace(min(found, key=lambda one: one.open.index), documents=NO_DOCUMENTS) if found else None
    )
    if leaves is None and not any(one.code in UNREADABLE for one in report.findings):
        raise CaseError(f"table {table_id} has no such round")
    result = None if leaves is None else examine(leaves, terms)
    own = [one for one in _of_round(report.findings, leaves) if one.code not in _OF_SEEDS]
    if result is not None and not any(one.code in UNREADABLE for one in own):
        own += [one for one in result.findings if one not in own]
    log = VerifierKey.parse(log_key)
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
        grow=lambda places, sizes: _grown(source, report.size, origin, places=places, sizes=sizes),
        quorum=witnessing.quorum,
        now=now,
    )


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
