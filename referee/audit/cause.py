"""Causes of findings, and which findings follow from another cause and are therefore not reported.

Findings are sorted by cause. With a root key that is not the log's, no signature in the log can be verified. Where the
leaves are not those that the log signed, what they say cannot be held against a person. In both cases findings that are
made from the leaves are counted as ``explained`` and left out, until the key is right or the log is restored.

>>> [code.value for code in sorted([Code.REVEALED_EARLY, Code.ROOT_MISMATCH], key=cause_of)]
['ROOT_MISMATCH', 'REVEALED_EARLY']
"""

import enum
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from referee.audit.finding import Code, Finding, Severity
from referee.evidence.note import Note, NoteError
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint
from referee.log.keys import KeyRecord, KeyRole, is_signed


class Cause(enum.IntEnum):
    """Where a finding comes from, in the order of a report."""

    KEYS = 0
    """The given keys or the checkpoint do not belong to this log."""
    DAMAGE = 1
    """The bytes that were read are not those that the log signed."""
    STATEMENTS = 2
    """Signed notes contradict each other or the auditor's terms, whatever the leaves are."""
    LEAVES = 3
    """What the leaves say, and what is compared with them."""
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
_STATISTICS: Final = frozenset({38, 39, 40, 53, 54, 66})
"""Numbers, in the list of what an audit must catch, of what statistics find."""


def cause_of(code: Code) -> Cause:
    """Return the cause of a code's findings."""
    return _CAUSES.get(code, Cause.CHANCE if code.number in _STATISTICS else Cause.LEAVES)


def order_of(finding: Finding) -> tuple[bool, Cause, int]:
    """Return the sort key of a report: failures before notes, then by cause, then the whole log before its leaves."""
    index = -1 if finding.leaf_index is None else finding.leaf_index
    return finding.severity is Severity.NOTE, cause_of(finding.code), index


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings for a report."""
    return sorted(findings, key=order_of)


def root_key_mismatch(given: VerifierKey, named: str) -> Finding:
    """Return the finding that no KEY leaf is signed by the given root key.

    ``named`` is the text of the root key that the log's keeper names, empty where that is not known.
    """
    detail = f"the root key {key_id(given)} signed no KEY leaf of this log"
    detail += f", whose keeper names {_id_of_text(named)}" if named and named != given.text else ""
    return Finding.of(
        Code.ROOT_KEY_MISMATCH,
        f"{detail}; is this the right key? Give the root key that the operator publishes with --root-key",
    )


def checkpoint_refused(note: bytes, keys: Iterable[VerifierKey], reason: str) -> Finding:
    """Return the finding that a checkpoint is not signed by the given keys, with the ids of both sides."""
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


def signer_faults(
    notes: Sequence[tuple[Checkpoint, bytes]], records: Sequence[KeyRecord], *, log: VerifierKey, size: int
) -> Iterator[Finding]:
    """Yield what is wrong with the signers of checkpoints, the log's newest first, of a log with ``size`` leaves.

    A key vouches for trees from the leaf that adds it to the one before its revocation, the first key also for earlier
    ones. If the root named no key for the log, nothing is wrong.
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
    """Write a key's name and id, as it begins every signature of the key."""
    return f"{key.name}+{key.key_id.hex()}"


def _id_of_text(text: str) -> str:
    """Write the name and id of a verifier key's text; the text itself where it is none."""
    return "+".join(text.split("+")[:2])
