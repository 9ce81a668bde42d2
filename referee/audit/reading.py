"""Reading of leaves: a leaf's bytes become an envelope, a type and a payload, each in its one canonical form.

Bytes in another form are rejected under the most specific code. Seat keys in a header and keys in KEY leaves must be
sound points of the curve.

>>> read_envelope(b'{ "payload": "" }')
Traceback (most recent call last):
...
referee.finding.FindingError: it is not the canonical JSON of an envelope with at most one signature
"""

import binascii
import re
from typing import Final, Generic, TypeAlias, TypeVar

import msgspec

from referee.dealing import leaf as leaves
from referee.dealing.header import Header, HeaderError
from referee.dealing.leaf import Leaf, LeafError, OpenLeaf, UnsoundKeyError
from referee.evidence import canonical
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope, EnvelopeError, EnvelopeFault
from referee.evidence.ed25519 import SIGNATURE_SIZE
from referee.evidence.merkle import leaf_hash
from referee.finding import Code, Finding, FindingError
from referee.log.keys import KeyRing, KeyRole
from referee.transcript import inputs
from referee.transcript.inputs import Transcript, TranscriptError

Payload: TypeAlias = Leaf | Transcript
LeafT_co = TypeVar("LeafT_co", bound=Payload, covariant=True)

SIGNERS: Final[dict[str, KeyRole | None]] = {
    leaves.OPEN_TYPE: KeyRole.SHUFFLER,
    leaves.DEAL_TYPE: KeyRole.SHUFFLER,
    leaves.UNSEAL_TYPE: KeyRole.SHUFFLER,
    inputs.MEDIA_TYPE: KeyRole.REFEREE,
    leaves.ABORT_TYPE: KeyRole.SHUFFLER,
    leaves.REVEAL_TYPE: None,
    leaves.KEY_TYPE: KeyRole.ROOT,
    leaves.START_TYPE: KeyRole.REFEREE,
}
"""Role whose key signs each type of leaf; None for a type without a signature."""

_KINDS: Final = {media_type: kind for kind, media_type in leaves.TYPES.items()}
_SIGNATURE: Final = re.compile(rb'"sig":"([A-Za-z0-9+/]*={0,2})"')


class Placed(msgspec.Struct, Generic[LeafT_co], frozen=True, kw_only=True):
    """A leaf with its index, its leaf hash, its envelope, the keys that were valid at its index, and its content."""

    index: int
    hash: bytes
    envelope: Envelope
    ring: KeyRing
    leaf: LeafT_co


class ReadLeaf(msgspec.Struct, frozen=True):
    """A leaf with its index and hash, and its envelope and content; each of these is None if it cannot be read.

    ``fault`` says why the content cannot be read.
    """

    index: int
    hash: bytes
    envelope: Envelope | None = None
    leaf: Payload | None = None
    fault: tuple[Code, str] | None = None


def read_leaf(index: int, data: bytes) -> ReadLeaf:
    """Read the leaf at an index. Whether the header of an OPEN is sound, ``read_header`` says."""
    hashed, envelope = leaf_hash(data), None
    try:
        envelope = read_envelope(data)
        return ReadLeaf(index, hashed, envelope, read_payload(envelope))
    except FindingError as error:
        return ReadLeaf(index, hashed, envelope, fault=(error.code, error.detail))


def unread_finding(leaf: ReadLeaf, fault: tuple[Code, str], ring: KeyRing) -> Finding:
    """Make the finding about a leaf that cannot be read; the fault of its signature comes first."""
    if leaf.envelope is not None and leaf.envelope.payload_type in SIGNERS:
        fault = signature_fault(leaf.envelope, ring) or fault
    return Finding.of(*fault, leaf_index=leaf.index)


def read_envelope(data: bytes) -> Envelope:
    """Read a leaf's bytes as an envelope; raise FindingError if they are not an envelope's canonical text."""
    try:
        return Envelope.parse(data)
    except EnvelopeError as error:
        if error.fault is EnvelopeFault.TOO_LONG:
            raise FindingError(Code.LEAF_TOO_LONG, error.detail) from None
        signature = _SIGNATURE.search(data)
        if signature is not None and (size := _decoded_size(signature[1])) != SIGNATURE_SIZE:
            detail = f"its signature has {size} bytes, not {SIGNATURE_SIZE}"
            raise FindingError(Code.SIGNATURE_MALFORMED, detail) from None
        raise FindingError(Code.NOT_CANONICAL, error.detail) from None


def read_payload(envelope: Envelope) -> Payload:
    """Read an envelope's payload by its type; raise FindingError if it is not that type's canonical text.

    It does not check the header of an OPEN; ``read_header`` does.
    """
    if envelope.payload_type == inputs.MEDIA_TYPE:
        return _read_transcript(envelope.payload)
    kind = _KINDS.get(envelope.payload_type)
    if kind is None:
        detail = f"it holds {envelope.payload_type!r}, which is no type of leaf"
        raise FindingError(Code.TYPE_CONFUSION, detail)
    try:
        return leaves.read(envelope.payload, kind)
    except UnsoundKeyError as error:
        raise FindingError(Code.UNSOUND_KEY, str(error)) from None
    except LeafError as error:
        raise FindingError(Code.NOT_CANONICAL, str(error)) from None
    except CanonicalError as error:
        raise FindingError(_misread(envelope.payload), f"{error}, as {envelope.payload_type} must be") from None


def signature_fault(envelope: Envelope, ring: KeyRing) -> tuple[Code, str] | None:
    """Return the fault of an envelope's signature; None if it is valid, or rightly absent as in a REVEAL.

    The envelope's type must be one of ``SIGNERS``.
    """
    role = SIGNERS[envelope.payload_type]
    if role is not None:
        fault = ring.fault_of(envelope, role)
        return None if fault is None else (Code[fault[0]], fault[1])
    return None if envelope.signature is None else (Code.WRONG_ROLE, "it is signed, and a REVEAL has no signature")


def read_header(leaf: OpenLeaf) -> Header:
    """Read the header of an OPEN; raise FindingError if it breaks the protocol or has an unsound seat key."""
    try:
        header = leaf.header.checked()
    except HeaderError as error:
        unsound = error.field.startswith("seat_keys[")
        code = Code.UNSOUND_KEY if unsound else Code.HEADER_REFUSED
        raise FindingError(code, f"header.{error.field}: {error}") from None
    if len(leaf.client_commitments) != header.seat_count:
        detail = f"{header.seat_count} seats have {len(leaf.client_commitments)} places for commitments"
        raise FindingError(Code.HEADER_REFUSED, detail)
    return header


def _read_transcript(payload: bytes) -> Transcript:
    try:
        return inputs.parse(payload)
    except TranscriptError as error:
        raise FindingError(_misread(payload), str(error)) from None


def _misread(payload: bytes) -> Code:
    """Return the code for a payload that is not of its type: whether it is canonical text of something else, or not."""
    try:
        canonical.decode(payload)
    except CanonicalError:
        return Code.NOT_CANONICAL
    return Code.TYPE_CONFUSION


def _decoded_size(text: bytes) -> int:
    try:
        return len(binascii.a2b_base64(text))
    except binascii.Error:
        return -1
