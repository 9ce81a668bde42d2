"""Keys that may sign, at each place of a log: KEY leaves add and revoke them, and the root key signs those leaves.

The root key comes from outside, since a log cannot vouch for itself. A key is valid for its role from the leaf after
the one that adds it up to the leaf that revokes it, and has one role for ever. The log may change its own key in the
same way: the root and one known key lead to the others.

>>> from referee.evidence.vkey import VerifierKey
>>> root = VerifierKey.parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
>>> KeyHistory(root).ring.of(KeyRole.SHUFFLER)
()
"""

import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from referee.audit.finding import Code, Finding, FindingError
from referee.dealing.leaf import KEY_TYPE, KeyLeaf, parse
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.evidence.note import Note, NoteError
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint

_GROUP_ORDER: Final = 2**252 + 27742317777372353535851937790883648493
"""L of Ed25519; a signature's S is below it (RFC 8032, section 5.1)."""
_MARK: Final = KEY_TYPE.encode("ascii")


class KeyRole(enum.StrEnum):
    """Role of a signing key, as KEY leaves name it; ROOT signs those."""

    ROOT = "root"
    LOG = "log"
    REFEREE = "referee"
    SHUFFLER = "shuffler"
    WITNESS = "witness"


class KeyRecord(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A key with the leaf that added it and, if there is one, the leaf that revoked it."""

    role: KeyRole
    key: str
    added_leaf: int
    revoked_leaf: int | None = None

    @property
    def public_key(self) -> bytes:
        """Public key of the record's key text."""
        return VerifierKey.parse(self.key).public_key


@dataclass(frozen=True, slots=True)
class KeyRing:
    """Keys at one leaf: those that are valid, and all that ever were, with their roles."""

    valid: tuple[tuple[KeyRole, bytes], ...]
    known: tuple[tuple[KeyRole, bytes, int | None], ...]
    """Each key with the leaf that revoked it, None for none."""

    def of(self, role: KeyRole) -> tuple[bytes, ...]:
        """Return the public keys that are valid for a role."""
        return tuple([key for one, key in self.valid if one is role])

    def since(self, role: KeyRole, leaf: int) -> tuple[bytes, ...]:
        """Return the public keys that were valid for a role somewhere from a leaf to this one."""
        return tuple([key for one, key, revoked in self.known if one is role and (revoked is None or revoked >= leaf)])

    def fault_of(self, envelope: Envelope, role: KeyRole) -> tuple[Code, str] | None:
        """Verify an envelope that a role must have signed; None if it did.

        The most specific fault is named: another role's key, a key that is not valid, S beyond the group order, none.
        """
        for one, key in self.valid:
            if one is role and envelope.is_signed_by(key):
                return None
        if envelope.signature is None:
            return Code.SIGNATURE_FORGED, f"it is unsigned; the {role} signs it"
        for one, key, _ in self.known:
            if envelope.is_signed_by(key):
                if one is role:
                    return Code.KEY_NOT_VALID, f"it is signed by {key.hex()}, which is no longer a key of the {role}"
                return Code.WRONG_ROLE, f"it is signed by a key of the {one}; the {role} signs it"
        if int.from_bytes(envelope.signature[32:], "little") >= _GROUP_ORDER:
            return Code.SIGNATURE_MALFORMED, "its signature's S is not below the group order"
        return Code.SIGNATURE_FORGED, f"no key of the {role} has signed these bytes"


class KeyHistory:
    """Keys of a log while its leaves are read in order."""

    def __init__(self, root: VerifierKey) -> None:
        self._root = root
        self._records: dict[bytes, KeyRecord] = {}
        self._forged = 0
        self.ring = self._ring()

    @property
    def records(self) -> tuple[KeyRecord, ...]:
        """Every key that the log has named, in the order in which they were added."""
        return tuple(self._records.values())

    @property
    def is_foreign(self) -> bool:
        """Whether the log has KEY leaves and the root signed none of them: this root key is not the log's."""
        return self._forged > 0 and not self._records

    def add(self, envelope: Envelope, leaf: KeyLeaf, *, leaf_index: int) -> None:
        """Apply a KEY leaf; raise FindingError and change nothing if it is forged or contradictory."""
        fault = self.ring.fault_of(envelope, KeyRole.ROOT)
        if fault is not None:
            self._forged += 1
            raise FindingError(*fault)
        key = VerifierKey.parse(leaf.key).public_key
        role = KeyRole(leaf.role)
        record = self._records.get(key)
        if leaf.action == "ADD":
            if record is not None or key == self._root.public_key:
                held = "root" if record is None else str(record.role)
                raise FindingError(Code.KEY_REUSED, f"a key that is or was one of the {held} is added for the {role}")
            self._records[key] = KeyRecord(role=role, key=leaf.key, added_leaf=leaf_index)
        else:
            if record is None or record.role is not role or record.revoked_leaf is not None:
                raise FindingError(Code.KEY_NOT_VALID, f"the revoked key is no valid key of the {role}")
            record.revoked_leaf = leaf_index
        self.ring = self._ring()

    def _ring(self) -> KeyRing:
        root = (KeyRole.ROOT, self._root.public_key)
        known = [(record.role, key, record.revoked_leaf) for key, record in self._records.items()]
        valid = [(record.role, key) for key, record in self._records.items() if record.revoked_leaf is None]
        return KeyRing(valid=(root, *valid), known=((*root, None), *known))


def is_signed(note: bytes, keys: Iterable[VerifierKey]) -> bool:
    """Return whether a note bears a valid signature by one of the keys, and no invalid one."""
    try:
        Note.parse(note).verify(keys)
    except NoteError:
        return False
    return True


def log_keys(leaves: Iterable[bytes], *, root: VerifierKey) -> tuple[VerifierKey, ...]:
    """Return every key that the root names for the log in these leaves, which are all, in order."""
    history = KeyHistory(root)
    for index, leaf in enumerate(leaves):
        if _MARK not in leaf:
            continue
        try:
            envelope = Envelope.parse(leaf)
            if envelope.payload_type == KEY_TYPE:
                history.add(envelope, parse(envelope.payload, KeyLeaf), leaf_index=index)
        except (EnvelopeError, CanonicalError, FindingError):
            continue  # found when the audit reads the leaf
    return tuple(VerifierKey.parse(one.key) for one in history.records if one.role is KeyRole.LOG)


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
