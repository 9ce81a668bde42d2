"""Which keys may sign what, at each place of the log: KEY leaves add and revoke them, and the root key signs those.

The law: the root key comes from outside, for a log cannot vouch for itself. A key is valid for its role from the leaf
after the one that adds it up to the leaf that revokes it; a key has one role for ever. What is sound as a key is
decided where key text is read.

It refuses to know private keys, and whether a checkpoint's key deserves trust.

>>> from referee.evidence.vkey import VerifierKey
>>> root = VerifierKey.parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
>>> KeyHistory(root).ring.of(Role.SHUFFLER)
()
"""

import enum
from dataclasses import dataclass
from typing import Final

import msgspec

from referee.audit.finding import Code
from referee.dealing.leaf import KeyLeaf
from referee.evidence.dsse import Envelope
from referee.evidence.vkey import VerifierKey

_GROUP_ORDER: Final = 2**252 + 27742317777372353535851937790883648493
"""L of Ed25519; a signature's S is below it (RFC 8032, section 5.1)."""


class Role(enum.StrEnum):
    """Who signs; the values are those of KEY leaves, and ROOT, which signs these."""

    ROOT = "root"
    LOG = "log"
    REFEREE = "referee"
    SHUFFLER = "shuffler"
    WITNESS = "witness"


class KeyRecord(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A key's life in the log: the leaf that added it and, where there is one, the leaf that revoked it."""

    role: Role
    key: str
    added_leaf: int
    revoked_leaf: int | None = None


class KeyFaultError(ValueError):
    """A KEY leaf that cannot be meant: its code, and a detail for people."""

    def __init__(self, code: Code, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class KeyRing:
    """The keys as they stand at one leaf: those in force, and all that ever were, with their roles."""

    valid: tuple[tuple[Role, bytes], ...]
    known: tuple[tuple[Role, bytes], ...]

    def of(self, role: Role) -> tuple[bytes, ...]:
        """The public keys that are in force for a role."""
        return tuple([key for one, key in self.valid if one is role])

    def fault_of(self, envelope: Envelope, role: Role) -> tuple[Code, str] | None:
        """What is wrong with an envelope's signature where the role must have signed it; None where nothing is.

        Named most specifically first: another role's key, a key not in force, S beyond the group order, none at all.
        """
        for one, key in self.valid:
            if one is role and envelope.is_signed_by(key):
                return None
        if envelope.signature is None:
            return Code.SIGNATURE_FORGED, f"it is unsigned; the {role} signs it"
        for one, key in self.known:
            if envelope.is_signed_by(key):
                if one is role:
                    return Code.KEY_NOT_VALID, f"it is signed by {key.hex()}, which is no longer a key of the {role}"
                return Code.WRONG_ROLE, f"it is signed by a key of the {one}; the {role} signs it"
        if int.from_bytes(envelope.signature[32:], "little") >= _GROUP_ORDER:
            return Code.SIGNATURE_MALFORMED, "its signature's S is not below the group order"
        return Code.SIGNATURE_FORGED, f"no key of the {role} has signed these bytes"


class KeyHistory:
    """The keys of a log while its leaves go by."""

    def __init__(self, root: VerifierKey) -> None:
        self._root = root
        self._records: dict[bytes, KeyRecord] = {}
        self.ring = self._ring()

    @property
    def records(self) -> tuple[KeyRecord, ...]:
        """Every key that the log has named, in the order they were added."""
        return tuple(self._records.values())

    def take(self, envelope: Envelope, leaf: KeyLeaf, *, leaf_index: int) -> None:
        """The history takes a KEY leaf in; KeyFaultError, and nothing taken in, where it must not be heard."""
        fault = self.ring.fault_of(envelope, Role.ROOT)
        if fault is not None:
            raise KeyFaultError(*fault)
        key = VerifierKey.parse(leaf.key).public_key
        role = Role(leaf.role)
        record = self._records.get(key)
        if leaf.action == "ADD":
            if record is not None or key == self._root.public_key:
                held = "root" if record is None else str(record.role)
                raise KeyFaultError(Code.KEY_REUSED, f"a key that is or was one of the {held} is added for the {role}")
            self._records[key] = KeyRecord(role=role, key=leaf.key, added_leaf=leaf_index)
        else:
            if record is None or record.role is not role or record.revoked_leaf is not None:
                raise KeyFaultError(Code.KEY_NOT_VALID, f"a key is revoked that is none of the {role}")
            record.revoked_leaf = leaf_index
        self.ring = self._ring()

    def _ring(self) -> KeyRing:
        root = (Role.ROOT, self._root.public_key)
        known = [(record.role, key) for key, record in self._records.items()]
        valid = [(record.role, key) for key, record in self._records.items() if record.revoked_leaf is None]
        return KeyRing(valid=(root, *valid), known=(root, *known))
