"""Which keys sign for a log through its life: the one that is known from elsewhere, and those that it changed to.

The law: a log may change its key, and says so in KEY leaves that the root signs; so whoever knows the root and one of
the log's keys can follow to the others. A key vouches for trees from the leaf that names it to the one before its
revocation; the first one also for what stands before it is named.

It refuses to know the leaves that are not about keys.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from referee.audit.finding import Code, Finding
from referee.audit.keys import KeyFaultError, KeyHistory, KeyRecord, Role
from referee.dealing.leaf import KEY_TYPE, KeyLeaf, parse
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.evidence.note import Note, NoteError
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint

_MARK: Final = KEY_TYPE.encode("ascii")


def is_signed(note: bytes, keys: Iterable[VerifierKey]) -> bool:
    """Whether a note bears a good signature by one of the keys, and no bad one."""
    try:
        Note.parse(note).verify(keys)
    except NoteError:
        return False
    return True


def log_keys(leaves: Iterable[bytes], *, root: VerifierKey) -> tuple[VerifierKey, ...]:
    """Every key that the root names for the log in these leaves, which are all, in order."""
    history = KeyHistory(root)
    for index, leaf in enumerate(leaves):
        if _MARK not in leaf:
            continue
        try:
            envelope = Envelope.parse(leaf)
            if envelope.payload_type == KEY_TYPE:
                history.take(envelope, parse(envelope.payload, KeyLeaf), leaf_index=index)
        except (EnvelopeError, CanonicalError, KeyFaultError):
            continue  # the audit finds it, when the leaf is read for itself
    return tuple(VerifierKey.parse(one.key) for one in history.records if one.role is Role.LOG)


def signer_faults(
    notes: Sequence[tuple[Checkpoint, bytes]], records: Sequence[KeyRecord], *, log: VerifierKey, size: int
) -> Iterator[Finding]:
    """What is wrong with who signed these checkpoints, the log's newest first, of a log with ``size`` leaves.

    Nothing where the root named no key for the log.
    """
    named = [record for record in records if record.role is Role.LOG]
    if not named:
        return
    if log.public_key not in {VerifierKey.parse(record.key).public_key for record in named}:
        yield Finding.of(Code.LOG_KEY_UNREGISTERED, f"the root named other keys for the log than {log.text}")
        return
    for checkpoint, note in notes:
        if checkpoint.size > size:
            continue
        signers = [record for record in named if is_signed(note, [VerifierKey.parse(record.key)])]
        if not any(_counts(record, checkpoint.size, is_first=record is named[0]) for record in signers):
            detail = f"the checkpoint of {checkpoint.size} leaves is signed by no key that was the log's then"
            yield Finding.of(Code.KEY_NOT_VALID, detail)


def _counts(record: KeyRecord, size: int, *, is_first: bool) -> bool:
    begins = 0 if is_first else record.added_leaf + 1
    return begins <= size and (record.revoked_leaf is None or size <= record.revoked_leaf)
