"""Proof of one round from its bundle, for a player or an auditor who does not have the log.

Only the origin and the two given keys are trusted. A proof verifies the log's signature on the checkpoint, that every
leaf of the bundle is in its tree, and the root's signature on the other keys; then it examines the round's leaves as an
audit of the whole log does. A second OPEN of the same slot, a seed used twice or a revocation that the bundle leaves
out shows in the whole log only.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Final, TypeAlias, TypeVar, cast

import msgspec

from referee.audit.as_of import AuditTime
from referee.audit.cause import Cause, cause_of, checkpoint_refused, root_key_mismatch, signer_faults, sort_findings
from referee.audit.cosignatures import NO_WITNESSING, CosignedHeads, Witnessing
from referee.audit.documents import Documents
from referee.audit.reading import Placed, read_envelope, read_header, read_payload, signature_fault
from referee.audit.report import DealingLevel
from referee.audit.round import examine
from referee.audit.round_leaves import AuditTerms, RoundLeaves, RoundResult
from referee.audit.steps import RoundLeaf as StepLeaf
from referee.audit.tables import Tables, last_winner_of
from referee.audit.timeline import GRACE_MS, Timeline
from referee.audit.trust import TrustedKeys
from referee.dealing.deal import has_leader
from referee.dealing.header import NO_LEAF, Header, HeaderError
from referee.dealing.leaf import AbortLeaf, KeyLeaf, OpenLeaf, StartLeaf
from referee.evidence.canonical import MAX_INTEGER
from referee.evidence.merkle import ProofError, leaf_hash, verify_consistency, verify_inclusion
from referee.evidence.note import NoteError
from referee.evidence.outside import OutsideError, read_json
from referee.evidence.vkey import VerifierKey
from referee.finding import Code, Difference, Finding, FindingError
from referee.log import Checkpoint, CheckpointError, Stage, open_checkpoint
from referee.log.keys import KeyHistory, KeyLeafError, log_keys
from referee.transcript.inputs import Transcript

RoundLeaf: TypeAlias = OpenLeaf | StepLeaf
LeafT = TypeVar("LeafT", bound=RoundLeaf)

FORMAT: Final = 1
_Hash: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class BundleError(ValueError):
    """Error for a file that is no bundle, or that lacks the OPEN of its round."""


class _Leaf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    index: Annotated[int, msgspec.Meta(ge=0, lt=2**53)]
    leaf: str
    proof: tuple[_Hash, ...]


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    checkpoint: str
    proof: tuple[_Hash, ...]


class _Bundle(msgspec.Struct, frozen=True):
    """A round's bundle; ``bundle.schema.json`` of the verifier in TypeScript documents each member."""

    format: int
    round_id: _Hash
    checkpoint: str
    leaves: tuple[_Leaf, ...]
    root_key: str = ""
    consistency: tuple[_Kept, ...] = ()
    certificates: tuple[str, ...] = ()
    event_receipts: tuple[str, ...] = ()


class ProvedRound(msgspec.Struct, frozen=True, kw_only=True):
    """Result of proving a round: the findings in the order of a report, the round's leaves, and their examination.

    ``leaves`` and ``result`` are None if the checkpoint is refused or the round's OPEN cannot be read. ``explained``
    counts findings that are left out because damage or a wrong root key explains them. ``unchecked`` names in English
    each check that was left out because the bundle lacks the leaves for it. ``roots`` are
    those of the trees that are proved to be this log's, by size.
    """

    checkpoint: str
    findings: tuple[Finding, ...]
    explained: int = 0
    unchecked: tuple[str, ...] = ()
    roots: Mapping[int, bytes] = msgspec.field(default_factory=dict)
    leaves: RoundLeaves | None = None
    result: RoundResult | None = None

    @property
    def is_proved(self) -> bool:
        """Whether the round has ended without a finding and, if it was dealt, its deck was dealt again.

        A receipt that is refused weighs nothing.
        """
        is_found = any(finding.code is not Code.RECEIPT_REFUSED for finding in self.findings)
        if self.result is None or is_found or self.leaves is None:
            return False
        has_ended = self.leaves.settle is not None or self.leaves.abort is not None
        return has_ended and (self.result.is_redealt or self.leaves.deal is None)


def prove_round(
    data: bytes,
    terms: AuditTerms,
    trusted: TrustedKeys,
    time: AuditTime | None = None,
    *,
    witnessing: Witnessing = NO_WITNESSING,
) -> ProvedRound:
    """Prove the round of a bundle.

    The caller must have the keys from somewhere other than the bundle. ``witnessing`` names the trusted witnesses;
    cosigned checkpoints are taken from the bundle alone. A cosignature later than the auditor's clock is a finding; a
    round that has not ended and should have by then is a note. Without ``time`` there is no clock. Deadlines are judged
    by ``time.as_of``, or by the newest time of the bundle's leaves: a cosignature does not count here, since a leaf can
    be left out of a bundle. Raise BundleError for bytes that are no bundle or lack the OPEN of their round, and
    AsOfError for a time before the newest leaf or after the auditor's clock.
    """
    bundle = _read(data)
    origin, root, log = terms.origin, trusted.root_key, trusted.log_key
    named = log_keys([one.leaf.encode() for one in bundle.leaves], root=root)
    keys = named if log in named else (log,)
    note = bundle.checkpoint.encode()
    try:
        checkpoint = open_checkpoint(note, origin=origin, keys=keys)
    except (CheckpointError, NoteError) as error:
        refused = checkpoint_refused(note, [log], str(error))
        return ProvedRound(checkpoint=bundle.checkpoint, findings=(refused,))
    reading = _Reading(bundle, checkpoint, KeyHistory(root))
    shown = [(checkpoint, note), *_consistent(bundle, checkpoint, origin, keys, reading.findings)]
    records = reading.keys.records
    reading.findings += signer_faults(shown, records, log=log, size=checkpoint.size)
    leaves = _assemble(bundle, reading, time)
    result = None if leaves is None else examine(leaves, terms)
    roots = {one.size: one.root for one, _ in shown}
    if witnessing.quorum is not None:
        heads = CosignedHeads(
            witnessing,
            kept=[one for _, one in shown],
            origin=origin,
            now=MAX_INTEGER if time is None else time.now,
            report=reading.findings.append,
            timeline=Timeline(list[Finding]().append, now=None),  # only an audit can compare these times
        )
        for size in sorted(roots):
            heads.compare(size, roots[size], keys)
        result = _raised(leaves, result, heads, roots=roots, keys=keys)
        heads.close(checkpoint, records, ())
    found = [*reading.findings, *(() if result is None else result.findings)]
    if reading.keys.is_foreign:
        found.append(root_key_mismatch(root, bundle.root_key))
    kept = [one for one in sort_findings(found) if not (reading.is_explained and cause_of(one.code) >= Cause.LEAVES)]
    return ProvedRound(
        checkpoint=bundle.checkpoint,
        findings=tuple(kept),
        explained=len(found) - len(kept),
        unchecked=tuple(reading.unchecked),
        roots=roots,
        leaves=leaves,
        result=result,
    )


def _consistent(
    bundle: _Bundle, newest: Checkpoint, origin: str, keys: Iterable[VerifierKey], findings: list[Finding]
) -> Iterator[tuple[Checkpoint, bytes]]:
    """Yield each further checkpoint of the bundle, with its note, that is proved to be of the same log.

    The other checkpoints are added to ``findings``.
    """
    for number, one in enumerate(bundle.consistency):
        note = one.checkpoint.encode()
        try:
            kept = open_checkpoint(note, origin=origin, keys=keys)
        except (CheckpointError, NoteError) as error:
            findings.append(Finding.of(Code.CHECKPOINT_REFUSED, f"checkpoint {number} that was kept: {error}"))
            continue
        if (kept.size, kept.root) == (newest.size, newest.root):
            yield kept, note
            continue
        old, new = (kept, newest) if kept.size <= newest.size else (newest, kept)
        try:
            verify_consistency(
                old_size=old.size,
                new_size=new.size,
                old_root=old.root,
                new_root=new.root,
                proof=[bytes.fromhex(node) for node in one.proof],
            )
        except ProofError as error:
            code = Code.SPLIT_VIEW if kept.size == newest.size else Code.HISTORY_REWRITTEN
            difference = Difference("checkpoint", bundle.checkpoint, one.checkpoint)
            detail = f"two checkpoints are not shown to be of one log: {error}"
            findings.append(Finding.of(code, detail, difference=difference))
        else:
            yield kept, note


def _raised(
    leaves: RoundLeaves | None,
    result: RoundResult | None,
    heads: CosignedHeads,
    *,
    roots: Mapping[int, bytes],
    keys: Sequence[VerifierKey],
) -> RoundResult | None:
    """Raise the result of a round of level L2 to L3 if its DEAL carries a checkpoint that a quorum cosigned.

    Return any other result as it is. ``roots`` has by tree size the roots of the checkpoints that are proved to be of
    this log.
    """
    deal = None if leaves is None else leaves.deal
    if leaves is None or deal is None or result is None or result.dealing_level is not DealingLevel.L2:
        return result
    if not heads.vouch(leaves.open, deal, root_of=roots.get, log_keys=keys):
        return result
    return msgspec.structs.replace(result, dealing_level=DealingLevel.L3)


def _read(data: bytes) -> _Bundle:
    try:
        bundle: _Bundle = read_json(data, _Bundle)
    except OutsideError as error:
        raise BundleError(f"it is no bundle of a round: {error}") from error
    if bundle.format != FORMAT:
        raise BundleError(f"it is a bundle of format {bundle.format}; this program reads format {FORMAT}")
    indices = [one.index for one in bundle.leaves]
    if sorted(set(indices)) != indices:
        raise BundleError("it is no bundle of a round: its leaves do not ascend by index")
    return bundle


class _Reading:
    """Leaves of a bundle that are proved to be in the tree, each with the keys that were valid at its index."""

    def __init__(self, bundle: _Bundle, checkpoint: Checkpoint, keys: KeyHistory) -> None:
        self.keys = keys
        self.is_damaged = False
        self.findings: list[Finding] = []
        self.unchecked: list[str] = []
        self.placed: list[Placed[RoundLeaf]] = []
        for one in bundle.leaves:
            data = one.leaf.encode()
            hashed = leaf_hash(data)
            proof = [bytes.fromhex(node) for node in one.proof]
            try:
                verify_inclusion(hashed, index=one.index, size=checkpoint.size, proof=proof, root=checkpoint.root)
                self._add(data, one.index, hashed)
            except ProofError as error:
                self.is_damaged = True
                detail = f"the leaf is not in the tree of the checkpoint: {error}"
                self.findings.append(Finding.of(Code.ROOT_MISMATCH, detail, leaf_index=one.index))
            except FindingError as error:
                self.findings.append(Finding.of(error.code, error.detail, leaf_index=one.index))

    @property
    def is_explained(self) -> bool:
        """Whether a damaged leaf or a wrong root key may explain the findings about leaves."""
        return self.is_damaged or self.keys.is_foreign

    def _add(self, data: bytes, index: int, hashed: bytes) -> None:
        envelope = read_envelope(data)
        leaf = read_payload(envelope)
        if isinstance(leaf, KeyLeaf):
            try:
                self.keys.add(envelope, leaf, leaf_index=index)
            except KeyLeafError as error:
                raise FindingError(Code[error.fault], error.detail) from None
        elif isinstance(leaf, StartLeaf):  # of no round: the audit of the whole log reads what it says
            fault = signature_fault(envelope, self.keys.ring)
            if fault is not None:
                raise FindingError(*fault)
        else:
            self.placed.append(Placed(index=index, hash=hashed, envelope=envelope, ring=self.keys.ring, leaf=leaf))


def _assemble(bundle: _Bundle, reading: _Reading, time: AuditTime | None) -> RoundLeaves | None:
    """Apply the leaves in the order of the log and return the round; None if its OPEN cannot be read.

    Raise BundleError if the bundle has no OPEN of its round and nothing was found wrong with its leaves.
    """
    own = [one for one in reading.placed if one.leaf.round_id == bundle.round_id]
    opened = _only(own, OpenLeaf)
    if opened is None:
        if not reading.findings:
            raise BundleError(f"it holds no OPEN of round {bundle.round_id}")
        return None
    documents = Documents(
        certificates=tuple([one.encode() for one in bundle.certificates]),
        event_receipts=tuple([one.encode() for one in bundle.event_receipts]),
    )
    timeline = Timeline(reading.findings.append, now=None)
    tables = Tables(reading.findings.append, documents={bytes.fromhex(bundle.round_id): documents}, timeline=timeline)
    leaves = None
    try:
        header = read_header(opened.leaf)
        _follow(tables, header, opened, reading)
        for one in own:
            if isinstance(one.leaf, OpenLeaf):
                tables.open(cast("Placed[OpenLeaf]", one), read_header(one.leaf))
            else:
                leaves = tables.add(cast("Placed[StepLeaf]", one)) or leaves
    except FindingError as error:
        reading.findings.append(Finding.of(error.code, error.detail, leaf_index=opened.index))
        return None
    newest = max(timeline.period or (0,))
    judged = (time or AuditTime(now=MAX_INTEGER)).judged(newest)
    now, grace = (None, GRACE_MS) if time is None else (time.now, time.grace)
    return leaves or next(tables.close(as_of=judged if newest else 0, now=now, grace=grace), None)


def _only(placed: Iterable[Placed[RoundLeaf]], kind: type[LeafT]) -> Placed[LeafT] | None:
    """Return the first leaf of a class; None if there is none."""
    return next((cast("Placed[LeafT]", one) for one in placed if isinstance(one.leaf, kind)), None)


def _follow(tables: Tables, header: Header, opened: Placed[OpenLeaf], reading: _Reading) -> None:
    """Set in the tables how the table's previous round ended and who won last, as far as the bundle shows it.

    Where it lacks a leaf for this, add the check that is left out to ``reading.unchecked``.
    """
    if header.previous_leaf == NO_LEAF:
        return
    by_hash = {one.hash: one for one in reading.placed}
    ended = by_hash.get(header.previous_leaf) or _neighbour(header, reading)
    before = None if ended is None else _header_of(ended.leaf, reading.placed)
    if ended is None or before is None:
        reading.unchecked.append("the leaf that ended the table's round before is not in the bundle")
        before = msgspec.structs.replace(header, round_number=header.round_number - 1)
        tables.remember(before, round_id=bytes(32), stage=Stage.SETTLED, terminal_leaf=header.previous_leaf)
    else:
        if ended.index > opened.index:
            detail = f"the round before ended with leaf {ended.index}, after this one was opened"
            reading.findings.append(Finding.of(Code.NEXT_ROUND_EARLY, detail, leaf_index=opened.index))
        stage = Stage.SETTLED if isinstance(ended.leaf, Transcript) else Stage.ABORTED
        tables.remember(before, round_id=bytes.fromhex(ended.leaf.round_id), stage=stage, terminal_leaf=ended.hash)
    if has_leader(header) and not _follow_winner(tables, header, opened, reading):
        reading.unchecked.append("leader not checked: the leaf that names the table's last winner is not in the bundle")
        tables.forget_winner(header.table_id)


def _follow_winner(tables: Tables, header: Header, opened: Placed[OpenLeaf], reading: _Reading) -> bool:
    """Set in the tables who won the table's last settled round; return whether the bundle shows it.

    A table that has settled no round yet has no last winner; the bundle shows that too.
    """
    by_hash = {one.hash: one for one in reading.placed}
    at = header
    while at.previous_leaf != NO_LEAF:
        ended = by_hash.get(at.previous_leaf)
        before = None if ended is None else _header_of(ended.leaf, reading.placed)
        if ended is None or before is None or before.table_id != header.table_id:
            return False
        fault = signature_fault(ended.envelope, ended.ring)
        if fault is not None:
            detail = f"the leaf that ended a round before: {fault[1]}"
            reading.findings.append(Finding.of(Code.WRONG_PREVIOUS_LEAF, detail, leaf_index=opened.index))
            return False
        if isinstance(ended.leaf, Transcript):
            tables.remember_winner(header.table_id, last_winner_of(before, ended.leaf))
            return True
        at = before
    return True


def _neighbour(header: Header, reading: _Reading) -> Placed[RoundLeaf] | None:
    """Return the leaf that ended the table's previous round, found by round number; None if the bundle lacks it.

    The header may name the hash of another leaf.
    """
    for one in reading.placed:
        its = _header_of(one.leaf, reading.placed)
        if its is not None and (its.table_id, its.round_number + 1) == (header.table_id, header.round_number):
            return one
    return None


def _header_of(ended: RoundLeaf, placed: Iterable[Placed[RoundLeaf]]) -> Header | None:
    """Return the header of the round that a leaf ended: a transcript's own, for an ABORT its OPEN's.

    None if there is no such header, or it does not hash to the leaf's round id.
    """
    opened = _only([one for one in placed if one.leaf.round_id == ended.round_id], OpenLeaf)
    try:
        if isinstance(ended, Transcript):
            header = ended.inputs.header.checked()
        elif isinstance(ended, AbortLeaf) and opened is not None:
            header = read_header(opened.leaf)
        else:
            return None
    except (HeaderError, FindingError):
        return None
    return header if header.round_id.hex() == ended.round_id else None
