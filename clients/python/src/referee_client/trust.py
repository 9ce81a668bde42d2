"""Trust of a client: the log's and the root's keys, and perhaps witnesses.

These keys come from elsewhere, such as the operator's web page. KEY leaves that the root signed name the shuffler's and
the referee's keys, and new keys of the log. Without keys from elsewhere, a client may trust the keys that the server
shows first; it then proves only that the server does not contradict itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from referee.dealing.leaf import KEY_TYPE, KeyLeaf, parse
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.evidence.merkle import LeafIndex, leaf_hash
from referee.evidence.note import Note, NoteError
from referee.evidence.outside import pasted
from referee.evidence.vkey import KeyTextError, VerifierKey
from referee.log.checkpoint import Checkpoint, CheckpointError, open_checkpoint
from referee.log.cosignature import Quorum, QuorumError
from referee.log.receipt import LogReceipt, ReceiptError
from referee.v1 import round_pb2
from referee_client.errors import VerificationError


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Keys that the operator and the witnesses published, as C2SP verifier key text: ``NAME+ID+KEY``."""

    log_key: str
    """Key that signs the log's checkpoints."""
    root_key: str
    """Key that signs the KEY leaves, which name all other keys."""
    witnesses: Sequence[str] = ()
    """Keys of the witnesses; empty for none."""
    quorum: int = 0
    """Number of witnesses that must have cosigned OPEN before a seed is sent; 0 for all of them."""


@dataclass(frozen=True, slots=True)
class Proved:
    """A leaf that is proved to be in the log."""

    index: int
    """Index of the leaf, from 0."""
    leaf: bytes
    """Bytes of the leaf: an envelope with payload and signature."""
    payload: bytes
    """Payload of the envelope: canonical JSON."""
    checkpoint: Checkpoint
    """Checkpoint of the tree in which the leaf was proved."""
    note: str
    """Text of that checkpoint with its signatures, for a verifier."""

    @property
    def leaf_hash(self) -> bytes:
        """Hash of the leaf in the log's tree; 32 bytes."""
        return leaf_hash(self.leaf)


@dataclass(slots=True)
class _Named:
    """A key that the log names, and the index of the leaf that revokes it; 2**53 if no leaf does."""

    key: VerifierKey
    revoked: int = 2**53


class Believed:
    """A trust, and the keys by role from the KEY leaves read so far."""

    def __init__(self, trust: Trust) -> None:
        try:
            self._log, self._root = (VerifierKey.parse(pasted(text)) for text in (trust.log_key, trust.root_key))
            witnesses = tuple(VerifierKey.parse(pasted(text)) for text in trust.witnesses)
            self.quorum = Quorum(witnesses, needed=trust.quorum or len(witnesses)) if witnesses else None
        except (KeyTextError, QuorumError) as error:
            raise VerificationError(str(error)) from None
        self.origin = self._log.name
        self._keys: dict[str, list[_Named]] = {}
        self.seen: set[int] = set()
        """Indices of the KEY leaves that were read."""

    @classmethod
    def trust_first_served(cls, *, log_key: str, root_key: str) -> Self:
        """Trust the keys that a server shows first."""
        return cls(Trust(log_key=log_key, root_key=root_key))

    def keys(self, role: str, *, since: int) -> tuple[bytes, ...]:
        """Return the public keys that the root named for a role and did not revoke by a leaf up to index ``since``."""
        return tuple(one.key.public_key for one in self._keys.get(role, ()) if one.revoked > since)

    def learn(self, receipts: Sequence[round_pb2.LogReceipt]) -> bool:
        """Learn keys from KEY leaves that the root signed, in the log's order; return whether a leaf was new."""
        new = sorted((one for one in receipts if one.leaf_index not in self.seen), key=lambda one: one.leaf_index)
        for receipt in new:
            self.seen.add(receipt.leaf_index)
            try:
                envelope = Envelope.parse(receipt.leaf)
                if envelope.payload_type != KEY_TYPE or not envelope.is_signed_by(self._root.public_key):
                    continue
                said = parse(envelope.payload, KeyLeaf)
                key = VerifierKey.parse(said.key)
            except (EnvelopeError, CanonicalError, KeyTextError):
                continue
            named = self._keys.setdefault(said.role, [])
            if said.action == "ADD":
                named.append(_Named(key))
            for one in named if said.action == "REVOKE" else ():
                if one.key.public_key == key.public_key:
                    one.revoked = min(one.revoked, receipt.leaf_index)
        return bool(new)

    def checkpoint(self, note: str) -> Checkpoint:
        """Parse a signed checkpoint of this log; raise VerificationError if the log did not sign it."""
        try:
            return open_checkpoint(note.encode(), origin=self.origin, keys=self._log_keys)
        except (CheckpointError, NoteError) as error:
            raise VerificationError(f"the checkpoint does not hold: {error}") from None

    def check_cosigned(self, note: str) -> Checkpoint:
        """Parse a signed checkpoint; raise VerificationError unless a quorum of the witnesses cosigned it too."""
        checkpoint = self.checkpoint(note)
        if self.quorum is None:
            raise VerificationError("no witnesses are named whose cosignatures could be looked for")
        said = self.quorum.attest(Note.parse(note.encode()))
        if not said.is_quorate:
            msg = f"{len(said.times)} witnesses of {said.needed} cosigned; {', '.join(said.missing)} did not"
            raise VerificationError(msg)
        return checkpoint

    def prove(self, receipt: round_pb2.LogReceipt, payload_type: str, *, role: str) -> Proved:
        """Verify that a receipt's leaf is in the log and signed by a key of the role; return the leaf.

        The role is empty for a type without a signature. Raise VerificationError if the proof, the checkpoint, the
        signature or the type is wrong.
        """
        read = LogReceipt(
            index=LeafIndex(receipt.leaf_index),
            leaf_hash=receipt.leaf_hash,
            proof=tuple(receipt.inclusion_proof),
            checkpoint=receipt.checkpoint.encode(),
        )
        try:
            checkpoint = read.verify(receipt.leaf, origin=self.origin, keys=self._log_keys)
            payload = self.open(receipt.leaf, payload_type, role=role, since=read.index)
        except ReceiptError as error:
            raise VerificationError(str(error)) from None
        return Proved(read.index, receipt.leaf, payload, checkpoint, receipt.checkpoint)

    def open(self, envelope: bytes, payload_type: str, *, role: str, since: int) -> bytes:
        """Return an envelope's payload; raise VerificationError if no key of the role signed it as this type.

        A key that was revoked after leaf ``since`` is still valid here.
        """
        try:
            read = Envelope.parse(envelope)
            if role:
                read.verify_any(payload_type=payload_type, public_keys=self.keys(role, since=since))
        except EnvelopeError as error:
            raise VerificationError(f"an envelope of type {payload_type} does not hold: {error}") from None
        if read.payload_type != payload_type:
            raise VerificationError(f"an envelope holds {read.payload_type}, not {payload_type}")
        return read.payload

    @property
    def _log_keys(self) -> tuple[VerifierKey, ...]:
        return (self._log, *(one.key for one in self._keys.get("log", ()) if one.key != self._log))
