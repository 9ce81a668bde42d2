"""Keys that may sign, at each place of a log: KEY leaves add and revoke them, and the root key signs those leaves.

The root key comes from outside, since a log cannot vouch for itself. A key is valid for its role from the leaf after
the one that adds it up to the leaf that revokes it, and has one role for ever. The log may change its own key in the
same way: a reader who has the root key and one key of the log finds its other keys.

>>> from referee.evidence.vkey import VerifierKey
>>> root = VerifierKey.parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
>>> KeyHistory(root).ring.of(KeyRole.SHUFFLER)
()
"""

import enum
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import msgspec

from referee.dealing.leaf import KEY_TYPE, KeyLeaf, parse
from referee.evidence.dsse import Envelope
from referee.evidence.note import Note, NoteError
from referee.evidence.vkey import VerifierKey

_GROUP_ORDER: Final = 2**252 + 27742317777372353535851937790883648493
"""L of Ed25519; a signature's S is below it (RFC 8032, section 5.1)."""
_MARK: Final = KEY_TYPE.encode("ascii")


class KeyRole(enum.StrEnum):
    """Role of a signing key; the value is the text of KEY leaves. KEY leaves are signed by the key of ROOT."""

    ROOT = "root"
    LOG = "log"
    REFEREE = "referee"
    SHUFFLER = "shuffler"
    WITNESS = "witness"


class KeyFault(enum.StrEnum):
    """Fault of a signature by a role, or of a KEY leaf."""

    SIGNATURE_FORGED = "SIGNATURE_FORGED"
    SIGNATURE_MALFORMED = "SIGNATURE_MALFORMED"
    WRONG_ROLE = "WRONG_ROLE"
    KEY_NOT_VALID = "KEY_NOT_VALID"
    KEY_REUSED = "KEY_REUSED"


class KeyLeafError(ValueError):
    """A KEY leaf that is forged, or contradicts those before it: the fault, and a detail for people."""

    def __init__(self, fault: KeyFault, detail: str) -> None:
        super().__init__(detail)
        self.fault = fault
        self.detail = detail


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
    """Keys that are valid at one leaf or were before it, with their roles."""

    known: tuple[tuple[KeyRole, bytes, int | None], ...]
    """Role, key, and index of the leaf that revoked the key, or None if it is not revoked."""

    def of(self, role: KeyRole) -> tuple[bytes, ...]:
        """Return the public keys that are valid for a role."""
        return tuple([key for holder, key, revoked in self.known if holder is role and revoked is None])

    def since(self, role: KeyRole, leaf: int) -> tuple[bytes, ...]:
        """Return the public keys that were valid for a role at ``leaf``, at the ring's leaf or at any leaf between."""
        return tuple(
            [key for holder, key, revoked in self.known if holder is role and (revoked is None or revoked >= leaf)]
        )

    def fault_of(self, envelope: Envelope, role: KeyRole) -> tuple[KeyFault, str] | None:
        """Verify that a valid key of a role signed an envelope; return None, or the fault and a detail for people.

        The most specific fault is returned: no signature, a revoked key of the role, a key of another role, S not below
        the group order, or else a signature by no known key.
        """
        if any(envelope.is_signed_by(key) for key in self.of(role)):
            return None
        if envelope.signature is None:
            return KeyFault.SIGNATURE_FORGED, f"it is unsigned; the {role} signs it"
        for holder, key, _ in self.known:
            if envelope.is_signed_by(key):
                if holder is role:
                    return (
                        KeyFault.KEY_NOT_VALID,
                        f"it is signed by {key.hex()}, which is no longer a key of the {role}",
                    )
                return KeyFault.WRONG_ROLE, f"it is signed by a key of the {holder}; the {role} signs it"
        if int.from_bytes(envelope.signature[32:], "little") >= _GROUP_ORDER:
            return KeyFault.SIGNATURE_MALFORMED, "its signature's S is not below the group order"
        return KeyFault.SIGNATURE_FORGED, f"no key of the {role} has signed these bytes"


class KeyHistory:
    """Keys of a log while its leaves are read in order."""

    def __init__(self, root: VerifierKey) -> None:
        self.root = root
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

    def visit(self, data: bytes, *, leaf_index: int) -> None:
        """Apply the bytes of a leaf if it is a KEY leaf; raise ValueError as ``add`` does, or if it is malformed."""
        if _MARK not in data:
            return
        envelope = Envelope.parse(data)
        if envelope.payload_type == KEY_TYPE:
            self.add(envelope, parse(envelope.payload, KeyLeaf), leaf_index=leaf_index)

    def add(self, envelope: Envelope, leaf: KeyLeaf, *, leaf_index: int) -> None:
        """Apply a KEY leaf; raise KeyLeafError and change nothing if it is forged or contradictory."""
        fault = self.ring.fault_of(envelope, KeyRole.ROOT)
        if fault is not None:
            self._forged += 1
            raise KeyLeafError(*fault)
        key = VerifierKey.parse(leaf.key).public_key
        role = KeyRole(leaf.role)
        record = self._records.get(key)
        if leaf.action == "ADD":
            if record is not None or key == self.root.public_key:
                held = "root" if record is None else str(record.role)
                raise KeyLeafError(
                    KeyFault.KEY_REUSED, f"a key that is or was one of the {held} is added for the {role}"
                )
            self._records[key] = KeyRecord(role=role, key=leaf.key, added_leaf=leaf_index)
        else:
            if record is None or record.role is not role or record.revoked_leaf is not None:
                raise KeyLeafError(KeyFault.KEY_NOT_VALID, f"the revoked key is no valid key of the {role}")
            record.revoked_leaf = leaf_index
        self.ring = self._ring()

    def _ring(self) -> KeyRing:
        known = [(record.role, key, record.revoked_leaf) for key, record in self._records.items()]
        return KeyRing(((KeyRole.ROOT, self.root.public_key, None), *known))


def is_signed(note: bytes, keys: Iterable[VerifierKey]) -> bool:
    """Return whether a note bears a valid signature by one of the keys, and no invalid one."""
    try:
        Note.parse(note).verify(keys)
    except NoteError:
        return False
    return True


def log_keys(leaves: Iterable[bytes], *, root: VerifierKey) -> tuple[VerifierKey, ...]:
    """Return every key that was added for LOG, the log's own role, in the order of the KEY leaves; revoked keys too.

    ``leaves`` must be all leaves of the log in order. KEY leaves that are malformed or not signed by ``root`` are
    skipped.
    """
    history = KeyHistory(root)
    for index, leaf in enumerate(leaves):
        with suppress(ValueError):  # the audit reports such a leaf when it reads it
            history.visit(leaf, leaf_index=index)
    return tuple(VerifierKey.parse(record.key) for record in history.records if record.role is KeyRole.LOG)
