"""Exhibits: each part of a file, with what it proves of the round and what in the log it contradicts.

The findings of an exhibit are those that an audit makes with that part alone, and does not make without it. A part that
is refused proves nothing, so nothing else is concluded from it.
"""

import enum
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, TypeAlias

import msgspec

from referee.audit.cause import kept_checkpoint_fault
from referee.audit.cosignatures import AHEAD_SECONDS
from referee.audit.course import seat_of, settled_course
from referee.audit.dispute.case import Case, Grown
from referee.audit.dispute.held import HeldKind, HeldPart, HeldSignature
from referee.audit.documents import CERTIFICATE_FORM, NO_DOCUMENTS, Documents, by_round
from referee.audit.log_receipts import LogReceiptCheck
from referee.audit.round import examine
from referee.audit.round_leaves import RoundLeaves
from referee.cards import Seat
from referee.dealing.commitment import seed_statement
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.evidence.ed25519 import is_signature
from referee.evidence.note import Note, NoteError
from referee.finding import Code, Finding, Severity
from referee.log import Checkpoint, CheckpointError, LogReceipt, ReceiptError, open_checkpoint
from referee.transcript.chain import FORM
from referee.transcript.receipted import read_receipted_event

REFUSED: Final = frozenset(
    {
        Code.CERTIFICATE_REFUSED,
        Code.RECEIPT_REFUSED,
        Code.LOG_RECEIPT_REFUSED,
        Code.HELD_SEED_REFUSED,
        Code.CHECKPOINT_REFUSED,
    }
)
"""Codes of a part that proves nothing."""
_NOT_SIGNED: Final = "it is not the seat's signature of its seed or of its moves in this round"


class Weight(enum.StrEnum):
    """Value of a part as evidence in this quarrel."""

    AGREES = "AGREES"
    """It is genuine, and the log says the same."""
    CONTRADICTS = "CONTRADICTS"
    """It is genuine, and the log says something else: a promise was broken."""
    NOTED = "NOTED"
    """It is genuine; it shows something that proves no fault."""
    PROVES_NOTHING = "PROVES_NOTHING"
    """It is not genuine, or broken."""
    OTHER_ROUND = "OTHER_ROUND"
    NOT_COMPARED = "NOT_COMPARED"
    """It could not be compared with what is at hand of the log."""
    UNKNOWN = "UNKNOWN"
    """It is no file of a kind that is known."""


class Exhibit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a file, the facts in it, its weight, and the findings that it adds."""

    file: str
    sha256: str
    kind: HeldKind
    weight: Weight
    facts: Mapping[str, int | str] = msgspec.field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    reason: str = ""


_Weighed: TypeAlias = tuple[Weight, Mapping[str, int | str], Sequence[Finding]]
"""Weight, facts and findings of a part."""


def weigh(case: Case, parts: Sequence[HeldPart]) -> tuple[Exhibit, ...]:
    """Compare each part with the round and its log."""
    checks = [
        LogReceiptCheck(part.documents.log_receipts, origin=case.terms.origin, keys=case.log_keys) for part in parts
    ]
    sizes = {size for check in checks for size in check.sizes}
    sizes |= {kept.size for part in parts if (kept := _checkpoint(part.checkpoint)) is not None}
    places = {index for check in checks for index in check.places}
    grown = case.grow(places, sizes) if case.is_signed else Grown()
    return tuple([_weigh(case, part, check, grown) for part, check in zip(parts, checks, strict=True)])


def findings_together(case: Case, parts: Sequence[HeldPart], exhibits: Sequence[Exhibit]) -> tuple[Finding, ...]:
    """Return findings of other codes, which only several genuine parts of the round show together."""
    genuine = {Weight.AGREES, Weight.CONTRADICTS, Weight.NOTED}
    merged = NO_DOCUMENTS
    for part, exhibit in zip(parts, exhibits, strict=True):
        if exhibit.weight in genuine:
            merged = Documents(
                certificates=merged.certificates + part.documents.certificates,
                event_receipts=merged.event_receipts + part.documents.event_receipts,
                seeds=merged.seeds + part.documents.seeds,
            )
    known = {finding.code for exhibit in exhibits for finding in exhibit.findings}
    if case.leaves is None or not case.is_readable:
        return ()
    return tuple([one for one in _added(case, case.leaves, merged) if one.code not in known])


def _weigh(case: Case, part: HeldPart, check: LogReceiptCheck, grown: Grown) -> Exhibit:
    facts = _facts(part) | _witnessed(case, part)
    if part.kind is HeldKind.UNKNOWN:
        weighed: _Weighed = Weight.UNKNOWN, facts, ()
    elif part.documents.log_receipts:
        weighed = _logged(case, check, grown, facts)
    elif part.kind is HeldKind.CHECKPOINT:
        weighed = _kept(case, part.checkpoint, grown, facts)
    else:
        weighed = _of_round(case, part, facts)
    return Exhibit(
        file=part.file,
        sha256=part.sha256,
        kind=part.kind,
        weight=weighed[0],
        facts=weighed[1],
        findings=tuple(weighed[2]),
        reason=_NOT_SIGNED if part.signature and weighed[0] is Weight.PROVES_NOTHING else part.reason,
    )


def _of_round(case: Case, part: HeldPart, facts: Mapping[str, int | str]) -> _Weighed:
    """Compare a part that is of one round with the round in dispute."""
    leaves = case.leaves
    if leaves is None or not case.is_readable:
        return Weight.NOT_COMPARED, facts, ()
    named = {part.signature.round_id} if part.signature else {one.hex() for one in by_round(part.documents)}
    if named != {leaves.round_id.hex()}:
        return Weight.OTHER_ROUND, facts, ()
    if part.signature is not None:
        signed = _signed(leaves, part.signature)
        return Weight.AGREES if signed else Weight.PROVES_NOTHING, {**facts, **signed}, ()
    return _judged(facts, _added(case, leaves, part.documents))


def _judged(facts: Mapping[str, int | str], found: Sequence[Finding]) -> _Weighed:
    """Return the weight that findings give a part; of one that is refused only the refusal is kept."""
    refusals = [one for one in found if one.code in REFUSED]
    if refusals:
        return Weight.PROVES_NOTHING, facts, refusals
    if any(one.severity is Severity.FAIL for one in found):
        return Weight.CONTRADICTS, facts, found
    return (Weight.NOTED if found else Weight.AGREES), facts, found


def _added(case: Case, leaves: RoundLeaves, documents: Documents) -> list[Finding]:
    """Return the findings that an examination of the round makes with these documents alone, and not without them.

    What was signed and handed out during play is searched for secrets as well.
    """
    held = msgspec.structs.replace(leaves, documents=replace(documents, exports=documents.certificates))
    before = () if case.result is None else case.result.findings
    return [one for one in examine(held, case.terms).findings if one not in before]


def _logged(case: Case, check: LogReceiptCheck, grown: Grown, facts: Mapping[str, int | str]) -> _Weighed:
    """Compare log receipts with the log, as far as its leaves and trees are at hand."""
    if not case.is_signed:
        return Weight.NOT_COMPARED, facts, ()
    for index, hashed in grown.hashes.items():
        check.add_leaf(index, hashed)
    for tree in grown.trees.values():
        check.compare(tree)
    found = list(check.close(case.checkpoint, size=case.size))
    if case.is_whole:
        return _judged(facts, found)
    unknown = [one for one in found if _is_unknown(one, grown)]
    weighed = _judged(facts, [one for one in found if one not in unknown])
    if weighed[0] is Weight.AGREES and any(one.code is not Code.LOG_TRUNCATED for one in unknown):
        return Weight.NOT_COMPARED, facts, ()
    return weighed


def _is_unknown(finding: Finding, grown: Grown) -> bool:
    """Return whether a finding about a log receipt only says that a bundle lacks the leaf, or the tree of that size."""
    absent = finding.code is Code.PROMISED_LEAF_ABSENT and finding.leaf_index not in grown.hashes
    return absent or finding.code is Code.LOG_TRUNCATED


def _kept(case: Case, note: bytes, grown: Grown, facts: Mapping[str, int | str]) -> _Weighed:
    """Compare a checkpoint with the log."""
    if not case.is_signed:
        return Weight.NOT_COMPARED, facts, ()
    try:
        kept = open_checkpoint(note, origin=case.terms.origin, keys=case.log_keys)
    except (CheckpointError, NoteError) as error:
        return _judged(facts, [Finding.of(Code.CHECKPOINT_REFUSED, str(error))])
    tree = grown.trees.get(kept.size)
    if tree is None and not case.is_whole:
        return Weight.NOT_COMPARED, facts, ()
    root = None if tree is None else tree.root
    fault = kept_checkpoint_fault(kept, note, size=case.size, root=root, shown=case.checkpoint)
    return _judged(facts, [] if fault is None else [fault])


def _signed(leaves: RoundLeaves, held: HeldSignature) -> dict[str, int | str]:
    """Return what a seat signed with a signature: its seed, or its moves up to an event; empty for neither."""
    header, seat, signature = leaves.header, held.seat, bytes.fromhex(held.signature)
    if seat >= header.seat_count:
        return {}
    key = header.seat_keys[seat]
    for text in () if leaves.deal is None else leaves.deal.leaf.client_seeds[seat : seat + 1]:
        statement = seed_statement(
            round_id=leaves.round_id,
            commitment=bytes.fromhex(leaves.open.leaf.server_commitment),
            seat=Seat(seat),
            token_hash=leaves.open.leaf.token_hash(seat),
            seed=bytes.fromhex(text),
        )
        if is_signature(signature, statement, key):
            return {"number": 0}
    inputs = None if leaves.settle is None else leaves.settle.leaf.inputs
    for number in range(0 if inputs is None else len(inputs.events), 0, -1):
        shorter = msgspec.structs.replace(inputs, events=inputs.events[:number]) if inputs is not None else inputs
        move = None if shorter is None else settled_course(leaves, shorter)[0].moves.get(seat)
        if move is not None and is_signature(signature, move, key):
            return {"number": number}
    return {}


def _facts(part: HeldPart) -> dict[str, int | str]:
    """Read the facts that a part states, as far as it can be read; none of them is verified here."""
    facts: dict[str, Any] = {}
    documents = part.documents
    for certificate in documents.certificates:
        facts = _read_facts(certificate, _certificate_facts)
    for data in documents.event_receipts:
        event = read_receipted_event(data)
        facts = _read_facts(data if event is None else event.receipt.encode(), _receipt_facts)
        if event is not None:
            seat = seat_of(event.event)
            facts |= {} if seat is None else {"seat": seat}
    for seed in documents.seeds:
        facts = {"seat": seed.seat}
    if part.signature is not None:
        facts = {"seat": part.signature.seat}
    if part.kind is HeldKind.BUNDLE:
        facts = {"count": len(documents.log_receipts)}
    for kept in documents.log_receipts if part.kind is HeldKind.LOG_RECEIPT else ():
        with suppress(ReceiptError):
            facts = {"index": int(LogReceipt.parse(kept.receipt, leaf=kept.leaf or b"").index)}
    notes = _notes(part)
    checkpoint = _checkpoint(notes[-1]) if notes else None
    return facts if checkpoint is None else facts | {"size": checkpoint.size}


def _witnessed(case: Case, part: HeldPart) -> dict[str, int | str]:
    """Count the believed witnesses that cosigned a part's newest checkpoint; name the time if they are a quorum."""
    notes = _notes(part)
    if case.quorum is None or not notes:
        return {}
    try:
        note = Note.parse(notes[-1])
    except NoteError:
        return {}
    attested = case.quorum.attest(note).until(case.now // 1000 + AHEAD_SECONDS)
    quorate = {"cosigned_time": 1000 * attested.time} if attested.is_quorate else {}
    return {"cosigned": len(attested.times), **quorate}


def _notes(part: HeldPart) -> list[bytes]:
    """Return the checkpoints in a part, as far as they can be read, in its order."""
    notes = [part.checkpoint] if part.checkpoint else []
    for kept in part.documents.log_receipts:
        with suppress(ReceiptError):
            notes.append(LogReceipt.parse(kept.receipt, leaf=kept.leaf or b"").checkpoint)
    return notes


def _read_facts(data: bytes, read: Any) -> dict[str, int | str]:  # noqa: ANN401 - a function of the payload
    try:
        found: dict[str, int | str] = read(Envelope.parse(data).payload)
    except (EnvelopeError, CanonicalError):
        return {}
    return found


def _certificate_facts(payload: bytes) -> dict[str, int | str]:
    sections = CERTIFICATE_FORM.read(payload).sections
    return {"sections": ", ".join([str(section.index) for section in sections])}


def _receipt_facts(payload: bytes) -> dict[str, int | str]:
    receipt = FORM.read(payload)
    return {"number": receipt.number, "time": receipt.received_time}


def _checkpoint(note: bytes) -> Checkpoint | None:
    try:
        return Checkpoint.parse(Note.parse(note).text) if note else None
    except (NoteError, CheckpointError):
        return None
