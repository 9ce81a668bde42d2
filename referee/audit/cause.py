"""Causes of findings, and the findings that a graver cause explains.

Findings are sorted by cause. With a root key that is not the log's, no signature in the log can be verified. If the
leaves are not those that the log signed, their content proves nothing about a person. In both cases a report leaves out
the findings made from the leaves and only counts them as ``explained``.

>>> [code.value for code in sorted([Code.REVEALED_EARLY, Code.ROOT_MISMATCH], key=cause_of)]
['ROOT_MISMATCH', 'REVEALED_EARLY']
"""

import enum
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from referee.evidence.note import Note, NoteError
from referee.evidence.vkey import VerifierKey
from referee.finding import Code, Difference, Finding, Severity
from referee.log import Checkpoint
from referee.log.keys import KeyRecord, KeyRole, is_signed


class Cause(enum.IntEnum):
    """Cause of a finding, in the order of a report."""

    KEYS = 0
    """The given keys or the checkpoint do not belong to this log."""
    DAMAGE = 1
    """The bytes that were read are not those that the log signed."""
    STATEMENTS = 2
    """Signed notes contradict each other or the auditor's terms, whatever the leaves are."""
    LEAVES = 3
    """The content of the leaves, or documents and signatures compared with it."""
    CHANCE = 4
    """Statistics over many rounds."""


_CAUSES: Final = {
    Code.CHECKPOINT_REFUSED: Cause.KEYS,
    Code.ROOT_KEY_MISMATCH: Cause.KEYS,
    Code.ROOT_MISMATCH: Cause.DAMAGE,
    Code.LOG_TRUNCATED: Cause.DAMAGE,
    Code.TILE_MISMATCH: Cause.DAMAGE,
    Code.LOG_RECEIPT_REFUSED: Cause.STATEMENTS,
    Code.COSIGNATURE_REFUSED: Cause.STATEMENTS,
    Code.WITNESS_DOUBLED: Cause.STATEMENTS,
    Code.HEAD_FROZEN: Cause.STATEMENTS,
}
TWO_HISTORIES: Final = "the log signed two checkpoints of which neither continues the other"
_STATISTICS: Final = frozenset({38, 39, 40, 53, 54, 66, 74})
"""Numbers of the findings that statistics make, in the list that ``make findings`` prints."""


_PLACES: Final = {code: place for place, code in enumerate(Code)}


def cause_of(code: Code) -> Cause:
    """Return the cause of a code's findings."""
    return _CAUSES.get(code, Cause.CHANCE if code.number in _STATISTICS else Cause.LEAVES)


def order_of(finding: Finding) -> tuple[bool, Cause, int, int]:
    """Return the sort key of a finding: failures before notes, by cause, by leaf (the whole log first), by code."""
    index = -1 if finding.leaf_index is None else finding.leaf_index
    return finding.severity is Severity.NOTE, cause_of(finding.code), index, _PLACES[finding.code]


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by ``order_of``."""
    return sorted(findings, key=order_of)


def root_key_mismatch(given: VerifierKey, named: str) -> Finding:
    """Make the finding that no KEY leaf is signed by the given root key.

    ``named`` is the text of the root key that the log's keeper names; empty if it is unknown.
    """
    detail = f"the root key {key_id(given)} signed no KEY leaf of this log"
    detail += f", whose keeper names {'+'.join(named.split('+')[:2])}" if named and named != given.text else ""
    return Finding.of(
        Code.ROOT_KEY_MISMATCH,
        f"{detail}; is this the right key? Give the root key that the operator publishes with --root-key",
    )


def checkpoint_refused(note: bytes, keys: Iterable[VerifierKey], reason: str) -> Finding:
    """Make the finding that a checkpoint is refused for this reason.

    If the note is signed by other keys only, its detail names the signers and the given keys by name and id.
    """
    given = ", ".join(key_id(key) for key in keys)
    try:
        signers = ", ".join(f"{line.name}+{line.key_id.hex()}" for line in Note.parse(note).signatures)
    except NoteError:
        return Finding.of(Code.CHECKPOINT_REFUSED, reason)
    if not signers or any(key in signers.split(", ") for key in given.split(", ")):
        return Finding.of(Code.CHECKPOINT_REFUSED, reason)
    detail = f"{reason}: it is signed by {signers}, and the log key is {given}"
    return Finding.of(
        Code.CHECKPOINT_REFUSED,
        f"{detail}; is this the right key? Give the log key that the operator publishes with --log-key",
    )


def kept_checkpoint_fault(
    kept: Checkpoint, note: bytes, *, size: int, root: bytes | None, shown: str
) -> Finding | None:
    """Compare a checkpoint that was kept with a log of ``size`` leaves under the checkpoint ``shown``; None if it fits.

    ``root`` is that of the log's first ``kept.size`` leaves, None if there are not as many.
    """
    difference = Difference("checkpoint", shown, note.decode(errors="replace"))
    if root is None:
        detail = f"the log has {size} leaves and once signed that it has {kept.size}"
        return Finding.of(Code.LOG_TRUNCATED, detail, difference=difference)
    if kept.root == root:
        return None
    code = Code.SPLIT_VIEW if kept.size == size else Code.HISTORY_REWRITTEN
    return Finding.of(code, TWO_HISTORIES, difference=difference)


def split_views(head: tuple[Checkpoint, bytes], kept: Iterable[tuple[Checkpoint, bytes]]) -> Iterator[Finding]:
    """Yield a finding for each kept checkpoint of the log's size with another root; the two notes alone prove it."""
    newest, shown = head[0], head[1].decode()
    for checkpoint, note in kept:
        if checkpoint.size == newest.size and checkpoint.root != newest.root:
            difference = Difference("checkpoint", shown, note.decode(errors="replace"))
            yield Finding.of(Code.SPLIT_VIEW, TWO_HISTORIES, difference=difference)


def signer_faults(
    notes: Sequence[tuple[Checkpoint, bytes]], records: Sequence[KeyRecord], *, log: VerifierKey, size: int
) -> Iterator[Finding]:
    """Yield the findings about who signed the checkpoints of a log with ``size`` leaves, in the order of ``notes``.

    A key may sign trees that hold the leaf that adds it and not the leaf that revokes it; the log's first key may sign
    smaller trees too. Checkpoints of more leaves than ``size`` are skipped. If the root named no key for the log,
    nothing is wrong.
    """
    named = [record for record in records if record.role is KeyRole.LOG]
    if not named:
        return
    if log.public_key not in {record.public_key for record in named}:
        yield Finding.of(Code.LOG_KEY_UNREGISTERED, f"the root named other keys for the log than {log.text}")
        return
    for checkpoint, note in notes:
        if checkpoint.size > size:
            continue
        signers = [record for record in named if is_signed(note, [VerifierKey.parse(record.key)])]
        if not any(_vouches(record, checkpoint.size, is_first=record is named[0]) for record in signers):
            detail = f"the checkpoint of {checkpoint.size} leaves is signed by no key that was the log's then"
            yield Finding.of(Code.KEY_NOT_VALID, detail)


def _vouches(record: KeyRecord, size: int, *, is_first: bool) -> bool:
    begins = 0 if is_first else record.added_leaf + 1
    return begins <= size and (record.revoked_leaf is None or size <= record.revoked_leaf)


def key_id(key: VerifierKey) -> str:
    """Write a key's name and id as ``name+id``, the id in hex."""
    return f"{key.name}+{key.key_id.hex()}"
